"""Rankings, and reciprocal rank fusion of two of them (Cormack, Clarke and Büttcher 2009, k = 60)."""

from collections.abc import Sequence

import numpy as np

FUSION_K = 60


def ranking(scores: np.ndarray, above: float = -np.inf) -> list[int]:
    """Return the places of all scores > ``above``, best first; a tie goes to the earlier place.

    >>> ranking(np.array([0.2, 0.9, 0.2]))
    [1, 0, 2]
    """
    order = np.argsort(-scores, kind="stable")
    return [int(place) for place in order if scores[place] > above]


def fused(rankings: Sequence[Sequence[int]]) -> dict[int, float]:
    """Return place -> sum of 1 / (60 + rank) over the rankings that hold it, ranks from 1.

    >>> fused([[4, 7], [7]])[7] == 1 / 62 + 1 / 61
    True
    """
    totals: dict[int, float] = {}
    for places in rankings:
        for rank, place in enumerate(places, start=1):
            totals[place] = totals.get(place, 0.0) + 1.0 / (FUSION_K + rank)
    return totals
