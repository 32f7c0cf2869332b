"""The one table of thresholds, collected from the methods and policies that declare them, by their names."""

from engine.methods import METHODS
from engine.methods.threshold import GROUPS, Threshold

THRESHOLDS: dict[str, Threshold] = {
    one.word: one for group in GROUPS for method in METHODS.values() for one in method.thresholds if one.group == group
}
FITTED_POLICIES: dict[str, Threshold] = {one.policy: one for one in THRESHOLDS.values() if one.fitted and one.policy}
# Files of fitted thresholds and addresses of earlier versions have these names.
OLD_NAMES = {
    "dense": "dse",
    "entropy_trend": "alpha",
    "dragin": "rind",
    "entity": "tau_entity",
    "cooc": "tau_cooc",
    "low": "sugar_low",
    "high": "sugar_high",
}


def known_name(name: str) -> str:
    """Return a threshold's name, also where an earlier version wrote another. Raises ValueError for any other text.

    >>> known_name("dragin"), known_name("rind")
    ('rind', 'rind')
    """
    found = OLD_NAMES.get(name, name)
    if found not in THRESHOLDS:
        raise ValueError(f"there is no threshold {name!r}")
    return found


def paper_value(one: Threshold, variant: str = "paper") -> float:
    """Return what the paper sets: the default of the first setting it stands in."""
    method = one.fields[0][0]
    return float(getattr(METHODS[method].config(), one.field_of(method, variant)))


def methods_of(one: Threshold) -> tuple[str, ...]:
    """Return the methods whose results hold what a threshold is compared with, the first choice first."""
    return tuple(dict.fromkeys(method for method, _ in one.fields))
