"""Every rule of the radar on hand-made records: when it speaks, what it says, and that it is silent otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.serialize import from_json
from engine.measures.answer_match import contains
from engine.methods.quco_rag import CheckedSentence, QucoResult
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis, with_outcome
from tests.viz import sample_check_results as check_samples
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_results import (
    GOLD_KERNEL,
    HOSTILE,
    belief,
    chunk,
    dense_full,
    dense_mostly_not_measured,
    dense_result,
    dense_understood,
    seper_helped,
    seper_hurt,
    seper_no_gold,
    seper_noise,
)
from tests.viz.sample_trend_results import GAMA, INDIA, LISBON, claim, quco_result, sample_quco_result, voyage_result
from viz.runs.radar import MOST, Finding, finding_html, radar

DIAGNOSES = sorted((Path(__file__).resolve().parents[3] / "sample_data" / "diagnoses").glob("*.json"))
SILENT = replace(voyage_result(), triggers=())


def short_answer(documents: int | None) -> QucoResult:
    """Return evidence whose only claim is the short answer's, found in that many documents."""
    claims = (claim(GAMA, "answers", LISBON, documents),)
    return quco_result((GAMA,), (CheckedSentence(text="Lisbon", kind="short answer", claims=claims),))


def run_of(**results: object) -> Diagnosis:
    """Return a diagnosis with these results; the methods that are not named were not measured."""
    diagnosis = whole_diagnosis()
    for method in ("dense", "seper", "entropy_trend", "quco_rag"):
        outcome = Outcome(method=method, status="not measured", reason="Not here.")
        diagnosis = with_outcome(diagnosis, done(method, results[method]) if method in results else outcome)
    return diagnosis


def said(diagnosis: Diagnosis, reading: str | None, memory: str | None, rule: str) -> Finding | None:
    """Return the finding of a rule, None where it makes none."""
    found = [each for each in radar(diagnosis, reading, memory) if each.rule == rule]  # type: ignore[arg-type]
    assert len(found) <= 1
    return found[0] if found else None


def test_reading_that_spoils_a_right_answer_comes_first() -> None:
    found = radar(run_of(dense=dense_understood(), seper=seper_hurt()), "no", "exact")
    assert found[0].rule == "reading_spoiled" and found[0].pages == ("seper",)
    assert said(run_of(), "no", "no", "reading_spoiled") is None


def test_a_right_answer_that_reading_brought_is_held_against_what_seper_says() -> None:
    rose = said(run_of(seper=seper_helped()), "contains", "no", "rescued")
    assert rose is not None and rose.kind == "together" and "ΔSePer +0.49" in rose.sentence
    noise = said(run_of(seper=seper_noise()), "contains", "no", "rescued_within_noise")
    assert noise is not None and noise.kind == "apart"
    assert numbers_in(noise.sentence) == ["+0.10", "95", "−0.25", "0.43"]
    assert noise.sentence.startswith("Right only after reading, yet belief changed within noise: ")
    tiny = replace(seper_noise(), delta_soft=0.08, delta_soft_interval=Interval(low=0.02, high=0.14))
    hardly = said(run_of(seper=tiny), "contains", "no", "rescued_within_noise")
    assert hardly is not None
    assert hardly.sentence.startswith("Right only after reading, yet belief hardly changed: ΔSePer +0.08 ")
    assert said(run_of(seper=seper_noise()), "contains", "exact", "rescued_within_noise") is None
    assert said(run_of(seper=seper_no_gold()), "contains", "no", "rescued_within_noise") is None


def test_a_stable_answer_that_is_wrong_is_said_with_how_many_rewordings_did_not_move_it() -> None:
    found = said(run_of(dense=dense_understood()), "no", "no", "stable_but_wrong")
    assert found is not None and "5 rewordings" in found.sentence and found.pages == ("dense",)
    assert said(run_of(dense=dense_understood()), "exact", "no", "stable_but_wrong") is None
    assert said(run_of(dense=dense_full()), "no", "no", "stable_but_wrong") is None
    assert said(run_of(dense=dense_mostly_not_measured()), "no", "no", "stable_but_wrong") is None


def test_belief_that_falls_beside_a_right_answer_and_rises_beside_a_wrong_one_is_said() -> None:
    fell = said(run_of(seper=seper_hurt()), "contains", "exact", "fell_but_right")
    assert fell is not None and "ΔSePer −0.49" in fell.sentence
    rose = said(run_of(seper=seper_helped()), "no", "no", "rose_but_wrong")
    assert rose is not None and "ΔSePer +0.49" in rose.sentence
    assert said(run_of(seper=seper_noise()), "no", "no", "rose_but_wrong") is None


