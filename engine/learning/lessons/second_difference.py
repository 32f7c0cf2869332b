"""Lesson: the second difference by hand. Three entropies, two differences, one difference, α (ETC, eq. 3 to 12)."""

import numpy as np

from engine.core.words import counted, quoted, signed
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import asked, needed, trend_of
from engine.measures.entropy_trend import smoothing_weights
from engine.methods.entropy_trend import EntropyTrendResult, word_name

# Entropies are shown with two decimals, so a sum of four of them may be off by two hundredths.
NEAR = 0.03


def content_of(result: EntropyTrendResult) -> list[int]:
    """Return the indices of the content words."""
    return [index for index, word in enumerate(result.words) if word.is_content]


def place_of(result: EntropyTrendResult) -> int | None:
    """Return the place, among the points, of the first trigger; None without one, and where it is the first point."""
    places = {point.word: place for place, point in enumerate(result.points)}
    if not result.triggers or places.get(result.triggers[0].word, 0) == 0:
        return None
    return places[result.triggers[0].word]


def has_trigger(run: Diagnosis) -> bool:
    """Return whether ETC fires in the run's answer at a point with a smoothed value of its own."""
    result = trend_of(run)
    return result is not None and place_of(result) is not None


def one_least_sure(run: Diagnosis) -> bool:
    """Return whether one content word has a larger entropy than all others."""
    result = trend_of(run)
    if result is None:
        return False
    values = [result.words[index].entropy for index in content_of(result)]
    return values.count(max(values)) == 1


def three(result: EntropyTrendResult, place: int) -> tuple[int, int, int]:
    """Return the three content words that a second difference is made of."""
    content = content_of(result)
    last = content.index(result.points[place].word)
    return content[last - 2], content[last - 1], content[last]


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result = needed(trend_of(run))
    place = needed(place_of(result))
    return (
        doubt(run, result),
        content_words(result),
        first_difference(result, place),
        second(result, place),
        smoothing(result, place),
        fires(result, place),
        after(result),
    )


def doubt(run: Diagnosis, result: EntropyTrendResult) -> Step:
    """Return the step that asks for the word the model was least sure of."""
    content = content_of(result)
    peak = max(content, key=lambda index: result.words[index].entropy)
    options = tuple(
        Option(
            text=word.text,
            why=f"Yes: {word.entropy:.2f} nats, more than at any other content word."
            if index == peak
            else f"Its entropy is {word.entropy:.2f} nats; the largest is {result.words[peak].entropy:.2f}."
            if word.is_content
            else "A function word: ETC leaves those out.",
        )
        for index, word in enumerate(result.words)
    )
    return Step(
        title="Where is the model unsure?",
        text=(
            f"Asked {asked(run)}, the model writes step by step from memory. At each word it chooses among all words "
            "of its language. Entropy says how open that choice is: 0 nats where it is settled.",
            "This is what it wrote, word by word.",
        ),
        question=Question(kind="words", text="At which content word was it least sure?", options=options, right=peak),
        reveal=(
            f"At {quoted(result.words[peak].text)}. Names, numbers and first mentions are where a model has to know.",
        ),
        then=("etc-tokens",),
        mistake="Looking for wrong words. Unsure and wrong are two things: a model can be sure of an error.",
        notes="Let the class read the sentence aloud and stop where they would have to look something up.",
    )


def content_words(result: EntropyTrendResult) -> Step:
    """Return the step that counts what the differences run over."""
    content = len(content_of(result))
    return Step(
        title="Only content words count",
        text=(
            f"The answer has {counted(len(result.words), 'word')}. Words such as “the” and “of” are easy or hard for "
            "reasons of grammar; ETC leaves them out.",
            f"{counted(content, 'content word')} remain. Each difference needs one word before it, each second "
            "difference two.",
        ),
        question=Question(
            kind="number",
            text="How many second differences are there?",
            value=float(len(result.points)),
            slips=(
                Slip(value=float(content), why="That is one for each content word; the first two have none."),
                Slip(value=float(content - 1), why="That is the number of first differences. One more word is needed."),
            ),
        ),
        reveal=("Two are lost at the beginning:",),
        working=(f"{content} − 2 = {len(result.points)}",),
        mistake="Differencing over all words: every article would look like a turn.",
        notes="Write the content words in a row and draw arcs between neighbours, then arcs between arcs.",
    )


