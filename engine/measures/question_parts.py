"""Which piece of an answer answers which part of a question, and how much of the question that is."""

from collections.abc import Sequence

import numpy as np


def matched(wanted: Sequence[str], offered: Sequence[Sequence[str]]) -> tuple[int | None, ...]:
    """Returns for each wanted kind the place of the offer that serves it, None where none is left.

    ``offered`` holds for each offer the kinds it can serve, the likeliest first; an offer serves once. As many as
    possible are served; among such choices offers serve what they are likeliest of, and then what stands first.

    >>> matched(["person", "date"], [["date", "number"], ["person", "other"]])
    (1, 0)
    >>> matched(["person", "person"], [["person", "other"]])
    (0, None)
    >>> matched(["person", "place"], [["place", "other", "person"]])
    (None, 0)
    """
    if not wanted or not offered:
        return (None,) * len(wanted)
    from scipy.optimize import linear_sum_assignment  # slow to import, and the form that asks needs none of it

    ranks = np.array([[list(kinds).index(kind) if kind in kinds else np.inf for kinds in offered] for kind in wanted])
    parts, offers = np.indices(ranks.shape)
    size = sum(ranks.shape)
    order = (size * (parts + offers) - parts * offers) / size**3  # earlier ones first, in pairs too; below 1 in sum
    most = size * (1 + max(map(len, offered)))
    costs = np.where(np.isfinite(ranks), ranks + order, most)
    found = {part: int(offer) for part, offer in zip(*linear_sum_assignment(costs), strict=True)}
    return tuple(
        found[part] if part in found and np.isfinite(ranks[part, found[part]]) else None for part in range(len(wanted))
    )


def answered_share(answered: Sequence[bool]) -> float:
    """Returns the share of parts that have an answer of the asked kind, in [0, 1]; higher = more is answered.

    >>> answered_share([True, False])
    0.5
    """
    if not len(answered):
        raise ValueError("a question has at least one part, got none")
    return sum(answered) / len(answered)
