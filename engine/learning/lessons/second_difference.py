"""Lesson: the second difference by hand. Three entropies, two differences, one difference, α (ETC, eq. 3 to 12)."""

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import needed, posed, trend_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.entropy_trend import smoothing_weights
from engine.methods.entropy_trend import EntropyTrendResult, word_name

# Entropies are shown with two decimals, so a sum of four of them may be off by two hundredths.
NEAR = 0.03
# Counted from 0: the first value is not smoothed, and the mean of two values is as far from both.
SHOWN_FROM = 2


def content_of(result: EntropyTrendResult) -> list[int]:
    """Return the indices of the content words."""
    return [index for index, word in enumerate(result.words) if word.is_content]


def place_of(result: EntropyTrendResult) -> int | None:
    """Return the place, among the points, of the first trigger where smoothing weighs unequally; None without one."""
    weights = smoothing_weights([point.second_difference for point in result.points])
    places = {point.word: place for place, point in enumerate(result.points)}
    fired = (places.get(trigger.word, 0) for trigger in result.triggers)
    return next((place for place in fired if place >= SHOWN_FROM and abs(weights[place] - 0.5) > NEAR), None)


def has_trigger(run: Diagnosis) -> bool:
    """Return whether ETC fires in the run's answer where smoothing weighs the two values unequally."""
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


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result = needed(trend_of(run))
    place, content = needed(place_of(result)), content_of(result)
    words, point = three(result, place), result.points[place]
    h = [round(result.words[index].entropy, 2) for index in words]
    raw = [one.second_difference for one in result.points]
    mean = sum(raw[: place + 1]) / (place + 1)
    fired = [trigger.word for trigger in result.triggers].index(point.word)
    return {
        "posed": posed(run),
        "words": result.words,
        "peak": max(content, key=lambda index: result.words[index].entropy),
        "content": len(content),
        "points": len(result.points),
        "names": [word_name(result, index) for index in words],
        "h": h,
        "rise": h[2] - h[1],
        "near": NEAR,
        "bend": point.second_difference,
        "earlier": raw[place - 1],
        "number": place + 1,
        "mean": mean,
        "here": abs(raw[place] - mean),
        "before": abs(raw[place - 1] - mean),
        "weight": float(smoothing_weights(raw)[place]),
        "smoothed": needed(point.smoothed),
        "value": needed(point.value),
        "alpha": result.alpha,
        "query": result.triggers[fired].query,
        "sooner": fired,
        "more": len(result.triggers) - fired - 1,
    }


LESSON = lesson_from("second-difference", facts, (has_trigger, one_least_sure))