def values_table(result: EntropyTrendResult, words: tuple[int, int, int]) -> dict[str, list[str]]:
    """Return the three words with their entropies."""
    return {
        "content word": [word_name(result, index) for index in words],
        "entropy H (nats)": [f"{result.words[index].entropy:.2f}" for index in words],
    }


def first_difference(result: EntropyTrendResult, place: int) -> Step:
    """Return the step on the first difference at the last of three words."""
    words = three(result, place)
    before, here = (round(result.words[index].entropy, 2) for index in words[1:])
    return Step(
        title="Three entropies, two differences",
        text=("Take three content words in a row, as they stand in the answer.",),
        equation=r"\Delta H_i = H_i - H_{i-1}",
        table=values_table(result, words),
        question=Question(
            kind="number",
            text=f"What is ΔH at {quoted(word_name(result, words[2]))}?",
            value=here - before,
            tolerance=NEAR,
            unit="nats",
            slips=(Slip(value=before - here, why="The order is turned round: this word minus the one before."),),
        ),
        reveal=("Later minus earlier, twice:",),
        working=tuple(difference_line(result, one, other) for one, other in (words[1::-1], words[:0:-1])),
        mistake="Turning the order round. A rise of doubt must come out positive.",
        notes="The sign is the lesson: up means the model became less sure.",
    )


def difference_line(result: EntropyTrendResult, later: int, earlier: int) -> str:
    """Return one first difference as a line of arithmetic."""
    here, before = (round(result.words[index].entropy, 2) for index in (later, earlier))
    return f"ΔH({word_name(result, later)}) = {here:.2f} − {before:.2f} = {signed(here - before)}"


def second(result: EntropyTrendResult, place: int) -> Step:
    """Return the step on the second difference."""
    words, point = three(result, place), result.points[place]
    h = [round(result.words[index].entropy, 2) for index in words]
    return Step(
        title="The difference of the differences",
        text=(
            "A first difference says whether doubt rises. The second says whether it rises faster than before: whether "
            "the trend turns.",
        ),
        equation=r"\Delta^2 H_i = \Delta H_i - \Delta H_{i-1} = H_i - 2H_{i-1} + H_{i-2}",
        table={
            "at": [word_name(result, words[1]), word_name(result, words[2])],
            "ΔH (nats)": [signed(h[1] - h[0]), signed(h[2] - h[1])],
        },
        question=Question(
            kind="number",
            text=f"What is Δ²H at {quoted(word_name(result, words[2]))}?",
            value=point.second_difference,
            tolerance=NEAR,
            unit="nats",
            slips=(
                Slip(
                    value=-point.second_difference, why="The order is turned round: the later difference comes first."
                ),
                Slip(value=h[2] - h[0], why="That adds both differences. Subtract the earlier one instead."),
                Slip(
                    value=h[2] - h[1],
                    why="That is the first difference at this word. Subtract the earlier one from it.",
                ),
            ),
        ),
        reveal=("Subtract, or use the closed form with the middle entropy twice:",),
        working=(
            f"{signed(h[2] - h[1])} − ({signed(h[1] - h[0])}) = {signed(h[2] - 2 * h[1] + h[0])}",
            f"{h[2]:.2f} − 2 × {h[1]:.2f} + {h[0]:.2f} = {signed(h[2] - 2 * h[1] + h[0])}",
            f"from all digits that are stored: {signed(point.second_difference, 4)} nats",
        ),
        mistake="Forgetting the minus before a negative difference: minus a fall is a rise.",
        notes="Distance, speed, acceleration: H is where doubt is, ΔH its speed, Δ²H its acceleration.",
    )


