"""How far SePer and ΔSePer may lie from their true values, judged by the draws there are.

SePer is estimated from about ten samples and the papers print no error. Two ways to make an interval:

- ``covering_interval``: the Bayesian bootstrap (Rubin 1981: each draw weighs an exponential variate) with one imagined
  draw more, as heavy as any draw can be (e^0). Two thirds of it speak against the end that is sought and one third for
  it: what no draw showed may still be there. With equal weights and draws that are right or wrong this lies between
  the intervals of Jeffreys (halves) and of Clopper and Pearson (all of it against); with all of it against it is
  Gaffke's bound for the mean of a bounded variable (Learned-Miller and Thomas 2019).
  ``benchmarks/seper_coverage.py`` measures how often it holds the true value, beside many other ways.
- ``seper_interval``: the percentile bootstrap of earlier versions, kept so that their records can be checked. It is too
  narrow: what no draw shows cannot enter it, so ten equal draws give one of width 0.

Intervals of sums and differences come from those of their parts (``joined_interval``, Zou and Donner 2008). For hard
SePer pass ``draws_that_match`` as the kernel: the clusters stay those of all draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, vector, within
from engine.measures.semantic_perplexity import kernel_table, sample_weights, seper_soft

REPEATS = 1000
AGAINST = 2 / 3
LEVEL = 0.95
Part = tuple[float, float, tuple[float, float]]


def covering_interval(
    mean_token_logprobs: ArrayLike,
    kernel: ArrayLike,
    rng: np.random.Generator | int,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Returns the (low, high) bounds of SePer of one condition: Bayesian bootstrap with one imagined draw more.

    Arguments as in ``resampled_seper``; for equal weights all log-probabilities are 0 -> two floats in [0, 1] around
    SePer. Of ten wrong draws with equal weights the upper end is the 97.5 % quantile of Beta(2/3, 10 + 1/3), 0.25.
    Raises ValueError as ``resampled_seper``, on a log-probability above 0 and on another level.

    >>> low, high = covering_interval([0.0] * 10, [0.0] * 10, rng=0)
    >>> low, 0.23 < high < 0.27
    (0.0, True)
    """
    logprobs, table = _draws(mean_token_logprobs, kernel, answers, repeats)
    odds = np.exp(within(logprobs, -np.inf, 0, "mean_token_logprobs"))
    tail = (1 - _checked_level(level)) / 2
    generator = np.random.default_rng(rng)
    weights = generator.standard_exponential((repeats, odds.size)) * odds
    against, in_favour = (generator.standard_gamma(share, (repeats, 1)) for share in (AGAINST, 1 - AGAINST))
    total, mass = weights.sum(axis=1, keepdims=True) + against + in_favour, weights @ table
    low = float(np.quantile(_pooled((mass + in_favour) / total, answers), tail))
    high = float(np.quantile(_pooled((mass + against) / total, answers), 1 - tail))
    value = seper_soft(sample_weights(logprobs), table, answers)
    return max(0.0, min(low, value)), min(1.0, max(high, value))


def joined_interval(parts: Sequence[Part]) -> tuple[float, float]:
    """Returns the (low, high) bounds of a sum of independent values, each times its factor, from their own intervals.

    Each part is (factor, value, (low, high)) with low <= value <= high, all intervals at one level -> two floats. The
    distances to the ends that count are added as squares (MOVER, Zou and Donner 2008; for two proportions Newcombe
    1998). Raises ValueError on no parts and on a value outside its interval.

    >>> low, high = joined_interval([(1.0, 0.7, (0.4, 0.9)), (-1.0, 0.2, (0.1, 0.6))])
    >>> round(low, 4), round(high, 4)
    (0.0, 0.7236)
    """
    if not parts or any(not low <= value <= high for _, value, (low, high) in parts):
        raise ValueError(f"need values inside their intervals, got {list(parts)}")
    middle = sum(factor * value for factor, value, _ in parts)
    down = [factor * (value - (low if factor > 0 else high)) for factor, value, (low, high) in parts]
    up = [factor * ((high if factor > 0 else low) - value) for factor, value, (low, high) in parts]
    return float(middle - np.linalg.norm(down)), float(middle + np.linalg.norm(up))


