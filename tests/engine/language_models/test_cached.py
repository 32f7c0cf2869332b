"""The memory of a language model: the same request is generated once, and order does not matter."""

from engine.language_models.base import Request
from engine.language_models.cached import CachedModel
from engine.language_models.scripted import ScriptedModel
from engine.progress import silent
from engine.records import Prompt


def asked(text: str, seed: int = 0) -> Request:
    """Return a request."""
    return Request(prompt=Prompt(text=text), max_tokens=8, seed=seed)


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
