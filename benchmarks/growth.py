"""How a cost grows with size: the exponent b of cost = a · size^b, by least squares on the logarithms.

Exponent 0 = the same at every size, 1 = in proportion. The interval is Student's t on the slope's standard error, so it
says how well a straight line fits the points, not how noisy one point is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from benchmarks.growth_records import GrowthCurve, GrowthPoint
from engine.core.records import Interval

LEVEL = 0.95
FEWEST = 3


class PowerLaw(NamedTuple):
    """The ``exponent`` of cost = a · size^exponent, and its interval [low, high] at ``level``."""

    exponent: float
    low: float
    high: float
    level: float = LEVEL


def power_law(sizes: Sequence[float], costs: Sequence[float]) -> PowerLaw:
    """Return the power law through (size, cost), fitted on logarithms; both [n], in any positive unit.

    Raises ValueError on fewer than three points, on points of one size only, and on what is not positive.

    >>> power_law([1, 10, 100], [2, 20, 200]).exponent
    1.0
    """
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(costs, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or x.size < FEWEST:
        raise ValueError(f"a power law needs at least {FEWEST} pairs, got {x.size} sizes and {y.size} costs")
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all() and (y > 0).all()):
        raise ValueError("sizes and costs must be positive and finite")
    if np.ptp(x) == 0:
        raise ValueError(f"all {x.size} points have the size {x[0]:g}")
    line = stats.linregress(np.log(x), np.log(y))
    slope = float(line.slope)
    reach = float(stats.t.ppf((1 + LEVEL) / 2, x.size - 2)) * float(line.stderr)
    return PowerLaw(exponent=round(slope, 12), low=slope - reach, high=slope + reach)


def curve(name: str, unit: str, points: Sequence[GrowthPoint], note: str = "") -> GrowthCurve:
    """Return a curve with its fitted exponent, or without one if fewer than three points can be fitted."""
    fitted = [one for one in points if one.value > 0]
    if len(fitted) < FEWEST:
        return GrowthCurve(name=name, unit=unit, points=tuple(points), note=note)
    law = power_law([one.size for one in fitted], [one.value for one in fitted])
    interval = Interval(low=law.low, high=law.high, level=law.level, method="t")
    return GrowthCurve(name=name, unit=unit, points=tuple(points), exponent=law.exponent, interval=interval, note=note)
