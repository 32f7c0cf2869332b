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
    by the probability of its first token. ``plain_text``: a text that is no chat turn can be continued. A server may
    give less for such a text than for a chat turn, or more: ``plain_token_logprobs`` and ``plain_top_logprobs``, None =
    the same. ``keeps_readings``: it can read a prompt over what it read of another one (``KeptReading``).
    """

    token_logprobs: bool
    full_distribution: bool
    attentions: bool
    seeded: bool
    top_logprobs: int = 0
    labels: Labels = "whole"
    plain_text: bool = True
    plain_token_logprobs: bool | None = None
    plain_top_logprobs: int | None = None
    keeps_readings: bool = False

    @property
    def continued_logprobs(self) -> bool:
        """Whether the tokens of a continued text carry log-probabilities."""
        return self.token_logprobs if self.plain_token_logprobs is None else self.plain_token_logprobs

    @property
    def continued_top(self) -> int:
        """Of how many likeliest tokens a continued text comes with the log-probability."""
        return self.top_logprobs if self.plain_top_logprobs is None else self.plain_top_logprobs

    def gives_logprobs(self, chat: bool) -> bool:
        """Return whether the tokens written after a chat turn, or after a plain text, carry log-probabilities."""
        return self.token_logprobs if chat else self.continued_logprobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How one of the two kinds of text is requested: how many likeliest tokens come back, which extras are accepted.

    ``logprobs`` says whether the tokens written carry any log-probability. ``asking``: with which fields they are asked
    for, those of its own kind or those of the other one. ``limit`` is the field that bounds an answer's tokens.
    """

    logprobs: bool
    alternatives: int
    extras: bool
    asking: Literal["own", "other"] = "own"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityCard:
    """What one model on one server gave when it was probed; no address beyond the host, and no key.

    ``chat`` and ``plain`` None = that kind of text is refused. ``context`` None = unknown, ``revision`` likewise "".
    ``seeded``: the same seed wrote the same; ``stops``: a stop string stopped it; ``untempered``: log-probabilities do
    not depend on the temperature. ``seconds`` is one short answer's time there and back. ``vocabulary`` is how many
    tokens the model has, None = not told.
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
    vocabulary: int | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What a method may count on, for each kind of text by itself; without chat, turns are sent as plain text."""
        turns = self.chat or self.plain
        return Capabilities(
            token_logprobs=turns is not None and turns.logprobs,
            full_distribution=False,
            attentions=False,
            seeded=self.seeded,
            top_logprobs=turns.alternatives if turns is not None and self.untempered else 0,
            labels=self.labels if self.chat is not None else self.plain_labels,
            plain_text=self.plain is not None,
            plain_token_logprobs=self.plain is not None and self.plain.logprobs,
            plain_top_logprobs=self.plain.alternatives if self.plain is not None and self.untempered else 0,
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
class KeptReading:
    """A prompt that differs from another one in its middle is read over what was read of that one.

    What follows the change keeps the keys and values it has in ``prompt``, as if it had not seen the change; only the
    last ``behind`` characters are read again. That is quick, and not exact.
    """

    prompt: Prompt
    behind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One generation to make. ``temperature`` 0 is greedy; a draw depends on (seed, position) only.

    ``stop``: the text ends before the first of these strings. ``max_tokens`` counts new tokens. ``kept``: only for a
    model that ``keeps_readings``; None = the whole prompt is read.
    """

    prompt: Prompt
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    kept: KeptReading | None = None


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
