"""Lesson: belief before and after reading. Weighted draws, belief as a sum, and its change (SePer, eq. 7 to 11)."""

import math

from engine.core.words import quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import golds_words, needed, posed, seper_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.methods.seper import belief_change
from engine.methods.seper_records import Belief

CLEAR_CHANGE = 0.3
SOME_BELIEF = 0.1
MOST_OPTIONS = 5
NEAR = 0.05
SMALLEST = 0.0005


def moved_clearly(run: Diagnosis) -> bool:
    """Return whether reading raised belief in the correct answer by at least CLEAR_CHANGE."""
    result = seper_of(run)
    return result is not None and (result.delta_soft or 0.0) >= CLEAR_CHANGE


def had_belief(run: Diagnosis) -> bool:
    """Return whether right draws carried some of the belief before reading, among three meanings or more."""
    result = seper_of(run)
    return result is not None and (result.without.hard or 0.0) >= SOME_BELIEF and len(result.without.meanings) > 2


def best_gold(belief: Belief) -> list[float]:
    """Return how far each draw means the gold answer that the belief is about: the best one, in [0, 1]."""
    golds = range(len(belief.kernel[0]))
    totals = [sum(w * row[gold] for w, row in zip(belief.weights, belief.kernel, strict=True)) for gold in golds]
    best = totals.index(max(totals))
    return [row[best] for row in belief.kernel]


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result = needed(seper_of(run))
    belief = result.without
    ordered = sorted(belief.named, key=lambda one: -one.probability)[:MOST_OPTIONS]
    meanings = sorted(ordered, key=lambda one: quoted(one.text))
    texts = [sample.text.strip() for sample in belief.samples]
    order = sorted(range(len(texts)), key=lambda place: -belief.weights[place])
    high, low = order[0], next((place for place in order if texts[place] != texts[order[0]]), order[-1])
    one, other = belief.samples[high], belief.samples[low]
    kernel = best_gold(belief)
    terms = [(weight, means, weight * means) for weight, means in zip(belief.weights, kernel, strict=True)]
    small = [term for _, _, term in terms if term < SMALLEST]
    return {
        "posed": posed(run),
        "gold": golds_words(run),
        "texts": texts,
        "weights": belief.weights,
        "ordered": ordered,
        "meanings": meanings,
        "strongest": meanings.index(ordered[0]),
        "heavy": one,
        "light": other,
        "heavy_weight": belief.weights[high],
        "light_weight": belief.weights[low],
        "apart": one.mean_logprob - other.mean_logprob,
        "ratio": math.exp(one.mean_logprob - other.mean_logprob),
        "kernel": kernel,
        "terms": [one for one in terms if one[2] >= SMALLEST],
        "rest": (len(small), sum(small)),
        "right_share": sum(k >= 0.5 for k in kernel) / len(kernel),
        "near": NEAR,
        "smallest": SMALLEST,
        "before": needed(belief.soft),
        "after": needed(result.with_passages.soft),
        "delta": needed(result.delta_soft),
        "interval": result.delta_soft_interval,
        "way": {"up": 0, "down": 1}.get(belief_change(needed(result.delta_soft), result.delta_soft_interval), 2),
    }


LESSON = lesson_from("belief", facts, (moved_clearly, had_belief), clear_change=CLEAR_CHANGE)
