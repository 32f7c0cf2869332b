"""How far two sentences contradict each other, from a judge's word in both directions."""

from collections.abc import Sequence


def mutual_contradiction(there: float, back: float) -> float:
    """Returns the mean probability of contradiction in both directions, in [0, 1]; higher = they contradict.

    Contradiction has no direction; a judge's two words about it differ by its error.

    >>> mutual_contradiction(0.9, 0.7)
    0.8
    """
    return (there + back) / 2


def strongest_contradiction(values: Sequence[float]) -> float | None:
    """Returns the largest of the values, None where nothing was compared.

    >>> strongest_contradiction([0.2, 0.8]), strongest_contradiction([])
    (0.8, None)
    """
    return max(values, default=None)
