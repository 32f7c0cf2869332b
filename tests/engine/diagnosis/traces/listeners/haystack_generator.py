"""A generator of Haystack that says what it is told; in a module, since instrumentation looks it up by name."""

from typing import Any

from haystack import component


@component
class ScriptedGenerator:
    """Gives one answer, with a model's name and log-probabilities in its reply's data."""

    def __init__(self, answer: str, model: str, logprobs: dict[str, Any]) -> None:
        self.answer, self.told = answer, {"model": model, "finish_reason": "stop", "logprobs": logprobs}

    @component.output_types(replies=list[str], meta=list[dict[str, Any]])
    def run(self, prompt: str) -> dict[str, Any]:
        """Return the answer."""
        return {"replies": [self.answer], "meta": [self.told]}