def test_a_necessary_passage_that_lowers_belief_is_named_with_its_number_and_the_change() -> None:
    found = said(run_of(dense=dense_full(), seper=seper_hurt()), "exact", "no", "needed_but_harmful")
    assert found is not None and "passage 2" in found.sentence
    assert "ΔSePer −0.49" in found.sentence and found.pages == ("dense", "seper")
    assert said(run_of(dense=dense_full(), seper=seper_noise()), "exact", "no", "needed_but_harmful") is None


def test_no_trigger_on_a_wrong_answer_and_a_trigger_on_a_right_one_are_said() -> None:
    assert said(run_of(entropy_trend=SILENT), "exact", "no", "silent_but_wrong") is not None
    assert said(run_of(entropy_trend=SILENT), "exact", "exact", "silent_but_wrong") is None
    found = said(run_of(entropy_trend=voyage_result()), "exact", "exact", "triggered_but_right")
    assert found is not None and "before “Lisbon”" in found.sentence


def test_what_etc_leaves_undecided_is_neither_silence_nor_a_trigger() -> None:
    point = voyage_result(3.0).points[0]
    undecided = (replace(point, low=-9.0, high=9.0),)
    for trend in (voyage_result(3.0), voyage_result()):
        open_trend = replace(trend, points=(*undecided, *trend.points[1:]))
        rules = {
            each.rule for memory in ("no", "exact") for each in radar(run_of(entropy_trend=open_trend), "no", memory)
        }
        assert not rules & {"silent_but_wrong", "triggered_but_right", "same_place_doubted"}


def test_no_answer_is_not_called_a_wrong_one() -> None:
    diagnosis = run_of(dense=dense_understood(), seper=seper_helped(), entropy_trend=voyage_result(3.0))
    assert {each.rule for each in radar(diagnosis, "none", "exact")} == {"reading_silenced", "rose_but_wrong"}
    assert said(diagnosis, "exact", "none", "silent_but_wrong") is None
    assert said(diagnosis, "exact", "none", "rescued") is not None


def test_seper_votes_for_a_right_answer_only() -> None:
    rose, fell = run_of(dense=dense_understood(), seper=seper_helped()), run_of(dense=dense_full(), seper=seper_hurt())
    for diagnosis in (rose, fell):
        assert said(diagnosis, "no", "no", "all_agree") is said(diagnosis, "no", "no", "divided") is None
        assert said(diagnosis, "exact", "no", "all_agree") is not None
    assert said(rose, "no", "no", "stable_but_wrong") is not None


def test_a_trigger_inside_a_sentence_without_evidence_is_two_methods_doubting_one_place() -> None:
    trend = voyage_result()
    text = trend.generation.text
    place = trend.words[trend.triggers[0].word].start
    start = max(text.rfind(". ", 0, place) + 2, 0) if ". " in text[:place] else 0
    stop = text.find(".", place) + 1
    doubted = CheckedSentence(text=text[start:stop], kind="fact", claims=(claim(GAMA, "sailed from", LISBON, 0),))
    other = CheckedSentence(text=text[stop:].strip(), kind="fact", claims=(claim(GAMA, "sailed from", LISBON, 0),))

    def beside(sentence: CheckedSentence) -> Finding | None:
        evidence = replace(quco_result((GAMA,), (sentence,)), generation=trend.generation)
        return said(run_of(entropy_trend=trend, quco_rag=evidence), None, None, "same_place_doubted")

    found = beside(doubted)
    assert found is not None and found.kind == "together" and found.pages == ("entropy_trend", "quco_rag")
    assert f"(word {trend.triggers[0].word + 1})" in found.sentence
    assert "“Vasco da Gama” and “Lisbon”" in found.sentence
    assert found.sentence.endswith("“Vasco da Gama” and “Lisbon” never meet.")
    rare = beside(replace(doubted, claims=(replace(claim(GAMA, "sailed from", LISBON, 1), supported=False),)))
    assert rare is not None and rare.sentence.endswith("“Vasco da Gama” and “Lisbon” meet too rarely.")
    assert beside(other) is None
    assert beside(replace(doubted, claims=(claim(GAMA, "sailed from", LISBON, 2),))) is None


