"""The memory of a language model and its cache on disk: asked once, exact, never shared between different models."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.backends.call_cache import CallCache
from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.errors import Cancelled
from engine.core.progress import Event, Report, silent
from engine.core.records import Generation, Prompt


def asked(text: str, seed: int = 0) -> Request:
    """Return a request."""
    return Request(prompt=Prompt(text=text), max_tokens=8, seed=seed)


@pytest.fixture
def cache(tmp_path: Path) -> CallCache:
    """Return an empty cache."""
    return CallCache(tmp_path / "calls.sqlite")


class Forbidden(ScriptedModel):
    """A model that must not be asked."""

    def generate(self, requests: object, report: Report) -> tuple[Generation, ...]:
        """Fail the test."""
        pytest.fail("the model was asked")


def test_a_repeated_request_is_generated_once() -> None:
    inner = ScriptedModel(lambda request: f"echo {request.prompt.text} {request.seed}")
    model = CachedModel(inner)
    first = model.generate([asked("a"), asked("b"), asked("a")], silent)
    second = model.generate([asked("b"), asked("c")], silent)
    assert [g.text for g in first] == ["echo a 0", "echo b 0", "echo a 0"]
    assert [g.text for g in second] == ["echo b 0", "echo c 0"]
    assert len(inner.requests) == 3


def test_another_seed_is_another_request() -> None:
    inner = ScriptedModel(lambda request: f"{request.seed}")
    model = CachedModel(inner)
    assert [g.text for g in model.generate([asked("a", 1), asked("a", 2)], silent)] == ["1", "2"]


def test_another_process_is_given_the_very_same_generation_without_the_model(cache: CallCache) -> None:
    inner = ScriptedModel(lambda request: [("Pâris", -math.inf, 0.1 + 0.2), (" 🌟", math.nan, 0.0)])
    said = CachedModel(inner, cache, "m").generate([asked("a")], silent)
    again = CachedModel(Forbidden(lambda request: ""), cache, "m").generate([asked("a")], silent)
    assert repr(again) == repr(said), "NaN is not equal to itself, so the records are compared as they read"
    assert (again[0].text, again[0].tokens[0].entropy) == ("Pâris 🌟", 0.30000000000000004)


@pytest.mark.parametrize(
    "changed",
    [
        {"prompt": Prompt(text="b")},
        {"prompt": Prompt(text="a", chat=False)},
        {"max_tokens": 9},
        {"temperature": 1.0},
        {"seed": 1},
        {"stop": ("\n",)},
    ],
)
def test_a_request_that_differs_in_anything_is_asked_anew(cache: CallCache, changed: dict[str, object]) -> None:
    CachedModel(ScriptedModel(lambda request: "first"), cache, "m").generate([asked("a")], silent)
    other = replace(asked("a"), **changed)  # type: ignore[arg-type]
    model = CachedModel(ScriptedModel(lambda request: "second"), cache, "m")
    assert model.generate([other], silent)[0].text == "second"


def test_another_model_shares_nothing(cache: CallCache) -> None:
    for maker in ("float32", "bfloat16"):
        model = CachedModel(ScriptedModel(lambda request, maker=maker: maker), cache, maker)
        assert model.generate([asked("a")], silent)[0].text == maker
        assert model.generate([asked("a")], silent)[0].text == maker


def test_what_was_finished_when_a_run_is_stopped_is_not_computed_again(cache: CallCache) -> None:
    class Stopped(ScriptedModel):
        """A model that is stopped in its third batch."""

        def generate(self, requests: list[Request], report: Report) -> tuple[Generation, ...]:  # type: ignore[override]
            """Return the batch, or stop."""
            if len(self.requests) >= 64:
                raise Cancelled("stopped")
            return super().generate(requests, report)

    requests = [asked(f"question {place}") for place in range(80)]
    with pytest.raises(Cancelled):
        CachedModel(Stopped(lambda request: request.prompt.text), cache, "m").generate(requests, silent)
    again = ScriptedModel(lambda request: request.prompt.text)
    found = CachedModel(again, cache, "m").generate(requests, silent)
    assert [g.text for g in found] == [request.prompt.text for request in requests]
    assert len(again.requests) == 16


def test_labels_attention_spans_and_counts_are_kept_exactly(cache: CallCache) -> None:
    class Full(ScriptedModel):
        """A model that counts what it is asked beside generations."""

        calls = 0

        def attention(self, generation: Generation) -> np.ndarray:
            """Return numbers that single precision does not hold."""
            Full.calls += 1
            return np.array([[0.1, 0.2, 0.7]])

        def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
            """Return two spans."""
            Full.calls += 1
            return ((0, 3), (3, 4))

        def label_logprobs(self, prompts: Sequence[Prompt], labels: object, report: Report) -> np.ndarray:
            """Return an impossible and a likely label for each prompt."""
            Full.calls += 1
            return np.array([[-math.inf, -0.1]] * len(prompts))

        def count_tokens(self, text: str) -> int:
            """Return seven."""
            Full.calls += 1
            return 7

    def everything(model: CachedModel) -> list[object]:
        generation = model.generate([asked("a")], silent)[0]
        attention = model.attention(generation)
        labels = model.label_logprobs([Prompt(text="a")], ("yes", "no"), silent)[0]
        assert (attention.dtype, labels.dtype) == (np.float64, np.float64)
        spans, count = model.prompt_spans(generation), model.count_tokens("some text")
        return [attention.tolist(), spans, labels.tolist(), count]

    wanted = [[[0.1, 0.2, 0.7]], ((0, 3), (3, 4)), [-math.inf, -0.1], 7]
    for _ in range(2):
        model = CachedModel(Full(lambda request: "said"), cache, "m")
        assert everything(model) == wanted
        assert everything(model) == wanted
    assert Full.calls == 4


def test_an_entry_that_cannot_be_read_is_computed_anew(cache: CallCache) -> None:
    model = CachedModel(ScriptedModel(lambda request: "said"), cache, "m")
    key = model.memory.key("generation", ["a", True, 8, 0.0, 0, []])
    cache.put("generation", {key: b'{"text": "half'})
    assert model.generate([asked("a")], silent)[0].text == "said"
    fresh = CachedModel(Forbidden(lambda request: ""), cache, "m")
    assert fresh.generate([asked("a")], silent)[0].text == "said"


def test_a_cache_that_is_broken_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite").write_bytes(b"no database " * 1000)
    model = CachedModel(ScriptedModel(lambda request: "said"), CallCache(tmp_path / "calls.sqlite"), "m")
    assert [g.text for g in model.generate([asked("a"), asked("b")], silent)] == ["said", "said"]


def test_the_reporter_still_hears_of_tokens(cache: CallCache) -> None:
    heard: list[Event] = []
    CachedModel(ScriptedModel(lambda request: "said"), cache, "m").generate([asked("a")], heard.append)
    assert heard
