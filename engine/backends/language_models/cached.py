"""A language model that remembers its answers: the same request is computed once, and weights are opened when needed.

Methods of one diagnosis repeat requests (the answer over the passages, the closed-book steps), and so does a second
look at a question, or a run that goes on where it stopped. What a model writes depends on the model and the request
only, so remembering it changes no number. Every loaded model stands behind this memory, so here each new generation is
sealed with its prompt and settings (``engine.core.seals``). A second look at a question imports neither torch nor
transformers: the model's identity is known from the time the same files were opened last.
"""

from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.call_cache import CallCache
from engine.backends.language_models.base import Capabilities, LanguageModel, ModelIdentity, Request
from engine.backends.language_models.decoder.between_layers import report_between_layers
from engine.backends.memory import ARRAY, Memory, Opener, json_codec
from engine.core.errors import ModelError
from engine.core.progress import Report, Stage, silent
from engine.core.records import Generation, Prompt
from engine.core.seals import seal_generation

REMEMBERED = 2000
KEPT_AT_ONCE = 64
Facts = tuple[ModelIdentity, Capabilities]
FACTS, GENERATION, COUNT = json_codec(Facts), json_codec(Generation), json_codec(int)
SPANS = json_codec(tuple[tuple[int, int], ...])


class LazyModel:
    """A model of known identity that is opened at the first call that needs it.

    ``needs`` says what memory opening it takes; it raises ModelError where there is too little.
    """

    def __init__(
        self, facts: Facts, open_model: Callable[[], LanguageModel], needs: Callable[[], str] = lambda: ""
    ) -> None:
        self.identity, self.capabilities = facts
        self._open_model, self._needs = open_model, needs
        self.open = Opener(self._open)

    def _open(self, report: Report) -> LanguageModel:
        """Return the open model. Raises ModelError where its files changed meanwhile."""
        stage = f"opening the language model {self.identity.name}{self._needs()}"
        report(Stage(method="models", name=stage, total=1))
        model = self._open_model()
        if model.identity != self.identity:
            raise ModelError(
                f"The files of the language model {self.identity.name!r} changed while the program ran. Start it again."
            )
        report(Stage(method="models", name=stage, done=1, total=1))
        return model


class CachedModel:
    """A language model with a memory of its last answers; without a cache that is all it has.

    ``maker`` names its weights, number type, code and machine in the cache.
    """

    def __init__(self, model: LanguageModel | LazyModel, cache: CallCache | None = None, maker: str = "") -> None:
        self._model = model
        self.identity, self.capabilities = model.identity, model.capabilities
        self.memory = Memory(cache, maker, REMEMBERED)

    def open(self, report: Report = silent) -> LanguageModel:
        """Return the model behind the memory, with its weights open."""
        return self._model.open(report) if isinstance(self._model, LazyModel) else self._model

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; only new ones are computed, at most 64 at a time.

        What was computed when ``report`` raises is kept.
        """

        def compute(new: list[Request]) -> list[Generation]:
            with report_between_layers(report):
                written = self.open(report).generate(new, report)
            return [
                seal_generation(generation, request.max_tokens, request.stop)
                for request, generation in zip(new, written, strict=True)
            ]

        keys = [self.memory.key("generation", request_parts(request)) for request in requests]
        return tuple(self.memory.each("generation", keys, requests, compute, GENERATION, at_once=KEPT_AT_ONCE))

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention; see ``LanguageModel.attention``."""
        tokens = [token.id for token in generation.tokens]
        key = self.memory.key("attention", [prompt_parts(generation.prompt), tokens])
        return self.memory.once("attention", key, lambda: self.open().attention(generation), ARRAY)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each prompt token; see ``LanguageModel.prompt_spans``."""
        key = self.memory.key("spans", prompt_parts(generation.prompt))
        return tuple(self.memory.once("spans", key, lambda: self.open().prompt_spans(generation), SPANS))

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""

        def compute(new: list[Prompt]) -> np.ndarray:
            with report_between_layers(report):
                return self.open(report).label_logprobs(new, labels, report)

        keys = [self.memory.key("labels", [prompt_parts(prompt), list(labels)]) for prompt in prompts]
        rows = self.memory.each("labels", keys, prompts, compute, ARRAY)
        return np.array(rows).reshape(len(prompts), len(labels))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return int(
            self.memory.once("count", self.memory.key("count", text), lambda: self.open().count_tokens(text), COUNT)
        )


def prompt_parts(prompt: Prompt) -> list[object]:
    """Return what an answer depends on in a prompt; the template around a chat turn belongs to the model."""
    return [prompt.text, prompt.chat]


def request_parts(request: Request) -> list[object]:
    """Return everything a generation depends on beside the model; a greedy one still records its seed."""
    settings = [request.max_tokens, float(request.temperature), request.seed, list(request.stop)]
    kept = [] if request.kept is None else [prompt_parts(request.kept.prompt), request.kept.behind]
    return [*prompt_parts(request.prompt), *settings, *kept]


def kept_model(
    cache: CallCache, maker: str, open_model: Callable[[], LanguageModel], needs: Callable[[], str] = lambda: ""
) -> CachedModel:
    """Return the model behind its cache: not opened where it is known from before, else opened and made known."""
    opener, memory = Opener(open_model), Memory(cache, maker)

    def read_facts() -> Facts:
        needs()
        model = opener()
        return model.identity, model.capabilities

    return CachedModel(
        LazyModel(memory.once("fact", memory.key("model"), read_facts, FACTS), opener, needs), cache, maker
    )
