"""What several methods are sure to ask for is written in one batch before them, and changes no number."""

from collections.abc import Sequence

import pytest

import engine
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import Cancelled, ModelError
from engine.core.progress import Report
from engine.core.records import Generation
from engine.runs import run as road

QUESTION = "Who rebuilt the Vesper Clock?"
PASSAGES = ("The Vesper Clock was rebuilt by Lyra Quill.", "Bremen has a harbour.")


class Batches(ScriptedModel):
    """Remembers how many requests came at a time, and fails from a given call on."""

    def __init__(self, fails_at: int = 1_000, error: type[Exception] = ModelError) -> None:
        super().__init__(lambda request: "Lyra Quill rebuilt it. So the answer is Lyra Quill.")
        self.sizes: list[int] = []
        self.fails_at, self.error = fails_at, error

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        self.sizes.append(len(requests))
        if len(self.sizes) >= self.fails_at:
            raise self.error("no memory left")
        return super().generate(requests, report)


def asked(monkeypatch, model, methods=("seper", "entropy_trend", "quco_rag")):
    """Return the diagnosis over a model that is opened instead of a real one."""
    monkeypatch.setattr(road, "load_language_model", lambda name, report, device: model)
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge({}))
    monkeypatch.setattr(road, "load_embedder", lambda device: HashedWords())
    return engine.diagnose(QUESTION, passages=PASSAGES, answers=("Lyra Quill",), methods=methods)


def test_samples_and_step_by_step_answer_are_written_in_one_batch_of_21(monkeypatch) -> None:
    model = Batches()
    found = asked(monkeypatch, CachedModel(model))
    # Two greedy answers first; then ten samples of each condition and the one answer that two methods read.
    assert model.sizes == [2, 21]
    assert [outcome.status for outcome in found.outcomes] == ["done"] * 3


def test_every_request_that_was_foreseen_is_asked_for_by_its_method(monkeypatch) -> None:
    foreseeing, plain = Batches(), Batches()
    methods = ("dense", "seper", "entropy_trend", "quco_rag")
    with_memory = asked(monkeypatch, CachedModel(foreseeing), methods)
    monkeypatch.setattr(road, "write_ahead", lambda methods, case, request, backends: None)
    without = asked(monkeypatch, CachedModel(plain), methods)
    assert set(foreseeing.requests) == set(plain.requests)
    assert len(foreseeing.requests) == len(set(foreseeing.requests)), "nothing is written twice"
    assert [o.result for o in with_memory.outcomes] == [o.result for o in without.outcomes]


def test_a_failure_ahead_is_told_by_the_method_that_asks(monkeypatch) -> None:
    found = asked(monkeypatch, CachedModel(Batches(fails_at=2)))
    assert [outcome.status for outcome in found.outcomes] == ["failed"] * 3
    assert {outcome.reason for outcome in found.outcomes} == {"no memory left"}


def test_a_stop_while_writing_ahead_stops_the_run(monkeypatch) -> None:
    with pytest.raises(Cancelled):
        asked(monkeypatch, CachedModel(Batches(fails_at=2, error=Cancelled)))
