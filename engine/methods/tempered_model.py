"""A language model that draws where a method asks greedily: DENSE is greedy, and its tables 1 and 8 compare samples.

The seed of a draw comes from the run's seed and the prompt, so that neither order nor batching changes it, and the same
prompt gets the same answer within a run. Requests that name a temperature of their own are passed on as they are.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.backends.language_models.base import LanguageModel, Request
from engine.core.progress import Report
from engine.core.records import Generation, Prompt
from engine.core.seeds import derive_seed


class TemperedModel:
    """Another model with a temperature; everything that is no draw comes from that model unchanged."""

    def __init__(self, model: LanguageModel, temperature: float, seed: int) -> None:
        """Draw from ``model`` at ``temperature`` (above 0); ``seed`` is the run's."""
        self._model, self._temperature, self._seed = model, temperature, seed
        self.identity = model.identity
        self.capabilities = model.capabilities

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, the greedy ones drawn instead."""
        return self._model.generate([self._drawn(request) for request in requests], report)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return the model's attention over the generation."""
        return self._model.attention(generation)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters that each prompt token stands for."""
        return self._model.prompt_spans(generation)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the model's own mean log-probability of each label: no temperature."""
        return self._model.label_logprobs(prompts, labels, report)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return self._model.count_tokens(text)

    def _drawn(self, request: Request) -> Request:
        """Return a greedy request as a draw, another one as it is."""
        if request.temperature > 0:
            return request
        seed = derive_seed(self._seed, "tempered", request.prompt.text)
        return replace(request, temperature=self._temperature, seed=seed)
