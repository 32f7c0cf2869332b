"""What a single chunk does to belief in the correct answer, from two differences of SePer with their noise bands.

SePer (section 3) measures the whole context; its eq. 11 is applied here to one chunk in two ways: all chunks against
all but this one ("left out"), and this one alone against none ("alone"). A chunk whose twin is also there changes
nothing when left out and much when alone, so both are needed. The verdict is ours, not the paper's.
"""

from typing import Literal

from engine.measures.levels import is_below

Effect = Literal["up", "down", "none", "unclear"]
Utility = Literal["useful", "useless", "harmful", "cannot tell"]


def effect(delta: float, low: float, high: float, margin: float = 0.1) -> Effect:
    """Returns what a ΔSePer with its band [low, high] shows: belief went "up", "down", did not move, or "unclear".

    All in [-1, 1]. A band within ±``margin`` is "none": an effect worth speaking of is ruled out. A band wholly above 0
    is "up" where ``delta`` is at least ``margin``, wholly below 0 "down" likewise. All else is "unclear": too few draws
    to tell. Raises ValueError on a band the wrong way round or NaN, and on a margin that is not positive.

    >>> effect(0.4, 0.2, 0.6), effect(0.02, 0.01, 0.04), effect(0.1, -0.1, 0.4)
    ('up', 'none', 'unclear')
    """
    if not low <= high:
        raise ValueError(f"a band needs low <= high, got {low} and {high}")
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin}")
    if low >= -margin and high <= margin:
        return "none"
    if is_below(abs(delta), margin):
        return "unclear"
    if low > 0 and delta > 0:
        return "up"
    return "down" if high < 0 and delta < 0 else "unclear"


def utility(left_out: Effect, alone: Effect) -> Utility:
    """Returns the verdict on a chunk from what its presence does among the others and alone.

    Both arguments say what having the chunk does to belief in the correct answer. One clear effect decides unless the
    other is clear and opposite; two clear absences are "useless"; all else is "cannot tell".

    >>> utility("none", "up"), utility("down", "unclear"), utility("none", "none"), utility("up", "down")
    ('useful', 'harmful', 'useless', 'cannot tell')
    """
    seen = {left_out, alone}
    if "up" in seen and "down" not in seen:
        return "useful"
    if "down" in seen and "up" not in seen:
        return "harmful"
    return "useless" if seen == {"none"} else "cannot tell"


def shared_level(bands: int, level: float = 0.95) -> float:
    """Returns the level each of several bands needs so that all of them hold together at ``level`` (Bonferroni).

    ``bands`` >= 1, ``level`` in (0, 1) -> float in [level, 1). With ten bands at 95% each, two in five questions would
    show an effect that is not there. ``benchmarks/seper_coverage.py`` measures how often all hold together.
    Raises ValueError on another number or level.

    >>> round(shared_level(10), 6)
    0.995
    """
    if bands < 1 or not 0 < level < 1:
        raise ValueError(f"bands >= 1 and level in (0, 1), got {bands} and {level}")
    return 1 - (1 - level) / bands
