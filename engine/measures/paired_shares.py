"""Right against wrong on the same questions, before and after: the sign test, and an interval that agrees with it.

``up`` questions changed from wrong to right, ``down`` from right to wrong, of ``n`` pairs. The interval of the
difference of the two shares is Tango's (Statistics in Medicine 17, 1998), which inverts McNemar's score test. Near
noise that test is less strict than the exact sign test, so the interval is widened to 0 where the sign test finds
nothing at 5%: a reader never sees an interval beside 0 and "within noise" together.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binomtest, norm

ERROR = 0.05


def sign_test(up: int, down: int) -> float:
    """Returns the exact two-sided p of as uneven a split of the questions that changed, in (0, 1]; 1 where none did.

    >>> sign_test(4, 0), sign_test(0, 0)
    (0.125, 1.0)
    """
    return float(binomtest(up, up + down).pvalue) if up + down else 1.0


def paired_share_interval(up: int, down: int, n: int) -> tuple[float, float]:
    """Returns the 95% interval of the share after minus the share before, inside [-1, 1].

    Raises ValueError where ``n`` is 0 or fewer than the changed ones.

    >>> [round(bound, 3) for bound in paired_share_interval(6, 0, 20)]
    [0.091, 0.519]
    >>> [round(bound, 3) for bound in paired_share_interval(4, 0, 20)]
    [0.0, 0.416]
    """
    if min(up, down) < 0 or n < max(1, up + down):
        raise ValueError(f"of {n} pairs {up} and {down} cannot have changed")
    limit = float(norm.isf(ERROR / 2))
    found = (up - down) / n
    low = -1.0 if found <= -1 else brentq(lambda d: tango_score(up, down, n, d) - limit, -1 + 1e-12, found)
    high = 1.0 if found >= 1 else brentq(lambda d: tango_score(up, down, n, d) + limit, found, 1 - 1e-12)
    if sign_test(up, down) >= ERROR:
        low, high = min(low, 0.0), max(high, 0.0)
    return float(low), float(high)


def tango_score(up: int, down: int, n: int, difference: float) -> float:
    """Returns how many standard deviations the counts lie from a true ``difference`` in (-1, 1); falling in it.

    The share that changes downwards is the most likely one at that difference (Tango 1998).

    >>> round(tango_score(1, 7, 21, 0.0), 4), round(tango_score(1, 7, 21, -0.026), 2)
    (-2.1213, -1.96)
    """
    a, b, c = 2 * n, (2 * n - up + down) * difference - up - down, -down * difference * (1 - difference)
    downwards = (np.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = n * (2 * downwards + difference * (1 - difference))
    gap = up - down - n * difference
    if variance > 0:
        return float(gap / np.sqrt(variance))
    return float(np.sign(gap) * np.inf) if gap else 0.0
