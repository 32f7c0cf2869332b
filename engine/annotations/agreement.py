"""Agreement between people: Cohen's and Fleiss' kappa and Krippendorff's alpha, with intervals over items.

Cohen (1960) by scikit-learn, Fleiss (1971) by statsmodels, Krippendorff (nominal, with missing labels) by NLTK. The
intervals are SciPy's percentile bootstrap over items, with ``engine.measures.annotator_agreement`` over all resamples
in one call. Only submitted labels count, and first wrong tokens agree only if they are identical. If everybody always
chooses the same value, no coefficient is defined; it is reported as not measured, never as 0 or 1.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from scipy.stats import DegenerateDataWarning, bootstrap

from engine.annotations.fields import FIELDS
from engine.annotations.records import Item, Kind, Label, Value
from engine.core.records import Interval
from engine.measures.annotator_agreement import (
    LEVEL,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)
from engine.measures.share_intervals import wilson_interval

Ratings = Mapping[str, Mapping[str, Value]]
# A bootstrap over fewer items holds the truth far less often than it says.
FEWEST_ITEMS, NO_WIDTH = 10, 1e-12
DRAWS, SEED = 500, 0
NO_PAIRS = "No item has labels of two people yet."
ONE_VALUE = "Everybody always chose the same value, so agreement beyond chance is undefined."


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its 95 % interval and the number of cases behind it.

    ``value`` None is not measured, with the reason; ``interval`` is None if there are too few cases for one.
    """

    value: float | None
    interval: Interval | None
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two people on the items that both labelled: share of agreement in [0, 1], Cohen's kappa in [-1, 1]."""

    first: str
    second: str
    share: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAgreement:
    """Agreement on one field, over all policies (``policy`` "") or one: kappa and alpha at most 1, chance 0.

    At least one person labelled each of ``items``, and each of ``people`` labelled at least one of them. ``fleiss`` is
    over the items with the most common number of labels, ``alpha`` over all items with two or more.
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
    """A field of an item with different submitted labels: (person, value); a value is None without a choice."""

    item: str
    field: str
    said: tuple[tuple[str, Value | None], ...]


def not_measured(reason: str, n: int = 0) -> Estimate:
    """Return an estimate without a value, with the reason."""
    return Estimate(value=None, interval=None, n=n, reason=reason)


def agreement(items: Sequence[Item], labels: Sequence[Label]) -> tuple[FieldAgreement, ...]:
    """Return agreement per labelled field, over all policies first and then per policy."""
    submitted = [label for label in labels if label.state == "submitted"]
    found = []
    for kind, fields in FIELDS.items():
        of_kind = [item for item in items if item.kind == kind]
        policies = sorted({item.policy for item in of_kind if item.policy})
        for field in fields:
            for policy in ("", *policies):
                wanted = {item.id for item in of_kind if policy in ("", item.policy)}
                ratings = ratings_of(submitted, wanted, field.name)
                if ratings:
                    found.append(field_agreement(kind, field.name, policy, ratings))
    return tuple(found)


def ratings_of(labels: Sequence[Label], wanted: set[str], field: str) -> dict[str, dict[str, Value]]:
    """Return people's values of a field by item; labels without a value are left out."""
    ratings: dict[str, dict[str, Value]] = {}
    for label in labels:
        value = label.value(field) if label.item in wanted else None
        if value is not None:
            ratings.setdefault(label.item, {})[label.annotator] = value
    return ratings


def field_agreement(kind: Kind, field: str, policy: str, ratings: Ratings) -> FieldAgreement:
    """Return the agreement of people on one field."""
    people = sorted({person for said in ratings.values() for person in said})
    return FieldAgreement(
        kind=kind,
        field=field,
        policy=policy,
        items=len(ratings),
        people=len(people),
        pairs=tuple(pair_agreement(a, b, ratings) for a, b in combinations(people, 2)),
        fleiss=fleiss(ratings),
        alpha=alpha(ratings),
    )


def pair_agreement(first: str, second: str, ratings: Ratings) -> PairAgreement:
    """Return the agreement of two people on the items that both labelled."""
    both = [(said[first], said[second]) for said in ratings.values() if first in said and second in said]
    if not both:
        nothing = not_measured("They have no common item yet.")
        return PairAgreement(first=first, second=second, share=nothing, kappa=nothing)
    share = proportion(sum(a == b for a, b in both), len(both))
    return PairAgreement(first=first, second=second, share=share, kappa=cohen(both))


def proportion(count: int, of: int) -> Estimate:
    """Return a share in [0, 1] with Wilson's interval."""
    low, high = wilson_interval(count, of)
    return Estimate(value=count / of, interval=Interval(low=low, high=high, method="score"), n=of)


