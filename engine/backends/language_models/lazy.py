"""A language model whose weights are opened only when something must be computed.

What was asked before comes out of the cache without them: a second look at a question imports neither torch nor
transformers. Who answers is known beforehand, from the time the same files were opened last.
"""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.language_models.base import Capabilities, LanguageModel, ModelIdentity, Request
from engine.core.errors import ModelError
from engine.core.progress import Report, Stage, silent
from engine.core.records import Generation, Prompt

Facts = tuple[ModelIdentity, Capabilities]


class LazyModel:
    """A model that is opened at the first call that needs it, once, from whichever thread."""

    def __init__(self, facts: Facts, open_model: Callable[[], LanguageModel]) -> None:
        """Hold what is known of the model, and the way to it."""
        self.identity, self.capabilities = facts
        self._open_model = open_model
        self._model: LanguageModel | None = None
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the weights are in memory."""
        return self._model is not None

    def open(self, report: Report = silent) -> LanguageModel:
        """Return the model, opened now where it was not. Raises ModelError where its files changed meanwhile."""
        with self._lock:
            if self._model is None:
                stage = f"opening the language model {self.identity.name}"
                report(Stage(method="models", name=stage, total=1))
                model = self._open_model()
                if model.identity != self.identity:
                    raise ModelError(
                        f"The files of the language model {self.identity.name!r} changed while the program ran. "
                        "Start it again."
                    )
                self._model = model
                report(Stage(method="models", name=stage, done=1, total=1))
            return self._model

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request; see ``LanguageModel.generate``."""
        return self.open(report).generate(requests, report)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention; see ``LanguageModel.attention``."""
        return self.open().attention(generation)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each prompt token; see ``LanguageModel.prompt_spans``."""
        return self.open().prompt_spans(generation)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""
        return self.open(report).label_logprobs(prompts, labels, report)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return self.open().count_tokens(text)
