"""SePer and its change with context: how much probability a model puts on the meaning of the correct answer.

SePer = sum_C k(C, a*) p(C | q) (eq. 9), estimated from N sampled answers; ΔSePer = with context - without
(eq. 11). Despite the name it is a probability, higher = better. "Soft" weighs each answer by how far it
entails the correct answer; "hard" clusters the answers and counts the clusters that match. Where paper and
released code part, both are here: both directions of entailment by their maximum (code) or response -> answer
only (paper), several golds by the best (code) or the mean (paper, eq. 10). Only the weights are the code's
alone, the softmax of mean token log-probabilities: the products of eq. 7 do not sum to 1. The released code
also scrambles the kernel whenever there are several golds; that bug is not reproduced.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Bools, Floats, cluster_ids, distribution, vector, within, zero_or_one
from engine.measures.semantic_clusters import cluster_probabilities


def sample_weights(mean_token_logprobs: ArrayLike) -> Floats:
    """Returns the weight of each sampled answer: the softmax of the mean token log-probabilities.

    ``mean_token_logprobs`` [n] in nats -> [n] in [0, 1], sums to 1; -inf weighs 0.
    Raises ValueError on no answers, NaN, +inf, or -inf throughout.

    >>> sample_weights([-0.2, -1.2, -2.0]).round(6)
    array([0.65224 , 0.239946, 0.107815])
    """
    array = vector(mean_token_logprobs, "mean_token_logprobs")
    if not np.isfinite(array.max()):
        raise ValueError(f"mean_token_logprobs need a finite maximum, got {float(array.max())}")
    odds = np.exp(array - array.max())
    weights: Floats = odds / odds.sum()
    return weights


def effective_samples(weights: ArrayLike) -> float:
    """Returns how many equally weighted answers tell as much: 1 / sum of squared weights (Kish 1965).

    ``weights`` [n] that sum to 1 -> float in [1, n]; n where all weigh alike, 1 where one has all the weight.
    Raises ValueError on a value outside [0, 1] and on another sum.

    >>> effective_samples([0.5, 0.5, 0.0]), round(effective_samples([0.56] + [0.44 / 9] * 9), 1)
    (2.0, 3.0)
    """
    return float(1 / (distribution(weights, "weights") ** 2).sum())


def kernel(
    response_to_answer: ArrayLike,
    answer_to_response: ArrayLike,
    direction: Literal["max", "response_to_answer"] = "max",
) -> Floats:
    """Returns how far each sampled answer means each correct answer, from both directions of entailment.

    Both arguments of one shape, [n, golds] (or [n] for one gold), entailment probabilities in [0, 1] -> the
    same shape: the larger of the two directions ("max", released code) or response -> answer only (paper).
    Raises ValueError on unequal shapes, values out of range and another direction.

    >>> kernel([[0.6], [0.05]], [[0.98], [0.05]])
    array([[0.98],
           [0.05]])
    """
    forward, backward = np.asarray(response_to_answer, np.float64), np.asarray(answer_to_response, np.float64)
    if forward.shape != backward.shape:
        raise ValueError(f"both directions need one shape, got {forward.shape} and {backward.shape}")
    within(forward, 0, 1, "response_to_answer")
    within(backward, 0, 1, "answer_to_response")
    if direction not in ("max", "response_to_answer"):
        raise ValueError(f"direction must be one of max, response_to_answer, got {direction!r}")
    return np.maximum(forward, backward) if direction == "max" else forward.copy()


def seper_soft(weights: ArrayLike, kernel: ArrayLike, answers: Literal["max", "mean"] = "max") -> float:
    """Returns soft SePer: the weighted mean of the kernel, for the best correct answer or on average.

    ``weights`` [n] that sum to 1, ``kernel`` [n, golds] (or [n] for one gold) in [0, 1] -> float in [0, 1],
    higher = more belief in the correct answer. ``answers`` "max" takes the best gold (released code: golds are
    aliases of one answer), "mean" their mean (eq. 10). Raises ValueError on shapes, ranges or another choice.

    >>> seper_soft([0.5, 0.5], [[0.6], [0.05]])
    0.325
    """
    shares, table = distribution(weights, "weights"), kernel_table(kernel)
    if len(table) != shares.size:
        raise ValueError(f"one kernel row per answer: {shares.size} weights, {len(table)} rows")
    if answers not in ("max", "mean"):
        raise ValueError(f"answers must be one of max, mean, got {answers!r}")
    per_gold = shares @ table
    return min(float(per_gold.max() if answers == "max" else per_gold.mean()), 1.0)


def seper_hard(
    weights: ArrayLike, ids: ArrayLike, cluster_matches: ArrayLike, answers: Literal["any", "mean"] = "any"
) -> float:
    """Returns hard SePer: the probability of the clusters that mean a correct answer.

    ``weights`` [n] that sum to 1, ``ids`` [n] clusters, ``cluster_matches`` [clusters] or [clusters, golds]
    bool -> float in [0, 1], higher = more belief in the correct answer. ``answers`` "any" counts a cluster that
    matches any gold (released code), "mean" averages over golds (eq. 10).
    Raises ValueError on shapes, ranges or another choice.

    >>> seper_hard([0.5, 0.25, 0.25], [0, 1, 0], [True, False])
    0.75
    """
    matches = match_table(cluster_matches)
    probabilities = cluster_probabilities(weights, ids)
    if len(matches) != probabilities.size:
        raise ValueError(f"one row of matches per cluster, {probabilities.size}, got {len(matches)}")
    if answers not in ("any", "mean"):
        raise ValueError(f"answers must be one of any, mean, got {answers!r}")
    share_of_golds = matches.any(axis=1) if answers == "any" else matches.mean(axis=1)
    return min(float(probabilities @ share_of_golds), 1.0)


def draws_that_match(ids: ArrayLike, cluster_matches: ArrayLike) -> Floats:
    """Returns 1 for each sampled answer whose cluster matches a gold, else 0: the kernel of hard SePer.

    ``ids`` [n], ``cluster_matches`` [clusters] or [clusters, golds] bool -> [n] in {0, 1}. With it
    ``seper_soft`` gives ``seper_hard``, and the intervals of ``draw_intervals`` serve both.
    Raises ValueError on shapes or values that do not fit.

    >>> draws_that_match([0, 1, 0], [True, False])
    array([1., 0., 1.])
    """
    clusters, matches = cluster_ids(ids), match_table(cluster_matches)
    if len(matches) != clusters.max() + 1:
        raise ValueError(f"one row of matches per cluster, {clusters.max() + 1}, got {len(matches)}")
    return np.asarray(matches.any(axis=1), dtype=np.float64)[clusters]


def delta_seper(with_context: float, without_context: float) -> float:
    """Returns ΔSePer (eq. 11): how much the context moved belief towards the correct answer.

    Two SePer values in [0, 1] -> float in [-1, 1]; above 0 the context helped, below 0 it misled.
    Raises ValueError on a value out of range or NaN.

    >>> round(delta_seper(0.699, 0.02), 6)
    0.679
    """
    within(np.array([with_context, without_context], dtype=np.float64), 0, 1, "SePer")
    return float(with_context - without_context)


def kernel_table(kernel: ArrayLike) -> Floats:
    """Returns the kernel as float64 [n, golds], a single gold's [n] as one column, all in [0, 1].

    Raises ValueError on another shape, no golds, NaN or a value out of range.

    >>> kernel_table([0.2, 0.4])
    array([[0.2],
           [0.4]])
    """
    array = np.array(kernel, dtype=np.float64)
    table = array[:, None] if array.ndim == 1 else array
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"kernel must be [n, golds] with n, golds >= 1, got shape {array.shape}")
    return np.clip(within(table, 0, 1, "kernel"), 0, 1)


def match_table(cluster_matches: ArrayLike) -> Bools:
    """Returns the matches as bool [clusters, golds], a single gold's [clusters] as one column.

    Raises ValueError on another shape, no golds, or values other than 0 and 1.

    >>> match_table([True, False])
    array([[ True],
           [False]])
    """
    array = zero_or_one(cluster_matches, "cluster_matches")
    table = array[:, None] if array.ndim == 1 else array
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"cluster_matches must be [clusters] or [clusters, golds], got shape {array.shape}")
    return table
