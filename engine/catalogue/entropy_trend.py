"""ETC's numbers: each word's entropy, the differences of the trend, its smoothing, and what is compared with α."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.catalogue.base import Entry, Fact, Input, Place, Working, derived, signed_tex, stored_source, tex
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
UNDEFINED = "The smoothing weight is 0/0 here, which the released code leaves undefined (NaN): it never fires."
FIRST = r"\Delta H_i = H_{i+1} - H_i"
SECOND = r"\Delta^2 H_i = H_{i+2} - 2 H_{i+1} + H_i"
SMOOTHED = (
    r"\Delta^2 \hat H_t = w_t\,\Delta^2 H_t + (1 - w_t)\,\Delta^2 H_{t-1}, \quad "
    r"w_t = \frac{|\Delta^2 H_{t-1} - E_t|}{|\Delta^2 H_t - E_t| + |\Delta^2 H_{t-1} - E_t|}"
)


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


def point(field: str, title: str, equation: str, number: str, work: Callable[[Place], Working], **said: str) -> Entry:
    """Return the entry of one number at a point of the trend."""
    return Entry(
        record=TrendPoint,
        field=field,
        title=title,
        unit="nats",
        range="any number, signed",
        direction=said.get("direction", "above 0 = uncertainty rises here, below 0 = it falls"),
        equation=equation,
        source=f"ETC, {number}",
        function=f"engine.measures.entropy_trend.{said['function']}",
        absent=said.get("absent", "There is no value here: it needs content words before it."),
        work=work,
    )


def bound(field: str, title: str) -> Entry:
    """Return the entry of one end of what the value at a word can be."""
    return Entry(
        record=TrendPoint,
        field=field,
        title=title,
        unit="nats",
        range="any number, signed",
        direction="a wide interval = the server shows too little to tell whether this is a trigger",
        equation=r"\underline{\Delta^2 \hat H_t} \le \Delta^2 \hat H_t \le \overline{\Delta^2 \hat H_t}",
        source="not in a paper: interval arithmetic on ETC's eq. 9 to 12",
        function="engine.methods.entropy_trend.value_bounds",
        absent="The value is exact.",
        work=bound_work,
    )


def first_trigger_word(result: EntropyTrendResult) -> float | None:
    """Return the number of the word before which ETC first looks something up, from 1."""
    return float(result.triggers[0].word + 1) if result.triggers else None


def largest_turn(result: EntropyTrendResult) -> float | None:
    """Return the largest size of a value compared with α, in nats."""
    return max((abs(one.value) for one in result.points if one.value is not None), default=None)


ENTRIES: tuple[Entry, ...] = (
    derived(
        EntropyTrendResult,
        "trigger_count",
        "ETC triggers",
        "count",
        "higher = the trend turns more often",
        "ETC, section 3.2",
        lambda result: float(len(result.triggers)),
    ),
    derived(
        EntropyTrendResult,
        "first_trigger",
        "First trigger of ETC",
        "word",
        "higher = it looks something up later",
        "ETC, section 3.2",
        first_trigger_word,
        absent="No value reaches α in this answer.",
    ),
    derived(
        EntropyTrendResult,
        "largest_turn",
        "Largest turn of the trend",
        "nats",
        "higher = a sharper turn",
        "ETC, section 3.2",
        largest_turn,
        absent="There is no value: it needs three content words.",
    ),
    Entry(
        record=TrendWord,
        field="entropy",
        title="Entropy of a word",
        unit="nats",
        range="0 to ln of the vocabulary's size",
        direction="higher = the model was less sure what to write here",
        equation=r"H_i = \max_{t \in \text{word}} \Big(-\sum_v p_t(v) \ln p_t(v)\Big)",
        source="ETC, eq. 3; a word has the largest entropy of its tokens",
        function="engine.methods.entropy_trend.tagged_words",
        work=word_work,
    ),
    Entry(
        record=TrendWord,
        field="max_attention",
        title="Most attention a word pays to the answer so far",
        unit="attention",
        range="0 to 1",
        direction="higher = it rests more on one word of the answer",
        equation=r"a_i = \max_{j \le i} A_{ij}",
        source="ETC's released code (variant “code” weighs by it); DRAGIN, section 3.2",
        function="engine.methods.entropy_trend.with_attention",
        kind="reading",
        absent="The model gives no attention.",
        work=attention_work,
    ),
    Entry(
        record=TrendWord,
        field="entropy_high",
        title="The most a word's entropy can be",
        unit="nats",
        range="0 to ln of the vocabulary's size",
        direction="further above the entropy = the server shows less of what else could have been written",
        equation=r"\overline{H}_i = \max_{t \in \text{word}} \overline{H}_t",
        source="not in a paper: a server shows the likeliest tokens only",
        function="engine.methods.entropy_trend.tagged_words",
        absent="The entropy is exact.",
        work=highest_work,
    ),
    bound("low", "The least the value can be"),
    bound("high", "The most the value can be"),
    point("first_difference", "ΔH, first difference", FIRST, "eq. 6", first_work, function="first_differences"),
    point("second_difference", "Δ²H, second difference", SECOND, "eq. 9", second_work, function="second_differences"),
    point("smoothed", "Smoothed Δ²H", SMOOTHED, "eq. 10 to 12", smoothed_work, function="smooth", absent=UNDEFINED),
    point(
        "value",
        "Value compared with α",
        r"|\Delta^2 \hat H_t| \ge \alpha",
        "section 3.2",
        value_work,
        function="triggers",
        absent=UNDEFINED,
        direction="at or beyond ±α = the trend turns: look something up",
    ),
    Entry(
        record=Trigger,
        field="value",
        title="Value at a trigger",
        short="value at the trigger",
        unit="nats",
        range="at or beyond α",
        direction="further from 0 = a sharper turn of the trend",
        equation=r"|\Delta^2 \hat H_t| \ge \alpha",
        source="ETC, section 3.2",
        function="engine.measures.entropy_trend.triggers",
        work=value_work,
    ),
    Entry(
        record=EntropyTrendResult,
        field="alpha",
        title="α, ETC's threshold",
        short="α",
        unit="nats",
        range="above 0",
        direction="lower = more lookups",
        equation=r"|\Delta^2 \hat H_t| \ge \alpha",
        source="ETC, section 3.2",
        function="engine.measures.entropy_trend.triggers",
        kind="setting",
        work=alpha_work,
        threshold=stored_source(EntropyTrendResult, "alpha_source"),
        papers=f"{PAPER_ALPHA:g} nats, set for models of 7B and 13B parameters",
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
RAW_PARTS = (
    ("words.pos, is_content and sentence", "they are the parser's"),
    ("words.max_attention and queries", "the attention they rest on is not stored"),
)
