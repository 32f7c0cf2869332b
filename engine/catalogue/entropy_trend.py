"""ETC's numbers: each word's entropy, the differences of the trend, its smoothing, and what is compared with α."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.catalogue.base import Entry, Input, Place, Working, signed_tex, tex
from engine.core.records import ThresholdSource
from engine.measures.entropy_trend import (
    attention_weighted,
    first_differences,
    normalise_attention,
    second_differences,
    smooth,
    smoothing_weights,
)
from engine.methods.entropy_trend import (
    PAPER_ALPHA,
    EntropyTrendResult,
    TrendPoint,
    TrendWord,
    Trigger,
    highest_entropy,
    value_bounds,
)

UNDEFINED = "The smoothing weight is 0/0 here, which the released code leaves undefined (NaN): it never fires."
FIRST = r"\Delta H_i = H_{i+1} - H_i"
SECOND = r"\Delta^2 H_i = H_{i+2} - 2 H_{i+1} + H_i"
SMOOTHED = (
    r"\Delta^2 \hat H_t = w_t\,\Delta^2 H_t + (1 - w_t)\,\Delta^2 H_{t-1}, \quad "
    r"w_t = \frac{|\Delta^2 H_{t-1} - E_t|}{|\Delta^2 H_t - E_t| + |\Delta^2 H_{t-1} - E_t|}"
)


def trend(result: EntropyTrendResult) -> tuple[dict[int, float], list[tuple[int, float]], list[float]]:
    """Return ΔH by word, (word, Δ²H) in order, and its smoothing, from the words' entropies."""
    entropies, content = [w.entropy_middle for w in result.words], [w.is_content for w in result.words]
    placed = second_differences(entropies, content, result.variant)
    smoothed = smooth([value for _, value in placed], result.variant) if placed else np.zeros(0)
    return dict(first_differences(entropies, content)), placed, [float(value) for value in smoothed]


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
    result, point = place.the(EntropyTrendResult), place.the(TrendPoint)
    bounds = value_bounds(result.words).get(point.word)
    words = [*content_before(result, point.word)[-2:], point.word]
    inputs = tuple(
        Input(name=name, of=result.words[number].text, value=value)
        for number in words
        for name, value in (
            ("H at least", result.words[number].entropy),
            ("H at most", result.words[number].entropy_high),
        )
    )
    return Working(inputs=inputs, again=None if bounds is None else bounds[place.field == "high"])


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
    result, point = place.the(EntropyTrendResult), place.the(TrendPoint)
    before = content_before(result, point.word)[-1:]
    again = trend(result)[0].get(point.word)
    if again is None or not before:
        return Working(note="The content word before this one is not stored.")
    here, there = result.words[point.word].entropy_middle, result.words[before[0]].entropy_middle
    return Working(
        filled=rf"\Delta H = {tex(here)} - {tex(there)} = {tex(again)}",
        inputs=word_inputs(result, [*before, point.word]),
        again=again,
    )


def second_work(place: Place) -> Working:
    """Return Δ²H at a word."""
    result, point = place.the(EntropyTrendResult), place.the(TrendPoint)
    again = dict(trend(result)[1]).get(point.word)
    before = content_before(result, point.word)[-2:]
    if again is None or len(before) < 2:
        return Working(note="The two content words before this one are not stored.")
    words = [*before, point.word]
    first, middle, last = (result.words[number].entropy_middle for number in words)
    filled = rf"\Delta^2 H = {tex(last)} - 2 \cdot {tex(middle)} + {tex(first)} = {tex(again)}"
    note = ""
    if result.variant == "code":
        filled, note = "", "The released code skips ties: it takes the latest earlier difference that is not 0."
    return Working(filled=filled, inputs=word_inputs(result, words), again=again, note=note)


def smoothed_work(place: Place) -> Working:
    """Return the smoothed Δ²H at a word."""
    result, point = place.the(EntropyTrendResult), place.the(TrendPoint)
    _, placed, smoothed = trend(result)
    at = next((number for number, (word, _) in enumerate(placed) if word == point.word), None)
    if at is None or math.isnan(smoothed[at]):
        return Working(note=UNDEFINED)
    values = [value for _, value in placed]
    inputs = [Input(name="Δ²H here", of=result.words[point.word].text, value=values[at])]
    if at == 0:
        return Working(filled=tex(values[0]), inputs=tuple(inputs), again=smoothed[0], note="The first value stays.")
    weight = float(smoothing_weights(values)[at])
    share = 1.0 if math.isnan(weight) else weight
    inputs += [
        Input(name="Δ²H before", of=result.words[placed[at - 1][0]].text, value=values[at - 1]),
        Input(name="E, running mean", value=float(np.mean(values[: at + 1]))),
        Input(name="w (eq. 10)", value=share),
    ]
    filled = f"{tex(share)} \\cdot {signed_tex(values[at])} + {tex(1 - share)} \\cdot {signed_tex(values[at - 1])}"
    if result.variant == "code":
        return Working(inputs=tuple(inputs), again=smoothed[at], note="The released code weighs by 0.9 + 0.1 w.")
    return Working(filled=f"{filled} = {tex(smoothed[at])}", inputs=tuple(inputs), again=smoothed[at])


def compared(result: EntropyTrendResult) -> dict[int, float]:
    """Return the value compared with α by word, NaN where it is undefined; in variant "code" weighted by attention."""
    _, placed, smoothed = trend(result)
    places = [word for word, _ in placed]
    if result.variant == "paper" or not placed:
        return dict(zip(places, smoothed, strict=True))
    attention = [word.max_attention or 0.0 for word in result.words]
    values = attention_weighted(smoothed, places, attention, [word.sentence for word in result.words])
    return dict(zip(places, (float(value) for value in values), strict=True))


def value_work(place: Place) -> Working:
    """Return the value at a word as it is compared with α."""
    result = place.the(EntropyTrendResult)
    owner = place.the(TrendPoint) if isinstance(place.owner, TrendPoint) else place.the(Trigger)
    again = compared(result).get(owner.word, math.nan)
    if math.isnan(again):
        return Working(note=UNDEFINED)
    word = result.words[owner.word]
    if result.variant == "paper":
        sign = r"\ge" if abs(again) >= result.alpha else "<"
        return Working(
            filled=rf"|{tex(again)}| {sign} \alpha = {tex(result.alpha)}",
            inputs=(Input(name="smoothed Δ²H", of=word.text, value=again), Input(name="α", value=result.alpha)),
            again=again,
        )
    relative = normalise_attention(
        [one.max_attention or 0.0 for one in result.words], [w.sentence for w in result.words]
    )
    factor = float(relative[owner.word])
    return Working(
        filled=rf"{tex(again / factor if factor else 0.0)} \cdot {tex(factor)} = {tex(again)}",
        inputs=(Input(name="attention relative to the sentence", of=word.text, value=factor),),
        again=again,
    )


def alpha_work(place: Place) -> Working:
    """Return how many words reach α."""
    result = place.the(EntropyTrendResult)
    return Working(
        inputs=tuple(
            Input(name="reaches α, word", of=result.words[one.word].text, value=one.value) for one in result.triggers
        ),
        note=f"{len(result.triggers)} of {len(result.points)} values reach it in this run.",
    )


def source(place: Place) -> ThresholdSource:
    """Return where α comes from."""
    return place.the(EntropyTrendResult).alpha_source


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


ENTRIES: tuple[Entry, ...] = (
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
        threshold=source,
        papers=f"{PAPER_ALPHA:g} nats, set for models of 7B and 13B parameters",
    ),
)
