"""Intervals of a share, from how many of how many: Wilson's, near its level, and Clopper and Pearson's, never below it.

Wilson (1927) inverts the score test; on average over shares it holds the true one about as often as its level says.
Clopper and Pearson (1934) invert the exact test and hold it at least that often, so theirs is the wider. Both keep a
width where all outcomes agree: three right answers of three say little of the fourth.
"""

from scipy.stats import binomtest

LEVEL = 0.95


def wilson_interval(count: int, n: int) -> tuple[float, float]:
    """Returns Wilson's 95% interval of ``count`` out of ``n`` >= 1, inside [0, 1].

    Raises ValueError where ``count`` is not in [0, n] or n is 0.

    >>> [round(bound, 4) for bound in wilson_interval(0, 10)]
    [0.0, 0.2775]
    """
    found = binomtest(count, n).proportion_ci(confidence_level=LEVEL, method="wilson")
    return float(found.low), float(found.high)


def clopper_pearson_interval(count: int, n: int) -> tuple[float, float]:
    """Returns Clopper and Pearson's 95% interval of ``count`` out of ``n`` >= 1, inside [0, 1].

    Raises ValueError where ``count`` is not in [0, n] or n is 0.

    >>> [round(bound, 4) for bound in clopper_pearson_interval(0, 10)]
    [0.0, 0.3085]
    """
    found = binomtest(count, n).proportion_ci(confidence_level=LEVEL, method="exact")
    return float(found.low), float(found.high)
