"""Which runs are taken up again, and which would only end the same way."""

from pathlib import Path

import pytest

from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.store import RunStore
from engine.runs.unfinished import TOO_LONG, is_refused_again, may_go_on

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
