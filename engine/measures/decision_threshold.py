"""Where to put a threshold: by Youden's index against wrong answers, or by how often something is to fire.

Youden (1950) takes the cut with the highest sensitivity + specificity - 1, which is that with the highest balanced
accuracy. Cuts are tried half way between neighbouring values only, so that no value stands on one; values that differ
by rounding are one value. The other rule asks for a mean count and takes the cut whose count is nearest to it: policies
are compared at equal cost that way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Bools, Floats, vector, zero_or_one
from engine.measures.levels import levels_of

# Shares that are equal by hand may differ in the last bit.
LAST_BITS = 1e-12


def balanced_accuracy(uncertainty: ArrayLike, wrong: ArrayLike, threshold: float) -> float:
    """Returns the mean of two shares: wrong answers above the threshold, right answers not above it; in [0, 1].

    ``uncertainty`` [n], ``wrong`` [n] bool; 0.5 = no better than chance, higher = better. NaN with one class only.
    Raises ValueError on unequal lengths, no answers and NaN.

    >>> balanced_accuracy([0.0, 0.1, 0.5, 0.9], [0, 0, 1, 0], 0.3)
    0.8333333333333333
    """
    values, is_wrong = _labelled(uncertainty, wrong)
    if is_wrong.all() or not is_wrong.any():
        return float("nan")
    above = values > threshold
    return float((above[is_wrong].mean() + (~above[~is_wrong]).mean()) / 2)


def shares_decided(uncertainty: ArrayLike, wrong: ArrayLike, threshold: float) -> tuple[tuple[int, int], ...]:
    """Returns (how many, of how many) wrong answers lie above the threshold, then right ones not above it.

    The shares are sensitivity and specificity. Raises ValueError on unequal lengths, no answers and NaN.

    >>> shares_decided([0.0, 0.1, 0.5, 0.9], [0, 0, 1, 0], 0.3)
    ((1, 1), (2, 3))
    """
    values, is_wrong = _labelled(uncertainty, wrong)
    above = values > threshold
    kinds = (above[is_wrong], ~above[~is_wrong])
    return tuple((int(decided.sum()), int(decided.size)) for decided in kinds)


def youden_threshold(uncertainty: ArrayLike, wrong: ArrayLike) -> float:
    """Returns the cut with the highest balanced accuracy; of equally good ones the lowest: rather one doubt too many.

    ``uncertainty`` [n] finite, ``wrong`` [n] bool. NaN with one class only, and where all values are equal.
    Raises ValueError on unequal lengths, no answers, NaN and an infinite value.

    >>> youden_threshold([0.0, 0.1, 0.5, 0.9], [0, 0, 1, 1])
    0.3
    """
    values, is_wrong = _labelled(uncertainty, wrong)
    if not np.isfinite(values).all():
        raise ValueError(f"uncertainty must be finite, got {float(values[~np.isfinite(values)][0])}")
    lowest, highest, place = levels_of(values)
    if lowest.size < 2 or is_wrong.all() or not is_wrong.any():
        return float("nan")
    wrong_up_to = np.cumsum(np.bincount(place, weights=is_wrong, minlength=lowest.size))[:-1]
    right_up_to = np.cumsum(np.bincount(place, weights=~is_wrong, minlength=lowest.size))[:-1]
    quality = (1 - wrong_up_to / is_wrong.sum() + right_up_to / (~is_wrong).sum()) / 2
    best = int(np.flatnonzero(quality >= quality.max() - LAST_BITS)[0])
    return float((highest[best] + lowest[best + 1]) / 2)


def threshold_for_count(
    peaks: Sequence[ArrayLike], wanted: float, most: int, below: bool = False
) -> tuple[float, float]:
    """Returns the cut at which the mean count per question is nearest to ``wanted``, and that mean.

    ``peaks`` holds one array [sentences of that question] a question, possibly empty; what is above the cut (``below``:
    below it) fires, at most ``most`` times a question. Cuts lie half way between neighbouring peaks, and between the
    last one and 0 (``below``: and 1). Of two equally near the one that fires less. (NaN, NaN) where there is no cut.
    Raises ValueError on no questions, NaN, and ``wanted`` or ``most`` not above 0.

    >>> threshold_for_count([[2.0, 1.0], [4.0], []], wanted=2 / 3, most=3)
    (1.5, 0.6666666666666666)
    """
    if not peaks or not wanted > 0 or most < 1:
        raise ValueError(f"need questions, wanted > 0 and most >= 1, got {len(peaks)}, {wanted} and {most}")
    sign, end = (-1.0, -1.0) if below else (1.0, 0.0)
    # Only the strongest ``most`` of a question can count, whatever the cut.
    kept = [np.sort(sign * _peaks(found))[::-1][:most] for found in peaks]
    every = np.concatenate(kept)
    if not every.size:
        return float("nan"), float("nan")
    lowest, highest, place = levels_of(every)
    levels, fires = lowest[::-1], np.cumsum(np.bincount(place)[::-1]) / len(peaks)
    lower = np.append(highest[::-1][1:], end)
    cuts, fires = ((levels + lower) / 2)[levels > lower], fires[levels > lower]
    if not cuts.size:
        return float("nan"), float("nan")
    distances = np.abs(fires - wanted)
    best = int(np.flatnonzero(distances <= distances.min() + LAST_BITS)[0])
    return float(sign * cuts[best]), float(fires[best])


def mean_count(peaks: Sequence[ArrayLike], threshold: float, most: int, below: bool = False) -> float:
    """Returns how often a question fires on average at a threshold, at most ``most`` times each.

    ``peaks`` as in ``threshold_for_count``. Raises ValueError on no questions and NaN.

    >>> mean_count([[2.0, 1.0], [4.0], []], threshold=1.5, most=3)
    0.6666666666666666
    """
    if not peaks:
        raise ValueError("need at least one question")
    arrays = [_peaks(found) for found in peaks]
    counts = [int((found < threshold).sum() if below else (found > threshold).sum()) for found in arrays]
    return float(np.mean([min(count, most) for count in counts]))


def _peaks(values: ArrayLike) -> Floats:
    """Returns one question's peaks as float64 [sentences], possibly none; raises ValueError on NaN.

    >>> _peaks([])
    array([], dtype=float64)
    """
    array = np.array(values, dtype=np.float64)
    return vector(array, "peaks") if array.size else array.reshape(0)


def _labelled(uncertainty: ArrayLike, wrong: ArrayLike) -> tuple[Floats, Bools]:
    """Returns uncertainties [n] and labels [n]; raises ValueError on unequal lengths.

    >>> _labelled([0.5], [1])
    (array([0.5]), array([ True]))
    """
    values, is_wrong = vector(uncertainty, "uncertainty"), zero_or_one(wrong, "wrong")
    if values.shape != is_wrong.shape:
        raise ValueError(f"one label per answer: {values.size} uncertainties, {is_wrong.size} labels")
    return values, is_wrong
