"""How far DSE would move with other rewordings of the same chunks.

DENSE (section 4) rewrites each chunk once, by a model that could have worded it differently, and prints one number.
Where several valid rewordings of each chunk were drawn, DSE is computed for every way of taking one of each: exactly
while there are few ways, by drawing ways at random beyond that. The interval is the middle 95% of those values.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, symmetric_weights
from engine.measures.draw_intervals import percentile_interval
from engine.measures.response_graph import degree_entropy

MOST_WAYS = 1000


def reworded_entropies(weights: ArrayLike, chunks: ArrayLike, rng: np.random.Generator | int = 0) -> Floats:
    """Returns DSE for each way of taking one rewording of every chunk, in nats: at most 1,000 values.

    ``weights`` [m, m] symmetric in [0, 1] over the original answer (row 0) and one answer per rewording; ``chunks`` [m]
    names each row's chunk, -1 for row 0. Beyond 1,000 ways as many are drawn with ``rng``.
    Raises ValueError where row 0 is not the only -1 or the lengths differ.

    >>> reworded_entropies([[1, 1, 0], [1, 1, 0], [0, 0, 1]], [-1, 0, 0]).round(4)
    array([0.    , 0.6931])
    """
    table, owner = symmetric_weights(weights, "weights"), np.asarray(chunks, dtype=np.int64)
    if owner.shape != table.shape[:1] or owner[0] != -1 or (owner[1:] < 0).any():
        raise ValueError(f"chunks must name a chunk for every row but the first, got {owner.tolist()}")
    rows = [np.flatnonzero(owner == chunk) for chunk in np.unique(owner[1:])]
    if np.prod([len(choice) for choice in rows], dtype=np.float64) <= MOST_WAYS:
        ways = [np.array([0, *way]) for way in product(*rows)]
    else:
        draw = np.random.default_rng(rng)
        ways = [np.array([0, *(draw.choice(choice) for choice in rows)]) for _ in range(MOST_WAYS)]
    return np.array([degree_entropy(table[np.ix_(way, way)]) for way in ways])


def reworded_interval(weights: ArrayLike, chunks: ArrayLike) -> tuple[float, float]:
    """Returns the middle 95% of ``reworded_entropies``: (low, high) in nats.

    >>> low, high = reworded_interval([[1, 1, 1], [1, 1, 1], [1, 1, 1]], [-1, 0, 0])
    >>> low, high
    (0.0, 0.0)
    """
    return percentile_interval(reworded_entropies(weights, chunks))
