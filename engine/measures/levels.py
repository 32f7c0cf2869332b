"""Values that differ by rounding are one value.

DSE and other entropies are sums: two questions whose answers agree in the same way give sums of the same logarithms in
another order, which differ in the last bits. Whatever ranks, ties or bins such values has to see one level there, or
rounding decides what it says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Bools, Floats, Ints, vector

# Sums of the same logarithms in another order differ by about 1e-16; two uncertainties that differ, by far more.
ROUNDING = 1e-9


def levels_of(values: ArrayLike) -> tuple[Floats, Floats, Ints]:
    """Returns the distinct values in rising order, as the lowest and the highest of each, and which one each value is.

    ``values`` [n] -> lowest [levels], highest [levels], place [n]. Neighbours that differ by at most 1e-9 (of their
    size, above 1) are one level: equal sums taken in another order differ in the last bits. An infinity is a level of
    its own. Raises ValueError on no values and NaN.

    >>> levels_of([0.9, 0.1 + 0.2, 0.3])
    (array([0.3, 0.9]), array([0.3, 0.9]), array([1, 0, 0]))
    """
    array = vector(values, "values")
    order = np.argsort(array, kind="stable")
    ranked = array[order]
    steps = is_below(ranked[:-1], ranked[1:])
    rank = np.concatenate(([0], np.cumsum(steps)))
    place = np.empty(array.size, dtype=np.int64)
    place[order] = rank
    starts = np.concatenate(([True], steps))
    ends = np.concatenate((steps, [True]))
    return ranked[starts], ranked[ends], place


def levelled(values: ArrayLike) -> Floats:
    """Returns the values [n], each as the lowest of its level: those that differ by rounding become equal.

    Raises ValueError as ``levels_of``.

    >>> levelled([0.9, 0.1 + 0.2, 0.3])
    array([0.9, 0.3, 0.3])
    """
    lowest, _, place = levels_of(values)
    return lowest[place]


def alike(values: ArrayLike) -> bool:
    """Returns whether all values [n] are one level. Raises ValueError as ``levels_of``.

    >>> alike([0.1 + 0.2, 0.3]), alike([0.3, 0.4])
    (True, False)
    """
    return levels_of(values)[0].size == 1


def is_below(values: ArrayLike, others: ArrayLike) -> Bools:
    """Returns whether each value lies below the other by more than rounding, of any one shape.

    >>> is_below([0.1, 0.3], [0.2, 0.1 + 0.2])
    array([ True, False])
    """
    a, b = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    # Between two equal infinities there is no number, and no step.
    with np.errstate(invalid="ignore"):
        return np.asarray(b - a > ROUNDING * np.maximum(1.0, np.minimum(np.abs(a), np.abs(b))))


def changes(before: ArrayLike, after: ArrayLike) -> Floats:
    """Returns after minus before [n], 0 where both differ by rounding only.

    Both [n], n >= 0, and finite.

    >>> changes([0.3, 0.3], [0.1 + 0.2, 0.8])
    array([0. , 0.5])
    """
    a, b = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    return np.where(is_below(a, b) | is_below(b, a), b - a, 0.0)
