"""ETC's numbers: each word's entropy, the differences of the trend, its smoothing, and what is compared with α."""

import math
from collections.abc import Sequence

import numpy as np

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, signed_tex, stored_source, tex
from engine.measures.checks import Floats
from engine.measures.entropy_trend import normalise_attention, smoothing_weights
from engine.methods.entropy_trend import (
    PAPER_ALPHA,
    EntropyTrendConfig,
    EntropyTrendResult,
    TrendPoint,
    TrendWord,
    Trigger,
    fired_points,
    highest_entropy,
    trend_points,
)

NO_POINT = "The content words before this one are not stored."
UNDEFINED = "The weight is 0/0 (NaN in the released code): no trigger."


def points_again(result: EntropyTrendResult) -> dict[int, TrendPoint]:
    """Return the points of the trend by their word, from the words' entropies."""
    return {one.word: one for one in trend_points(result.words, result.variant)}


def point_again(place: Place) -> TrendPoint | None:
    """Return the point or trigger at a place as the words' entropies give it, None where they give none."""
    owner = place.the(TrendPoint) if isinstance(place.owner, TrendPoint) else place.the(Trigger)
    return place.once(points_again, place.the(EntropyTrendResult)).get(owner.word)


def triggers_again(place: Place) -> tuple[tuple[int, float, str], ...]:
    """Return word, value and kept text of every trigger, from the stored points."""
    result = place.the(EntropyTrendResult)
    if not result.points:
        return ()
    fired = fired_points(result.points, EntropyTrendConfig(variant=result.variant, alpha=result.alpha))
    starts = (result.words[one.word].start for one in fired)
    return tuple(
        (one.word, one.nearest_value(result.mode) or 0.0, result.generation.text[:start])
        for one, start in zip(fired, starts, strict=True)
    )


def word_work(place: Place) -> Working:
    """Return a word's entropy as the largest of its tokens'."""
    result, word = place.the(EntropyTrendResult), place.the(TrendWord)
    tokens = result.generation.tokens[word.first_token : word.last_token + 1]
    again = max(token.entropy for token in tokens)
    return Working(
        filled=rf"H = \max({', '.join(tex(token.entropy) for token in tokens[:6])}) = {tex(again)}",
        inputs=tuple(Input(name="H, token", of=token.text, value=token.entropy) for token in tokens),
        again=again,
    )


def highest_work(place: Place) -> Working:
    """Return the most a word's entropy can be as the largest of the most its tokens' can be."""
    result, word = place.the(EntropyTrendResult), place.the(TrendWord)
    tokens = result.generation.tokens[word.first_token : word.last_token + 1]
    return Working(
        inputs=tuple(Input(name="H at most, token", of=token.text, value=token.entropy_high) for token in tokens),
        again=highest_entropy(tokens),
    )


def bound_work(place: Place) -> Working:
    """Return the least or the most that the value at a word can be, from the bounds of the words' entropies."""
    result, again = place.the(EntropyTrendResult), point_again(place)
    words = [] if again is None else [*content_before(result, again.word)[-2:], again.word]
    inputs = tuple(
        Input(name=name, of=result.words[number].text, value=value)
        for number in words
        for name, value in (
            ("H at least", result.words[number].entropy),
            ("H at most", result.words[number].entropy_high),
        )
    )
    return Working(inputs=inputs, again=getattr(again, place.field, None))


def content_before(result: EntropyTrendResult, word: int) -> list[int]:
    """Return the content words before a word, in order."""
    return [number for number in range(word) if result.words[number].is_content]


def word_inputs(result: EntropyTrendResult, numbers: Sequence[int]) -> tuple[Input, ...]:
    """Return the entropies of words by their numbers."""
    return tuple(
        Input(name=f"H, word {number + 1}", of=result.words[number].text, value=result.words[number].entropy_middle)
        for number in numbers
    )


def first_work(place: Place) -> Working:
    """Return ΔH at a word."""
    result, again = place.the(EntropyTrendResult), point_again(place)
    if again is None:
        return Working(note=NO_POINT)
    words = [*content_before(result, again.word)[-1:], again.word]
    there, here = (result.words[number].entropy_middle for number in words)
    return Working(
        filled=rf"\Delta H = {tex(here)} - {tex(there)} = {tex(again.first_difference)}",
        inputs=word_inputs(result, words),
        again=again.first_difference,
    )


def second_work(place: Place) -> Working:
    """Return Δ²H at a word."""
    result, again = place.the(EntropyTrendResult), point_again(place)
    if again is None:
        return Working(note=NO_POINT)
    words = [*content_before(result, again.word)[-2:], again.word]
    first, middle, last = (result.words[number].entropy_middle for number in words)
    filled = rf"\Delta^2 H = {tex(last)} - 2 \cdot {tex(middle)} + {tex(first)} = {tex(again.second_difference)}"
    note = ""
    if result.variant == "code":
        filled, note = "", "The released code skips ties: it takes the latest earlier difference that is not 0."
    return Working(filled=filled, inputs=word_inputs(result, words), again=again.second_difference, note=note)


