"""Lesson: when do two answers mean the same? Entailment both ways, meanings, and entropy over them.

Semantic entropy (Kuhn et al. 2023; Farquhar et al. 2024) as SePer and SUGAR use it, on one run's sampled answers.
"""

from collections import Counter

from engine.core.records import Judgement
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import needed, posed, seper_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.semantic_entropy import semantic_entropy
from engine.methods.seper_records import Belief, Meaning, SeperResult


def texts_of(belief: Belief) -> list[str]:
    """Return the sampled answers in order; a hard space is written as any other."""
    return [" ".join(sample.text.split()) for sample in belief.samples]


def judged(result: SeperResult, premise: str, hypothesis: str) -> Judgement | None:
    """Return the judgement of one ordered pair, None where there is none."""
    pairs = (one for one in result.judgements if (one.premise, one.hypothesis) == (premise, hypothesis))
    return next(pairs, None)


def same_pair(result: SeperResult, belief: Belief, meaning: Meaning) -> tuple[str, str] | None:
    """Return the first two texts of one meaning that the judge compared both ways, None where there are none."""
    texts = list(dict.fromkeys(belief.samples[place].text.strip() for place in meaning.members))
    for first in texts:
        for second in texts:
            if first.split() != second.split() and judged(result, first, second) and judged(result, second, first):
                return first, second
    return None


def found(run: Diagnosis) -> tuple[SeperResult, Belief, Meaning, tuple[str, str]] | None:
    """Return the condition and the right meaning that is worded in two ways beside other meanings, None without one."""
    result = seper_of(run)
    if result is None:
        return None
    for belief in (result.with_passages, result.without):
        for meaning in belief.meanings if len(belief.meanings) > 1 else ():
            pair = same_pair(result, belief, meaning)
            if pair and meaning.matches_gold:
                return result, belief, meaning, pair
    return None


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result, belief, meaning, pair = needed(found(run))
    texts = texts_of(belief)
    groups = [dict.fromkeys(texts[place] for place in one.members) for one in belief.meanings]
    by_text: dict[str, float] = {}
    for text, weight in zip(texts, belief.weights, strict=True):
        by_text[text] = by_text.get(text, 0.0) + weight
    shares = [one.probability for one in belief.meanings]
    return {
        "posed": posed(run),
        "pair": pair,
        "texts": texts,
        "times": Counter(texts),
        "judgements": [one for one in (judged(result, *pair), judged(result, *pair[::-1])) if one is not None],
        "belief": belief,
        "meaning": meaning,
        "meanings": belief.named,
        "groups": [(number, " | ".join(group)) for number, group in enumerate(groups, 1)],
        "places": [place + 1 for place in belief.ids],
        "weights": [belief.weights[place] for place in meaning.members],
        "shares": [share for share in shares if share > 0],
        "over_words": semantic_entropy(list(by_text.values())),
        "over_meanings": semantic_entropy(shares),
    }


LESSON = lesson_from("semantic-equivalence", facts, (lambda run: found(run) is not None,))
