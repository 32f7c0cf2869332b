"""What every language model gives, whatever runs it: the one interface that methods see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from engine.progress import Report
from engine.records import Generation, Prompt


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
    labels: Literal["whole", "first token", "none"] = "whole"
    plain_text: bool = True


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
    """A causal language model held open."""

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

    def label_logprobs(self, prompt: Prompt, labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as the answer to the prompt: [labels], nats."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
