"""SePer: how much does the model believe in the right answer, before and after reading?

Semantic Perplexity (SePer, eq. 7-11): sampled answers, clustered by meaning, weighted by the softmax of their mean
token log-probabilities. Variant "code" follows the released code with its bugs mended (entailment in the better
direction, maximum over gold answers, loose match); "paper" follows the equations (response entails answer, mean over
gold answers, strict match).
"""

from dataclasses import dataclass
from typing import Literal

from engine.records import Generation, Interval, Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class SeperConfig:
    """How SePer runs. ``samples`` None takes the profile's; ``resamples`` bootstrap repeats make the interval."""

    variant: Literal["paper", "code"] = "code"
    samples: int | None = None
    temperature: float = 1.0
    resamples: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A cluster of samples that say the same: its first member's text, its probability, who is in it.

    ``matches_gold`` is None where there is no gold answer.
    """

    text: str
    probability: float
    members: tuple[int, ...]
    matches_gold: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What the model believes in one condition: its samples, their weights (sum 1) and their meanings.

    ``kernel`` is [samples][golds], entailment with each gold answer in [0, 1]. ``soft`` and ``hard`` are SePer_S and
    SePer_H in [0, 1] (higher = more belief in the right answer), None without a gold answer. ``entropy`` is semantic
    entropy over the meanings in nats.
    """

    samples: tuple[Generation, ...]
    weights: tuple[float, ...]
    ids: tuple[int, ...]
    meanings: tuple[Meaning, ...]
    kernel: tuple[tuple[float, ...], ...]
    soft: float | None
    hard: float | None
    soft_interval: Interval | None
    hard_interval: Interval | None
    entropy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeperResult:
    """Belief before and after reading. Deltas in [-1, 1], positive = the passages moved belief to the right answer.

    All deltas and their intervals are None without a gold answer; ``not_measured`` then says that a reference is
    needed, and the beliefs over meanings are still there.
    """

    method: Literal["seper"] = "seper"
    variant: Literal["paper", "code"]
    golds: tuple[str, ...]
    without: Belief
    with_passages: Belief
    judgements: tuple[Judgement, ...]
    delta_soft: float | None
    delta_hard: float | None
    delta_soft_interval: Interval | None
    delta_hard_interval: Interval | None
    not_measured: str = ""
