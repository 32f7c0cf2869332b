"""Where "uncertain" begins for a measure whose paper prints no threshold: half way to a single dissent. Our rule.

Lin et al. and Nikitin et al. rank questions by their measures and never cut. To set nine measures side by side each
needs a cut that means the same: half way between its value when all n answers agree and its value when one of them
stands alone (neutral to all others, both ways). For DSE of six answers that is 0.225 nats, beside DENSE's 0.2.
"""

from collections.abc import Callable

import numpy as np

from engine.measures.checks import Ints

ENTAILMENT, NEUTRAL = 2, 1


def unanimous(n: int) -> Ints:
    """Returns the entailment classes of n answers that all say the same: [n, n] of 2.

    Raises ValueError below one answer.

    >>> unanimous(2).tolist()
    [[2, 2], [2, 2]]
    """
    if n < 1:
        raise ValueError(f"there must be at least 1 answer, got {n}")
    return np.full((n, n), ENTAILMENT, dtype=np.int64)


def one_dissent(n: int) -> Ints:
    """Returns the entailment classes of n answers of which the last is neutral to all others: [n, n] of 1 and 2.

    Raises ValueError below two answers: one alone has nobody to differ from.

    >>> one_dissent(2).tolist()
    [[2, 1], [1, 2]]
    """
    if n < 2:
        raise ValueError(f"one answer can dissent from at least one other, got {n} in all")
    classes = unanimous(n)
    classes[-1, :-1] = classes[:-1, -1] = NEUTRAL
    return classes


def dissent_threshold(measure: Callable[[Ints], float], n: int) -> float:
    """Returns the value half way between unanimity and one dissent, for a measure of entailment classes.

    ``measure`` maps [n, n] classes to a float, higher = more uncertain; n >= 2 -> a float in its unit; values
    above it count as uncertain. Raises ValueError below two answers.

    >>> dissent_threshold(lambda classes: float((classes == NEUTRAL).sum()), 3)
    2.0
    """
    return (measure(unanimous(n)) + measure(one_dissent(n))) / 2
