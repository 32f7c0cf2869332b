"""Bounds of an entropy where the probabilities of a few tokens are known, but not that they are the likeliest.

A trace of another pipeline often tells the probability of the written token only. The rest of the mass then lies
anywhere: on one token (the least entropy) or spread evenly over the whole vocabulary (the most). Where the k likeliest
are known, ``token_entropy.entropy_bounds_from_top_k`` is tighter.
"""

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import vector, within

ROUNDING = 1e-3


def entropy_bounds_from_some(logprobs: ArrayLike, vocab_size: int) -> tuple[float, float]:
    """Returns the lowest and the highest entropy, in nats, that agree with the log-probabilities of some tokens.

    ``logprobs`` [k] of k different tokens out of ``vocab_size`` -> two floats in [0, ln vocab_size]. Raises ValueError
    on more tokens than the vocabulary holds, on a positive log-probability, and on probabilities that sum above 1.

    >>> [round(bound, 6) for bound in entropy_bounds_from_some(np.log([0.5]), vocab_size=3)]
    [0.693147, 1.039721]
    """
    values = within(vector(logprobs, "logprobs"), -np.inf, ROUNDING, "logprobs")
    if values.size > vocab_size:
        raise ValueError(f"{values.size} log-probabilities of a vocabulary of {vocab_size}")
    known = np.minimum(np.exp(values), 1.0)
    rest = 1.0 - float(known.sum())
    if rest < -ROUNDING:
        raise ValueError(f"probabilities that sum to {float(known.sum()):.6f} belong to no one distribution")
    seen = float(-(known * np.log(np.where(known > 0, known, 1.0))).sum())
    unseen = vocab_size - known.size
    if rest <= 0 or unseen == 0:
        return seen, seen
    low = seen - rest * float(np.log(rest))
    return low, low + rest * float(np.log(unseen))
