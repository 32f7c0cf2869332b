"""A language model that remembers what it was asked: the same request is generated once.

Methods of one diagnosis ask the same things (the answer over the passages, the closed-book steps). A generation depends
on the model and the request only, so remembering it changes no number. Every loaded model stands behind this memory, so
here each new generation is sealed with the prompt and settings it was made with (``engine.seals``).
"""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from engine.language_models.base import LanguageModel, Request
from engine.progress import Report
from engine.records import Generation, Prompt
from engine.seals import sealed

REMEMBERED = 2000


class CachedModel:
    """A language model with a memory of its last generations."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.identity, self.capabilities = model.identity, model.capabilities
        self._known: OrderedDict[Request, Generation] = OrderedDict()

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; only new ones are computed, together."""
        new = list(dict.fromkeys(request for request in requests if request not in self._known))
        for request, generation in zip(new, self._model.generate(new, report) if new else (), strict=True):
            self._known[request] = sealed(generation, request.max_tokens, request.stop)
        found = []
        for request in requests:
            self._known.move_to_end(request)
            found.append(self._known[request])
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return tuple(found)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention; see ``LanguageModel.attention``."""
        return self._model.attention(generation)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each prompt token; see ``LanguageModel.prompt_spans``."""
        return self._model.prompt_spans(generation)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""
        return self._model.label_logprobs(prompts, labels, report)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return self._model.count_tokens(text)