def smoothed_work(place: Place) -> Working:
    """Return the smoothed Δ²H at a word."""
    result, again = place.the(EntropyTrendResult), point_again(place)
    if again is None or again.smoothed is None:
        return Working(note=UNDEFINED)
    points = list(place.once(points_again, result).values())
    values, at = [one.second_difference for one in points], [one.word for one in points].index(again.word)
    inputs = [Input(name="Δ²H here", of=result.words[again.word].text, value=values[at])]
    if at == 0:
        return Working(filled=tex(values[0]), inputs=tuple(inputs), again=again.smoothed, note="The first value stays.")
    weight = float(place.once(smoothing_weights_of, result)[at])
    share = 1.0 if math.isnan(weight) else weight
    inputs += [
        Input(name="Δ²H before", of=result.words[points[at - 1].word].text, value=values[at - 1]),
        Input(name="E, running mean", value=float(np.mean(values[: at + 1]))),
        Input(name="w (eq. 10)", value=share),
    ]
    filled = f"{tex(share)} \\cdot {signed_tex(values[at])} + {tex(1 - share)} \\cdot {signed_tex(values[at - 1])}"
    if result.variant == "code":
        return Working(inputs=tuple(inputs), again=again.smoothed, note="The released code weighs by 0.9 + 0.1 w.")
    return Working(filled=f"{filled} = {tex(again.smoothed)}", inputs=tuple(inputs), again=again.smoothed)


def smoothing_weights_of(result: EntropyTrendResult) -> Floats:
    """Return the smoothing weight at every point."""
    return smoothing_weights([one.second_difference for one in points_again(result).values()])


def value_work(place: Place) -> Working:
    """Return the value at a word as it is compared with α; at a trigger the end of its bounds that is nearest to 0."""
    result, point = place.the(EntropyTrendResult), point_again(place)
    again = (
        None
        if point is None
        else point.value
        if isinstance(place.owner, TrendPoint)
        else point.nearest_value(result.mode)
    )
    if point is None or again is None:
        return Working(note=UNDEFINED)
    word = result.words[point.word]
    if result.variant == "paper":
        sign = r"\ge" if abs(again) >= result.alpha else "<"
        return Working(
            filled=rf"|{tex(again)}| {sign} \alpha = {tex(result.alpha)}",
            inputs=(Input(name="smoothed Δ²H", of=word.text, value=again), Input(name="α", value=result.alpha)),
            again=again,
        )
    factor = float(place.once(relative_attention, result)[point.word])
    return Working(
        filled=rf"{tex(again / factor if factor else 0.0)} \cdot {tex(factor)} = {tex(again)}",
        inputs=(Input(name="attention relative to the sentence", of=word.text, value=factor),),
        again=again,
    )


def relative_attention(result: EntropyTrendResult) -> Floats:
    """Return every word's attention relative to its sentence."""
    words = result.words
    return normalise_attention([one.max_attention or 0.0 for one in words], [one.sentence for one in words])


def alpha_work(place: Place) -> Working:
    """Return how many words reach α."""
    result = place.the(EntropyTrendResult)
    return Working(
        inputs=tuple(
            Input(name="reaches α, word", of=result.words[one.word].text, value=one.value) for one in result.triggers
        ),
        note=f"{len(result.triggers)} of {len(result.points)} values reach it in this run.",
    )


def attention_work(place: Place) -> Working:
    """Return the word that attends."""
    return Working(
        inputs=(Input(name="word", of=place.the(TrendWord).text),),
        note="Read from the model's last layer; attention is not stored.",
    )


def first_trigger_word(result: EntropyTrendResult) -> float | None:
    """Return the number of the word before which ETC first looks something up, from 1."""
    return float(result.triggers[0].word + 1) if result.triggers else None


def largest_turn(result: EntropyTrendResult) -> float | None:
    """Return the largest size of a value compared with α, in nats."""
    return max((abs(one.value) for one in result.points if one.value is not None), default=None)


ENTRIES: tuple[Entry, ...] = (
    entry(
        EntropyTrendResult,
        "trigger_count",
        read=lambda own: float(len(own.triggers)),
        compared_in=EntropyTrendResult,
    ),
    entry(EntropyTrendResult, "first_trigger", read=first_trigger_word, compared_in=EntropyTrendResult),
    entry(EntropyTrendResult, "largest_turn", read=largest_turn, compared_in=EntropyTrendResult),
    entry(TrendWord, "entropy", word_work),
    entry(TrendWord, "max_attention", attention_work),
    entry(TrendWord, "entropy_high", highest_work),
    entry(TrendPoint, "low", bound_work),
    entry(TrendPoint, "high", bound_work),
    entry(TrendPoint, "first_difference", first_work),
    entry(TrendPoint, "second_difference", second_work),
    entry(TrendPoint, "smoothed", smoothed_work),
    entry(TrendPoint, "value", value_work),
    entry(Trigger, "value", value_work),
    entry(
        EntropyTrendResult,
        "alpha",
        alpha_work,
        threshold=stored_source(EntropyTrendResult, "alpha_source"),
        paper=PAPER_ALPHA,
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(
        EntropyTrendResult,
        "points",
        lambda place: tuple(place.once(points_again, place.the(EntropyTrendResult))),
        lambda own: tuple(one.word for one in own.points),
    ),
    Fact(
        EntropyTrendResult,
        "triggers",
        triggers_again,
        lambda own: tuple((one.word, one.value, one.kept) for one in own.triggers),
    ),
)
