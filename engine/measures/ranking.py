"""Does an uncertainty score rank wrong answers above right ones: AUROC, AURAC, AUARC, rejection area.

DENSE writes AURAC and AUARC as if they were one; they are two. AURAC is that of Farquhar et al.'s released
code, the accuracy below 20 quantiles of uncertainty, whose highest value is 18/19 and not 1. AUARC is that of
Lin et al. 2023, the area under accuracy against the share of answers kept. Rejection area is lm-polygraph's.
Pearson's r is how SePer compares ΔSePer with the utility of a passage. Uncertainties that differ by rounding are ties.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from engine.measures.checks import Floats, vector, within, zero_or_one
from engine.measures.levels import alike, levelled, levels_of

Ties = Literal["stable", "averaged"]


def auroc(incorrect: ArrayLike, uncertainty: ArrayLike) -> float:
    """Returns the chance that a wrong answer is more uncertain than a right one; a tie counts half.

    ``incorrect`` [n] bool, ``uncertainty`` [n] -> float in [0, 1]: 1 = perfect, 0.5 = no better than chance.
    NaN if all answers are right or all wrong. Raises ValueError on unequal lengths, no answers or NaN.

    >>> round(auroc([0, 0, 1, 0, 1], [0.0, 0.1, 0.2, 0.9, 1.5]), 6)
    0.833333
    """
    scores = vector(uncertainty, "uncertainty")
    wrong = zero_or_one(_outcome(incorrect, scores, "incorrect"), "incorrect")
    n_wrong, n_right = int(wrong.sum()), int((~wrong).sum())
    if n_wrong == 0 or n_right == 0:
        return float("nan")
    ranks = stats.rankdata(levels_of(scores)[2])[wrong].sum()
    return float((ranks - n_wrong * (n_wrong + 1) / 2) / (n_wrong * n_right))


def auroc_interval(incorrect: ArrayLike, uncertainty: ArrayLike) -> tuple[float, float]:
    """Returns the (low, high) 95% bounds of the AUROC: the values that the one found does not contradict.

    ``incorrect`` [n] bool, ``uncertainty`` [n] -> two floats in [0, 1]; (NaN, NaN) with one class only. Newcombe's
    method 5 (2006), a score interval: the variance is Hanley and McNeil's at the bound itself, so that a perfect
    ranking of few answers has a width. ``benchmarks/auroc_coverage.py`` measures how often it holds the true value.
    Raises ValueError as ``auroc``.

    >>> low, high = auroc_interval([0] * 10 + [1] * 10, [0.0] * 10 + [1.0] * 10)
    >>> round(low, 2), high
    (0.8, 1.0)
    """
    found, wrong = auroc(incorrect, uncertainty), zero_or_one(incorrect, "incorrect")
    if np.isnan(found):
        return float("nan"), float("nan")
    z, n_wrong, n_right = float(stats.norm.ppf(0.975)), int(wrong.sum()), int((~wrong).sum())
    more = (n_wrong + n_right) / 2 - 1

    def beyond(bound: float) -> float:
        spread = 1 + more * ((1 - bound) / (2 - bound) + bound / (1 + bound))
        return (found - bound) ** 2 - z * z * bound * (1 - bound) * spread / (n_wrong * n_right)

    # At 0 and 1 themselves the variance vanishes, and with it the change of sign that is sought.
    inside = min(max(found, 1e-9), 1 - 1e-9)
    low = 0.0 if found <= 0 else float(optimize.brentq(beyond, 0.0, inside))
    return low, 1.0 if found >= 1 else float(optimize.brentq(beyond, inside, 1.0))


def aurac(correct: ArrayLike, uncertainty: ArrayLike) -> float:
    """Returns the area under accuracy at 20 quantiles of uncertainty (released code of Farquhar et al.).

    ``correct`` [n] in [0, 1], ``uncertainty`` [n] finite -> float in [0, 18/19], higher = better. For each q
    of 0.1 to 1 the accuracy of the answers at most as uncertain as quantile q, times 0.9/19. Defined for one
    class too: all right gives 18/19, all wrong 0. Raises ValueError on unequal lengths, no answers, NaN or
    an infinite uncertainty, between which no quantile lies.

    >>> round(aurac([1, 1, 0, 1, 0], [0.0, 0.1, 0.2, 0.9, 1.5]), 6)
    0.790263
    """
    scores = vector(uncertainty, "uncertainty")
    right = _outcome(correct, scores, "correct")
    if not np.isfinite(scores).all():
        raise ValueError(f"uncertainty must be finite, got {float(scores[~np.isfinite(scores)][0])}")
    scores = levelled(scores)
    cutoffs = np.quantile(scores, np.linspace(0.1, 1, 20))
    accuracies = [right[scores <= cutoff].mean() for cutoff in cutoffs]
    return float(np.sum(accuracies) * 0.9 / 19)


def auarc(correct: ArrayLike, uncertainty: ArrayLike, ties: Ties = "stable") -> float:
    """Returns the area under accuracy against the share of answers kept, least uncertain first (Lin et al.).

    ``correct`` [n] in [0, 1], ``uncertainty`` [n] -> float in [0, 1], higher = better. ``ties`` "stable"
    keeps equally uncertain answers in the order given, so that order matters; "averaged" is the mean over all
    orders. NaN for one answer, whose curve has no width; defined for one class.
    Raises ValueError on unequal lengths, no answers, NaN or another choice of ``ties``.

    >>> round(auarc([1, 1, 0, 1, 0], [0.0, 0.1, 0.2, 0.9, 1.5]), 6)
    0.804167
    """
    curve = _accuracy_of_kept(correct, uncertainty, ties)
    if curve.size == 1:
        return float("nan")
    return float((curve[1:] + curve[:-1]).sum() / 2 / (curve.size - 1))


def prediction_rejection_area(quality: ArrayLike, uncertainty: ArrayLike, ties: Ties = "stable") -> float:
    """Returns the mean quality of the answers kept, over all numbers kept (lm-polygraph).

    ``quality`` [n], any scale, brought to [0, 1] by its lowest and highest value; ``uncertainty`` [n] ->
    float in [0, 1], higher = better; ``ties`` as in ``auarc``. 0.5 if all qualities are equal, as in the
    released code. Raises ValueError on unequal lengths, no answers, NaN or an infinite quality.

    >>> round(prediction_rejection_area([1, 1, 0, 1, 0], [0.0, 0.1, 0.2, 0.9, 1.5]), 6)
    0.803333
    """
    array = vector(quality, "quality")
    low, high = float(array.min()), float(array.max())
    if not np.isfinite(high - low):
        raise ValueError(f"quality must be finite, got values from {low} to {high}")
    scaled = (array - low) / (high - low) if high > low else np.full(array.size, 0.5)
    return float(_accuracy_of_kept(scaled, uncertainty, ties).mean())


def pearson(one: ArrayLike, other: ArrayLike) -> tuple[float, float]:
    """Returns Pearson's r and its two-sided p (Student's t, n - 2 degrees of freedom).

    Both [n] and finite -> r in [-1, 1] and p in [0, 1]. Both NaN below three pairs, since any two points lie
    on a line, and if either side is constant. Raises ValueError on unequal lengths, no values or NaN.

    >>> r, p = pearson([0.0, 0.15, 0.1, 0.7], [0.0, 0.5, 0.5, 1.0])
    >>> round(r, 6), round(p, 6)
    (0.90844, 0.09156)
    """
    x, y = vector(one, "one"), vector(other, "other")
    if x.shape != y.shape:
        raise ValueError(f"pearson needs pairs, got {x.size} and {y.size} values")
    if x.size < 3 or alike(x) or alike(y):
        return float("nan"), float("nan")
    result = stats.pearsonr(x, y)
    return float(result.statistic), float(result.pvalue)


def _accuracy_of_kept(correct: ArrayLike, uncertainty: ArrayLike, ties: str) -> Floats:
    """Returns the accuracy of the 1, 2, ..., n least uncertain answers, [n].

    >>> _accuracy_of_kept([1, 0], [0.5, 0.5], "averaged")
    array([0.5, 0.5])
    """
    if ties not in ("stable", "averaged"):
        raise ValueError(f"ties must be one of stable, averaged, got {ties!r}")
    scores = vector(uncertainty, "uncertainty")
    right = _outcome(correct, scores, "correct")
    group = levels_of(scores)[2]
    if ties == "averaged":
        right = (np.bincount(group, weights=right) / np.bincount(group))[group]
    kept: Floats = np.cumsum(right[np.argsort(group, kind="stable")]) / np.arange(1, right.size + 1)
    return kept


def _outcome(values: ArrayLike, scores: Floats, name: str) -> Floats:
    """Returns the outcomes as float64 [n] in [0, 1], one for each score; raises ValueError otherwise.

    >>> _outcome([True, False], np.zeros(2), "correct")
    array([1., 0.])
    """
    array = within(vector(values, name), 0, 1, name)
    if array.shape != scores.shape:
        raise ValueError(f"one uncertainty per answer: {array.size} {name}, {scores.size} uncertainties")
    return array
