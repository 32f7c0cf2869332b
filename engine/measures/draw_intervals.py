"""How far SePer and ΔSePer would move with other draws: percentile bootstrap over the sampled answers.

SePer is estimated from about ten samples and the papers print no error. Here the draws of each condition are
resampled with replacement, the weights and SePer computed again each time, and the middle 95% reported. An
interval of ΔSePer that holds 0 means "cannot tell". For hard SePer pass ``draws_that_match`` as the kernel:
the clusters stay those of all draws. What no draw shows cannot enter the interval, so ten equal draws give
one of width 0; that is a limit of the bootstrap, not certainty.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, vector
from engine.measures.semantic_perplexity import kernel_table

REPEATS = 1000
LEVEL = 0.95


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
    logprobs, table = vector(mean_token_logprobs, "mean_token_logprobs"), kernel_table(kernel)
    if not np.isfinite(logprobs).all():
        raise ValueError(f"mean_token_logprobs must be finite to resample, got {logprobs.tolist()}")
    if len(table) != logprobs.size:
        raise ValueError(f"one kernel row per draw: {logprobs.size} draws, {len(table)} rows")
    if repeats < 1 or answers not in ("max", "mean"):
        raise ValueError(f"repeats >= 1 and answers max or mean, got {repeats} and {answers!r}")
    drawn = np.random.default_rng(rng).integers(0, logprobs.size, size=(repeats, logprobs.size))
    # Each resample is shifted by its own maximum: with that of all draws a far tail would underflow to 0/0.
    odds = np.exp(logprobs[drawn] - logprobs[drawn].max(axis=1, keepdims=True))
    weights = odds / odds.sum(axis=1, keepdims=True)
    per_gold = np.einsum("rn,rng->rg", weights, table[drawn])
    per_repeat = per_gold.max(axis=1) if answers == "max" else per_gold.mean(axis=1)
    # Weights that sum to 1 only up to rounding must not push SePer above 1.
    return np.asarray(np.minimum(per_repeat, 1.0))


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
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    low, high = np.quantile(vector(resampled, "resampled"), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
