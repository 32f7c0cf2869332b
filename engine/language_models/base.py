"""What every language model gives, whatever runs it: the one interface that methods see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.progress import Report
from engine.records import Generation, Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a backend can give. A page greys out what it cannot, and says why."""

    token_logprobs: bool
    full_distribution: bool
    attentions: bool
    seeded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which weights answer, so that a record can be compared: name, content revision, number type."""

    name: str
    revision: str
    dtype: str
    parameters: int


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

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the mean log-probability per token of each label as each prompt's answer: [prompts, labels], nats."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
