"""When to retrieve, by other measures than ETC's: DRAGIN's RIND and FLARE's confidence.

DRAGIN (RIND) multiplies how unsure the model was of a word by how much later words rest on it. FLARE reads the
probabilities of the tokens of the coming sentence: its authors' program retrieves where any is low, DRAGIN's
re-implementation where their mean doubt is high. Slices of the re-implementation that reach into the next sentence are
mended: a caller passes one sentence.
"""

from __future__ import annotations

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


def confident_text(tokens: Sequence[str], probabilities: ArrayLike, kept: ArrayLike, gap: str = "") -> str:
    """Returns FLARE's query: the sentence without the tokens that are in doubt, its spaces tidied; "" if all are.

    ``tokens`` [n] and ``probabilities`` [n]; ``kept`` is the lowest probability that stays. With a ``gap`` two words
    that did not stand side by side have it between them, and a word that lost a token goes as a whole: what is left of
    it is no word. Without one the tokens are only taken out, as in DRAGIN's re-implementation. Raises ValueError on
    unequal lengths and on a probability outside [0, 1].

    >>> confident_text(["It", " is", " Paris", "."], [0.99, 0.95, 0.4, 0.9], kept=0.9)
    'It is.'
    >>> confident_text([" published", " by", " New", "ton", " in", " 1687"], [0.9, 0.9, 0.1, 0.9, 0.9, 0.9], 0.4, "…")
    'published by … in 1687'
    """
    probability = _probabilities(probabilities)
    if len(tokens) != probability.size:
        raise ValueError(f"one probability per token: {len(tokens)} tokens, {probability.size} probabilities")
    sure = [bool(p >= kept) for p in probability]
    text = (
        _with_gaps(tokens, sure, gap) if gap else "".join(one for one, keep in zip(tokens, sure, strict=True) if keep)
    )
    # What is left of a sentence whose words are all in doubt is its full stop: nothing to look up.
    return " ".join(text.split()) if any(letter.isalnum() for letter in text) else ""


def _with_gaps(tokens: Sequence[str], sure: Sequence[bool], gap: str) -> str:
    """Returns the words all of whose tokens are sure, ``gap`` where one or more were left out between two of them.

    >>> _with_gaps(["A", " b", "c", " d", "."], [True, True, False, True, True], "…")
    'A … d.'
    >>> _with_gaps(["in", " Rome", ",", " Italy", "."], [True, False, True, True, True], "…")
    'in …, Italy.'
    """
    out, marks, open_gap = "", "", False
    for word in _word_tokens(tokens):
        text = "".join(tokens[place] for place in word)
        if not all(sure[place] for place in word):
            open_gap = bool(out)
        elif open_gap and not any(letter.isalnum() for letter in text):
            marks += text
        else:
            out += f" {gap}{marks} {text.lstrip()}" if open_gap else text
            marks, open_gap = "", False
    # A gap at the end stands between no two words.
    return out + marks


def _word_tokens(tokens: Sequence[str]) -> list[list[int]]:
    """Returns the places of each word's tokens: a word begins at white space, punctuation stands alone.

    >>> _word_tokens([" New", "ton", "."])
    [[0, 1], [2]]
    """
    words: list[list[int]] = []
    for place, token in enumerate(tokens):
        alone = not any(letter.isalnum() for letter in token)
        before = bool(words) and any(letter.isalnum() for letter in tokens[words[-1][-1]])
        if words and before and not alone and not token[:1].isspace():
            words[-1].append(place)
        else:
            words.append([place])
    return words


def _probabilities(values: ArrayLike) -> Floats:
    """Returns probabilities [n] as float64; raises ValueError unless each is in [0, 1].

    >>> _probabilities([0.5])
    array([0.5])
    """
    return within(vector(values, "probabilities"), 0.0, 1.0, "probabilities")