def smoothing(result: EntropyTrendResult, place: int) -> Step:
    """Return the step on smoothing against outliers."""
    raw = [point.second_difference for point in result.points]
    weight = float(np.nan_to_num(smoothing_weights(raw)[place], nan=1.0))
    mean, value = sum(raw[: place + 1]) / (place + 1), needed(result.points[place].smoothed)
    here, before = abs(raw[place] - mean), abs(raw[place - 1] - mean)
    options = (
        Option(
            text="It counts for more",
            why="Then one odd word could trigger a lookup alone. Smoothing is there to prevent it.",
        ),
        Option(
            text="It counts for less", why="Yes: a value far from the running mean is taken for an outlier, in part."
        ),
        Option(text="It is dropped", why="Nothing is dropped: it is mixed with the value before."),
    )
    return Step(
        title="Smoothing against a single odd word",
        text=(
            "One strange token can make a spike. ETC mixes each value with the one before, by how far each lies from "
            "the running mean E of all values so far.",
        ),
        equation=r"w = \frac{|v_{t-1} - E_t|}{|v_t - E_t| + |v_{t-1} - E_t|} \qquad \hat v_t = w\,v_t + (1 - "
        r"w)\,v_{t-1}",
        question=Question(
            kind="choice", text="What happens to a value far from the running mean?", options=options, right=1
        ),
        reveal=("With the numbers of this run:",),
        working=(
            f"E = mean of the first {place + 1} values = {signed(mean)}",
            f"w = {before:.2f} / ({here:.2f} + {before:.2f}) = {weight:.2f}"
            if here + before
            else "w is 0/0 here and counts as 1",
            f"{weight:.2f} × ({signed(raw[place])}) + {1 - weight:.2f} × ({signed(raw[place - 1])}) = {signed(value)}",
        ),
        mistake="The paper's equation 12 prints the weights so that they do not sum to 1; its text calls it a weighted "
        "average, which is what is done here.",
        notes="The first value has none before it and stays as it is.",
    )


def fires(result: EntropyTrendResult, place: int) -> Step:
    """Return the step that holds the value against α."""
    value = needed(result.points[place].value)
    name = quoted(word_name(result, result.points[place].word))
    options = (
        Option(text=f"Look something up before {name}", why=f"Yes: |{signed(value)}| ≥ {result.alpha:g}."),
        Option(
            text="Go on writing",
            why=f"The absolute value counts: |{signed(value)}| = {abs(value):.2f} reaches {result.alpha:g}.",
        ),
    )
    return Step(
        title="Does it reach the threshold?",
        text=(
            f"ETC looks something up where the smoothed value, up or down, reaches α = {result.alpha:g} nats. Here it "
            f"is {signed(value)} nats.",
        ),
        equation=r"|\Delta^2 \hat H_t| \ge \alpha",
        question=Question(kind="choice", text="What does ETC do?", options=options, right=0),
        reveal=("All three panels at once: entropy, its change, and the trend against α.",),
        then=("etc-trend",),
        mistake="Taking only rises. The paper fires on falls too; its released code on rises alone.",
        notes="On the ETC page α is a slider: move it and see what appears and vanishes.",
    )


def after(result: EntropyTrendResult) -> Step:
    """Return the closing step: what is cut, and what is not known then."""
    first = result.triggers[0]
    more = len(result.triggers) - 1
    return Step(
        title="What happens then",
        text=(
            f"The text is cut before {quoted(word_name(result, first.word))} and something is looked up with the query "
            f"{quoted(first.query, 200)}. Then the rest is written anew.",
            f"The record holds {counted(more, 'more trigger')} behind the first. In a real run they would not be "
            "reached: the text there "
            "would be another one."
            if more
            else "There is no further trigger in this text.",
            f"α = {amount(result.alpha)} was set for models of 7 billion parameters and more. A small model is unsure "
            "more often, so it fires more often.",
        ),
        notes="Lead over to the lesson on delayed and redundant lookups: was this one in time?",
    )


LESSON = Lesson(
    word="second-difference",
    title="The second difference by hand",
    asks="How does ETC decide, in the middle of a sentence, to look something up?",
    papers="ETC, section 4, eq. 3 to 12",
    parts=(
        Part(
            needs=(
                Need(words="a lookup by ETC behind the first second difference", holds=has_trigger),
                Need(words="one content word the model was least sure of", holds=one_least_sure),
            ),
            prefers=("everest-expedition-leader", "deepest-lake"),
        ),
    ),
    build=build,
    steps=7,
)
