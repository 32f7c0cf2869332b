"""Thresholds replayed on stored numbers: what appears and vanishes, what is stale, and what a new run is asked."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseResult
from engine.methods.sugar import SugarConfig
from engine.thresholds.in_run import RunThreshold, moved, run_thresholds
from engine.thresholds.replay import Replayed, replayed
from engine.thresholds.request import request_with
from engine.thresholds.table import THRESHOLDS
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import done, whole_diagnosis, with_outcome
from tests.viz.sample_rag_results import refined_result
from tests.viz.sample_results import chunk, dense_full, dense_result
from tests.viz.sample_timing_results import timing_full
from tests.viz.sample_uncertainty import doubt, sugar_several
from viz.methods.dense import verdict as dense_verdict

PASSAGE = Passage(text="The tower was inaugurated on 31 March 1889.", title="Tower")
PROJECT = Path(__file__).resolve().parents[3]


def threshold(diagnosis: Diagnosis, word: str) -> RunThreshold:
    """Return one threshold of a run."""
    return next(one for one in run_thresholds(diagnosis) if one.word == word)


def with_timing() -> Diagnosis:
    """Return the hand-made run with retrieval timing and SUGAR added."""
    outcomes = (done("timing", timing_full()), done("sugar", sugar_several()))
    return replace(whole_diagnosis(), outcomes=(*whole_diagnosis().outcomes, *outcomes))


def test_at_the_runs_own_thresholds_nothing_changes() -> None:
    for diagnosis in (nine(), with_timing(), whole_diagnosis()):
        own = {one.word: one.value for one in run_thresholds(diagnosis)}
        found = replayed(diagnosis, own)
        assert found.changes == found.stale == ()
        assert moved(diagnosis, own) == {}


def test_a_method_the_run_lacks_leaves_its_thresholds_where_they_are_and_says_why() -> None:
    found = {one.word: one.missing for one in run_thresholds(whole_diagnosis())}
    lacking = {"rind", "flare", "tau_entity", "sugar_low", "sugar_high", "gate"}
    assert {word for word in THRESHOLDS if found[word]} == lacking
    assert found["sugar_low"] == "This run has no SUGAR." and "retrieval timing" in found["rind"]
    assert replayed(whole_diagnosis(), {"sugar_low": 0.0, "rind": 0.1}).changes == ()


def test_denses_verdict_turns_where_its_entropy_stands_on_the_other_side() -> None:
    result = dense_full()
    assert result.entropy is not None and result.uncertain
    diagnosis = with_outcome(whole_diagnosis(), done("dense", replace(result, entropy_interval=None)))
    (change,) = replayed(diagnosis, {"dse": result.entropy + 0.01}).changes
    assert (change.about, change.before, change.after) == ("verdict", "unstable", "stable")
    assert replayed(diagnosis, {"dse": result.entropy - 0.01}).changes == ()


def test_a_higher_alpha_lists_the_triggers_that_vanish_and_what_stands_behind_the_first() -> None:
    found = replayed(whole_diagnosis(), {"alpha": 1.6})
    words = [change.where for change in found.changes]
    assert "ETC, before “Lisbon”" in words
    assert all(change.after == "does not fire" for change in found.changes)
    (stale,) = found.stale
    assert stale.part.startswith("ETC's answer from token ") and "rewrite the text after it" in stale.why


def test_flare_and_dragin_fire_by_their_own_thresholds_only() -> None:
    lower = replayed(with_timing(), {"flare": 0.5})
    assert {change.threshold for change in lower.changes} == {"flare"}
    # FLARE's probabilities are 0.99, 0.7, 0.9 and 0.3: at 0.5 only the last still fires.
    assert [change.token for change in lower.changes] == [2]
    assert any("from token 3 on" in one.part for one in lower.stale)
    # RIND is 0.3 and 0.6: at 0.5 the second fires, which nothing did before.
    (appeared,) = replayed(with_timing(), {"rind": 0.5}).changes
    assert (appeared.token, appeared.after) == (4, "fires")


def test_sugars_decision_follows_its_thresholds_and_makes_its_rounds_stale() -> None:
    result = sugar_several()
    found = replayed(with_timing(), {"sugar_low": result.measured + 0.1})
    (change,) = found.changes
    assert (change.where, change.after) == ("SUGAR", "no lookup")
    assert found.stale[0].part == "SUGAR's rounds and its answer"


def test_samples_that_state_no_answer_end_sugars_rounds_at_no_threshold() -> None:
    # After round 1 SUGAR measured 0.8018. At 0.85 samples that state answers end it there; silent ones never do.
    result = sugar_several()
    (change,) = replayed(with_timing(), {"sugar_low": 0.85}).changes
    assert (change.where, change.after) == ("SUGAR, after round 1", "certain enough, ends")
    silent = replace(result.rounds[0], after=doubt((("I do not know.", 10),), 0.8018))
    diagnosis = with_outcome(with_timing(), done("sugar", replace(result, rounds=(silent, *result.rounds[1:]))))
    assert replayed(diagnosis, {"sugar_low": 0.85}) == Replayed(changes=(), stale=())


def test_a_first_context_that_states_nothing_is_refined_at_every_threshold() -> None:
    # DSE 0.64 over the first context: above 1.0 nothing is refined, unless its answers state nothing.
    result = refined_result()
    first = replace(result.steps[0], states_nothing=True)
    silent = replace(result, steps=(first, *result.steps[1:]))
    for refined, said in ((result, ["left as it is"]), (silent, [])):
        diagnosis = replace(whole_diagnosis(), outcomes=(*whole_diagnosis().outcomes, done("dense_rag", refined)))
        found = replayed(diagnosis, {"dse": 1.0})
        assert [one.after for one in found.changes if one.where.startswith("DENSE-RAG")] == said
        assert len(found.stale) == len(said)


SILENT = dense_result("I do not know.", (chunk(0, "I do not know.", 0.0, "unclear"),), ((1, 0), (0, 1)))
TWINS = replace(dense_full(), chunks=tuple(replace(one, passage=PASSAGE) for one in dense_full().chunks))


@pytest.mark.parametrize(
    "result",
    [replace(dense_full(), valid_rewrites=1), SILENT, TWINS],
    ids=["too few rewordings", "no answer", "copies reworded apart"],
)
def test_denses_verdict_stays_unclear_where_no_threshold_decides_it(result: DenseResult) -> None:
    # DSE is 0.51 and, of the two silent answers, ln 2 = 0.69: both above the run's 0.2 and below 0.9.
    diagnosis = with_outcome(whole_diagnosis(), done("dense", result))
    assert dense_verdict(result).word == dense_verdict(replace(result, threshold=0.9, uncertain=False)).word
    assert replayed(diagnosis, {"dse": 0.9}) == Replayed(changes=(), stale=())


def test_a_claim_loses_its_evidence_where_more_documents_are_asked_for() -> None:
    found = replayed(nine(), {"tau_cooc": 3.0})
    assert found.changes and all(change.about == "claim" for change in found.changes if change.where[0] == "Q")
    assert {change.after for change in found.changes if change.about == "claim"} == {"no evidence"}


def test_a_new_run_is_asked_with_every_threshold_written_out() -> None:
    request = DiagnosisRequest(question="Who?", methods=("dense", "sugar"), thresholds="fitted")
    asked = request_with(
        request, with_timing(), {"dse": 0.35, "alpha": 1.5, "flare": 0.6, "sugar_low": 1.0, "sugar_high": 0.5}
    )
    assert (asked.dense.threshold, asked.dense.fitted, asked.dense_rag.threshold) == (0.35, False, 0.35)
    assert (asked.entropy_trend.alpha, asked.timing.alpha, asked.timing.flare_probability) == (1.5, 1.5, 0.6)
    assert (asked.sugar.low, asked.sugar.high) == (1.0, 1.0)
    assert asked.thresholds == "paper" and asked.methods == request.methods


def test_a_fitted_threshold_that_was_not_moved_stays_fitted_in_the_new_run() -> None:
    result = replace(dense_full(), threshold=0.31, threshold_source="fitted", entropy_interval=None)
    diagnosis = with_outcome(whole_diagnosis(), done("dense", result))
    assert threshold(diagnosis, "dse").source == "fitted"
    asked = request_with(DiagnosisRequest(question="Who?", thresholds="fitted"), diagnosis, {"alpha": 1.5})
    assert (asked.dense.threshold, asked.dense.fitted) == (0.31, True)
    assert (asked.entropy_trend.alpha, asked.entropy_trend.fitted) == (1.5, False)


def test_a_percentile_is_no_number_of_occurrences_and_is_not_handed_on() -> None:
    found = threshold(nine(), "tau_entity")
    assert found.not_handed_on and not found.missing
    asked = request_with(DiagnosisRequest(question="Who?"), nine(), {"tau_entity": 9.0})
    assert asked.quco_rag == DiagnosisRequest(question="Who?").quco_rag
    found_out = replayed(nine(), {"tau_entity": found.values[0] + 1.0 if found.values[0] >= found.value else 0.0})
    assert [change.where for change in found_out.changes] == ["QuCo-RAG, before writing"]


def test_settings_that_the_lab_hands_on_are_usable_ones() -> None:
    assert SugarConfig().low <= SugarConfig().high
    asked = request_with(DiagnosisRequest(question="Who?"), with_timing(), {"sugar_high": 0.1})
    assert 0 <= asked.sugar.low <= asked.sugar.high


@pytest.mark.parametrize(
    "module",
    ["engine.thresholds.request", "viz.runs.threshold_lab", "viz.runs.numbers", "viz.runs.prompts"],
)
def test_no_model_library_is_needed_to_replay(module: str) -> None:
    code = f"import sys, {module}; sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT, timeout=120).returncode == 0
