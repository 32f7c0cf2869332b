"""ETC: where in an answer does the trend of uncertainty turn, so that something should be looked up?

Entropy-Trend Constraint (ETC, section 4, eq. 3-12) on a closed-book step-by-step answer: word entropies, content words,
second differences, smoothing, threshold α; the query is DRAGIN's, from last-layer attention.
"""

from dataclasses import dataclass
from typing import Literal

from engine.records import Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyTrendConfig:
    """How ETC runs. ``alpha`` is the trigger threshold in nats (paper: 1.0); ``query_words`` the most a query holds."""

    variant: Literal["paper", "code"] = "paper"
    alpha: float = 1.0
    query_words: int = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendWord:
    """One word of the answer: tokens [first_token, last_token], the largest entropy among them (nats), its tag.

    ``max_attention`` is the most attention it pays to any generated word up to itself; ``query`` is what would be
    looked up if retrieval started here. ``sentence`` counts from 0.
    """

    text: str
    start: int
    end: int
    first_token: int
    last_token: int
    entropy: float
    pos: str
    is_content: bool
    sentence: int
    max_attention: float | None
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """Δ²H, its smoothing, and the value compared with α, all placed at the last word involved. Signed, nats.

    ``first_difference`` is ΔH at that word. ``smoothed`` is None where released code has NaN. ``value`` equals
    ``smoothed`` in the paper variant and is weighted by attention in the code variant.
    """

    word: int
    first_difference: float
    second_difference: float
    smoothed: float | None
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """ "Look it up now": before writing ``word``. ``kept`` is the text that stays."""

    word: int
    value: float
    kept: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyTrendResult:
    """The closed-book step-by-step answer, its entropies and where ETC would look something up.

    Only the first trigger would happen: after it the text would be written anew. ``mode`` "abs" compares |value| >= α
    (paper), "signed" value > α (released code).
    """

    method: Literal["entropy_trend"] = "entropy_trend"
    variant: Literal["paper", "code"]
    mode: Literal["abs", "signed"]
    alpha: float
    alpha_source: Literal["paper", "fitted"]
    generation: Generation
    answer: str
    words: tuple[TrendWord, ...]
    points: tuple[TrendPoint, ...]
    triggers: tuple[Trigger, ...]
    not_measured: str = ""