def covering_change(
    after: tuple[ArrayLike, ArrayLike],
    before: tuple[ArrayLike, ArrayLike],
    rng: np.random.Generator | int,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Returns the (low, high) bounds of ΔSePer from the covering intervals of both conditions, drawn independently.

    ``after`` and ``before`` are (mean token log-probabilities [n], kernel [n, golds]) -> two floats in [-1, 1]. An
    interval that holds 0 leaves open whether the context helps. Raises ValueError as ``covering_interval``.

    >>> low, high = covering_change(([0.0] * 10, [1.0] * 10), ([0.0] * 10, [0.0] * 10), rng=0)
    >>> 0.6 < low < 0.7, round(high, 6)
    (True, 1.0)
    """
    generator = np.random.default_rng(rng)
    low, high = joined_interval(
        [
            covering_part(factor, drawn, generator, answers=answers, repeats=repeats, level=level)
            for factor, drawn in ((1.0, after), (-1.0, before))
        ]
    )
    return max(-1.0, low), min(1.0, high)


def covering_part(
    factor: float,
    drawn: tuple[ArrayLike, ArrayLike],
    rng: np.random.Generator,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
    level: float = LEVEL,
) -> Part:
    """Returns SePer of one condition with its factor and covering interval, as ``joined_interval`` takes it.

    ``drawn`` is (mean token log-probabilities [n], kernel [n, golds]). Raises ValueError as ``covering_interval``.

    >>> factor, value, (low, high) = covering_part(-1.0, ([-1.0, -1.0], [1.0, 0.0]), np.random.default_rng(0))
    >>> factor, value, low < value < high
    (-1.0, 0.5, True)
    """
    logprobs, table = vector(drawn[0], "mean_token_logprobs"), kernel_table(drawn[1])
    span = covering_interval(logprobs, table, rng, answers=answers, repeats=repeats, level=level)
    return factor, seper_soft(sample_weights(logprobs), table, answers), span


def resampled_seper(
    mean_token_logprobs: ArrayLike,
    kernel: ArrayLike,
    rng: np.random.Generator | int,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
) -> Floats:
    """Returns SePer of ``repeats`` resamples of the draws, each with its own weights.

    ``mean_token_logprobs`` [n] in nats, ``kernel`` [n, golds] (or [n]) in [0, 1] -> [repeats] in [0, 1].
    ``rng`` is a generator (advanced) or a seed. Raises ValueError on non-finite log-probabilities, lengths
    that do not fit, no repeats, or another choice of ``answers``.

    >>> resampled_seper([-1.0, -1.0], [0.4, 0.4], rng=0, repeats=3)
    array([0.4, 0.4, 0.4])
    """
    logprobs, table = _draws(mean_token_logprobs, kernel, answers, repeats)
    drawn = np.random.default_rng(rng).integers(0, logprobs.size, size=(repeats, logprobs.size))
    # Each resample is shifted by its own maximum: with that of all draws a far tail would underflow to 0/0.
    odds = np.exp(logprobs[drawn] - logprobs[drawn].max(axis=1, keepdims=True))
    weights = odds / odds.sum(axis=1, keepdims=True)
    per_gold = np.einsum("rn,rng->rg", weights, table[drawn])
    return _pooled(per_gold, answers)


def seper_interval(
    mean_token_logprobs: ArrayLike,
    kernel: ArrayLike,
    rng: np.random.Generator | int,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Returns the (low, high) bounds of SePer over resampled draws of one condition.

    Arguments as in ``resampled_seper``; ``level`` in (0, 1) is the share of resamples inside -> two floats in
    [0, 1]. Raises ValueError as ``resampled_seper`` and on another level.

    >>> low, high = seper_interval([-1.0] * 10, [0.99] * 7 + [0.02] * 3, rng=0)
    >>> round(low, 3), round(high, 3)
    (0.408, 0.99)
    """
    return percentile_interval(resampled_seper(mean_token_logprobs, kernel, rng, answers, repeats), level)


def delta_interval(
    with_logprobs: ArrayLike,
    with_kernel: ArrayLike,
    without_logprobs: ArrayLike,
    without_kernel: ArrayLike,
    rng: np.random.Generator | int,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Returns the (low, high) bounds of ΔSePer, the draws of both conditions resampled independently.

    Mean token log-probabilities [n] and kernels [n, golds] of the draws with and without the context (their
    numbers may differ) -> two floats in [-1, 1]. An interval that holds 0 cannot tell help from harm.
    Raises ValueError as ``seper_interval`` does.

    >>> low, high = delta_interval([-1.0] * 10, [0.99] * 7 + [0.02] * 3, [-1.0] * 10, [0.02] * 10, rng=0)
    >>> round(low, 3), round(high, 3)
    (0.388, 0.97)
    """
    generator = np.random.default_rng(rng)
    with_context = resampled_seper(with_logprobs, with_kernel, generator, answers, repeats)
    without_context = resampled_seper(without_logprobs, without_kernel, generator, answers, repeats)
    return percentile_interval(with_context - without_context, level)


def percentile_interval(resampled: ArrayLike, level: float = LEVEL) -> tuple[float, float]:
    """Returns the (low, high) bounds of the middle ``level`` share of resampled values.

    ``resampled`` [repeats] -> two floats, linear between values. Raises ValueError on no values, NaN, and
    a level outside (0, 1).

    >>> percentile_interval([0.0, 0.25, 0.5, 0.75, 1.0], level=0.5)
    (0.25, 0.75)
    """
    _checked_level(level)
    low, high = np.quantile(vector(resampled, "resampled"), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _draws(mean_token_logprobs: ArrayLike, kernel: ArrayLike, answers: str, repeats: int) -> tuple[Floats, Floats]:
    """Returns the log-probabilities [n] and the kernel [n, golds] of draws that can be resampled.

    >>> _draws([-1.0], [0.5], "max", 1)[1].shape
    (1, 1)
    """
    logprobs, table = vector(mean_token_logprobs, "mean_token_logprobs"), kernel_table(kernel)
    if not np.isfinite(logprobs).all():
        raise ValueError(f"mean_token_logprobs must be finite to resample, got {logprobs.tolist()}")
    if len(table) != logprobs.size:
        raise ValueError(f"one kernel row per draw: {logprobs.size} draws, {len(table)} rows")
    if repeats < 1 or answers not in ("max", "mean"):
        raise ValueError(f"repeats >= 1 and answers max or mean, got {repeats} and {answers!r}")
    return logprobs, table


def _pooled(per_gold: Floats, answers: str) -> Floats:
    """Returns SePer of each repeat from that of each correct answer, [repeats, golds] -> [repeats].

    >>> _pooled(np.array([[0.25, 0.75]]), "mean")
    array([0.5])
    """
    # Weights that sum to 1 only up to rounding must not push SePer above 1.
    return np.asarray(np.minimum(per_gold.max(axis=1) if answers == "max" else per_gold.mean(axis=1), 1.0))


def _checked_level(level: float) -> float:
    """Returns the level; raises ValueError unless it is in (0, 1).

    >>> _checked_level(0.95)
    0.95
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    return level
