"""Agreement of people on nominal labels, over many resamples at once: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Cohen (1960), Fleiss (1971), Krippendorff (2011, "Computing Krippendorff's Alpha-Reliability", nominal metric). The
libraries compute one coefficient at a time; an interval needs hundreds, so here the same coefficients are written over
a leading axis of resamples. All are 1 at perfect agreement, 0 at chance, and NaN where chance explains everything
(everybody always said the same).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import bootstrap

from engine.measures.checks import Floats

LEVEL = 0.95
MEAN_DRAWS = 2000


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> Floats:
    """Returns Cohen's kappa of two people's labels in [-1, 1], over the last axis.

    ``first`` and ``second`` [..., items] whole numbers from 0 that name a label -> [...]; NaN where both always gave
    one and the same label.

    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    array(0.5)
    """
    a, b = np.asarray(first), np.asarray(second)
    values = np.arange(max(a.max(initial=0), b.max(initial=0)) + 1)
    shares_a = (a[..., None] == values).mean(axis=-2)
    shares_b = (b[..., None] == values).mean(axis=-2)
    return corrected((a == b).mean(axis=-1), (shares_a * shares_b).sum(axis=-1))


def fleiss_kappa(counts: ArrayLike) -> Floats:
    """Returns Fleiss' kappa in [-1, 1].

    ``counts`` [..., items, labels]: how many people gave each label; the same number of people, at least 2, at every
    item -> [...].

    >>> fleiss_kappa([[2, 0], [0, 2], [1, 1]]).round(6)
    np.float64(0.333333)
    """
    table = np.asarray(counts, dtype=np.float64)
    people = table.sum(axis=-1, keepdims=True)
    agreeing = ((table * (table - 1)) / (people * (people - 1))).sum(axis=-1).mean(axis=-1)
    shares = table.sum(axis=-2) / table.sum(axis=(-1, -2))[..., None]
    return corrected(agreeing, (shares**2).sum(axis=-1))


def krippendorff_alpha(counts: ArrayLike) -> Floats:
    """Returns Krippendorff's alpha for nominal labels, at most 1; a label that is missing is simply not counted.

    ``counts`` [..., items, labels]: how many people gave each label -> [...]. Items with fewer than two drop out.

    >>> krippendorff_alpha([[2, 0], [0, 2], [1, 1], [1, 0]]).round(6)
    np.float64(0.444444)
    """
    table = np.asarray(counts, dtype=np.float64)
    people = table.sum(axis=-1)
    table = np.where((people >= 2)[..., None], table, 0.0)
    people = np.where(people >= 2, people, 0.0)
    differing = (people**2 - (table**2).sum(axis=-1)) / np.maximum(people - 1, 1)
    labels = people.sum(axis=-1)
    by_chance = labels**2 - (table.sum(axis=-2) ** 2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance > 0, 1 - (labels - 1) * differing.sum(axis=-1) / by_chance, np.nan)[()]


def corrected(observed: Floats, expected: Floats) -> Floats:
    """Returns agreement corrected for chance, (observed - expected) / (1 - expected); NaN where expected is 1.

    >>> float(corrected(0.75, 0.5))
    0.5
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        room = 1 - np.asarray(expected, dtype=np.float64)
        return np.asarray(np.where(room > 1e-12, (observed - np.asarray(expected)) / room, np.nan))


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """Returns the percentile bootstrap's 95% interval of the mean of ``values`` [n], n >= 2.

    >>> mean_interval([3.0, 3.0])
    (3.0, 3.0)
    """
    found = bootstrap(
        (np.asarray(values, dtype=np.float64),), np.mean, n_resamples=MEAN_DRAWS, method="percentile", vectorized=True,
        confidence_level=LEVEL, rng=np.random.default_rng(0),
    ).bootstrap_distribution  # fmt: skip
    low, high = np.percentile(found, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high)
