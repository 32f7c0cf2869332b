"""The shapes and ranges that the measures insist on, checked in one place so that every error reads alike.

Each function returns its input as a fresh float64 (or int) array, or raises ValueError naming the argument
and the offending value. ``TOLERANCE`` forgives the rounding of float32 models, nothing more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

TOLERANCE = 1e-6


def vector(values: ArrayLike, name: str) -> Floats:
    """Returns ``values`` as float64 [n], n >= 1, free of NaN (infinities pass).

    Raises ValueError on another number of dimensions, on no values, and on NaN, naming its position.

    >>> vector([1, 2], "entropies")
    array([1., 2.])
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty 1-d array, got shape {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{name} must not hold NaN, got NaN at index {int(np.isnan(array).argmax())}")
    return array


def within(array: Floats, low: float, high: float, name: str) -> Floats:
    """Returns ``array`` unchanged, once every value is known to lie in [low, high] up to ``TOLERANCE``.

    Any shape. Raises ValueError with the first value outside; NaN counts as outside.

    >>> within(np.array([0.0, 1.0]), 0, 1, "kernel")
    array([0., 1.])
    """
    inside = (array >= low - TOLERANCE) & (array <= high + TOLERANCE)
    if not inside.all():
        raise ValueError(f"{name} must be in [{low:g}, {high:g}], got {float(array[~inside][0])}")
    return array


def distribution(values: ArrayLike, name: str) -> Floats:
    """Returns ``values`` as float64 [n] of probabilities that sum to 1 (up to ``TOLERANCE``).

    Raises ValueError on a value outside [0, 1] and on another sum.

    >>> distribution([0.25, 0.75], "weights")
    array([0.25, 0.75])
    """
    array = within(vector(values, name), 0, 1, name)
    if abs(array.sum() - 1) > TOLERANCE:
        raise ValueError(f"{name} must sum to 1, got {float(array.sum())}")
    return np.clip(array, 0, 1)


def symmetric_weights(values: ArrayLike, name: str, high: float = 1.0) -> Floats:
    """Returns ``values`` as float64 [n, n], n >= 1, symmetric, every weight in [0, high].

    Raises ValueError on another shape, on a weight out of range (or NaN), and on an asymmetric pair.

    >>> symmetric_weights([[1, 0.5], [0.5, 1]], "weights")
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    array = within(square(values, name), 0, high, name)
    uneven = np.argwhere(np.abs(array - array.T) > TOLERANCE)
    if uneven.size:
        i, j = (int(index) for index in uneven[0])
        raise ValueError(
            f"{name} must be symmetric, got {float(array[i, j])} at [{i}, {j}] and {float(array[j, i])} at [{j}, {i}]"
        )
    return array


def square(values: ArrayLike, name: str) -> Floats:
    """Returns ``values`` as float64 [n, n], n >= 1; raises ValueError on another shape.

    >>> square([[1]], "weights")
    array([[1.]])
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"{name} must be a non-empty square matrix, got shape {array.shape}")
    return array


def entailment_classes(values: ArrayLike, name: str) -> Ints:
    """Returns ``values`` as int [n, n] of classes 0 (contradiction), 1 (neutral), 2 (entailment).

    The diagonal is set to 2, whatever it holds: a text entails itself and need not be judged.
    Raises ValueError on another shape or class.

    >>> entailment_classes([[-1, 0], [1, -1]], "entails")
    array([[2, 0],
           [1, 2]])
    """
    array = square(values, name)
    np.fill_diagonal(array, 2)
    unknown = array[~np.isin(array, (0, 1, 2))]
    if unknown.size:
        raise ValueError(f"{name} must hold 0 (contradiction), 1 (neutral) or 2 (entailment), got {float(unknown[0])}")
    return array.astype(np.int64)


def cluster_ids(values: ArrayLike) -> Ints:
    """Returns ``values`` as int [n], n >= 1, where the clusters are numbered 0, 1, ... without a gap.

    Raises ValueError on a fraction, a negative number or a number that is left out.

    >>> cluster_ids([0, 1, 0])
    array([0, 1, 0])
    """
    array = vector(values, "ids")
    used = np.unique(array)
    if not np.array_equal(used, np.arange(used.size)):
        raise ValueError(f"ids must number the clusters 0, 1, ... without a gap, got {used.tolist()}")
    return array.astype(np.int64)


def zero_or_one(values: ArrayLike, name: str) -> Bools:
    """Returns ``values`` as bool, of any shape, once every value is known to be 0 or 1.

    Raises ValueError with the first other value: a probability passed where a decision is due is a mistake.

    >>> zero_or_one([1, 0], "matches")
    array([ True, False])
    """
    array = np.array(values, dtype=np.float64)
    if not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must be true or false, got {float(array[~np.isin(array, (0, 1))][0])}")
    return array.astype(np.bool_)
