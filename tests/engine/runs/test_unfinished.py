"""Which runs are taken up again, and which would only end the same way."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.store import RunStore
from engine.runs.unfinished import TOO_LONG, failed_methods, is_refused_again, may_go_on

BACKENDS = Path(__file__).resolve().parents[3] / "engine" / "backends" / "language_models"
REQUEST = DiagnosisRequest(question="Who rebuilt the clock?", passages=(Passage(title="", text="Lyra Quill did."),))


@pytest.mark.parametrize(
    ("reason", "refused"),
    [
        ("The prompt has 16,570 tokens and the answer may have 32; embedded reads at most 8,192. " + TOO_LONG, True),
        ("The prompt is too long for the server localhost:8000: 4096 tokens. " + TOO_LONG, True),
        ("The server localhost:8000 failed (status 500): busy.", False),
    ],
)
def test_a_run_too_long_for_its_model_would_fail_again(tmp_store: RunStore, reason: str, refused: bool) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.finish(run_id, "failed", reason)
    run = tmp_store.get(run_id)
    assert may_go_on(run)
    assert is_refused_again(run) is refused


@pytest.mark.parametrize("file", ["transformers_model.py", "server_connection.py"])
def test_every_backend_ends_that_refusal_with_these_words(file: str) -> None:
    assert TOO_LONG in (BACKENDS / file).read_text(encoding="utf-8")


def test_a_run_without_a_record_that_is_done_has_nothing_left(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.finish(run_id, "done")
    assert not may_go_on(tmp_store.get(run_id))
    assert failed_methods(tmp_store.get(run_id)) == ()


@pytest.mark.parametrize(
    ("state", "origin", "statuses", "failed", "goes_on"),
    [
        ("done", "asked", ("done", "failed", "not measured"), ("seper",), True),
        ("done", "asked", ("done", "not measured", "done"), (), False),
        ("done", "study", ("done", "failed", "done"), ("seper",), False),
        ("running", "asked", ("failed", "done", "done"), ("dense",), False),
        ("interrupted", "study", ("done", "done", "done"), (), True),
    ],
)
def test_a_finished_run_goes_on_where_it_was_asked_here_and_a_method_failed(
    tmp_store: RunStore, state: str, origin: str, statuses: tuple[str, ...], failed: tuple[str, ...], goes_on: bool
) -> None:
    named = zip(("dense", "seper", "sugar"), statuses, strict=True)
    record = SimpleNamespace(outcomes=[SimpleNamespace(method=one, status=status) for one, status in named])
    run = replace(tmp_store.get(tmp_store.create(REQUEST)), state=state, origin=origin, diagnosis=record)
    assert (failed_methods(run), may_go_on(run)) == (failed, goes_on)


def test_a_run_whose_request_is_refused_would_be_refused_again(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(replace(REQUEST, question=" "))
    tmp_store.finish(run_id, "failed", "The question is empty.")
    assert is_refused_again(tmp_store.get(run_id))
