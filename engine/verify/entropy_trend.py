"""ETC again from its raw part: token entropies, which words carry content, and, as released, attention (eq. 6-12)."""

import math
from collections.abc import Iterator

from engine.measures.checks import Floats
from engine.measures.entropy_trend import attention_weighted, first_differences, second_differences, smooth, triggers
from engine.methods.entropy_trend import EntropyTrendResult
from engine.verify.base import Check, Source, compare


def checks(result: EntropyTrendResult, source: Source) -> Iterator[Check]:
    """Yield ETC's derived numbers: word entropies, differences, smoothing, triggers with the text each keeps."""
    tokens = result.generation.tokens
    content = [word.is_content for word in result.words]

    def entropies() -> list[float]:
        spans = [tokens[word.first_token : word.last_token + 1] for word in result.words]
        return [max(token.entropy for token in span) for span in spans]

    def placed() -> list[tuple[int, float]]:
        return second_differences(entropies(), content, result.variant) if result.words else []

    def smoothed() -> Floats:
        return smooth([value for _, value in placed()], result.variant)

    def first() -> list[float]:
        known = dict(first_differences(entropies(), content))
        return [known[index] for index, _ in placed()]

    points = result.points
    yield compare("entropy_trend.words.entropy", tuple(word.entropy for word in result.words), entropies)
    yield compare("entropy_trend.points.word", tuple(p.word for p in points), lambda: [at for at, _ in placed()])
    if not points:
        yield compare("entropy_trend.triggers", len(result.triggers), lambda: 0)
        return
    yield compare("entropy_trend.points.first_difference", tuple(p.first_difference for p in points), first)
    yield compare(
        "entropy_trend.points.second_difference",
        tuple(p.second_difference for p in points),
        lambda: [value for _, value in placed()],
    )
    yield compare("entropy_trend.points.smoothed", tuple(or_nan(p.smoothed) for p in points), smoothed)
    yield compare(
        "entropy_trend.points.value", tuple(or_nan(p.value) for p in points), lambda: values(result, placed())
    )
    yield from trigger_checks(result, placed)


def values(result: EntropyTrendResult, placed: list[tuple[int, float]]) -> Floats:
    """Return the values that are held against α: smoothed, and as released times relative attention."""
    smoothed = smooth([value for _, value in placed], result.variant)
    if result.variant == "paper":
        return smoothed
    attention = [word.max_attention or 0.0 for word in result.words]
    return attention_weighted(smoothed, [at for at, _ in placed], attention, [word.sentence for word in result.words])


def trigger_checks(result: EntropyTrendResult, placed: object) -> Iterator[Check]:
    """Yield the triggers: where, with what value, and what text stays before each."""

    def fired() -> list[tuple[int, float, str]]:
        found = placed()  # type: ignore[operator]
        held = values(result, found)
        hits = triggers(held, result.alpha, mode=result.mode, strict=result.variant == "code")
        kept = result.generation.text
        words = result.words
        return [
            (at, float(value), kept[: words[at].start])
            for (at, _), value, hit in zip(found, held, hits, strict=True)
            if hit
        ]

    stored = tuple((one.word, one.value, one.kept) for one in result.triggers)
    yield compare("entropy_trend.triggers", stored, fired)


def or_nan(value: float | None) -> float:
    """Return the value, NaN for none: released code leaves it undefined there."""
    return math.nan if value is None else value
