"""The rules of DENSE's iterative context refinement (section 5.2, algorithm 3): which context is best, when to stop.

The printed algorithm and the text differ: algorithm 3 stops where a context is stable *and* judged sufficient, the
text where it is one *or* the other. Once a sufficient context is best, algorithm 3 lets no insufficient one replace it,
however low its entropy. The refill gives each guide the most similar chunk that has not been read yet; printed, the set
of read chunks is emptied in every round, so that removed chunks come back for ever: here it only grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.levels import is_below

StopRule = Literal["both", "either"]


def choice(
    entropies: ArrayLike, sufficient: Sequence[bool], threshold: float = 0.2, rule: StopRule = "both"
) -> tuple[int, bool]:
    """Returns which context is best, and whether the last one ends the search (DENSE, algorithm 3, lines 8 to 14).

    ``entropies`` [n] DSE in nats of the contexts in the order they were read, ``sufficient`` [n] the self-evaluation of
    each -> (index of the best, stop). Rule "both" (algorithm 3): a context becomes best where its DSE is lower and it
    is sufficient or no sufficient one is best; the search ends where the best is below ``threshold`` and sufficient.
    What is lower by rounding is not lower.
    Rule "either" (section 5.2): it ends at the first context that is one or the other, which then is best.
    Raises ValueError on no context, on NaN, on lists of different length and on another rule.

    >>> choice([0.5, 0.3, 0.25, 0.1, 0.15], [False, True, False, False, True])
    (4, True)
    >>> choice([0.5, 0.3, 0.25], [False, True, False], rule="either")
    (1, True)
    """
    values = np.asarray(entropies, dtype=np.float64)
    if rule not in ("both", "either"):
        raise ValueError(f"rule must be both or either, got {rule!r}")
    if values.ndim != 1 or not values.size or values.size != len(sufficient):
        raise ValueError(f"one entropy and one self-evaluation per context, got {values.shape} and {len(sufficient)}")
    if np.isnan(values).any():
        raise ValueError(f"entropies must not hold NaN, got NaN at index {int(np.isnan(values).argmax())}")
    best = 0
    for index, (entropy, enough) in enumerate(zip(values.tolist(), sufficient, strict=True)):
        if rule == "either" and (entropy < threshold or enough):
            return index, True
        if is_below(entropy, values[best]) and (enough or not sufficient[best]):
            best = index
        if rule == "both" and values[best] < threshold and sufficient[best]:
            return best, True
    return best, False


def best_context(
    shares: ArrayLike,
    intervals: ArrayLike,
    sufficient: Sequence[bool],
    stable: Sequence[bool],
    rule: StopRule = "both",
    before: int = 0,
) -> tuple[int, bool]:
    """Returns which context is best, and whether the search ends, by shares of the largest DSE with their intervals.

    Contexts differ in size, and ln(n) with them: so DSE / ln(n) is compared, never DSE. ``shares`` [n] in [0, 1],
    ``intervals`` [n, 2] their bounds over the rewordings, ``sufficient`` [n] the self-evaluations, ``stable`` [n]
    whether the whole interval lies below the threshold -> (index of the best, stop). The first context is best until
    another is better: its interval lies below the first one's as a whole, its share below the best one's, and it is
    sufficient or the best is not (algorithm 3); what is lower by rounding is not lower. The search ends as in
    ``choice``; the first ``before`` contexts were read before it and do not end it. Raises ValueError on no context,
    NaN, lengths that differ and another rule.

    >>> best_context([1.0, 0.58, 0.5], [[0.9, 1.0], [0.5, 0.6], [0.4, 0.6]], [False] * 3, [False] * 3)
    (2, False)
    >>> best_context([0.5, 0.3], [[0.2, 0.5], [0.1, 0.3]], [False, True], [False, False])
    (0, False)
    """
    values, bounds = np.asarray(shares, dtype=np.float64), np.asarray(intervals, dtype=np.float64)
    if rule not in ("both", "either"):
        raise ValueError(f"rule must be both or either, got {rule!r}")
    if not values.size or bounds.shape != (values.size, 2) or not values.size == len(sufficient) == len(stable):
        raise ValueError(f"one share, interval and two words per context, got {values.shape} and {bounds.shape}")
    if np.isnan(values).any() or np.isnan(bounds).any():
        raise ValueError("shares and intervals must not hold NaN")
    best = 0
    for index in range(values.size):
        clearly = is_below(bounds[index, 1], bounds[0, 0])
        if clearly and is_below(values[index], values[best]) and (sufficient[index] or not sufficient[best]):
            best = index
        if index < before:
            continue
        if rule == "either" and (stable[index] or sufficient[index]):
            return best, True
        if rule == "both" and stable[best] and sufficient[best]:
            return best, True
    return best, False


def refills(cosines: ArrayLike) -> list[int | None]:
    """Returns which chunk each guide brings in: the most similar one that no guide before it took (lines 31 to 39).

    ``cosines`` [guides, unread chunks] -> [guides] column numbers, each once; None where no chunk is left. A tie goes
    to the chunk that comes first. Raises ValueError on another shape and on NaN.

    >>> refills([[0.2, 0.9, 0.5], [0.3, 0.8, 0.3]])
    [1, 0]
    >>> refills([[0.2], [0.3]])
    [0, None]
    """
    left = np.array(cosines, dtype=np.float64)
    if left.ndim != 2:
        raise ValueError(f"cosines must be [guides, chunks], got shape {left.shape}")
    if np.isnan(left).any():
        raise ValueError(f"cosines must not hold NaN, got NaN at {np.argwhere(np.isnan(left))[0].tolist()}")
    taken: list[int | None] = []
    for row in left:
        free = [column for column in range(row.size) if column not in taken]
        taken.append(max(free, key=lambda column: row[column]) if free else None)
    return taken
