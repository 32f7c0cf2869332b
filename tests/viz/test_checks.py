"""The three checks in words, figure and tables: never green, and text that comes from outside stays text."""

import gzip
import json
import math
import re
from dataclasses import replace

import pytest

from engine.core.folders import PROJECT
from engine.methods.question_parts import QuestionPart
from engine.methods.sufficiency import FITTED
from tests.viz import sample_check_results as samples
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_results import HOSTILE
from viz.methods import contradictions, question_parts, sufficiency
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import Verdict, brief_of
from viz.parts.theme import DARK, LIGHT, rgba


@pytest.mark.parametrize(
    ("told", "word", "tone"),
    [
        (sufficiency.verdict(samples.sufficiency(0.2, 0.8)), "the model sees an answer", "model"),
        (sufficiency.verdict(samples.sufficiency(0.2, 0.1)), "the model sees no answer", "middle"),
        (contradictions.verdict(samples.contradictions(0.9, 0.2)), "1 contradiction", "middle"),
        (contradictions.verdict(samples.contradictions(0.2)), "no contradiction found", "model"),
        (contradictions.verdict(samples.contradictions()), "nothing to compare", "unknown"),
        (question_parts.verdict(samples.question_parts(True, False)), "1 of 2 parts answered", "middle"),
        (question_parts.verdict(samples.question_parts(True, True)), "all 2 parts answered", "model"),
        (question_parts.verdict(samples.question_parts(True)), "nothing to split", "unknown"),
        (question_parts.verdict(samples.question_parts(False)), "no person in it", "middle"),
        (
            question_parts.verdict(samples.question_parts(False, stated=False)),
            "no answer to compare",
            "unknown",
        ),
    ],
)
def test_each_finding_has_its_word_and_none_is_green(told: Verdict, word: str, tone: str) -> None:
    assert (told.word, told.tone) == (word, tone)


def test_one_open_part_is_not_said_to_be_the_whole_question() -> None:
    told = question_parts.verdict(samples.question_parts(True, False))
    assert brief_of(told) == "The question has 2 parts; 1 has no answer."


def test_a_stored_share_that_is_no_number_is_not_measured_and_no_missing_answer() -> None:
    told = sufficiency.verdict(replace(samples.sufficiency(0.2), score=math.nan, sufficient=False))
    assert (told.word, told.tone) == ("not measured", "unknown") and "nan" not in told.sentence


@pytest.mark.parametrize(
    ("candidates", "word"), [(2, "no contradiction found"), (4, "no contradiction found"), (40, "mostly not compared")]
)
def test_none_found_among_a_few_of_the_candidates_says_nothing(candidates: int, word: str) -> None:
    result = replace(samples.contradictions(0.1, 0.2), candidates=candidates)
    assert contradictions.verdict(result).word == word
    assert numbers_in(contradictions.sentence(result))[:-1] == (["2"] if candidates == 2 else ["2", str(candidates)])
    found = replace(samples.contradictions(0.9, 0.2), candidates=40)
    assert contradictions.verdict(found).word == "1 contradiction"


def test_the_nearest_passage_is_said_with_what_it_lacks_of_the_question() -> None:
    said = sufficiency.sentence(samples.sufficiency(0.2, 0.8))
    assert "Passage 2" in said and "0.80" in said and "built" in said and "clock" not in said


def test_the_nearest_passage_is_not_said_to_have_the_highest_share_where_all_together_have() -> None:
    together = sufficiency.sentence(samples.sufficiency(0.3, 0.2, together=0.95))
    assert together.startswith(
        "The highest P(yes) is 0.95, at or above the threshold 0.50. "
        "Passage 1 comes nearest alone: P(yes) 0.30; all together 0.95."
    )
    assert "Passage 1 comes nearest: P(yes) 0.30." in sufficiency.sentence(samples.sufficiency(0.3))


def test_passages_that_contradict_each_other_are_named_pair_by_pair() -> None:
    one = samples.contradictions(0.9, 0.8)
    assert contradictions.sentence(one).startswith("Passages 1 and 3 contradict each other: 0.90, ")
    first, second = one.pairs
    other = replace(second, first=replace(second.first, index=3), second=replace(second.second, index=1))
    two = replace(one, pairs=(first, other))
    said = "Contradicting passages: 1 and 3; 2 and 4. Strongest: 0.90; 2 pairs of sentences compared."
    assert contradictions.sentence(two) == said


