"""What SePer is asked for and what it records: its settings, meanings, beliefs and how belief moved."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from engine.core.records import Generation, Interval, Judgement

MOST_SAMPLES = 100
# Repeats of the bootstrap. Each has a weight for every sample: of a record from elsewhere they could fill the memory.
Repeats = Annotated[int, Field(ge=1, le=100_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeperConfig:
    """How SePer runs. ``samples`` None takes the profile's; ``resamples`` bootstrap repeats make the interval."""

    variant: Literal["paper", "code"] = "code"
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)] | None = None
    temperature: Annotated[float, Field(gt=0)] = 1.0
    resamples: Repeats = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A cluster of samples that say the same: its first member's text, its probability, who is in it.

    ``matches_gold`` is None where there is no correct answer.
    """

    text: str
    probability: float
    members: tuple[int, ...]
    matches_gold: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualBelief:
    """SePer_S and SePer_H in [0, 1] where each sample weighs 1/N, with their intervals; higher = more belief."""

    soft: float
    hard: float
    soft_interval: Interval
    hard_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualChange:
    """ΔSePer in [-1, 1] where each sample weighs 1/N; positive = the passages moved belief to the correct answer."""

    delta_soft: float
    delta_hard: float
    delta_soft_interval: Interval
    delta_hard_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What the model believes in one condition: its samples, their weights (sum 1) and their meanings.

    ``kernel`` is [samples][golds], entailment with each correct answer in [0, 1]. ``soft`` and ``hard`` are SePer_S and
    SePer_H in [0, 1], None without a correct answer; higher = more belief in it. ``entropy`` is semantic entropy over
    the meanings in nats. ``effective`` is the effective sample size in [1, samples]; ``equal`` the same with equal
    weights. Both are None in records of earlier versions.
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
    effective: float | None = None
    equal: EqualBelief | None = None

    @property
    def named(self) -> tuple[Meaning, ...]:
        """The meanings, each by what its members mostly say: the text with most of its weight, not its first member's.

        A single odd draw that comes first would name them all.
        """
        return tuple(replace(meaning, text=self._said(meaning)) for meaning in self.meanings)

    def _said(self, meaning: Meaning) -> str:
        weights: dict[str, float] = {}
        for member in meaning.members:
            text = self.samples[member].text.strip()
            weights[text] = weights.get(text, 0.0) + self.weights[member]
        return max(weights, key=weights.__getitem__, default=meaning.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeperResult:
    """Belief before and after reading. Deltas in [-1, 1], positive = the passages moved belief to the correct answer.

    All deltas and their intervals are None without a correct answer; ``not_measured`` then says that a reference is
    needed, and the beliefs over meanings are still there. ``resamples`` bootstrap repeats made the intervals.
    ``equal`` is the change with equal weights, None in records of earlier versions.
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
    resamples: Repeats = 1000
    equal: EqualChange | None = None
