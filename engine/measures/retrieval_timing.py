"""When to retrieve, by other measures than ETC's: DRAGIN's RIND and FLARE's confidence.

DRAGIN (RIND) multiplies how unsure the model was of a word by how much later words rest on it. FLARE reads the
probabilities of the tokens of the coming sentence: its authors' program retrieves where any is low, DRAGIN's
re-implementation where their mean doubt is high. Slices of the re-implementation that reach into the next sentence are
mended: a caller passes one sentence.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, vector, within


def rind(max_attention: ArrayLike, entropies: ArrayLike) -> Floats:
    """Returns DRAGIN's need for information at each word of one sentence: relative attention times entropy, in nats.

    ``max_attention`` [n], the most attention a word receives, at least 0; ``entropies`` [n] in nats -> [n] >= 0
    (higher = look it up): a_i n / (sum of a) H_i, 0 for every word of a sentence that no attention reaches.
    Raises ValueError on NaN, negative values and unequal lengths.

    >>> rind([0.1, 0.1, 0.2, 0.2, 0.4], [0.2, 0.1, 0.3, 0.2, 1.0]).round(6)
    array([0.1 , 0.05, 0.3 , 0.2 , 2.  ])
    """
    attention = within(vector(max_attention, "max_attention"), 0.0, np.inf, "max_attention")
    entropy = within(vector(entropies, "entropies"), 0.0, np.inf, "entropies")
    if attention.size != entropy.size:
        raise ValueError(f"one entropy per word: {attention.size} attentions, {entropy.size} entropies")
    total = float(attention.sum())
    if total == 0:
        return np.zeros(attention.size)
    values: Floats = attention / total * entropy * attention.size
    return values


def doubt(probabilities: ArrayLike) -> float:
    """Returns the mean of 1 - p over the tokens of one sentence (FLARE as DRAGIN's authors run it), in [0, 1].

    ``probabilities`` [n] in [0, 1], n at least 1; higher = more in doubt. Raises ValueError on NaN or out of range.

    >>> round(doubt([0.99, 0.95, 0.4, 0.9]), 6)
    0.19
    """
    return float((1.0 - _probabilities(probabilities)).mean())


def confident_text(tokens: Sequence[str], probabilities: ArrayLike, kept: ArrayLike) -> str:
    """Returns FLARE's query: the sentence without the tokens that are in doubt, its spaces tidied; "" if all are.

    ``tokens`` [n] and ``probabilities`` [n]; ``kept`` is the lowest probability that stays. Raises ValueError on
    unequal lengths and on a probability outside [0, 1].

    >>> confident_text(["It", " is", " Paris", "."], [0.99, 0.95, 0.4, 0.9], kept=0.9)
    'It is.'
    """
    probability = _probabilities(probabilities)
    if len(tokens) != probability.size:
        raise ValueError(f"one probability per token: {len(tokens)} tokens, {probability.size} probabilities")
    sure = "".join(token for token, p in zip(tokens, probability, strict=True) if p >= kept)
    # What is left of a sentence whose words are all in doubt is its full stop: nothing to look up.
    return " ".join(sure.split()) if any(letter.isalnum() for letter in sure) else ""


def _probabilities(values: ArrayLike) -> Floats:
    """Returns probabilities [n] as float64; raises ValueError unless each is in [0, 1].

    >>> _probabilities([0.5])
    array([0.5])
    """
    return within(vector(values, "probabilities"), 0.0, 1.0, "probabilities")
