"""The story of a run: marks of the passages, small figures of the same data, and the card as a picture."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.core.records import Hit, JudgedAnswer, Passage
from engine.runs.sample_runs import recorded_run
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis
from tests.viz.runs.test_headline import KYOTO, NEITHER, TOKYO, run_of
from tests.viz.sample_results import HOSTILE, dense_all_certain, dense_full, generation, seper_helped, seper_hostile
from tests.viz.sample_trend_results import hostile_trend_result, sample_quco_result, voyage_result
from tests.viz.sample_uncertainty import change, chunk_utility
from viz.parts.figure_parts import COMPACT
from viz.parts.theme import DARK, LIGHT, Theme
from viz.runs.case_card import case_card_html, cases_html, shipped_cards
from viz.runs.run_cards import case_card, shipped_lines
from viz.runs.story import EVIDENCE, MATCH_NOTES, answer_box, cut_around, flow_html, passage_rows, run_bar_html
from viz.runs.story_card import card_row, card_rows, fitted_lines, story_card_svg
from viz.runs.summary import Match, passage_html, question_html

RESULTS = {
    "dense": dense_full(),
    "seper": seper_helped(),
    "entropy_trend": voyage_result(),
    "quco_rag": sample_quco_result(),
}


def test_a_passage_is_marked_with_what_it_holds() -> None:
    rows = passage_rows(run_of("Tokyo", "Kyoto", passages=(NEITHER, TOKYO, KYOTO, "Tokyo, then Kyoto.")), told=(2, 3))

    assert [[chip.tone for chip in row.chips] for row in rows] == [[], ["good"], ["bad"], ["good", "bad"]]
    assert [row.told for row in rows] == [False, False, True, True]
    assert [kind for _, kind, _ in rows[3].pieces] == ["", "gold", "", "given", ""]


def test_a_right_answer_is_one_mark_and_without_a_correct_answer_names_is_neither_good_nor_bad() -> None:
    (row,) = passage_rows(run_of("Kyoto", "Tokyo", passages=(TOKYO,)))
    assert [chip.tone for chip in row.chips] == ["good"]
    (row,) = passage_rows(run_of("Kyoto", "Tokyo", golds=(), passages=(TOKYO,)))
    assert [chip.tone for chip in row.chips] == ["model"]


def test_labels_and_changes_stand_at_a_passage_only_where_they_were_measured() -> None:
    bare = run_of("Tokyo", "Kyoto", passages=(NEITHER, TOKYO, KYOTO))
    assert [row.note for row in passage_rows(bare)] == ["", "", ""]
    measured = replace(bare, outcomes=(done("dense", dense_full()), done("chunk_utility", chunk_utility())))
    notes = [row.note for row in passage_rows(measured)]
    assert [": necessary" in note for note in notes] == [False, True, False]
    alike = replace(bare, outcomes=(done("dense", dense_all_certain()), done("chunk_utility", chunk_utility())))
    assert not any("DENSE" in row.note for row in passage_rows(alike)), "certain tells none apart where all are"
    assert [bool(row.meaning) for row in passage_rows(alike)] == [False] * 3, (
        "no word explains a label that is not there"
    )
    assert ["+0.50" in notes[0], "0.00" in notes[1], "−0.40" in notes[2]] == [True] * 3


def test_a_passage_that_is_clear_alone_only_says_so() -> None:
    result = chunk_utility()
    helpful = replace(result.chunks[3], alone=change(0.9, 0.4, 1.0, "up", 0.9), verdict="useful")
    used = replace(result, chunks=(*result.chunks[:3], helpful))
    rows = passage_rows(replace(whole_diagnosis(), outcomes=(done("chunk_utility", used),)))
    assert [row.note for row in rows][:4] == ["ΔSePer +0.50", "ΔSePer 0.00", "ΔSePer −0.40", "ΔSePer alone +0.90"]


def test_an_answer_from_right_to_left_does_not_turn_the_words_around_it() -> None:
    hebrew = run_of("פריז", "קיוטו", golds=("טוקיו",), passages=("קיוטו היא עיר.",))
    ((chip,), *_) = (row.chips for row in passage_rows(hebrew))
    assert chip.words == "names “\u2068קיוטו\u2069”"
    assert run_bar_html(hebrew).count("<bdi>") == 2 and question_html("?", ("א", "ב")).count("<bdi>") == 2


def test_a_copy_names_the_passage_it_copies() -> None:
    assert [row.note for row in passage_rows(run_of("a", "b", passages=(TOKYO, NEITHER, TOKYO)))] == [
        "",
        "",
        "copy of 1",
    ]


def test_a_long_text_is_cut_around_the_first_answer_in_it() -> None:
    text = "word " * 400 + "Tokyo" + " word" * 400
    cut = cut_around(text, ("Tokyo",))

    assert "Tokyo" in cut and len(cut) <= 604
    assert cut_around("short", ()) == "short"


def test_a_long_text_is_cut_between_words_so_that_no_part_of_one_reads_as_another() -> None:
    cut = cut_around("airport " * 100 + "Selm " + "airport " * 100, ("Selm",))
    assert set(cut.split()) == {"…", "airport", "Selm"} and len(cut) <= 604
    assert len(cut_around("東" * 2000, ())) <= 604, "a script without spaces is cut anywhere"


@pytest.mark.parametrize(
    ("match", "tone", "word"),
    [
        ("exact", "good", "right"),
        ("no", "bad", "wrong"),
        ("none", "middle", "no answer"),
        ("meant", "middle", "right by the judge"),
        (None, "unknown", "not judged"),
    ],
)
def test_an_answer_is_marked_right_wrong_or_none(match: Match | None, tone: str, word: str) -> None:
    found = answer_box("", "Tokyo", match)
    assert (found.tone, found.word) == (tone, word)


def test_the_mark_of_other_words_says_how_often_people_agree_with_it() -> None:
    run = run_of("Kyoto", "the old Edo", passages=(NEITHER,))
    asked = replace(run, judged=(JudgedAnswer(text="the old Edo", meaning=0.8),))
    refused = replace(run, judged=(JudgedAnswer(text="the old Edo", meaning=0.79),))

    assert "By its words alone. People accept 116 of 348 such short answers." in flow_html(run)
    assert "The judge gives it 0.800. On short answers people agree with 73 of 81 such verdicts." in flow_html(asked)
    assert "right by the judge" in flow_html(asked) and "right by the judge" not in flow_html(refused)
    assert "The judge gives it 0.790, below 0.8. People accept 43 of 267 such short answers." in flow_html(refused)
    assert "right by the judge" in run_bar_html(asked)


def test_no_number_of_english_answers_stands_at_a_mark_of_another_script() -> None:
    run = run_of("Москва", "город Москва", golds=("Moscow",), passages=(NEITHER,))
    asked = replace(run, judged=(JudgedAnswer(text="город Москва", meaning=0.91),))

    assert "It learned from English; this script was not measured." in flow_html(asked)
    assert "The judge learned from English.</p>" in flow_html(asked)
    assert "In this script it was not compared with people." in flow_html(run)
    assert "such" not in flow_html(asked)


def test_of_yes_and_no_nobody_says_how_often_people_accept_other_words() -> None:
    assert "People accept" not in flow_html(run_of("no", "420", golds=("yes",), passages=(NEITHER,)))


def test_what_people_say_of_other_words_is_what_was_measured() -> None:
    results = json.loads((Path(__file__).parents[3] / "benchmarks/results/judge.json").read_text(encoding="utf-8"))
    short = results["other_words"]["at most 10 words"]

    for note, counts in (("meant", "meant"), ("refused", "not_meant"), ("by words", "wrong_by_words")):
        assert f"{short[counts]['right']} of {short[counts]['pairs']} such" in MATCH_NOTES[note]


def test_a_passage_names_what_only_the_judge_calls_right_as_neither_right_nor_wrong() -> None:
    run = run_of("Kyoto", "Edo", passages=("Edo lies in the east.",))
    asked = replace(run, judged=(JudgedAnswer(text="Edo", meaning=0.9),))

    tones = [[chip.tone for chip in passage_rows(one)[0].chips] for one in (run, asked)]
    assert tones == [["bad"], ["middle"]]


def test_the_flow_shows_what_a_model_wrote_as_text() -> None:
    drawn = flow_html(run_of(HOSTILE, HOSTILE, passages=(HOSTILE,)))

    assert "<script" not in drawn and drawn.count("<details") == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("one", EVIDENCE, ids=lambda one: one.method)
def test_each_small_figure_has_no_title_no_legend_and_is_small(one, theme: Theme) -> None:  # type: ignore[no-untyped-def]
    result = RESULTS[one.method]
    figure = one.draw(result, theme)

    assert figure.layout.height == COMPACT
    assert (figure.layout.title.text, figure.layout.showlegend) == (None, False)
    assert len(figure.data) > 0 and one.title(result) and one.sentence(result)
    assert min(note.font.size for note in figure.layout.annotations) >= 13 if figure.layout.annotations else True


def test_the_small_figures_hold_the_numbers_of_the_large_ones() -> None:
    graph, bars, trend, network = (one.draw(RESULTS[one.method], LIGHT) for one in EVIDENCE)

    assert [list(data) for data in graph.data[-2].customdata] == [[0], [1], [2], [3], [4]]
    assert [sum(trace.x) for trace in bars.data] == pytest.approx([1.0, 1.0])
    diamonds = next(trace for trace in trend.data if trace.name == "triggers")
    assert list(diamonds.x) == [trigger.word for trigger in voyage_result().triggers]
    assert len([trace for trace in network.data if trace.mode == "lines"]) == 3


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_hostile_text_is_escaped_in_the_small_figures(theme: Theme) -> None:
    hostile = {"seper": seper_hostile(), "entropy_trend": hostile_trend_result()}
    for one in EVIDENCE:
        drawn = one.draw(hostile.get(one.method, RESULTS[one.method]), theme).to_json()
        assert "<script" not in drawn.replace("\\u003c", "<")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(
    "diagnosis",
    [
        whole_diagnosis(),
        unmeasured_diagnosis(),
        run_of(HOSTILE, HOSTILE, golds=(HOSTILE,), passages=(HOSTILE,) * 7),
        replace(whole_diagnosis(golds=()), hits=(), answer=generation("")),
    ],
    ids=["whole", "unmeasured", "hostile", "no passages"],
)
def test_the_card_is_a_picture_of_its_own(diagnosis, theme: Theme) -> None:  # type: ignore[no-untyped-def]
    root = ElementTree.fromstring(story_card_svg(diagnosis, theme))

    assert (root.get("width"), root.get("height")) == ("1200", "675")
    kinds = {part.tag.partition("}")[2] for part in root.iter()}
    assert kinds <= {"svg", "title", "rect", "g", "text", "path"}
    assert not any(name.endswith("href") for part in root.iter() for name in part.attrib)


@pytest.mark.parametrize("word", ["Tokyo", "Luxembourg", "Constantinopolitan"])
def test_no_word_of_an_answer_breaks_on_the_card(word: str) -> None:
    size, lines = fitted_lines(f"the {word} one")
    assert word in " ".join(lines).split()
    assert max(map(len, lines)) * 0.6 * size <= 212
    assert size == max(one for one in (32, 28, 24, 20, 17, 15) if len(word) <= int(212 / (0.67 * one)))


def test_a_long_summary_stands_whole_on_the_card() -> None:
    svg = story_card_svg(recorded_run("capital-of-japan"), LIGHT)
    words = " ".join(text.text or "" for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    assert "short answer supported, other claims not" in words


def test_a_long_word_puts_the_answers_of_a_picture_card_under_each_other() -> None:
    diagnosis = whole_diagnosis()
    for word, stacked in (("Luxembourg", 0), ("Constantinopolitan", 1)):
        html = case_card_html(case_card("run", replace(diagnosis, answer=generation(word))))
        assert html.count("rm-stacked") == stacked
        assert f"--longest:{len(word)}" in html


def test_the_cards_beside_the_records_are_those_that_the_records_give() -> None:
    lines = shipped_lines()
    assert len(lines) == 25
    assert shipped_cards() == {(line.card.run_id, line.recorded): line.card for line in lines}


def test_every_card_is_a_link_with_its_place_and_a_question_is_escaped_and_cut() -> None:
    cards = [case_card("one", whole_diagnosis()), case_card("two", replace(whole_diagnosis(), question=HOSTILE * 40))]
    html = cases_html("cases-few", cards)
    assert [html.count(f'data-pick="{place}"') for place in range(3)] == [1, 1, 0]
    assert 'data-grid="cases-few"' in html and "<script>" not in html and "…</a>" in html and 'href="?run=two"' in html


def test_a_pasted_passage_without_a_title_is_called_by_its_first_words() -> None:
    (hit,) = run_of("Tokyo", "Kyoto", passages=(TOKYO,)).hits
    pasted = replace(hit, passage=replace(hit.passage, title="", document_id="pasted-1", source="pasted"))
    (row,) = passage_rows(replace(run_of("Tokyo", "Kyoto"), hits=(pasted,)))
    assert row.whole_title == TOKYO
    assert row.title[:5] == TOKYO[:5]
    listed = passage_html(pasted, None, ())
    assert f"1. {TOKYO}<" in listed and "pasted-1" not in listed and "Untitled" not in listed


@pytest.mark.parametrize(("characters", "boxed"), [(3000, 0), (80_000, 1)])
def test_a_very_long_passage_stands_in_a_box_of_its_own(characters: int, boxed: int) -> None:
    diagnosis = run_of("Tokyo", "Kyoto", passages=("x" * characters,))
    assert passage_html(diagnosis.hits[0], None, ()).count("rm-scrolls") == boxed


def test_a_cut_mark_of_a_passage_has_its_words_whole() -> None:
    said = "the old imperial city of Kyoto"
    rows = passage_rows(run_of("Tokyo", said, passages=(f"It is {said}.", f"So {said}.")))
    assert {chip.whole for row in rows for chip in row.chips if "…" in chip.words} == {said}
    assert said in flow_html(run_of("Tokyo", said, passages=(f"It is {said}.",)))
    assert [chip.whole for chip in passage_rows(run_of("Tokyo", "Kyoto", passages=(KYOTO,)))[0].chips] == [""]


@pytest.mark.parametrize(
    ("title", "text", "golds", "chip", "marked"),
    [
        ("Rivers", "Paris lies on it.", ("Paris",), "names a correct answer", True),
        ("Paris", "It lies on a river.", ("Paris",), "names a correct answer", False),
        ("Rivers", "It lies on a river.", ("Paris",), "names no correct answer", False),
        ("Rivers", "There is no river.", ("no",), "", False),
    ],
)
def test_a_passage_says_whether_it_has_a_correct_answer_only_where_words_tell(
    title: str, text: str, golds: tuple[str, ...], chip: str, marked: bool
) -> None:
    hit = Hit(rank=1, score=1.0, retriever="bm25", passage=Passage(title=title, text=text))
    drawn = passage_html(hit, None, golds)
    assert ("correct answer" in drawn) == bool(chip) and chip in drawn
    assert ("rm-gold" in drawn) == marked


def test_an_untitled_passage_is_headed_by_its_first_words_or_its_first_line() -> None:
    texts = ("The Suez Canal was opened on 17 November 1869.", "Hurricane (cocktail)\nA sweet drink made with rum.")
    rows = passage_rows(run_of("rum", "rum", passages=texts))
    assert [row.title for row in rows] == ["The Suez Canal was opened on …", "Hurricane (cocktail)"]


def test_the_card_shows_the_passages_that_its_headline_speaks_of_and_no_title_runs_into_its_mark() -> None:
    texts = (*[f"{NEITHER} {place}" for place in range(10)], TOKYO)
    run = run_of("Kyoto", "Kyoto", golds=("Tokyo",), passages=texts)
    assert [row.number for row in card_rows(passage_rows(run, (10,)))] == [1, 2, 3, 4, 11]
    svg = story_card_svg(run, LIGHT)
    assert "and 6 more" in svg and ">11</text>" in svg
    (row,) = passage_rows(
        run_of("Kyoto", "Tokyo", golds=("Tokyo",), passages=("Tokyo was the capital of Japan then.",)), (0,)
    )
    drawn = card_row(row, LIGHT)
    # A bold letter of 21 pixels is 0.67 of them wide, one of the mark's 19 pixels 0.6.
    assert len(str(drawn["title"])) * 21 * 0.67 + len(str(drawn["mark"])) * 19 * 0.6 <= 836 - 396


def test_the_passages_that_name_an_answer_are_listed_with_and() -> None:
    html = flow_html(run_of("Kyoto", "Tokyo", golds=("Tokyo",), passages=(TOKYO, TOKYO, NEITHER, TOKYO)))
    assert "in passages 1, 2 and 4" in re.sub(r"<[^>]+>", "", html)


def test_an_answer_without_passages_does_not_stand_after_reading() -> None:
    alone = replace(whole_diagnosis(), hits=(), outcomes=())
    assert "After reading" not in flow_html(alone) and "No passages read" in flow_html(alone)
    assert ">answer:</span>" in run_bar_html(alone) and ">after reading:</span>" in run_bar_html(whole_diagnosis())
    assert "After reading" not in story_card_svg(alone, LIGHT)
