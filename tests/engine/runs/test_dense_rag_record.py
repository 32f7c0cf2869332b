"""A DENSE-RAG result survives the store to the last bit, and one that points to nothing is refused."""

import json
from dataclasses import replace

import pytest

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, request_from_json, to_json
from engine.methods.dense_rag import DenseRagConfig
from engine.runs.jobs.estimate import loads_of
from engine.runs.store import RunStore
from tests.viz.sample_rag_results import refined_result, unmeasured_result

SETTINGS = DenseRagConfig(first_cut="256/32", refine="certain", similarity=0.35, temperature=0.25, most_tokens=96)


def with_rag(diagnosis: Diagnosis, result=None) -> Diagnosis:
    """Return the diagnosis with a DENSE-RAG outcome added."""
    outcome = Outcome(method="dense_rag", status="done", result=result or refined_result())
    return replace(diagnosis, outcomes=(*diagnosis.outcomes, outcome))


def test_a_refined_and_an_unmeasured_result_come_back_equal(example_diagnosis: Diagnosis) -> None:
    for result in (refined_result(), unmeasured_result(), replace(refined_result(), config=SETTINGS)):
        whole = with_rag(example_diagnosis, result)
        assert from_json(to_json(whole)).outcome("dense_rag") == whole.outcome("dense_rag")


def test_a_request_keeps_its_settings_and_an_old_one_without_them_takes_the_papers() -> None:
    asked = DiagnosisRequest(question="Who?", dense_rag=SETTINGS)
    assert request_from_json(to_json(asked)) == asked
    old = json.loads(to_json(DiagnosisRequest(question="Who?")))
    del old["dense_rag"]
    assert request_from_json(json.dumps(old)).dense_rag == DenseRagConfig()


def test_an_imported_record_is_asked_again_with_its_settings(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    whole = with_rag(example_diagnosis, replace(refined_result(), config=SETTINGS))
    assert tmp_store.get(tmp_store.import_json(to_json(whole))).request.dense_rag == SETTINGS


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("final",), 7),
        (("steps", 1, "context"), [2, 99]),
        (("steps", 1, "labels"), ["certain"]),
        (("steps", 2, "best"), -1),
        (("steps", 2, "left", 0, "chunk"), 40),
        (("steps", 2, "came", 0, "guide"), 40),
    ],
)
def test_a_number_that_points_to_nothing_is_refused(example_diagnosis: Diagnosis, place, value) -> None:
    fields = json.loads(to_json(with_rag(example_diagnosis)))
    *way, last = ("outcomes", len(fields["outcomes"]) - 1, "result", *place)
    target = fields
    for name in way:
        target = target[name]
    target[last] = value
    with pytest.raises(RecordError, match="contradicts itself"):
        from_json(json.dumps(fields))


def test_six_contexts_are_estimated_at_six_times_dense_and_two_calls_each() -> None:
    request = DiagnosisRequest(question="Who rebuilt the clock?", corpus="sample", methods=("dense", "dense_rag"))
    loads = loads_of(request, 5 * 50)
    assert loads["dense_rag"].model_calls == 6 * (loads["dense"].model_calls + 2)
    assert loads["dense_rag"].judge_pairs == 6 * loads["dense"].judge_pairs
    assert loads["dense_rag"].new_tokens == 6 * (loads["dense"].new_tokens + 32)
