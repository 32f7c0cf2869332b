"""The pictures of slides: one for each name of each lesson, bars of a table, a graph whose every mark has its turn."""

import pytest

from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import chosen_runs
from engine.learning.lessons.slides import slide_at, slides_of
from engine.runs.sample_runs import recorded_ids, recorded_run
from tests.viz.sample_results import HOSTILE, dense_full
from viz.learning.slide_motion import growing_graph, time_of
from viz.learning.slides import picture, sums_slide_html, table_html
from viz.methods.entailment_graph import entailment_graph, node_places
from viz.parts.theme import DARK


@pytest.mark.parametrize("word", LESSONS)
def test_every_picture_of_a_lesson_is_drawn_and_each_vote_stands_before_its_reveal(word: str) -> None:
    runs = [recorded_run(run_id) for run_id in chosen_runs(LESSONS[word], recorded_run, recorded_ids())]
    steps = LESSONS[word].build(*runs)
    names = {(name, step.part) for step in steps for name in (*step.shows, *step.then)}
    drawn = [picture(runs[part], name, DARK, "box") for name, part in names]
    assert all((one.figure is not None) != bool(one.html) for one in drawn)
    kinds = [slide.kind for slide in slides_of(steps)]
    assert kinds[0] == "title" and kinds[-1] == "recap" and len(LESSONS[word].recap) == 3
    assert all(kinds[place - 1] == "vote" for place, kind in enumerate(kinds) if kind == "reveal")
    assert kinds.count("vote") == kinds.count("reveal") == sum(step.question is not None for step in steps)
    assert slide_at(slides_of(steps), 2, 99) == max(
        place for place, slide in enumerate(slides_of(steps)) if slide.step == 2
    )


def test_a_graph_grows_answer_by_answer_and_each_line_comes_after_both_its_ends() -> None:
    result = dense_full()
    figure = entailment_graph(result, DARK)
    drawn = sum(len([x for x in trace.x if x is not None]) for trace in figure.data if trace.mode == "lines")
    measured = [chunk.weight is not None for chunk in result.chunks]
    moves = growing_graph(figure, node_places(result), measured)
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "lines") == drawn
    nodes = [move.begins for move in moves if ".point" in move.select]
    assert nodes == [time_of(turn) for turn in range(1, len(measured) + 1)] == sorted(nodes)
    lines = [move for move in moves if move.select.startswith(".scatterlayer") and ".point" not in move.select]
    assert len(lines) == sum(trace.mode == "lines" for trace in figure.data)
    assert all(move.begins >= time_of(1.5) for move in lines)
    assert max(move.begins for move in moves) == time_of(max(turn for turn, one in enumerate(measured, 1) if one) + 0.5)


def test_a_table_has_bars_as_long_as_its_last_numbers_and_none_for_words() -> None:
    drawn = table_html({"answer": ["a", "b"], "weight": ["0.5", "0.25"]}, DARK)
    assert "width:100.0%" in drawn and "width:50.0%" in drawn
    assert "width:" not in table_html({"draw": [1, 2], "answer": ["Bern", "Basel"]}, DARK)
    assert "width:" not in table_html({"at": ["a", "b"], "change": ["−0.5", "0.25"]}, DARK)


def test_markup_on_a_slide_stays_text() -> None:
    assert "<script" not in table_html({"a": [HOSTILE], "b": [HOSTILE]}, DARK) + sums_slide_html([HOSTILE])


def test_claimed_pairs_stand_in_two_columns_with_what_was_found_on_their_lines() -> None:
    (run_id, *_) = chosen_runs(LESSONS["co-occurrence"], recorded_run, recorded_ids())
    shown = picture(recorded_run(run_id), "quco-network", DARK, "box")
    assert shown.figure is not None and shown.figure.layout.showlegend is False
    marks = [trace for trace in shown.figure.data if trace.mode == "markers" and trace.cliponaxis is False]
    assert {x for trace in marks for x in trace.x} == {0.0, 1.0}
    found = [one.text for one in shown.figure.layout.annotations if "document" in one.text or "never meet" in one.text]
    assert sorted(found) == [
        "<b>1 document</b>", "<b>1 document</b>", "<b>3 documents</b>", "<b>4 documents</b>", "<b>never meet</b>",
    ]  # fmt: skip
