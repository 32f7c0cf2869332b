"""A language model that remembers what it was asked: the same request is computed once.

Methods of one diagnosis ask the same things (the answer over the passages, the closed-book steps), and so does a second
look at a question, or a run that goes on where it stopped. What a model says depends on the model and the request only,
so remembering it changes no number. Every loaded model stands behind this memory, so here each new generation is sealed
with the prompt and settings it was made with (``engine.core.seals``). There are two levels: the memory of this process,
and the cache on disk, which knows the model by ``maker`` (``engine.backends.fingerprints``) and keeps new generations
at the latest after every 64.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.backends.call_cache import CallCache, array_from_bytes, array_to_bytes, key_of
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.decoder.between_layers import heard_between_layers
from engine.backends.language_models.lazy import Facts, LazyModel
from engine.core.progress import Report
from engine.core.records import Generation, Prompt
from engine.core.seals import seal_generation

REMEMBERED = 2000
KEPT_AT_ONCE = 64
Value = TypeVar("Value")

GENERATION: TypeAdapter[Generation] = TypeAdapter(Generation)
FACTS: TypeAdapter[Facts] = TypeAdapter(Facts)
SPANS: TypeAdapter[tuple[tuple[int, int], ...]] = TypeAdapter(tuple[tuple[int, int], ...])


class CachedModel:
    """A language model with a memory of its last answers; without a cache that is all it has."""

    def __init__(self, model: LanguageModel, cache: CallCache | None = None, maker: str = "") -> None:
        """Hold the model; ``maker`` names its weights, number type, code and machine in the cache."""
        self._model = model
        self.identity, self.capabilities = model.identity, model.capabilities
        self._cache, self._maker = cache, maker
        self._known: OrderedDict[str, object] = OrderedDict()

    def open(self, report: Report) -> LanguageModel:
        """Return the model behind the memory, with its weights open."""
        if isinstance(self._model, LazyModel):
            return self._model.open(report)
        return self._model

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; only new ones are computed, at most 64 at a time.

        What was computed when ``report`` raises is kept.
        """
        keys = [self._key("generation", request_parts(request)) for request in requests]
        found: dict[str, Generation] = self._recalled(keys, GENERATION.validate_json)
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in found}
        for first in range(0, len(new), KEPT_AT_ONCE):
            part = dict(list(new.items())[first : first + KEPT_AT_ONCE])
            with heard_between_layers(report):
                written = self._model.generate(list(part.values()), report)
            made = {
                key: seal_generation(generation, request.max_tokens, request.stop)
                for (key, request), generation in zip(part.items(), written, strict=True)
            }
            self._keep("generation", made, to_json)
            found |= made
        return tuple(found[key] for key in keys)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention; see ``LanguageModel.attention``."""
        tokens = [token.id for token in generation.tokens]
        key = self._key("attention", [prompt_parts(generation.prompt), tokens])
        return self._once("attention", key, lambda: self._model.attention(generation), array_to_bytes, array_from_bytes)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each prompt token; see ``LanguageModel.prompt_spans``."""
        key = self._key("spans", prompt_parts(generation.prompt))
        return self._once("spans", key, lambda: self._model.prompt_spans(generation), to_json, SPANS.validate_json)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""
        keys = [self._key("labels", [prompt_parts(prompt), list(labels)]) for prompt in prompts]
        found: dict[str, np.ndarray] = self._recalled(keys, array_from_bytes)
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if new:
            with heard_between_layers(report):
                rows = self._model.label_logprobs(list(new.values()), labels, report)
            made = dict(zip(new, rows, strict=True))
            self._keep("labels", made, array_to_bytes)
            found |= made
        return np.array([found[key] for key in keys]).reshape(len(prompts), len(labels))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        key = self._key("count", text)
        return self._once("count", key, lambda: self._model.count_tokens(text), to_json, int)

    def _key(self, kind: str, parts: object) -> str:
        """Return the key of one call of this model."""
        return key_of(kind, self._maker, parts)

    def _once(
        self,
        kind: str,
        key: str,
        compute: Callable[[], Value],
        write: Callable[[Value], bytes],
        read: Callable[[bytes], Value],
    ) -> Value:
        """Return what was computed before under the key, or compute and keep it."""
        found: dict[str, Value] = self._recalled([key], read)
        if key not in found:
            found[key] = compute()
            self._keep(kind, found, write)
        return found[key]

    def _recalled(self, keys: Sequence[str], read: Callable[[bytes], Value]) -> dict[str, Value]:
        """Return what is remembered or kept under the keys; an entry that cannot be read is not there."""
        found: dict[str, Value] = {key: self._known[key] for key in keys if key in self._known}  # type: ignore[misc]
        for key in found:
            self._known.move_to_end(key)
        missing = list(dict.fromkeys(key for key in keys if key not in found))
        kept = self._cache.get(missing) if self._cache is not None else {}
        for key, value in kept.items():
            try:
                found[key] = read(value)
            except ValueError:
                continue  # another version's entry, or damage its checksum does not show: computed anew
            self._remember(key, found[key])
        return found

    def _keep(self, kind: str, made: dict[str, Value], write: Callable[[Value], bytes]) -> None:
        """Remember new values here and on disk."""
        for key, value in made.items():
            self._remember(key, value)
        if self._cache is not None:
            self._cache.put(kind, {key: write(value) for key, value in made.items()})

    def _remember(self, key: str, value: object) -> None:
        """Keep a value in this process; the oldest goes where there are too many."""
        self._known[key] = value
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def prompt_parts(prompt: Prompt) -> list[object]:
    """Return what an answer depends on in a prompt; the template around a chat turn belongs to the model."""
    return [prompt.text, prompt.chat]


def request_parts(request: Request) -> list[object]:
    """Return everything a generation depends on beside the model; a greedy one still records its seed."""
    settings = [request.max_tokens, float(request.temperature), request.seed, list(request.stop)]
    return [*prompt_parts(request.prompt), *settings]


def to_json(value: object) -> bytes:
    """Return a value as JSON in which every number is exact, the infinite ones as words."""
    return pydantic_core.to_json(value, inf_nan_mode="strings")


def kept_model(cache: CallCache, maker: str, open_model: Callable[[], LanguageModel]) -> CachedModel:
    """Return the model behind its cache: not opened where it is known from before, else opened and made known."""
    key = key_of("model", maker)
    found = cache.get([key]).get(key)
    facts = facts_from(found) if found is not None else None
    if facts is not None:
        return CachedModel(LazyModel(facts, open_model), cache, maker)
    model = open_model()
    cache.put("fact", {key: to_json((model.identity, model.capabilities))})
    return CachedModel(model, cache, maker)


def facts_from(value: bytes) -> Facts | None:
    """Return what was written down about a model, None where it cannot be read."""
    try:
        return FACTS.validate_json(value)
    except ValidationError:
        return None
