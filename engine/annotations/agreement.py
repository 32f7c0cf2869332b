"""How well people agree: Cohen's and Fleiss' kappa and Krippendorff's alpha, with intervals over items.

Cohen (1960) by scikit-learn, Fleiss (1971) by statsmodels, Krippendorff (nominal, with missing labels) by NLTK; the
intervals are SciPy's percentile bootstrap over items. Only submitted labels count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.annotations.records import Item, Kind, Label, Value
from engine.records import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval and how many items stand behind it.

    ``value`` None is not measured, with the reason; ``interval`` is None where there are too few items for one.
    """

    value: float | None
    interval: Interval | None
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two people on the items that both labelled: the share they agree on in [0, 1], and Cohen's kappa in [-1, 1]."""

    first: str
    second: str
    share: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAgreement:
    """Agreement on one field, over all policies (``policy`` "") or one: kappa and alpha at most 1, chance 0.

    ``items`` were labelled by at least one person, ``people`` labelled at least one of them.
    """

    kind: Kind
    field: str
    policy: str
    items: int
    people: int
    pairs: tuple[PairAgreement, ...]
    fleiss: Estimate
    alpha: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A field of an item on which submitted labels differ: (person, value), a value None where it says nothing."""

    item: str
    field: str
    said: tuple[tuple[str, Value | None], ...]


def agreement(
    items: Sequence[Item], labels: Sequence[Label], draws: int = 500, seed: int = 0
) -> tuple[FieldAgreement, ...]:
    """Return agreement per field that somebody labelled, over all policies first and then per policy."""
    raise NotImplementedError


def disagreements(items: Sequence[Item], labels: Sequence[Label]) -> tuple[Disagreement, ...]:
    """Return every field of an item on which two submitted labels differ, in the order of the items."""
    raise NotImplementedError
