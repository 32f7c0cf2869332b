"""Lesson: delayed and redundant retrieval. When is a lookup in time, when too late, when for nothing?

ETC (section 1 and table 6) names both faults. Three policies are read off one stored answer: ETC's own trigger, FLARE's
rule on token probabilities (Jiang et al. 2023) and a lookup after every sentence. What counts as the wrong words is
what the answer concludes with, where it first stands; people's labels, on the Annotate page, are finer.
"""

import math
from dataclasses import dataclass

from engine.core.words import counted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import golds_words, needed, posed, trend_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.answer_marks import is_right
from engine.measures.answer_match import contains
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.timing.base import TimingConfig

FLARE_THETA = TimingConfig().flare_probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A policy's first lookup: before which token the text is cut (None = never), and by which rule."""

    policy: str
    rule: str
    token: int | None


def concluded(run: Diagnosis) -> bool | None:
    """Return whether the step-by-step answer ends with a correct answer, None where there is none to compare."""
    result = trend_of(run)
    return is_right(result.answer, run.golds) if result is not None and run.golds and result.answer.strip() else None


def mention(result: EntropyTrendResult) -> tuple[int, ...]:
    """Return the words in which the conclusion is first said, before the conclusion itself; () where it is not."""
    said = result.answer.strip()
    start = result.generation.text.find(said) if said else -1
    end = start + len(said)
    words = tuple(i for i, word in enumerate(result.words) if word.start < end and word.end > start)
    return words if start >= 0 and words and result.words[words[0]].sentence == 0 else ()


def next_sentence(result: EntropyTrendResult) -> int | None:
    """Return the first token of the second sentence, None where there is one sentence only."""
    return next((word.first_token for word in result.words if word.sentence == 1), None)


def flare_token(result: EntropyTrendResult) -> int | None:
    """Return where FLARE cuts first: at the beginning of the first sentence with a token below θ; None = nowhere."""
    starts: dict[int, int] = {}
    for word in result.words:
        starts.setdefault(word.sentence, word.first_token)
        tokens = result.generation.tokens[word.first_token : word.last_token + 1]
        if any(math.exp(token.logprob) < FLARE_THETA for token in tokens):
            return starts[word.sentence]
    return None


def lookups(result: EntropyTrendResult) -> tuple[Lookup, ...]:
    """Return the first lookup of each of three policies on one answer."""
    etc = result.words[result.triggers[0].word].first_token if result.triggers else None
    return (
        Lookup(policy="ETC", rule=f"the trend reaches α = {result.alpha:g}", token=etc),
        Lookup(policy="FLARE", rule=f"a token of the sentence is below p = {FLARE_THETA:g}", token=flare_token(result)),
        Lookup(policy="After every sentence", rule="a sentence has ended", token=next_sentence(result)),
    )


def timing_word(token: int | None, wrong: int) -> str:
    """Return what a lookup is beside wrong words that begin at a token: "in time", "delayed by n tokens", "never"."""
    if token is None:
        return "never"
    return "in time" if token <= wrong else f"delayed by {counted(token - wrong, 'token')}"


def ends_wrong(run: Diagnosis) -> bool:
    """Return whether the answer from memory ends wrong, says so in its first sentence, and goes on to a second."""
    result = trend_of(run)
    if result is None or concluded(run) is not False or not mention(result) or next_sentence(result) is None:
        return False
    if contains(run.question, (result.answer,)):
        return False
    return needed(next_sentence(result)) > result.words[mention(result)[0]].first_token


def ends_right_with_trigger(run: Diagnosis) -> bool:
    """Return whether the answer from memory ends right although ETC fires in it more than once."""
    result = trend_of(run)
    return result is not None and concluded(run) is True and len(result.triggers) > 1


def facts(late: Diagnosis, idle: Diagnosis) -> Facts:
    """Return what the lesson says of a run that ends wrong, and of one that ends right."""
    result, again = needed(trend_of(late)), needed(trend_of(idle))
    said, policies = mention(result), lookups(result)
    wrong, etc = result.words[said[0]].first_token, policies[0].token
    fired = [trigger.word for trigger in again.triggers]
    return {
        "posed": posed(late),
        "gold": golds_words(late),
        "conclusion": result.answer,
        "words": [word.text for word in result.words],
        "said": said,
        "wrong": wrong,
        "etc": etc,
        "etc_timing": timing_word(etc, wrong),
        "timed": 2 if etc is None else 0 if etc <= wrong else 1,
        "after": needed(next_sentence(result)),
        "theta": FLARE_THETA,
        "flare_timing": timing_word(policies[1].token, wrong),
        "policies": [(one.policy, timing_word(one.token, wrong), one.rule) for one in policies],
        "posed_again": posed(idle, "Now another question:"),
        "gold_again": golds_words(idle),
        "conclusion_again": again.answer,
        "words_again": [word.text for word in again.words],
        "fired": fired,
        "numbers": [word + 1 for word in fired],
        "named": [again.words[word].text for word in fired],
        "values": [trigger.value for trigger in again.triggers],
    }


LESSON = lesson_from("delayed-redundant", facts, (ends_wrong,), (ends_right_with_trigger,))
