"""Swim-lanes: a lane a policy, the first trigger full, later ones hollow; titles say the finding; texts are escaped."""

import re
from dataclasses import replace

import pytest

from engine.core.records import JudgedAnswer
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_timing_results import (
    HOSTILE,
    timing_full,
    timing_hostile,
    timing_trace_only,
    timing_unmeasured,
    timing_without_corpus,
)
from viz.methods.lanes_grid import lanes_html
from viz.methods.swim_lanes import run_lanes, runs_title, trace_lanes, trace_title
from viz.methods.timing import verdict
from viz.methods.verdicts import tone_colour
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def marks(figure, symbol: str) -> list[tuple[float, int]]:
    """Return (token, lane) of every mark of a kind."""
    traces = [trace for trace in figure.data if trace.marker.symbol == symbol and trace.x[0] is not None]
    return sorted((x, y) for trace in traces for x, y in zip(trace.x, trace.y, strict=True))


def test_the_titles_say_the_finding() -> None:
    assert numbers_in(trace_title(timing_full()).removesuffix(", ‘1887.’")) == ["2", "3", "5"]
    assert numbers_in(verdict(timing_full()).word) == ["2", "3"]
    full = timing_full()
    silent = tuple(replace(lane, triggers=() if lane.policy != "flare" else lane.triggers) for lane in full.lanes)
    assert trace_title(replace(full, lanes=silent)).startswith("1 of 3 adaptive policies looks something up")
    unknown = tuple(replace(lane, not_measured="No attention was stored.") for lane in full.lanes)
    assert trace_title(replace(full, lanes=unknown)) == "No adaptive policy was measured"
    assert numbers_in(runs_title(timing_full())) == ["2", "3", "3", "3"]
    assert numbers_in(runs_title(timing_without_corpus())) == ["1", "1"]


@THEMES
def test_the_first_trigger_is_full_and_later_ones_are_hollow(theme) -> None:
    figure = trace_lanes(timing_full(), theme)
    assert marks(figure, "diamond") == [(1, 4), (3, 1), (5, 0)]
    assert marks(figure, "diamond-open") == [(8, 1)]
    notes = [note.text for note in figure.layout.annotations]
    assert notes == [
        "the reference",
        "2 tokens earlier",
        "fires nowhere",
        "not measured",
        "4 tokens earlier",
        "fires nowhere",
    ]
    assert figure.layout.xaxis.title.text == "Tokens of the answer from memory"


def test_the_grid_in_html_has_the_same_marks_and_ends_as_the_figure() -> None:
    figure, html = trace_lanes(timing_full(), LIGHT), lanes_html(timing_full(), "grid")
    assert re.findall(r'rm-mark-first"[^>]*data-pick="(\d+)\.\d+"', html) == ["0", "1", "4"]
    assert html.count('data-pick="') == sum(len(one.x) for one in figure.data if one.customdata is not None)
    assert html.count('scope="row"') == len(timing_full().lanes)
    assert "threshold moved" in lanes_html(timing_full(), "grid", "entropy_trend", 0.3)
    assert "<td" not in lanes_html(timing_unmeasured(), "grid")


def test_the_grid_outlines_the_chosen_token_and_row() -> None:
    html = lanes_html(timing_full(), "grid", chosen=(4, "entropy_trend"))
    assert html.count("rm-picked-row") == 1
    assert html.count(" rm-picked") == 1 + len(timing_full().lanes)


def test_one_lane_can_be_drawn_at_another_threshold() -> None:
    figure = trace_lanes(timing_full(), LIGHT, "entropy_trend", 0.3)
    assert (3, 0) in marks(figure, "diamond") and (5, 0) in marks(figure, "diamond-open")
    assert "threshold moved" in [note.text for note in figure.layout.annotations]
    kept = trace_lanes(timing_full(), LIGHT, "entropy_trend", 1.0)
    assert "the reference" in [note.text for note in kept.layout.annotations], "at its own nothing has moved"


@THEMES
def test_a_run_is_a_bar_of_its_tokens_with_its_lookups_and_its_cost(theme) -> None:
    figure = run_lanes(timing_full(), theme)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [trace.x[0] for trace in bars] == [10, 5, 10]
    notes = [note.text for note in figure.layout.annotations]
    assert notes[0] == "✖ wrong · 0 lookups, 10 written"
    assert notes[2] == "✔ right · 2 lookups, 18 written"
    lookups = [trace for trace in figure.data if trace.type == "scatter"]
    assert [tuple(trace.x) for trace in lookups] == [(0,), (4, 5)]


def test_a_lookup_that_found_nothing_is_a_grey_cross() -> None:
    (lookups,) = [trace for trace in run_lanes(timing_without_corpus(), LIGHT).data if trace.type == "scatter"]
    assert tuple(lookups.marker.symbol) == ("x",) and tuple(lookups.marker.color) == (LIGHT.unknown,)


def test_nothing_to_draw_is_a_sentence() -> None:
    assert "Not measured" in trace_lanes(timing_unmeasured(), LIGHT).layout.annotations[0].text
    assert "No policy" in run_lanes(timing_trace_only(), LIGHT).layout.annotations[0].text


def test_markup_in_texts_is_escaped_everywhere() -> None:
    for figure in (trace_lanes(timing_hostile(), DARK), run_lanes(timing_hostile(), DARK)):
        text = str(figure.to_dict()) + lanes_html(timing_hostile(), "grid")
        assert HOSTILE not in text and "<b>bold" not in text


def test_the_axis_of_a_long_answer_names_at_most_forty_tokens() -> None:
    figure = trace_lanes(timing_full(), LIGHT)
    assert len(figure.layout.xaxis.tickvals) == 10


def test_a_run_that_states_no_answer_is_neither_right_nor_wrong_in_its_lane() -> None:
    silent = replace(timing_full().runs[1], answer="", text="I do not know.", right=False)
    said = [note.text for note in run_lanes(replace(timing_full(), runs=(silent,)), LIGHT).layout.annotations]
    assert any("◐ no answer" in text for text in said) and not any("wrong" in text for text in said)


def test_an_answer_that_only_the_judge_calls_right_is_neither_right_nor_wrong_in_the_figure() -> None:
    full = timing_full()
    judged = replace(full, judged=(JudgedAnswer(text=full.runs[0].answer, meaning=0.91),))

    assert runs_title(full) == "2 of 3 own answers right (3 policies, 3 lookups in all)"
    assert runs_title(judged) == "2 of 3 own answers right, 1 more right by the judge (3 policies, 3 lookups in all)"
    before, after = (run_lanes(one, LIGHT).layout.annotations[0] for one in (full, judged))
    assert "wrong" in before.text and before.font.color == tone_colour("bad", LIGHT)
    assert "right by the judge" in after.text and after.font.color == tone_colour("middle", LIGHT)


def test_a_space_that_is_a_token_of_its_own_stands_over_its_column() -> None:
    full = timing_full()
    first, *rest = full.generation.tokens
    generation = replace(full.generation, tokens=(replace(first, text=" "), *rest))
    assert "∅" not in lanes_html(full, LIGHT)
    assert ">␣<" in lanes_html(replace(full, generation=generation), LIGHT)
