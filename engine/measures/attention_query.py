"""Which words to look up: those that the uncertain word attends to most (DRAGIN's QFS, as ETC uses it)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import vector


def attention_query(words: Sequence[str], attention: ArrayLike, is_content: Sequence[bool], top: int) -> str:
    """Returns the ``top`` content words with the most attention, in text order, joined by spaces.

    ``words`` [n] that stand before the uncertain word, ``attention`` [n] it pays to each, at least 0, ``is_content``
    [n] -> text, "" where there is no content word. Equal attention prefers the earlier word.
    Raises ValueError on unequal lengths, NaN and ``top`` below 1.

    >>> attention_query(["Who", "is", "the", "director"], [0.5, 0.1, 0.1, 0.3], [False, False, False, True], top=2)
    'director'
    """
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top}")
    if not len(words):
        return ""
    paid = vector(attention, "attention")
    if not len(words) == paid.size == len(is_content):
        raise ValueError(f"one value per word: {len(words)} words, {paid.size} attentions, {len(is_content)} flags")
    candidates = [index for index in range(len(words)) if is_content[index]]
    best = sorted(candidates, key=lambda index: (-paid[index], index))[:top]
    return " ".join(words[index] for index in sorted(best))


def word_attention(attention: ArrayLike, queries: Sequence[range], keys: Sequence[range]) -> np.ndarray:
    """Returns attention between words from attention between tokens: mean over a word's queries, sum over its keys.

    ``attention`` [m, n]; ``queries`` are ranges of rows and ``keys`` ranges of columns, one per word ->
    [queries, keys]. Raises ValueError on an empty query range.

    >>> word_attention([[0.2, 0.8], [0.4, 0.6]], [range(0, 2)], [range(0, 1), range(0, 2)]).round(3).tolist()
    [[0.3, 1.0]]
    """
    array = np.asarray(attention, dtype=np.float64)
    if any(len(rows) == 0 for rows in queries):
        raise ValueError("every word needs at least one token")
    table = np.zeros((len(queries), len(keys)))
    for row, tokens in enumerate(queries):
        mean = array[tokens.start : tokens.stop].mean(axis=0)
        table[row] = [mean[columns.start : columns.stop].sum() for columns in keys]
    return table
