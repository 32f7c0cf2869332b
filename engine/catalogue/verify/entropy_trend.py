"""ETC again from its raw part: token entropies, which words carry content, and, as released, attention (eq. 6-12).

Where a server shows only the likeliest tokens, an entropy's two ends are raw, and what follows from them are intervals.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.checks import Floats
from engine.measures.entropy_trend import (
    attention_weighted,
    first_differences,
    second_difference_bounds,
    second_differences,
    smooth,
    smoothed_bounds,
    triggers,
)
from engine.methods.entropy_trend import EntropyTrendResult

Bounds = dict[int, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """What follows from a record's tokens: word entropies (the least and the most), where values stand, the values."""

    low: list[float]
    high: list[float]
    places: list[int]
    first: list[float]
    second: list[float]
    smoothed: Floats
    values: Floats
    bounds: Bounds


def checks(result: EntropyTrendResult, source: Source, place: str = "entropy_trend") -> Iterator[Check]:
    """Yield ETC's derived numbers: word entropies, differences, smoothing, triggers with the text each keeps."""
    words, points = result.words, result.points
    yield compare(f"{place}.words.entropy", tuple(word.entropy for word in words), lambda: trend(result).low)
    stored_high = tuple(word.entropy if word.entropy_high is None else word.entropy_high for word in words)
    yield compare(f"{place}.words.entropy_high", stored_high, lambda: trend(result).high)
    yield compare(f"{place}.points.word", tuple(p.word for p in points), lambda: trend(result).places)
    yield compare(
        f"{place}.points.first_difference", tuple(p.first_difference for p in points), lambda: trend(result).first
    )
    yield compare(
        f"{place}.points.second_difference", tuple(p.second_difference for p in points), lambda: trend(result).second
    )
    yield compare(f"{place}.points.smoothed", tuple(or_nan(p.smoothed) for p in points), lambda: trend(result).smoothed)
    yield compare(f"{place}.points.value", tuple(or_nan(p.value) for p in points), lambda: trend(result).values)
    stored_bounds = tuple((p.low, p.high) for p in points)
    yield compare(f"{place}.points.low and high", stored_bounds, lambda: bounds_of(trend(result)))
    stored = tuple((one.word, one.value, one.kept) for one in result.triggers)
    yield compare(f"{place}.triggers", stored, fired, result)


def trend(result: EntropyTrendResult) -> Trend:
    """Return everything that follows from a record's tokens and tags."""
    tokens, content = result.generation.tokens, [word.is_content for word in result.words]
    spans = [tokens[word.first_token : word.last_token + 1] for word in result.words]
    low = [max(token.entropy for token in span) for span in spans]
    high = [max(token.entropy if (most := token.entropy_high) is None else most for token in span) for span in spans]
    bounded = any(token.entropy_high is not None for span in spans for token in span)
    middles = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    placed = second_differences(middles, content, result.variant) if middles else []
    first = dict(first_differences(middles, content)) if middles else {}
    places = [at for at, _ in placed]
    smoothed = smooth([value for _, value in placed], result.variant)
    return Trend(
        low=low,
        high=high,
        places=places,
        first=[first[at] for at in places],
        second=[value for _, value in placed],
        smoothed=smoothed,
        values=compared(result, smoothed, places),
        bounds=value_bounds(low, high, content) if bounded else {},
    )


def compared(result: EntropyTrendResult, smoothed: Floats, places: list[int]) -> Floats:
    """Return the values that are held against α: smoothed, and as released times relative attention."""
    if result.variant == "paper" or not places:
        return smoothed
    attention = [word.max_attention or 0.0 for word in result.words]
    return attention_weighted(smoothed, places, attention, [word.sentence for word in result.words])


def value_bounds(low: list[float], high: list[float], content: list[bool]) -> Bounds:
    """Return word -> the least and the most its smoothed second difference can be."""
    placed = second_difference_bounds(low, high, content)
    if not placed:
        return {}
    smoothed = smoothed_bounds([least for _, least, _ in placed], [most for _, _, most in placed])
    return {at: ends for (at, _, _), ends in zip(placed, smoothed, strict=True)}


def bounds_of(found: Trend) -> list[tuple[float | None, float | None]]:
    """Return each value's two ends, none where it is exact."""
    return [found.bounds.get(at, (None, None)) for at in found.places]


def fired(result: EntropyTrendResult) -> list[tuple[int, float, str]]:
    """Return the triggers: where, with what value, and what text stays before each.

    A value known within bounds fires only where its end nearest to 0 does; 0 inside them never fires.
    """
    found = trend(result)
    if not found.places:
        return []
    surest = [
        nearest(value, found.bounds.get(at), result.mode)
        for at, value in zip(found.places, found.values.tolist(), strict=True)
    ]
    hits = triggers(surest, result.alpha, mode=result.mode, strict=result.variant == "code")
    return [
        (at, value, result.generation.text[: result.words[at].start])
        for at, value, hit in zip(found.places, surest, hits, strict=True)
        if hit
    ]


def nearest(value: float, ends: tuple[float, float] | None, mode: str) -> float:
    """Return the value, or of its bounds the end that must fire for all of them to.

    >>> nearest(1.0, (0.5, 2.0), "abs"), nearest(0.0, (-1.0, 2.0), "abs"), nearest(1.0, None, "abs")
    (0.5, 0.0, 1.0)
    """
    if ends is None:
        return value
    return ends[0] if mode == "signed" else max(ends[0], 0.0) + min(ends[1], 0.0)


def or_nan(value: float | None) -> float:
    """Return the value, NaN for none: released code leaves it undefined there."""
    return math.nan if value is None else value
