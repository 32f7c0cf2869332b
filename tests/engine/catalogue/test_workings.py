"""Numbers computed again from their parts: by hand, on every recorded example, on a run of nine methods."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.language_models.base import Request
from engine.catalogue.base import Place, State, Working, state_of, worked
from engine.catalogue.walk import entry_of, number_at, numbers_of
from engine.core.seeds import derive_seed
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json, to_json
from engine.methods.seper import run
from engine.methods.seper_records import SeperConfig
from tests.engine.catalogue.nine_methods import nine
from tests.engine.methods.scripted_case import backends, case
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis, with_outcome
from tests.viz.sample_results import dense_full
from tests.viz.sample_trend_results import sample_quco_result
from viz.parts.words import value_words
from viz.runs.numbers import check_sentence

RECORDED = sorted((Path(__file__).resolve().parents[3] / "sample_data" / "diagnoses").glob("*.json"))


def at(diagnosis: Diagnosis, address: str) -> tuple[Place, Working]:
    """Return a number and how it comes about."""
    place = number_at(diagnosis, address)
    assert place is not None, address
    return place, worked(entry_of(place), place)


def states(diagnosis: Diagnosis) -> Counter[State]:
    """Return how many numbers of a run came out how, tokens and judgements included."""
    return Counter(
        state_of(entry_of(place), place, worked(entry_of(place), place)) for place in numbers_of(diagnosis, raw=True)
    )


def test_every_number_of_a_run_with_all_nine_methods_follows_from_what_is_stored() -> None:
    found = states(nine())
    assert found["differs"] == found["not certain"] == 0
    assert found["same"] > 1400


def test_no_number_of_a_recorded_example_differs_from_its_parts() -> None:
    for file in RECORDED[::6]:
        diagnosis = from_json(file.read_text(encoding="utf-8"))
        found = states(diagnosis)
        assert found["differs"] == found["not certain"] == 0, file.stem
        assert found["same"] > (500 if len(diagnosis.hits) == 5 else 200)  # over three passages there is less to count


def test_a_claim_names_the_share_of_a_document_that_narrowed_its_window() -> None:
    for share, shown in ((None, []), (0.0, []), (0.25, [0.25])):
        diagnosis = with_outcome(whole_diagnosis(), done("quco_rag", replace(sample_quco_result(), window_share=share)))
        inputs = at(diagnosis, "quco_rag.sentences.1.claims.0.documents")[1].inputs
        assert [one.value for one in inputs if one.name == "window, share of document"] == shown
        assert [one.value for one in inputs if one.name == "window"] == [1000]


def test_dse_is_worked_out_with_the_degrees_of_this_run() -> None:
    # Five answers that agree and one that stands alone: D = (5, 5, 5, 5, 5, 1), DSE 0.450561 (one outlier of six).
    weights = tuple(tuple(float((i < 5) == (j < 5)) for j in range(6)) for i in range(6))
    result = replace(dense_full(), weights=weights, entropy=0.4505612088663046, entropy_interval=None)
    place, working = at(with_outcome(whole_diagnosis(), done("dense", result)), "dense.entropy")
    assert working.again == pytest.approx(0.4505612, abs=1e-7)
    assert state_of(entry_of(place), place, working) == "same"
    assert r"\ln\tfrac{5}{6}" in working.filled and r"\ln\tfrac{1}{6}" in working.filled
    assert r"6 \text{ terms}" in working.filled and len(working.inputs) == 6


def test_a_changed_number_is_told_from_what_its_parts_give() -> None:
    result = replace(dense_full(), entropy=0.111)
    place, working = at(with_outcome(whole_diagnosis(), done("dense", result)), "dense.entropy")
    assert state_of(entry_of(place), place, working) == "differs"
    assert "0.111" in check_sentence(place, working)


def test_a_tampered_record_is_red_at_the_number_that_was_changed() -> None:
    for part, value, address in (
        ('"delta_soft":', "0.5", "seper.delta_soft"),
        ('"measured":', "0.123", "sugar.measured"),
        ('"mean_count":', "77.0", "quco_rag.mean_count"),
    ):
        head, _, tail = to_json(nine()).partition(part)
        tampered = from_json(f"{head}{part}{value}{tail[tail.index(',') :]}")
        place, working = at(tampered, address)
        assert state_of(entry_of(place), place, working) == "differs"
        assert states(tampered)["differs"] == 1


def test_not_measured_is_not_nought_and_says_what_it_means() -> None:
    place, working = at(unmeasured_diagnosis(), "dense.entropy")
    assert place.value is None and value_words(place.value) == "not measured"
    assert state_of(entry_of(place), place, working) == "not measured"


def test_a_passage_that_was_given_has_no_score_rather_than_nought() -> None:
    place, working = at(nine(), "run.hits.0.score")
    assert state_of(entry_of(place), place, working) == "not measured"
    assert value_words(place.value) == "not measured"


def test_parts_that_contradict_each_other_are_a_finding_and_no_crash() -> None:
    result = replace(dense_full(), weights=((1.0, 0.5), (0.25, 1.0)))
    place, working = at(with_outcome(whole_diagnosis(), done("dense", result)), "dense.entropy")
    assert state_of(entry_of(place), place, working) == "differs"
    assert working.note


def test_a_gold_answer_judged_twice_takes_the_reading_that_was_used() -> None:
    outcome = nine().outcome("seper")
    assert outcome is not None and outcome.result is not None
    judgements = outcome.result.judgements
    twice = replace(outcome.result, judgements=(*(replace(one, entailment=0.5) for one in judgements), *judgements))
    found = with_outcome(nine(), replace(outcome, result=twice))
    place, working = at(found, "seper.without.kernel.0.0")
    assert state_of(entry_of(place), place, working) == "same"


def test_of_two_correct_answers_the_paper_takes_the_mean_so_a_draw_that_matches_one_counts_half() -> None:
    right = {derive_seed(0, "seper", "with", number) for number in range(7)}

    def speak(request: Request) -> list[tuple[str, float, float]]:
        return [("Lyra Quill" if request.temperature == 0 or request.seed in right else "Nobody", -1.0, 0.3)]

    backend = backends(speak)
    asked = case(backend, golds=("Lyra Quill", "Orin Vale"))
    result = run(asked, SeperConfig(variant="paper", samples=10), backend)
    diagnosis = with_outcome(whole_diagnosis(), done("seper", result))
    place, working = at(diagnosis, "seper.with_passages.equal.hard")
    assert (place.value, state_of(entry_of(place), place, working)) == (pytest.approx(0.35), "same")
    assert working.filled == r"\frac{0.5 \cdot 7}{10} = 0.35"
    assert [(one.name, one.value) for one in working.inputs] == [
        ("samples, matches", 7),
        ("samples, does not match", 3),
    ]


def test_an_endless_number_is_shown_and_compared_as_such() -> None:
    assert (value_words(math.inf), value_words(-math.inf), value_words(None)) == ("∞", "−∞", "not measured")
