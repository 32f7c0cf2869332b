"""A language model that draws where a method asks greedily: DENSE is greedy, and its tables 1 and 8 compare samples.

The seed of a draw comes from the run's seed and the prompt, so that neither order nor batching changes it, and the same
prompt gets the same answer within a run. Requests that name a temperature of their own are passed on as they are.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.backends.language_models.base import LanguageModel, Request
from engine.core.progress import Report
from engine.core.records import Generation
from engine.core.seeds import derive_seed


class TemperedModel:
    """Another model with a temperature; everything that is no draw comes from that model unchanged."""

    def __init__(self, model: LanguageModel, temperature: float, seed: int) -> None:
        """Draw from ``model`` at ``temperature`` (above 0); ``seed`` is the run's."""
        self._model, self._temperature, self._seed = model, temperature, seed
        self.identity = model.identity
        self.capabilities = model.capabilities
        self.attention, self.prompt_spans = model.attention, model.prompt_spans
        self.label_logprobs, self.count_tokens = model.label_logprobs, model.count_tokens

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, the greedy ones drawn instead."""
        return self._model.generate([self._drawn(request) for request in requests], report)

    def _drawn(self, request: Request) -> Request:
        """Return a greedy request as a draw, another one as it is."""
        if request.temperature > 0:
            return request
        seed = derive_seed(self._seed, "tempered", request.prompt.text)
        return replace(request, temperature=self._temperature, seed=seed)
