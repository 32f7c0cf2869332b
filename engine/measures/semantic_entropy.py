"""Semantic entropy (Kuhn et al. 2023, Farquhar et al. 2024), by which SUGAR decides whether to retrieve.

SE = -sum_C p(C) ln p(C) over clusters of answers with one meaning. SUGAR's eq. 1 prints the mean of -ln p(C)
instead, which is no entropy: it rises as one cluster wins. It is here as ``equation_1``, for comparison.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import distribution, vector


def semantic_entropy(cluster_probabilities: ArrayLike) -> float:
    """Returns -sum p ln p over the meanings, in nats (0 = one meaning, higher = more uncertain).

    ``cluster_probabilities`` [clusters], sum 1 -> float in [0, ln clusters]; 0 ln 0 = 0.
    Raises ValueError on an empty or unnormalised input.

    >>> round(semantic_entropy([0.9, 0.1]), 6)
    0.325083
    """
    p = distribution(cluster_probabilities, "cluster_probabilities")
    # A sum of 0.999… would leave a trace of entropy in one meaning, which is more than none.
    p = p / p.sum()
    # Of two equal ones max takes the first: 0.0, not the -0.0 of a sum over one meaning.
    return max(0.0, float(-(p * np.log(np.where(p > 0, p, 1.0))).sum()))


def discrete_semantic_entropy(ids: ArrayLike) -> float:
    """Returns the entropy of the cluster frequencies, in nats: semantic entropy without likelihoods.

    ``ids`` [n], equal for answers of one meaning (any integers) -> float in [0, ln n].
    Raises ValueError on no answers and on NaN.

    >>> round(discrete_semantic_entropy([0, 0, 0, 0, 0, 1]), 6)
    0.450561
    """
    counts = np.unique(vector(ids, "ids"), return_counts=True)[1]
    return semantic_entropy(counts / counts.sum())


def equation_1(cluster_probabilities: ArrayLike) -> float:
    """Returns SUGAR's eq. 1 as printed, in nats: the mean of -ln p over the meanings, which is no entropy.

    ``cluster_probabilities`` [clusters], sum 1 -> float >= ln clusters, lowest where all are alike.
    Raises ValueError on an empty or unnormalised input and on a probability of 0.

    >>> round(equation_1([0.5, 0.5]), 6), round(equation_1([0.9, 0.1]), 6)
    (0.693147, 1.203973)
    """
    p = distribution(cluster_probabilities, "cluster_probabilities")
    if (p == 0).any():
        raise ValueError(f"equation 1 is infinite at probability 0, that of cluster {int((p == 0).argmax())}")
    return max(0.0, float(-np.log(p).mean()))


def predictive_entropy(mean_token_logprobs: ArrayLike) -> float:
    """Returns minus the mean of the answers' mean token log-probabilities, in nats per token.

    ``mean_token_logprobs`` [n] -> float >= 0 (higher = more uncertain). Blind to meaning: two ways to say one
    thing count as two. SUGAR's baseline (table III). Raises ValueError on no answers and on NaN.

    >>> predictive_entropy([-0.5, -1.0, -1.5, -2.0])
    1.25
    """
    return 0.0 - float(vector(mean_token_logprobs, "mean_token_logprobs").mean())


def retrieval_need(entropy: float, low: float = 0.4, high: float = 0.9) -> Literal["none", "single", "multi"]:
    """Returns how often SUGAR retrieves (section II.C): not at all, once, or in several rounds.

    ``entropy`` and both thresholds in nats: "none" up to ``low``, "single" up to ``high``, else "multi"; an
    entropy on a threshold takes the cheaper side, which the paper leaves open. 0.4 and 0.9 are the two single
    cuts it prints (section III.D, TriviaQA and SQuAD). Raises ValueError unless 0 <= low <= high, and on an
    entropy that is NaN or negative.

    >>> retrieval_need(0.4), retrieval_need(0.9), retrieval_need(0.91)
    ('none', 'single', 'multi')
    """
    if not 0 <= low <= high:
        raise ValueError(f"thresholds must satisfy 0 <= low <= high, got {low} and {high}")
    if not entropy >= 0:
        raise ValueError(f"entropy must be at least 0, got {entropy}")
    if entropy <= low:
        return "none"
    return "single" if entropy <= high else "multi"