def test_measured_rates_are_only_said_of_the_model_they_were_measured_with() -> None:
    told = sufficiency.verdict(samples.sufficiency(0.2, 0.8))
    assert "not measured" in told.detail and "%" not in told.detail


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_figure_has_a_bar_for_each_passage_and_one_for_all(theme: object) -> None:
    result = samples.sufficiency(0.2, 0.8, together=0.6)
    figure = sufficiency.yes_figure(result, theme, 1)  # type: ignore[arg-type]
    assert [bar.x[0] for bar in figure.data] == [0.2, 0.8, 0.6]
    assert sufficiency.passages_table(result)["P(yes)"].tolist() == [0.2, 0.8, 0.6]
    beside = [note.text for note in figure.layout.annotations if note.x > 1]
    assert beside == ["0.20", "0.80", "0.60"], "no value stands on a bar's end, where the threshold's line crosses it"


def test_text_from_outside_is_never_markup() -> None:
    pair = samples.contradictions(0.9, text=HOSTILE).pairs[0]
    drawn = contradictions.pair_html(pair, LIGHT) + question_parts.parts_html(
        samples.question_parts(True, answer=HOSTILE), LIGHT
    )
    assert "<script>" not in drawn and "<b>" not in drawn


def test_the_rates_that_are_said_are_those_that_were_measured() -> None:
    measured = json.loads((PROJECT / "benchmarks" / "results" / "checks.json").read_text(encoding="utf-8"))
    held, apart = measured["sufficiency"], measured["contradictions"]
    at = held["at_threshold"]
    assert CHECK_RATES["sufficiency"] == {
        "threshold": FITTED,
        "questions": held["questions_to_measure"],
        "auroc": round(held["five_passages"]["likeliest of all"], 2),
        "sensitivity": round(at["sensitivity"], 2),
        "false_alarms": round(at["false_alarms"], 2),
    }
    assert held["threshold"] == FITTED
    assert tuple(CHECK_RATES["contradictions"].values()) == (
        *(apart[kind][word] for kind in ("Wikipedia", "MuSiQue", "answer replaced") for word in ("cases", "flagged")),
    )
    hops = measured["sufficiency_hops"]
    assert CHECK_RATES["sufficiency_hops"] == {
        "questions": hops["questions"],
        "one_missing": round(hops["sensitivity"]["one missing"], 2),
        "none_there": round(hops["sensitivity"]["none there"], 2),
    }
    text = (PROJECT / "benchmarks" / "results" / "cooccurrence_base.json").read_text(encoding="utf-8")
    counted = [one["own passages"] for one in json.loads(text).values()]
    for kind in ("right", "exchanged"):
        assert CHECK_RATES["co_occurrence"][kind] == sum(one[kind]["counted"] for one in counted)
        assert CHECK_RATES["co_occurrence"][f"{kind}_without"] == sum(one[kind]["without_evidence"] for one in counted)
    assert tuple(CHECK_RATES["question_parts"].values()) == tuple(measured["question_parts"]["held_out"].values())


def test_what_quick_reading_found_is_counted_over_the_questions_with_a_sure_answer() -> None:
    measured = json.loads((PROJECT / "benchmarks" / "results" / "quick_reading.json").read_text(encoding="utf-8"))
    sure = [row for row in measured["rows"] if row["sure"]]
    assert CHECK_RATES["quick_reading"] == {
        "sure": len(sure),
        "changing": sum(row["changing"]["full"] for row in sure),
        "found": sum(row["both"] for row in sure),
    }


@pytest.mark.parametrize(("name", "score"), [("dense", "DSE paper"), ("dense_drawn", "DSE paper, temperature 1")])
def test_the_base_rate_of_dense_counts_the_rows_above_the_papers_threshold(name: str, score: str) -> None:
    text = (PROJECT / "benchmarks" / "results" / "dense_correctness.json").read_text(encoding="utf-8")
    rates = CHECK_RATES[name]
    above = [(row["right"]["judge"], row["scores"][score] > rates["threshold"]) for row in json.loads(text)["rows"]]
    for kind, right in (("right", True), ("wrong", False)):
        assert rates[kind] == sum(one[0] is right for one in above)
        assert rates[f"{kind}_unstable"] == above.count((right, True))


