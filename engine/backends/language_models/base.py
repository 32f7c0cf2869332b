"""What every language model gives, whatever runs it: the one interface that methods see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from engine.core.progress import Report
from engine.core.records import Generation, Prompt

Labels = Literal["whole", "first token", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a backend can give. A page greys out what it cannot, and says why.

    ``top_logprobs``: of how many likeliest tokens it gives the log-probability where it does not give the whole
    distribution; entropies are then known within bounds. ``labels``: how it scores a given reply, exactly ("whole") or
    by the probability of its first token. ``plain_text``: a text that is no chat turn can be continued.
    """

    token_logprobs: bool
    full_distribution: bool
    attentions: bool
    seeded: bool
    top_logprobs: int = 0
    labels: Labels = "whole"
    plain_text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How one of the two kinds of text is requested: how many likeliest tokens come back, which extras are accepted.

    ``logprobs`` says whether the tokens written carry any log-probability.
    """

    logprobs: bool
    alternatives: int
    extras: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityCard:
    """What one model on one server gave when it was probed; no address beyond the host, and no key.

    ``chat`` and ``plain`` None = that kind of text is refused. ``context`` None = unknown, ``revision`` likewise "".
    ``seeded``: the same seed wrote the same; ``stops``: a stop string stopped it; ``untempered``: log-probabilities do
    not depend on the temperature. ``seconds`` is one short answer's time there and back.
    """

    host: str
    model: str
    models: tuple[str, ...]
    revision: str
    context: int | None
    chat: Route | None
    plain: Route | None
    labels: Labels
    plain_labels: Labels
    seeded: bool
    stops: bool
    untempered: bool
    counts_tokens: bool
    seconds: float

    @property
    def capabilities(self) -> Capabilities:
        """What a method may count on: what both kinds of text give, where both are there."""
        routes = [route for route in (self.chat, self.plain) if route is not None]
        return Capabilities(
            token_logprobs=all(route.logprobs for route in routes),
            full_distribution=False,
            attentions=False,
            seeded=self.seeded,
            top_logprobs=min(route.alternatives for route in routes) if self.untempered else 0,
            labels=self.labels if self.chat is not None else self.plain_labels,
            plain_text=self.plain is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which weights answer, so that a record can be compared: name, content revision, number type.

    ``parameters`` 0 = not known. ``note`` says what a reader must know of what this model gives, "" where all is exact.
    """

    name: str
    revision: str
    dtype: str
    parameters: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One generation to make. ``temperature`` 0 is greedy; a draw depends on (seed, position) only.

    ``stop``: the text ends before the first of these strings. ``max_tokens`` counts new tokens.
    """

    prompt: Prompt
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """An open causal language model."""

    identity: ModelIdentity
    capabilities: Capabilities

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order. ``report`` is called between tokens and may raise to stop."""

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention, mean over heads, of the generated tokens over the whole sequence.

        Shape [generated, prompt + generated], rows sum to 1, causal. Raises CapabilityError where there is none.
        """

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters [start, end) of ``generation.rendered`` that each prompt token stands for."""

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
