"""Every rule of the radar on hand-made records: when it speaks, what it says, and that it is silent otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.serialize import from_json
from engine.measures.answer_match import contains
from engine.methods.quco_rag import CheckedSentence, QucoResult
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis, with_outcome
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
from tests.viz.sample_trend_results import GAMA, LISBON, claim, quco_result, sample_quco_result, voyage_result
from viz.radar import MOST, Finding, finding_html, named, radar

DIAGNOSES = sorted((Path(__file__).resolve().parents[2] / "sample_data" / "diagnoses").glob("*.json"))
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


def said(diagnosis: Diagnosis, reading: str | None, memory: str | None, words: str) -> Finding | None:
    """Return the finding that says these words, None where none does."""
    found = [each for each in radar(diagnosis, reading, memory) if words in each.sentence]  # type: ignore[arg-type]
    assert len(found) <= 1
    return found[0] if found else None


def test_reading_that_spoils_a_right_answer_comes_first() -> None:
    found = radar(run_of(dense=dense_understood(), seper=seper_hurt()), "no", "exact")
    assert "reading spoiled it" in found[0].sentence and found[0].pages == ("seper",)
    assert said(run_of(), "no", "no", "spoiled") is None


def test_a_right_answer_that_reading_brought_is_held_against_what_seper_says() -> None:
    rose = said(run_of(seper=seper_helped()), "contains", "no", "SePer says the same")
    assert rose is not None and rose.kind == "together" and "(ΔSePer +0.49)" in rose.sentence
    noise = said(run_of(seper=seper_noise()), "contains", "no", "cannot tell the change in belief from noise")
    assert noise is not None and noise.kind == "apart"
    assert "ΔSePer +0.10 (95% interval −0.25 to 0.43)" in noise.sentence
    assert said(run_of(seper=seper_noise()), "contains", "exact", "Reading turned") is None
    assert said(run_of(seper=seper_no_gold()), "contains", "no", "Reading turned") is None


def test_a_stable_answer_that_is_wrong_is_said_with_how_many_rewordings_did_not_move_it() -> None:
    found = said(run_of(dense=dense_understood()), "no", "no", "stable is not the same as right")
    assert found is not None and "5 rewordings" in found.sentence and found.pages == ("dense",)
    assert said(run_of(dense=dense_understood()), "exact", "no", "stable is not") is None
    assert said(run_of(dense=dense_full()), "no", "no", "stable is not") is None
    assert said(run_of(dense=dense_mostly_not_measured()), "no", "no", "stable is not") is None


def test_belief_that_falls_beside_a_right_answer_and_rises_beside_a_wrong_one_is_said() -> None:
    fell = said(run_of(seper=seper_hurt()), "contains", "exact", "reading lowered belief in the right answer")
    assert fell is not None and "(ΔSePer −0.49)" in fell.sentence
    rose = said(run_of(seper=seper_helped()), "no", "no", "not enough")
    assert rose is not None and "(ΔSePer +0.49)" in rose.sentence
    assert said(run_of(seper=seper_noise()), "no", "no", "not enough") is None


def test_a_necessary_passage_that_lowers_belief_is_named_with_its_number_and_the_change() -> None:
    found = said(run_of(dense=dense_full(), seper=seper_hurt()), "exact", "no", "may mislead")
    assert found is not None and "DENSE calls passage 2 necessary" in found.sentence
    assert "ΔSePer −0.49" in found.sentence and found.pages == ("dense", "seper")
    assert said(run_of(dense=dense_full(), seper=seper_noise()), "exact", "no", "may mislead") is None


def test_no_trigger_on_a_wrong_answer_and_a_trigger_on_a_right_one_are_said() -> None:
    assert said(run_of(entropy_trend=SILENT), "exact", "no", "sure is not the same as known") is not None
    assert said(run_of(entropy_trend=SILENT), "exact", "exact", "sure is not") is None
    found = said(run_of(entropy_trend=voyage_result()), "exact", "exact", "already right")
    assert found is not None and "before “Lisbon”" in found.sentence


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
        return said(run_of(entropy_trend=trend, quco_rag=evidence), None, None, "in the very sentence")

    found = beside(doubted)
    assert found is not None and found.kind == "together" and found.pages == ("entropy_trend", "quco_rag")
    assert f"(word {trend.triggers[0].word + 1})" in found.sentence
    assert "“Vasco da Gama” and “Lisbon” never meet" in found.sentence
    assert beside(other) is None
    assert beside(replace(doubted, claims=(claim(GAMA, "sailed from", LISBON, 2),))) is None


def test_the_most_likely_answer_is_held_against_the_drawn_ones() -> None:
    spread = tuple((str(year), 1, False) for year in range(1880, 1890))
    scattered = replace(seper_noise(), with_passages=belief(spread, GOLD_KERNEL, 0.02, (0.01, 0.03)))
    found = said(run_of(dense=dense_understood(), seper=scattered), "exact", "exact", "10 meanings")
    assert found is not None and "the largest with 10% of belief" in found.sentence
    sure = (("31 March 1889", 9, True), ("1887", 1, False))
    settled = replace(seper_noise(), with_passages=belief(sure, GOLD_KERNEL, 0.9, (0.8, 0.95)))
    found = said(run_of(dense=dense_full(), seper=settled), "exact", "exact", "not of the facts in them")
    assert found is not None and "90% of the belief" in found.sentence
    assert said(run_of(dense=dense_understood(), seper=settled), "exact", "exact", "meanings, the largest") is None


def test_a_right_answer_that_no_draw_repeats_is_a_narrow_win() -> None:
    spread = tuple((str(year), 1, False) for year in range(1880, 1890))
    never = replace(seper_noise(), with_passages=belief(spread, GOLD_KERNEL, 0.02, (0.01, 0.03)))
    found = said(run_of(seper=never), "exact", "exact", "a narrow win")
    assert found is not None and "none of the 10 answers" in found.sentence
    assert said(run_of(seper=seper_noise()), "exact", "exact", "a narrow win") is None


def test_one_method_alone_is_held_against_the_gold_answer() -> None:
    assert said(run_of(dense=dense_full()), "exact", "no", "right with these words") is not None
    assert said(run_of(quco_rag=short_answer(0)), "exact", "no", "not the same as false") is not None
    assert said(run_of(quco_rag=short_answer(2)), "no", "no", "not the same as being true") is not None
    assert said(run_of(quco_rag=short_answer(None)), "no", "no", "being true") is None


def test_a_necessary_passage_without_the_gold_answer_is_held_against_the_one_that_has_it() -> None:
    leaning = dense_result(
        "1930",
        (chunk(0, "1930", 1.0, "certain"), chunk(1, "1889", 1.0, "certain"), chunk(2, "1909", 0.0, "necessary")),
        ((1, 1, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (0, 0, 0, 1)),
    )
    found = said(run_of(dense=leaning), "no", "no", "does not contain it")
    assert found is not None and "calls passage 3 necessary, but it is passage 2 that holds" in found.sentence
    assert said(run_of(dense=dense_full()), "no", "no", "does not contain it") is None


def test_silence_beside_claims_without_evidence_is_said() -> None:
    found = said(run_of(entropy_trend=SILENT, quco_rag=sample_quco_result()), None, None, "ETC would look nothing up")
    assert found is not None and "“Vasco da Gama” and “Zamorin of Quilon” never meet" in found.sentence


@pytest.mark.parametrize(
    ("reading", "kind", "close"),
    [
        ("exact", "together", "and it is right."),
        ("no", "mistaken", "and it is wrong."),
        (None, "together", "whether it is right is not known, for there is no gold answer."),
    ],
)
def test_methods_that_all_trust_the_answer_agree_rightly_or_wrongly(reading, kind: str, close: str) -> None:
    found = said(run_of(dense=dense_understood(), quco_rag=short_answer(3)), reading, "exact", "both trust")
    assert found is not None and found.kind == kind and found.sentence.endswith(close)
    assert found.sentence.startswith(
        "DENSE and QuCo-RAG both trust the short answer “31 March 1889” (other words change nothing"
    )


def test_methods_that_all_doubt_a_right_answer_pull_apart_from_the_truth() -> None:
    found = said(run_of(dense=dense_full(), quco_rag=short_answer(0)), "exact", "exact", "both doubt")
    assert found is not None and found.kind == "mistaken" and found.sentence.endswith("and yet it is right.")
    assert "Agree, and err" in finding_html(found)
    found = said(run_of(dense=dense_full(), quco_rag=short_answer(0)), "no", "exact", "both doubt")
    assert found is not None and found.kind == "together" and found.sentence.endswith("and it is wrong.")


def test_methods_that_are_divided_are_named_with_who_was_right() -> None:
    diagnosis = run_of(dense=dense_understood(), seper=seper_hurt(), quco_rag=short_answer(0))
    found = said(diagnosis, "no", "no", "the doubt was due")
    assert found is not None and found.pages == ("dense", "seper", "quco_rag")
    assert found.sentence.startswith(
        "DENSE trusts the short answer “31 March 1889” (other words change nothing), SePer and QuCo-RAG doubt"
    )
    assert said(diagnosis, "exact", "exact", "the trust was due") is not None
    assert said(diagnosis, None, None, "not known without a gold answer") is not None


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
    assert quiet.kind == "quiet" and "DENSE and ETC each say something of their own" in quiet.sentence
    (little,) = radar(run_of(entropy_trend=voyage_result()), None, None)
    assert little.kind == "little" and "only ETC of DENSE, SePer, ETC and QuCo-RAG" in little.sentence
    (nothing,) = radar(run_of(), None, None)
    assert "none of DENSE, SePer, ETC and QuCo-RAG" in nothing.sentence and nothing.pages == ()


def test_a_result_that_is_not_whole_is_never_read() -> None:
    assert not any("dense" in finding.pages for finding in radar(unmeasured_diagnosis(), "no", "no"))


def test_co_occurrence_begins_small_inside_a_sentence() -> None:
    assert named(["quco_rag", "dense"]) == "QuCo-RAG and DENSE"


def test_words_of_a_model_are_never_markup() -> None:
    finding = Finding(kind="apart", sentence=f"ETC stops before {HOSTILE}", pages=(), rank=1.0)
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
    assert not ("answer is not right" in text and reading != "no")
