"""Intervals of a statistic over questions, by drawing the questions again, and values gathered into bins.

The percentile bootstrap over whole questions (Efron and Tibshirani 1993, chapter 13): it supposes nothing of the values
but that the questions are independent. What cannot be computed in a draw, such as an AUROC of right answers only, is
left out of the draws. A share has an interval of its own (``share_intervals``): three right answers of three, drawn
again, are always three of three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, vector

LEVEL = 0.95
REPEATS = 1000


def bootstrap_interval(
    statistic: Callable[..., float], *columns: ArrayLike, repeats: int = REPEATS, level: float = LEVEL, seed: int = 0
) -> tuple[float, float]:
    """Returns the middle ``level`` of a statistic over resampled questions.

    ``columns`` [n] each, one value a question, drawn together; ``statistic`` takes them in this order. (NaN, NaN) for
    fewer than two questions, or where no draw gives a number. Raises ValueError on unequal lengths or a level outside
    (0, 1).

    >>> low, high = bootstrap_interval(np.mean, [0.0, 1.0] * 50)
    >>> round(low, 2), round(high, 2)
    (0.4, 0.6)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    arrays = [np.asarray(column, dtype=float) for column in columns]
    size = arrays[0].size
    if any(array.size != size for array in arrays):
        raise ValueError(f"one value a question, got {[array.size for array in arrays]}")
    if size < 2:
        return float("nan"), float("nan")
    draw = np.random.default_rng(seed)
    places = (draw.integers(0, size, size) for _ in range(repeats))
    found = np.array([statistic(*(array[at] for array in arrays)) for at in places], dtype=float)
    found = found[~np.isnan(found)]
    if found.size == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bin_places(values: ArrayLike, edges: Sequence[float]) -> np.ndarray:
    """Returns the bin of each value: 0 below the first edge, 1 from there, up to len(edges).

    ``edges`` rise. An edge belongs to the bin above it. Raises ValueError where the edges do not rise or a value is
    NaN.

    >>> bin_places([0.0, 0.2, 0.25, 3.0], [0.2, 1.0]).tolist()
    [0, 1, 1, 2]
    """
    rising = vector(edges, "edges")
    if (np.diff(rising) <= 0).any():
        raise ValueError(f"edges must rise, got {list(edges)}")
    return np.searchsorted(rising, vector(values, "values"), side="right")


def quantile_edges(values: ArrayLike, bins: int) -> list[float]:
    """Returns at most ``bins`` - 1 edges that part the values into bins of about equal size; ties stay together.

    Raises ValueError for fewer than one bin.

    >>> quantile_edges([1, 2, 3, 4], 2), quantile_edges([0, 0, 0, 5], 2)
    ([2.5], [])
    """
    if bins < 1:
        raise ValueError(f"at least one bin is needed, got {bins}")
    array = vector(values, "values")
    edges: Floats = np.unique(np.quantile(array, np.linspace(0, 1, bins + 1)[1:-1]))
    return [float(edge) for edge in edges if array.min() < edge <= array.max()]