def test_the_base_rates_of_sugar_and_seper_count_the_questions_of_the_study() -> None:
    columns = json.loads((PROJECT / "benchmarks" / "results" / "study_nq.json").read_text(encoding="utf-8"))["columns"]
    memory, after = columns["memory.right"], columns["answer.right"]
    sugar, rates = list(zip(memory, columns["verdict.sugar"], strict=True)), CHECK_RATES["sugar"]
    for kind, right in (("right", 1.0), ("wrong", 0.0)):
        assert rates[kind] == memory.count(right)
        assert rates[f"{kind}_none"] == sugar.count((right, "no lookup"))
    assert ({rates["low"]}, {rates["high"]}) == (set(columns["sugar.low"]), set(columns["sugar.high"]))
    seper = list(zip(memory, after, columns["verdict.seper"], strict=True))
    for name, right in (("mended", 1.0), ("still_wrong", 0.0)):
        assert CHECK_RATES["seper"][name] == sum(one[:2] == (0.0, right) for one in seper)
        assert CHECK_RATES["seper"][f"{name}_helped"] == seper.count((0.0, right, "helped"))


def test_the_base_rate_of_etc_counts_the_lookups_beside_the_answers_from_memory() -> None:
    packed = gzip.decompress((PROJECT / "benchmarks" / "results" / "timing.rows.jsonl.gz").read_bytes())
    rows = [json.loads(line) for line in packed.splitlines()]
    memory = {row["question"]: row["right"] for row in rows if row["policy"] == "never"}
    fired = [
        (memory[row["question"]], row["lookups"] > 0)
        for row in rows
        if (row["policy"], row["level"]) == ("etc", "paper")
    ]
    rates = CHECK_RATES["entropy_trend"]
    for kind, right in (("right", True), ("wrong", False)):
        assert rates[kind] == sum(one[0] is right for one in fired)
        assert rates[f"{kind}_fired"] == fired.count((right, True))
    named = {"etc": "entropy_trend", "dragin": "dragin", "flare": "flare", "quco_rag": "quco_rag"}
    for row_name, policy in named.items():
        at_paper = [row for row in rows if (row["policy"], row["level"]) == (row_name, "paper")]
        assert CHECK_RATES["timing"][policy] == sum(row["lookups"] > 0 for row in at_paper)
        assert {row["threshold"] for row in at_paper} == {CHECK_RATES["timing_thresholds"][policy]}


def test_what_was_compared_is_a_picture_of_the_record_alone_where_nothing_contradicts() -> None:
    result = replace(samples.contradictions(0.2, 0.45), candidates=7)
    html = contradictions.compared_html(result, ["Clock", HOSTILE, "Tower"], LIGHT)
    numbers = re.findall(r"<b>(\d+)</b>", html)
    assert numbers == ["3", "9", "7", "0"], "passages, sentences, pairs that may contradict, contradictions"
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", html)
    assert cells == ["", contradictions.NONE, "", "0.45", contradictions.NONE], "passages 1 and 3: the stronger pair"
    assert HOSTILE not in html
    nothing = contradictions.compared_html(samples.contradictions(), ["Clock", "Tower"], DARK)
    assert re.findall(r"<b>(\d+)</b>", nothing) == ["2", "9", "0", "0"]


def test_two_passages_are_amber_from_the_threshold_on_and_grey_below() -> None:
    result = samples.contradictions(0.2, 0.3)
    found, threshold = contradictions.strongest_between(result), result.config.threshold
    cell = contradictions.compared_cell(found, (0, 2), threshold, LIGHT)
    assert cell is not None and cell["colour"] == rgba(LIGHT.unknown, 0.1 + 0.6 * 0.3)
    cell = contradictions.compared_cell({(0, 2): 0.9}, (0, 2), threshold, LIGHT)
    assert cell is not None and cell["colour"] == rgba(LIGHT.middle, 0.1 + 0.6 * 0.9)


def test_a_question_of_yes_or_no_is_answered_by_neither() -> None:
    part = QuestionPart(text="Is it old?", asked="yes or no", answered=False)
    assert (question_parts.lacking(part), question_parts.lacking(replace(part, asked="date"))) == (
        "neither yes nor no",
        "no date in it",
    )


def test_the_rates_of_timing_name_an_earlier_writer_exactly_while_another_one_ships() -> None:
    results = PROJECT / "benchmarks" / "results"
    timed = json.loads((results / "timing.json").read_text(encoding="utf-8"))["writer"]
    shipped = json.loads((results / "writer.json").read_text(encoding="utf-8"))["models"][-1]
    assert bool(CHECK_RATES["writer"]["earlier"]) is (timed != shipped)


def test_two_passages_that_disagree_are_marked_alike_for_neither_is_the_truth() -> None:
    first, second = "Petra Vossen built it.", "Anton Reik built it."
    pair = samples.contradictions(0.9).pairs[0]
    pair = replace(pair, first=replace(pair.first, text=first), second=replace(pair.second, text=second))
    drawn = contradictions.pair_html(pair, LIGHT)
    assert drawn.count("<mark ") == 4 and "<del" not in drawn and "<ins" not in drawn
