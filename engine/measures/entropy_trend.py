"""The trend of the entropy while a model writes: differences, smoothing and triggers of ETC.

ETC (Entropy-Trend Constraint) retrieves where the second difference of the entropies of content words
(eq. 6 and 9), smoothed against outliers (eq. 10 to 12), is large: |v| >= alpha. Variant "paper" follows the
equations, with eq. 12 read as the weighted average that the text calls it. Variant "code" follows the
released loop: a first difference of exactly 0 counts as missing, the smoothing weight is 0.9 + 0.1 w, an
undefined weight stays NaN and never triggers, and the value is multiplied by the word's attention and
compared signed.

How a method puts them together, on one word per position:

    placed = second_differences(entropies, is_content, variant)
    smoothed = smooth([value for _, value in placed], variant)
    paper   triggers(smoothed, alpha)
    code    triggers(attention_weighted(smoothed, [i for i, _ in placed], max_attention, sentence_ids),
                     alpha, mode="signed", strict=True)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Bools, Floats, vector, zero_or_one

Variant = Literal["paper", "code"]
Smoothing = Literal["paper", "code", "literal", "fixed", "none"]
Placed = list[tuple[int, float]]

# The share of the current value in the ablation that the paper calls ETC with a fixed weight.
FIXED_WEIGHT = 0.9


def first_differences(entropies: ArrayLike, is_content: ArrayLike, variant: Variant = "paper") -> Placed:
    """Returns H_i - H_(i-1) over the content words (ETC eq. 6), each at the later word's index.

    ``entropies`` [n] in nats, ``is_content`` [n] bool -> [(word index, value), ...], in nats, positive where
    uncertainty rises; empty below two content words. "code" leaves out differences of exactly 0, which the
    released loop cannot tell from missing ones.
    Raises ValueError on unequal lengths, non-finite entropies and another variant.

    >>> first_differences([1.0, 9.0, 2.0, 4.0], [True, False, True, True])
    [(2, 1.0), (3, 2.0)]
    """
    words = _content_words(entropies, is_content, variant)
    placed = [(i, value - before) for (_, before), (i, value) in pairwise(words)]
    return placed if variant == "paper" else [(i, value) for i, value in placed if value != 0]


def second_differences(entropies: ArrayLike, is_content: ArrayLike, variant: Variant = "paper") -> Placed:
    """Returns H_i - 2 H_(i-1) + H_(i-2) over the content words (ETC eq. 9), each at the last word involved.

    ``entropies`` [n] in nats, ``is_content`` [n] bool -> [(word index, value), ...], in nats, positive where
    the rise steepens; empty below three content words. In "code" a value is the first difference here minus
    the latest earlier one that is not 0, and values of exactly 0 are left out: ties are skipped.
    Raises ValueError on unequal lengths, non-finite entropies and another variant.

    >>> second_differences([1.0, 2.0, 2.0, 5.0], [True] * 4)
    [(2, -1.0), (3, 3.0)]
    >>> second_differences([1.0, 2.0, 2.0, 5.0], [True] * 4, variant="code")
    [(2, -1.0), (3, 2.0)]
    """
    _require(variant, ("paper", "code"), "variant")
    first = first_differences(entropies, is_content)
    if variant == "paper":
        return [(i, value - before) for (_, before), (i, value) in pairwise(first)]
    placed, latest = [], 0.0
    for i, value in first:
        if latest != 0 and value != latest:
            placed.append((i, value - latest))
        latest = value if value != 0 else latest
    return placed


def second_difference_bounds(low: ArrayLike, high: ArrayLike, is_content: ArrayLike) -> list[tuple[int, float, float]]:
    """Returns the least and the most H_i - 2 H_(i-1) + H_(i-2) can be where each entropy lies in [low, high].

    All [n]; [(word index, least, most), ...] over the content words, in nats, at the last word involved, as
    ``second_differences`` places them in variant "paper". Raises ValueError on unequal lengths, non-finite bounds, and
    a lower bound above its upper one.

    >>> second_difference_bounds([1.0, 2.0, 2.0], [1.5, 2.0, 3.0], [True] * 3)
    [(2, -1.0, 0.5)]
    """
    least, most = _content_words(low, is_content, "paper"), _content_words(high, is_content, "paper")
    if any(a > b for (_, a), (_, b) in zip(least, most, strict=True)):
        raise ValueError("an entropy's lower bound is above its upper bound")
    lows, highs = [value for _, value in least], [value for _, value in most]
    return [
        (least[n][0], lows[n] - 2 * highs[n - 1] + lows[n - 2], highs[n] - 2 * lows[n - 1] + highs[n - 2])
        for n in range(2, len(least))
    ]


def smoothed_bounds(low: ArrayLike, high: ArrayLike) -> list[tuple[float, float]]:
    """Returns the least and the most a smoothed second difference can be where each lies in [low, high].

    Both [m] in nats -> m pairs. Smoothing (eq. 12, variant "paper") is a weighted average of a value and the one
    before, so it lies between the smaller of both and the larger of both, whatever the weight; the first one is not
    smoothed. Raises ValueError on unequal lengths and NaN.

    >>> smoothed_bounds([-1.0, 0.5], [0.0, 2.0])
    [(-1.0, 0.0), (-1.0, 2.0)]
    """
    lows, highs = _series(low, "low"), _series(high, "high")
    if lows.size != highs.size:
        raise ValueError(f"{lows.size} lower bounds and {highs.size} upper bounds")
    least, most = lows.copy(), highs.copy()
    least[1:], most[1:] = np.minimum(lows[1:], lows[:-1]), np.maximum(highs[1:], highs[:-1])
    return [(float(a), float(b)) for a, b in zip(least, most, strict=True)]


def smoothing_weights(values: ArrayLike) -> Floats:
    """Returns w_t of ETC eq. 10: the share of the current value, NaN where the equation is undefined.

    ``values`` [m] second differences -> [m] in [0, 1]. E_t is the running mean up to and including t, and
    w_t = |v_(t-1) - E_t| / (|v_t - E_t| + |v_(t-1) - E_t|): of the two, the one nearer to E_t weighs more.
    Undefined are w_1, which has no predecessor, and 0/0. Raises ValueError on NaN.

    >>> smoothing_weights([1.0, -3.0, 1.5]).round(5)
    array([    nan, 0.5    , 0.62963])
    """
    array = _series(values, "values")
    mean = np.cumsum(array) / np.arange(1, array.size + 1)
    weights = np.full(array.size, np.nan)
    before, here = np.abs(array[:-1] - mean[1:]), np.abs(array[1:] - mean[1:])
    np.divide(before, here + before, out=weights[1:], where=here + before > 0)
    return weights


def smooth(values: ArrayLike, variant: Smoothing = "paper") -> Floats:
    """Returns the smoothed second differences of ETC (eq. 12), one for each value, in nats.

    Shape [m] -> [m]; the first value is unchanged in every variant.
    "paper": w_t v_t + (1 - w_t) v_(t-1), the weighted average of the text, with w = 1 where undefined.
    "literal": w_t v_t + w_(t-1) v_(t-1), eq. 12 as printed, whose weights do not sum to 1.
    "code": 0.9 + 0.1 w instead of w; NaN where 0/0; values of 0 are passed over, as in the released loop.
    "fixed": w = 0.9, an ablation. "none": a copy.
    Raises ValueError on NaN and on another variant.

    >>> smooth([1.0, -3.0, 1.5]).round(6)
    array([ 1.      , -1.      , -0.166667])
    >>> smooth([1.0, -3.0, 1.5], variant="code").round(6)
    array([ 1.      , -2.8     ,  1.333333])
    """
    _require(variant, ("paper", "code", "literal", "fixed", "none"), "variant")
    array = _series(values, "values")
    if variant == "code":
        return _smooth_as_released(array)
    weights = np.nan_to_num(smoothing_weights(array), nan=1.0)
    if variant == "fixed":
        weights[1:] = FIXED_WEIGHT
    if variant == "none":
        return array
    weights_before = _one_earlier(weights) if variant == "literal" else 1 - weights
    smoothed: Floats = weights * array + weights_before * _one_earlier(array)
    return smoothed


def triggers(
    smoothed_values: ArrayLike, alpha: float, mode: Literal["abs", "signed"] = "abs", strict: bool = False
) -> Bools:
    """Returns where the smoothed value reaches the threshold, i.e. where ETC would retrieve.

    ``smoothed_values`` [m] in nats -> [m] bool. The paper asks |v| >= alpha (the defaults); the released
    configuration v > alpha (mode "signed", strict). NaN never triggers. Raises ValueError on another mode
    and on a NaN threshold.

    >>> triggers([1.0, -2.8, 0.3], alpha=1.0)
    array([ True,  True, False])
    >>> triggers([1.0, -2.8, 0.3], alpha=1.0, mode="signed", strict=True)
    array([False, False, False])
    """
    _require(mode, ("abs", "signed"), "mode")
    if np.isnan(alpha):
        raise ValueError(f"alpha must be a number, got {alpha}")
    array = np.asarray(smoothed_values, dtype=np.float64)
    compared = np.abs(array) if mode == "abs" else array
    fired: Bools = compared > alpha if strict else compared >= alpha
    return fired


def normalise_attention(max_attention: ArrayLike, sentence_ids: ArrayLike | None = None) -> Floats:
    """Returns each word's attention relative to the mean of its sentence (1 = average).

    ``max_attention`` [n], the most that word i attends to any generated word; ``sentence_ids`` [n], equal for
    words of one sentence (None: all are one) -> [n] >= 0: a_i n / (sum of a + 1e-10), with n its words.
    The 1e-10 is the released code's; it keeps an exact average just below 1, and a silent sentence at 0.
    Raises ValueError on NaN, a negative value or unequal lengths.

    >>> normalise_attention([0.2, 0.1, 0.3, 0.25, 0.15]).round(6)
    array([1.  , 0.5 , 1.5 , 1.25, 0.75])
    """
    attention = vector(max_attention, "max_attention")
    if not (np.isfinite(attention) & (attention >= 0)).all():
        raise ValueError(f"max_attention must be finite and not negative, got {attention.tolist()}")
    sentences = np.zeros(attention.size) if sentence_ids is None else np.asarray(sentence_ids)
    if sentences.shape != attention.shape:
        raise ValueError(f"one sentence id per word: {attention.size} words, ids of shape {sentences.shape}")
    _, sentence_of, words = np.unique(sentences, return_inverse=True, return_counts=True)
    total = np.bincount(sentence_of, weights=attention)
    relative: Floats = attention * words[sentence_of] / (total[sentence_of] + 1e-10)
    return relative


def attention_weighted(
    smoothed_values: ArrayLike,
    word_indices: Sequence[int],
    max_attention: ArrayLike,
    sentence_ids: ArrayLike | None = None,
) -> Floats:
    """Returns the value that the released code of ETC compares: smoothed value times relative attention.

    ``smoothed_values`` [m] lie on the words ``word_indices`` [m]; ``max_attention`` and ``sentence_ids`` [n]
    cover all words and are normalised as in ``normalise_attention`` -> [m], in nats, NaN kept.
    The paper has no such factor. Raises ValueError on unequal lengths and on an index outside the words.

    >>> attention_weighted([1.0, -2.8], [2, 3], [0.2, 0.1, 0.3, 0.25, 0.15]).round(6)
    array([ 1.5, -3.5])
    """
    smoothed = np.asarray(smoothed_values, dtype=np.float64)
    relative = normalise_attention(max_attention, sentence_ids)
    words = np.asarray(word_indices, dtype=np.int64)
    if smoothed.shape != words.shape:
        raise ValueError(f"one word index per value: {smoothed.size} values, {words.size} indices")
    if words.size and not (words.min() >= 0 and words.max() < relative.size):
        raise ValueError(f"word indices must be in [0, {relative.size}), got {words.tolist()}")
    weighted: Floats = relative[words] * smoothed
    return weighted


def _smooth_as_released(values: Floats) -> Floats:
    """Returns the "code" smoothing: over the values that are not 0, with weight 0.9 + 0.1 w, NaN at 0/0.

    >>> _smooth_as_released(np.array([0.0, 1.0, 1.0]))
    array([ 0.,  1., nan])
    """
    smoothed = np.zeros_like(values)
    counted = values != 0
    array = values[counted]
    share = 0.9 + 0.1 * smoothing_weights(array)
    share[:1] = 1.0
    smoothed[counted] = share * array + (1 - share) * _one_earlier(array)
    return smoothed


def _one_earlier(values: Floats) -> Floats:
    """Returns the value before each value, 0 before the first, [m] -> [m].

    >>> _one_earlier(np.array([3.0, 4.0]))
    array([0., 3.])
    """
    return np.concatenate([np.zeros(1), values])[:-1]


def _content_words(entropies: ArrayLike, is_content: ArrayLike, variant: str) -> Placed:
    """Returns (word index, entropy) of the content words, after checking the arguments.

    >>> _content_words([0.5, 2.0], [False, True], "paper")
    [(1, 2.0)]
    """
    _require(variant, ("paper", "code"), "variant")
    array, content = _series(entropies, "entropies"), zero_or_one(is_content, "is_content")
    if content.shape != array.shape:
        raise ValueError(f"one flag per word: {array.size} entropies, is_content of shape {content.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"entropies must be finite, got {array.tolist()}")
    return [(int(i), float(array[i])) for i in np.flatnonzero(content)]


def _series(values: ArrayLike, name: str) -> Floats:
    """Returns ``values`` as float64 [m] free of NaN, where m may be 0: a short sentence has no differences.

    >>> _series([], "values")
    array([], dtype=float64)
    """
    return np.empty(0) if np.size(values) == 0 else vector(values, name)


def _require(value: str, allowed: tuple[str, ...], name: str) -> None:
    """Returns None once ``value`` is one of ``allowed``; raises ValueError with both otherwise.

    >>> _require("paper", ("paper", "code"), "variant")
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