def cohen(pairs: Sequence[tuple[Value, Value]]) -> Estimate:
    """Return Cohen's kappa of pairs of labels, in [-1, 1]."""
    from sklearn.metrics import cohen_kappa_score

    codes = {value: code for code, value in enumerate(sorted({value for pair in pairs for value in pair}, key=str))}
    coded = np.array([[codes[value] for value in pair] for pair in pairs])
    library = partial(cohen_kappa_score, *coded.T)
    return coefficient(coded, lambda rows: cohen_kappa(rows[..., 0], rows[..., 1]), library)


def fleiss(ratings: Ratings) -> Estimate:
    """Return Fleiss' kappa over the items with the most common number of labels (the larger in a tie)."""
    from statsmodels.stats.inter_rater import fleiss_kappa as by_statsmodels

    sizes = Counter(len(labels) for labels in ratings.values() if len(labels) >= 2)
    if not sizes:
        return not_measured(NO_PAIRS)
    size = max(sizes, key=lambda number: (sizes[number], number))
    table = counts_of([labels for labels in ratings.values() if len(labels) == size])
    return coefficient(table, fleiss_kappa, partial(by_statsmodels, table, method="fleiss"))


def alpha(ratings: Ratings) -> Estimate:
    """Return Krippendorff's alpha over the items with at least two labels."""
    from nltk.metrics.agreement import AnnotationTask

    paired = {item: labels for item, labels in ratings.items() if len(labels) >= 2}
    if not paired:
        return not_measured(NO_PAIRS)
    triples = [(person, item, str(value)) for item, labels in paired.items() for person, value in labels.items()]
    table = counts_of(list(paired.values()))
    return coefficient(table, krippendorff_alpha, lambda: AnnotationTask(triples).alpha())


def coefficient(
    rows: np.ndarray,
    measure: Callable[[np.ndarray], np.ndarray],
    library: Callable[[], float],
) -> Estimate:
    """Return a coefficient of the rows of items with its interval; not measured if it is undefined for them.

    ``measure`` takes rows [..., n, columns] and returns one value for each leading index, NaN where only one value was
    ever given. ``library`` returns the coefficient of all rows, which must have two values.
    """
    if np.isnan(measure(rows)):
        return not_measured(ONE_VALUE, len(rows))
    interval = resampled(lambda indices: measure(rows[indices]), len(rows))
    return Estimate(value=float(library()), interval=interval, n=len(rows))


def counts_of(ratings: Sequence[Mapping[str, Value]]) -> np.ndarray:
    """Return how many people gave each value, per item: [items, values]."""
    values = sorted({value for labels in ratings for value in labels.values()}, key=str)
    return np.array([[list(labels.values()).count(value) for value in values] for labels in ratings])


def resampled(coefficient: Callable[[np.ndarray], np.ndarray], n: int) -> Interval | None:
    """Return the percentile bootstrap's 95 % interval over ``n`` items.

    None for fewer than FEWEST_ITEMS, and where all draws are alike: three items on which people agree say little of the
    fourth. ``coefficient`` takes indices of items [DRAWS, n] and returns [DRAWS]; a draw with one label only is
    undefined. Of ten items with two labels at least 6 draws in 10 are defined.
    """
    if n < FEWEST_ITEMS:
        return None
    # A draw with one label only is undefined. SciPy would warn; such draws are left out below.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = bootstrap(
            (np.arange(n),), lambda indices, axis: coefficient(indices), n_resamples=DRAWS, method="percentile",
            vectorized=True, rng=np.random.default_rng(SEED),
        ).bootstrap_distribution  # fmt: skip
    return interval_of(*np.nanpercentile(found, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]))


def interval_of(low: float, high: float) -> Interval | None:
    """Return a bootstrap's bounds as an interval, None where there is nothing between them."""
    return Interval(low=float(low), high=float(high), level=LEVEL) if high - low > NO_WIDTH else None


def submitted_by_item(labels: Sequence[Label]) -> dict[str, list[Label]]:
    """Return the submitted labels of each item that has one."""
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        if label.state == "submitted":
            by_item.setdefault(label.item, []).append(label)
    return by_item


def disagreements(items: Sequence[Item], labels: Sequence[Label]) -> tuple[Disagreement, ...]:
    """Return every field of an item on which two submitted labels differ, in the order of the items.

    A label without a value differs from one with a value: one person may have marked a wrong token that the other does
    not see.
    """
    by_item = submitted_by_item(labels)
    found = []
    for item in items:
        said = sorted(by_item.get(item.id, []), key=lambda label: label.annotator)
        for field in FIELDS[item.kind]:
            values = tuple((label.annotator, label.value(field.name)) for label in said)
            if len({value for _, value in values}) > 1:
                found.append(Disagreement(item=item.id, field=field.name, said=values))
    return tuple(found)