def test_the_most_likely_answer_is_held_against_the_drawn_ones() -> None:
    spread = tuple((str(year), 1, False) for year in range(1880, 1890))
    scattered = replace(seper_noise(), with_passages=belief(spread, GOLD_KERNEL, 0.02, (0.01, 0.03)))
    found = said(run_of(dense=dense_understood(), seper=scattered), "exact", "exact", "stable_but_scattered")
    assert found is not None and "10%" in found.sentence
    sure = (("31 March 1889", 9, True), ("1887", 1, False))
    settled = replace(seper_noise(), with_passages=belief(sure, GOLD_KERNEL, 0.9, (0.8, 0.95)))
    found = said(run_of(dense=dense_full(), seper=settled), "exact", "exact", "unstable_but_sure")
    assert found is not None and "90%" in found.sentence
    assert said(run_of(dense=dense_understood(), seper=settled), "exact", "exact", "stable_but_scattered") is None


def test_a_right_answer_that_no_draw_repeats_is_a_narrow_win() -> None:
    spread = tuple((str(year), 1, False) for year in range(1880, 1890))
    never = replace(seper_noise(), with_passages=belief(spread, GOLD_KERNEL, 0.02, (0.01, 0.03)))
    found = said(run_of(seper=never), "exact", "exact", "right_but_never_drawn")
    assert found is not None and "none of 10" in found.sentence
    assert said(run_of(seper=seper_noise()), "exact", "exact", "right_but_never_drawn") is None


def test_one_method_alone_is_held_against_the_gold_answer() -> None:
    assert said(run_of(dense=dense_full()), "exact", "no", "unstable_but_right") is not None
    without = said(run_of(quco_rag=short_answer(0)), "exact", "no", "right_without_evidence")
    assert without is not None and without.sentence == "Right, yet the short answer's pair lacks evidence."
    holds = said(run_of(quco_rag=short_answer(2)), "no", "no", "wrong_with_evidence")
    assert holds is not None and holds.sentence == "Wrong, yet the short answer's pair has evidence.", (
        "other claims may have none"
    )
    assert said(run_of(quco_rag=short_answer(None)), "no", "no", "wrong_with_evidence") is None


