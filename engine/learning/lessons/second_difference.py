"""Lesson: the second difference by hand. Three entropies, two differences, one difference, α (ETC, eq. 3 to 12)."""

import numpy as np

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import needed, posed, trend_of
from engine.learning.lessons.script import Facts, lesson_from
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


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result = needed(trend_of(run))
    place, content = needed(place_of(result)), content_of(result)
    words, point = three(result, place), result.points[place]
    h = [round(result.words[index].entropy, 2) for index in words]
    raw = [one.second_difference for one in result.points]
    mean = sum(raw[: place + 1]) / (place + 1)
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
        "weight": float(np.nan_to_num(smoothing_weights(raw)[place], nan=1.0)),
        "smoothed": needed(point.smoothed),
        "value": needed(point.value),
        "alpha": result.alpha,
        "query": result.triggers[0].query,
        "more": len(result.triggers) - 1,
    }


LESSON = lesson_from("second-difference", facts, (has_trigger, one_least_sure))
