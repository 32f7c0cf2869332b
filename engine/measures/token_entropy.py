"""Entropy of a next-token distribution, the raw material of ETC (eq. 3), DRAGIN and of many baselines.

H = -sum_v p(v) ln p(v), from raw logits. The released code of ETC adds 1e-10 inside the logarithm and reads
scores that sampling filters have already changed; here 0 ln 0 is 0 and what the caller passes is what is
measured. When a model reveals only its top k log-probabilities, H is known only within bounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, vector, within

# Servers round log-probabilities to a few digits, so that a full list may sum to a little more than 1.
ROUNDING_OF_SERVERS = 1e-3
# The largest vocabulary in common use has 262,144 tokens (Gemma 3). Where a vocabulary's size is not told, a bound for
# this one holds for every smaller one.
LARGEST_VOCABULARY = 262_144
# A token that is told by itself and among the likeliest may be rounded in two ways, in nats.
SAME_TOKEN = 1e-2


def token_entropy(logits: ArrayLike) -> Floats:
    """Returns the entropy of the distribution at each position, in nats (higher = more uncertain).

    Shape [..., vocab] raw logits -> [...], range [0, ln vocab]; logits of -inf (forbidden tokens) add nothing.
    Raises ValueError on an empty vocabulary, NaN, +inf, or a position where every logit is -inf.

    >>> token_entropy([[0.0, 0.0, 0.0, 0.0], [5.0, -np.inf, -np.inf, -np.inf]]).round(6)
    array([1.386294, 0.      ])
    """
    shifted = _below_highest(logits)
    odds = np.exp(shifted)
    total = odds.sum(axis=-1)
    # H = ln Z - sum_v odds_v shifted_v / Z: one exponential each, and 0 * -inf is passed over.
    products = np.multiply(odds, shifted, out=np.zeros_like(odds), where=odds > 0)
    entropy: Floats = np.maximum(np.log(total) - products.sum(axis=-1) / total, 0.0)
    return entropy


def entropy_bounds_from_top_k(logprobs: ArrayLike, vocab_size: int, drawn: float | None = None) -> tuple[float, float]:
    """Returns the lowest and the highest entropy, in nats, that agree with the top k log-probabilities.

    ``logprobs`` [k] are those of the k likeliest tokens out of ``vocab_size``, in any order. The rest of the
    mass lies on vocab_size - k tokens, none likelier than the k-th. Spread evenly it gives the highest
    entropy; gathered in as few tokens as that ceiling allows, the lowest. Range [0, ln vocab_size].
    ``drawn`` is the log-probability of the token that was written, None where it is not told. Some servers list
    it in place of the k-th likeliest: where it is the least likely one, the ceiling is the (k - 1)-th, which
    holds in either case.
    Raises ValueError on more tokens than the vocabulary holds, on a positive log-probability, and where the
    rest of the mass cannot fit under the ceiling (then these are not the top k of one distribution).

    >>> [round(bound, 6) for bound in entropy_bounds_from_top_k(np.log([0.5, 0.25]), vocab_size=4)]
    [1.039721, 1.213008]
    """
    log_probabilities = vector(logprobs, "logprobs")
    if log_probabilities.size > vocab_size:
        raise ValueError(f"top {log_probabilities.size} log-probabilities of a vocabulary of {vocab_size}")
    known = np.minimum(np.exp(within(log_probabilities, -np.inf, ROUNDING_OF_SERVERS, "logprobs")), 1.0)
    rest, ceiling, unseen = 1.0 - float(known.sum()), _ceiling(log_probabilities, drawn), vocab_size - known.size
    if rest < -ROUNDING_OF_SERVERS or rest > ceiling * unseen + ROUNDING_OF_SERVERS:
        raise ValueError(
            f"not the top {known.size} of one distribution: {rest:.6f} of the mass is left for "
            f"{unseen} tokens of at most {ceiling:.6f} each"
        )
    seen = float(_minus_p_log_p(known).sum())
    if rest <= 0 or unseen == 0 or ceiling == 0:
        return seen, seen
    full = min(int(rest / ceiling), unseen)
    remainder = max(rest - full * ceiling, 0.0)
    low = seen + full * float(_minus_p_log_p(ceiling)) + float(_minus_p_log_p(remainder))
    high = seen + unseen * float(_minus_p_log_p(rest / unseen))
    return min(low, high), high


def _ceiling(log_probabilities: Floats, drawn: float | None) -> float:
    """Returns the highest probability that a token outside the list can have; see ``entropy_bounds_from_top_k``.

    >>> likeliest = np.log([0.5, 0.25, 0.125])
    >>> [round(_ceiling(likeliest, drawn), 6) for drawn in (None, likeliest[1], likeliest[2])]
    [0.125, 0.125, 0.25]
    """
    above, lowest = 0.0, float(log_probabilities.min())
    if drawn is None or abs(lowest - drawn) > SAME_TOKEN:
        return min(float(np.exp(lowest)), 1.0)
    if log_probabilities.size > 1:
        above = float(np.partition(log_probabilities, 1)[1])
    return min(float(np.exp(above)), 1.0)


def entropy_bounds_from_some(logprobs: ArrayLike, vocab_size: int) -> tuple[float, float]:
    """Returns the lowest and the highest entropy, in nats, that agree with the log-probabilities of some tokens.

    ``logprobs`` [k] of k different tokens out of ``vocab_size``, not known to be the likeliest: the rest of the mass
    lies on one token (the least entropy) or is spread evenly over all others (the most) -> two floats in
    [0, ln vocab_size]. Raises ValueError on more tokens than the vocabulary holds, on a positive log-probability, and
    on probabilities that sum above 1.

    >>> [round(bound, 6) for bound in entropy_bounds_from_some(np.log([0.5]), vocab_size=3)]
    [0.693147, 1.039721]
    """
    values = within(vector(logprobs, "logprobs"), -np.inf, ROUNDING_OF_SERVERS, "logprobs")
    if values.size > vocab_size:
        raise ValueError(f"{values.size} log-probabilities of a vocabulary of {vocab_size}")
    known = np.minimum(np.exp(values), 1.0)
    rest, unseen = 1.0 - float(known.sum()), vocab_size - known.size
    if rest < -ROUNDING_OF_SERVERS:
        raise ValueError(f"probabilities that sum to {float(known.sum()):.6f} belong to no one distribution")
    seen = float(_minus_p_log_p(known).sum())
    if rest <= 0 or unseen == 0:
        return seen, seen
    low = seen - rest * float(np.log(rest))
    return low, low + rest * float(np.log(unseen))


def _minus_p_log_p(probability: ArrayLike) -> Floats:
    """Returns -p ln p elementwise, 0 at p = 0.

    >>> round(float(_minus_p_log_p(0.5)), 6)
    0.346574
    """
    p = np.asarray(probability, dtype=np.float64)
    return -p * np.log(np.where(p > 0, p, 1.0))


def _below_highest(logits: ArrayLike) -> Floats:
    """Returns each logit minus the highest at its position, [..., vocab] -> [..., vocab] in [-inf, 0].

    >>> _below_highest([1.0, 3.0])
    array([-2.,  0.])
    """
    array = np.asarray(logits, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"logits must be [..., vocab] with vocab >= 1, got shape {array.shape}")
    if np.isnan(array).any() or np.isposinf(array).any():
        bad = int((np.isnan(array) | np.isposinf(array)).sum())
        raise ValueError(f"logits must be finite or -inf, got {bad} NaN or +inf of {array.size}")
    highest = array.max(axis=-1, keepdims=True)
    if np.isneginf(highest).any():
        raise ValueError(f"every position needs a finite logit, {int(np.isneginf(highest).sum())} have none")
    shifted: Floats = array - highest
    return shifted