def test_a_necessary_passage_without_the_gold_answer_is_held_against_the_one_that_has_it() -> None:
    leaning = dense_result(
        "1930",
        (chunk(0, "1930", 1.0, "certain"), chunk(1, "1889", 1.0, "certain"), chunk(2, "1909", 0.0, "necessary")),
        ((1, 1, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (0, 0, 0, 1)),
    )
    found = said(run_of(dense=leaning), "no", "no", "needed_without_answer")
    assert found is not None and "passage 3" in found.sentence and "passage 2" in found.sentence
    assert said(run_of(dense=dense_full()), "no", "no", "needed_without_answer") is None


def test_silence_beside_claims_without_evidence_is_said() -> None:
    found = said(run_of(entropy_trend=SILENT, quco_rag=sample_quco_result()), None, None, "silent_without_evidence")
    assert found is not None and "“Vasco da Gama” and “Zamorin of Quilon”" in found.sentence


@pytest.mark.parametrize(("reading", "kind"), [("exact", "together"), ("no", "mistaken"), (None, "together")])
def test_methods_that_are_all_for_the_answer_agree_rightly_or_wrongly(reading: str | None, kind: str) -> None:
    found = said(run_of(dense=dense_understood(), quco_rag=short_answer(3)), reading, "exact", "all_agree")
    assert found is not None and found.kind == kind and found.pages == ("dense", "quco_rag")


def test_a_short_answer_that_is_partly_counted_has_no_vote() -> None:
    counted, open_claim = claim(GAMA, "answers", LISBON, 3), claim(GAMA, "met", INDIA, None)
    for claims, cast in (((counted,), True), ((counted, open_claim), False)):
        short = quco_result((GAMA,), (CheckedSentence(text="Lisbon", kind="short answer", claims=claims),))
        found = said(run_of(dense=dense_understood(), quco_rag=short), "exact", "exact", "all_agree")
        assert (found is not None) is cast


def test_an_answer_that_names_a_correct_one_and_denies_it_is_not_said_to_lack_a_correct_answer() -> None:
    run = run_of(dense=dense_understood(), quco_rag=short_answer(2))
    assert run.golds
    denied = said(run, "named", None, "all_agree")
    assert denied is not None
    assert denied.sentence.endswith("not judged: it names a correct answer, but denies it or names another.")
    unknown = said(replace(run, golds=()), None, None, "all_agree")
    assert unknown is not None and unknown.sentence.endswith("not judged: no correct answer given.")


def test_an_answer_that_only_the_judge_calls_right_is_not_said_to_deny_a_correct_one() -> None:
    agreed = said(run_of(dense=dense_understood(), quco_rag=short_answer(2)), "meant", None, "all_agree")
    assert agreed is not None and agreed.kind == "together"
    assert agreed.sentence.endswith("; it is right by the judge alone.")
    split = said(run_of(dense=dense_understood(), quco_rag=short_answer(0)), "meant", None, "divided")
    assert split is not None and split.sentence.endswith(" is right by the judge alone.")


def test_methods_that_all_doubt_a_right_answer_pull_apart_from_the_truth() -> None:
    found = said(run_of(dense=dense_full(), quco_rag=short_answer(0)), "exact", "exact", "all_agree")
    assert found is not None and found.kind == "mistaken"
    found = said(run_of(dense=dense_full(), quco_rag=short_answer(0)), "no", "exact", "all_agree")
    assert found is not None and found.kind == "together"


def test_methods_that_are_divided_are_named_with_who_was_right() -> None:
    diagnosis = run_of(dense=dense_understood(), seper=seper_hurt(), quco_rag=short_answer(0))
    found = said(diagnosis, "no", "no", "divided")
    assert found is not None and found.pages == ("dense", "quco_rag")
    assert found.rank == 0.95
    found = said(diagnosis, "exact", "exact", "divided")
    assert found is not None and found.pages == ("dense", "seper", "quco_rag")
    assert said(diagnosis, None, None, "divided") is not None


def test_the_strongest_come_first_and_five_are_the_most() -> None:
    spread = tuple((str(year), 1, False) for year in range(1880, 1890))
    scattered = replace(seper_hurt(), with_passages=belief(spread, GOLD_KERNEL, 0.02, (0.01, 0.03)))
    diagnosis = run_of(
        dense=dense_understood(), seper=scattered, entropy_trend=voyage_result(), quco_rag=short_answer(3)
    )
    found = radar(diagnosis, "no", "exact")
    ranks = [finding.rank for finding in found]
    assert len(found) == MOST and ranks == sorted(ranks, reverse=True)


def test_where_nothing_stands_out_or_too_little_was_measured_that_is_what_is_said() -> None:
    (quiet,) = radar(run_of(dense=dense_mostly_not_measured(), entropy_trend=voyage_result()), None, None)
    assert quiet.kind == "quiet" and quiet.pages == ("dense", "entropy_trend")
    (little,) = radar(run_of(entropy_trend=voyage_result()), None, None)
    assert little.kind == "little" and little.pages == ("entropy_trend",)
    (nothing,) = radar(run_of(), None, None)
    assert nothing.kind == "little" and nothing.pages == ()


def test_a_result_that_is_not_whole_is_never_read() -> None:
    assert not any("dense" in finding.pages for finding in radar(unmeasured_diagnosis(), "no", "no"))


def test_words_of_a_model_are_never_markup() -> None:
    finding = Finding(rule="none", kind="apart", sentence=f"ETC stops before {HOSTILE}", pages=(), rank=1.0)
    assert "<script>" not in finding_html(finding) and "&lt;script&gt;" in finding_html(finding)


@pytest.mark.parametrize("path", DIAGNOSES, ids=lambda path: path.stem)
def test_every_recorded_example_has_something_to_say_and_what_it_says_of_right_and_wrong_is_true(path: Path) -> None:
    diagnosis = from_json(path.read_text(encoding="utf-8"))
    golds = diagnosis.golds

    def match(text: str) -> str | None:
        return ("contains" if contains(text, golds) else "no") if golds else None

    reading = match(diagnosis.answer.text)
    found = radar(diagnosis, reading, match(diagnosis.closed_book.text))  # type: ignore[arg-type]
    assert 1 <= len(found) <= MOST and all(finding.pages for finding in found)
    text = " ".join(finding.sentence for finding in found)
    assert not ("answer is right" in text and reading != "contains")
    assert not ("answer is wrong" in text and reading == "contains")


def test_the_checks_are_findings_where_they_find_something() -> None:
    whole = whole_diagnosis()
    checks = {
        "sufficiency": check_samples.sufficiency(0.2, 0.1),
        "contradictions": check_samples.contradictions(0.9),
        "question_parts": check_samples.question_parts(True, False),
    }
    outcomes = tuple(done(method, result) for method, result in checks.items())
    found = {one.rule: one for one in radar(replace(whole, outcomes=outcomes), "exact", "exact")}
    assert {"no_answer_held", "passages_contradict", "partly_answered"} <= set(found)
    assert "1 and 3" in found["passages_contradict"].sentence
    assert "(“yes” 30%, below 50%)" in found["no_answer_held"].sentence
    quiet = tuple(done(method, result) for method, result in (("question_parts", check_samples.question_parts(True)),))
    assert [one.rule for one in radar(replace(whole, outcomes=quiet), "exact", "exact")] == ["nothing"]
