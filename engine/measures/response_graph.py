"""Degree-based semantic entropy (DSE) of DENSE: how far the answers to rewritten contexts agree.

The k+1 answers r_0 (original context) to r_k (chunk k rewritten) are the nodes of a graph whose weights are
the mean of both entailment decisions (eq. 5); DSE = -(1/n) sum_i ln(D_i / n), with D_i the degree of answer i
and n = k+1 (eq. 6). The paper leaves the self loop open, and 0 would make DSE infinite: it is 1 here. On
a union of cliques DSE equals the discrete semantic entropy, which is a free cross-check. The paper's fixed
threshold of 0.2 nats means different things at different k: ``degree_entropy_share`` does not.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, square, symmetric_weights, within, zero_or_one

ChunkLabel = Literal["certain", "necessary", "unnecessary"]
AgreedLabel = Literal["certain", "necessary", "unnecessary", "unclear"]
LABELS: tuple[ChunkLabel, ...] = ("certain", "necessary", "unnecessary")


def symmetrise(directed: ArrayLike) -> Floats:
    """Returns (W + W^T) / 2 with a diagonal of 1: both directions of entailment count alike (DENSE eq. 5).

    ``directed`` [n, n] in [0, 1], [i, j] = how far answer i entails answer j -> [n, n] in [0, 1].
    The diagonal that comes in is ignored. Raises ValueError on another shape or a value out of range.

    >>> symmetrise([[1, 0.9], [0.7, 1]])
    array([[1. , 0.8],
           [0.8, 1. ]])
    """
    array = square(directed, "directed")
    np.fill_diagonal(array, 1.0)
    within(array, 0, 1, "directed")
    weights: Floats = np.clip((array + array.T) / 2, 0, 1)
    return weights


def response_weights(entails: ArrayLike) -> Floats:
    """Returns the weights of DENSE's answer graph (eq. 5) from yes/no entailment decisions.

    ``entails`` [n, n] bool or 0/1, [i, j] = answer i entails answer j (neutral and contradiction are 0)
    -> [n, n] in {0, 0.5, 1}, diagonal 1. Raises ValueError on another shape and on values between 0 and 1.

    >>> response_weights([[1, 1, 0], [0, 1, 0], [1, 0, 1]])
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """
    return symmetrise(zero_or_one(entails, "entails"))


def degrees(weights: ArrayLike) -> Floats:
    """Returns D_i = sum_j w_ij, self loop included: how many answers, softly counted, agree with answer i.

    ``weights`` [n, n] symmetric in [0, 1] -> [n] in (0, n].
    Raises ValueError on asymmetry, a weight out of range, and a degree of 0 (a missing self loop).

    >>> degrees([[1, 0.5], [0.5, 1]])
    array([1.5, 1.5])
    """
    total: Floats = symmetric_weights(weights, "weights").sum(axis=1)
    if (total <= 0).any():
        raise ValueError(f"answer {int((total <= 0).argmax())} has degree 0, ln 0 is infinite: set w_ii = 1")
    return total


def degree_entropy(weights: ArrayLike) -> float:
    """Returns DSE (DENSE eq. 6), in nats: 0 = all answers equivalent, higher = less stable.

    ``weights`` [n, n] symmetric in [0, 1] with self loops of 1 -> float in [0, ln n].
    Raises ValueError on asymmetry, a weight out of range, and a degree of 0.

    >>> round(degree_entropy([[1, 0.5], [0.5, 1]]), 6)
    0.287682
    """
    total = degrees(weights)
    return max(float(-np.log(total / total.size).mean()), 0.0) + 0.0  # never -0.0


def degree_entropy_share(weights: ArrayLike) -> float:
    """Returns DSE / ln n: the share of the highest possible DSE, comparable across numbers of chunks.

    ``weights`` as in ``degree_entropy`` -> float in [0, 1]. A single answer has nothing to disagree with: 0.
    Not in the paper. Raises ValueError as ``degree_entropy`` does.

    >>> degree_entropy_share([[1, 0], [0, 1]])
    1.0
    """
    n = np.shape(weights)[0] if np.ndim(weights) else 0
    entropy = degree_entropy(weights)
    return 0.0 if n == 1 else min(entropy / float(np.log(n)), 1.0)


def too_few(valid: int, chunks: int) -> bool:
    """Returns whether so few chunks have a valid rewording that an answer's stability is open: under half of them.

    >>> too_few(2, 5), too_few(3, 5), too_few(1, 2)
    (True, False, False)
    """
    return 2 * valid < chunks


def is_uncertain(dse: float, threshold: float = 0.2) -> bool:
    """Returns whether a question is uncertain: DSE > threshold, strictly (DENSE section 5).

    Both in nats. 0.2 is the paper's, set for k = 5 chunks and models of 1.5B to 70B parameters.
    Raises ValueError on a DSE that is NaN or negative.

    >>> is_uncertain(0.2), is_uncertain(0.21)
    (False, True)
    """
    if not dse >= 0:
        raise ValueError(f"dse must be at least 0, got {dse}")
    return bool(dse > threshold)


def chunk_labels(
    weights: ArrayLike,
    ablation_weights: ArrayLike,
    rule: Literal["algorithm3", "equation10"] = "algorithm3",
) -> list[ChunkLabel]:
    """Returns what each chunk is to the answer: "certain", "necessary" or "unnecessary" (DENSE eq. 8 to 10).

    ``weights`` [k+1, k+1] as in ``degree_entropy``, answer 0 from the original context, answer i with chunk i
    rewritten. ``ablation_weights`` [k] in [0, 1]: agreement of answer 0 with the answer without chunk i, NaN
    where that was not run -> k labels in chunk order.
    A chunk is certain if rewriting it leaves an equivalent answer (weight 1). Of the rest, "algorithm3" calls
    unnecessary those whose removal leaves an equivalent answer (1); "equation10" calls necessary only those
    whose removal changes it altogether (0). They differ at 0.5, where Algorithm 3 does not delete.
    Raises ValueError on shapes that do not fit, another rule, and an uncertain chunk without its ablation.

    >>> chunk_labels([[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]], [float("nan"), 0.5])
    ['certain', 'necessary']
    """
    if rule not in ("algorithm3", "equation10"):
        raise ValueError(f"rule must be one of algorithm3, equation10, got {rule!r}")
    rewritten = symmetric_weights(weights, "weights")[0, 1:]
    ablated = np.asarray(ablation_weights, dtype=np.float64)
    if ablated.shape != rewritten.shape:
        raise ValueError(f"one ablation weight per chunk: {rewritten.size} chunks, got shape {ablated.shape}")
    within(ablated[~np.isnan(ablated)], 0, 1, "ablation_weights")
    labels: list[ChunkLabel] = []
    for chunk, (kept, removed) in enumerate(zip(rewritten, ablated, strict=True), start=1):
        if kept == 1:
            labels.append("certain")
            continue
        if np.isnan(removed):
            raise ValueError(f"chunk {chunk} is uncertain (weight {float(kept)}), its ablation was not run")
        unnecessary = removed == 1 if rule == "algorithm3" else removed > 0
        labels.append("unnecessary" if unnecessary else "necessary")
    return labels


def label_shares(
    weights: ArrayLike,
    chunks: ArrayLike,
    ablation_weights: ArrayLike,
    rule: Literal["algorithm3", "equation10"] = "algorithm3",
) -> Floats:
    """Returns the share of each chunk's rewordings under which it is certain, necessary and unnecessary.

    ``weights`` [m, m] as in ``degree_entropy`` over answer 0 and one answer per rewording; ``chunks`` [m] names each
    row's chunk, -1 for row 0; ``ablation_weights`` [k] as in ``chunk_labels``, one per chunk in ascending order: all
    rewordings of a chunk share it -> [k, 3] in the order of ``LABELS``, rows sum to 1. The paper draws one rewording,
    so its shares are 0 or 1. Raises ValueError where row 0 is not the only -1, and as ``chunk_labels`` does.

    >>> label_shares([[1, 1, 0], [1, 1, 0], [0, 0, 1]], [-1, 0, 0], [1.0])
    array([[0.5, 0. , 0.5]])
    """
    owner, ablated = np.asarray(chunks, dtype=np.int64), np.asarray(ablation_weights, dtype=np.float64)
    if owner.shape != np.shape(weights)[:1] or owner[0] != -1 or (owner[1:] < 0).any():
        raise ValueError(f"chunks must name a chunk for every row but the first, got {owner.tolist()}")
    names, place = np.unique(owner[1:], return_inverse=True)
    if ablated.shape != names.shape:
        raise ValueError(f"one ablation weight per chunk: {names.size} chunks, got shape {ablated.shape}")
    made = np.array(chunk_labels(weights, ablated[place], rule), dtype=object)
    counted = [[(made[place == chunk] == label).mean() for label in LABELS] for chunk in range(names.size)]
    return np.array(counted, dtype=np.float64).reshape(names.size, len(LABELS))


def agreed_label(shares: ArrayLike) -> AgreedLabel:
    """Returns the label that every rewording gives a chunk, "unclear" where they disagree.

    ``shares`` [3], a row of ``label_shares``. Raises ValueError on another shape or shares that do not sum to 1.

    >>> agreed_label([0.0, 0.0, 1.0]), agreed_label([0.5, 0.0, 0.5])
    ('unnecessary', 'unclear')
    """
    parts = np.asarray(shares, dtype=np.float64)
    if parts.shape != (len(LABELS),) or not np.isclose(parts.sum(), 1.0):
        raise ValueError(f"shares must be {len(LABELS)} numbers that sum to 1, got {parts.tolist()}")
    return LABELS[int(parts.argmax())] if parts.max() == 1.0 else "unclear"
