"""Clusters of answers that mean the same, from pairwise entailment (Kuhn et al. 2023, Farquhar et al. 2024).

Greedy, in sample order: the first answer without a cluster opens one and takes every later answer equivalent
to it. Two answers are equivalent under "strict" if each entails the other, under "loose" if neither direction
is a contradiction and not both are neutral. The released code of semantic entropy, and SePer after it, lets
a later seed take answers away from an earlier cluster (``overwrite=True``); the default leaves them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Bools, Floats, Ints, cluster_ids, distribution, entailment_classes

Rule = Literal["strict", "loose"]

CONTRADICTION, NEUTRAL, ENTAILMENT = 0, 1, 2


def equivalent(forward: ArrayLike, backward: ArrayLike, rule: Rule = "strict") -> Bools:
    """Returns where two texts mean the same, from the entailment class of each direction.

    ``forward`` and ``backward`` of one shape, classes 0 (contradiction), 1 (neutral), 2 (entailment) -> bool
    of that shape. SePer compares clusters with answers by "loose", answers with each other by "strict".
    Raises ValueError on another rule.

    >>> equivalent([2, 2, 1, 2], [2, 1, 1, 0])
    array([ True, False, False, False])
    >>> equivalent([2, 2, 1, 2], [2, 1, 1, 0], rule="loose")
    array([ True,  True, False, False])
    """
    one, other = np.asarray(forward), np.asarray(backward)
    if rule == "strict":
        return np.asarray((one == ENTAILMENT) & (other == ENTAILMENT))
    if rule == "loose":
        both_neutral = (one == NEUTRAL) & (other == NEUTRAL)
        return np.asarray((one != CONTRADICTION) & (other != CONTRADICTION) & ~both_neutral)
    raise ValueError(f"rule must be one of strict, loose, got {rule!r}")


def cluster(entails: ArrayLike, rule: Rule = "strict", overwrite: bool = False) -> Ints:
    """Returns the cluster of each answer, numbered 0, 1, ... in order of first appearance.

    ``entails`` [n, n], [i, j] = class of answer i -> answer j: 0 contradiction, 1 neutral, 2 entailment; the
    diagonal is ignored -> [n] ids in sample order. Raises ValueError on another shape, class or rule.

    >>> a_like_c_and_b_like_c = [[2, 1, 2], [1, 2, 2], [2, 2, 2]]
    >>> cluster(a_like_c_and_b_like_c)
    array([0, 1, 0])
    >>> cluster(a_like_c_and_b_like_c, overwrite=True)
    array([0, 1, 1])
    """
    classes = entailment_classes(entails, "entails")
    same = equivalent(classes, classes.T, rule)
    ids = np.full(len(classes), -1)
    for seed in range(len(ids)):
        if ids[seed] != -1:
            continue
        taken = same[seed] & (np.arange(len(ids)) > seed)
        if not overwrite:
            taken &= ids == -1
        ids[taken] = ids[seed] = ids.max() + 1
    return ids


def first_members(ids: ArrayLike) -> Ints:
    """Returns the index of the first answer of each cluster, the text that stands for it.

    ``ids`` [n], clusters numbered 0, 1, ... without a gap -> [clusters]. Raises ValueError on other ids.

    >>> first_members([0, 1, 0, 2])
    array([0, 1, 3])
    """
    return np.unique(cluster_ids(ids), return_index=True)[1].astype(np.int64)


def cluster_probabilities(weights: ArrayLike, ids: ArrayLike) -> Floats:
    """Returns the probability of each meaning: the sum of the weights of its answers.

    ``weights`` [n] probabilities that sum to 1, ``ids`` [n] -> [clusters], sums to 1.
    Raises ValueError on unequal lengths, weights that are no distribution, and ids with a gap.

    >>> cluster_probabilities([0.5, 0.25, 0.25], [0, 1, 0])
    array([0.75, 0.25])
    """
    shares, clusters = distribution(weights, "weights"), cluster_ids(ids)
    if shares.shape != clusters.shape:
        raise ValueError(f"one id per answer: {shares.size} weights, {clusters.size} ids")
    return np.bincount(clusters, weights=shares).astype(np.float64)
