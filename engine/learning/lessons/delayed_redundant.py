"""Lesson: delayed and redundant retrieval. When is a lookup in time, when too late, when for nothing?

ETC (section 1 and table 6) names both faults. Three policies are read off one stored answer: ETC's own trigger, FLARE's
rule on token probabilities (Jiang et al. 2023) and a lookup after every sentence. What counts as the wrong words is
what the answer concludes with, where it first stands; people's labels, on the Annotate page, are finer.
"""

import math
from dataclasses import dataclass

from engine.core.words import counted, quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step
from engine.learning.lessons.facts import asked, golds_words, needed, trend_of
from engine.measures.answer_match import contains
from engine.methods.entropy_trend import EntropyTrendResult

FLARE_THETA = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A policy's first lookup: before which token the text is cut (None = never), and by which rule."""

    policy: str
    rule: str
    token: int | None


def concluded(run: Diagnosis) -> bool | None:
    """Return whether the step-by-step answer ends with a gold answer, None where there is none to compare."""
    result = trend_of(run)
    return contains(result.answer, run.golds) if result is not None and run.golds and result.answer.strip() else None


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


def build(late: Diagnosis, idle: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson: on a run that ends wrong, then on one that ends right."""
    wrong, right = needed(trend_of(late)), needed(trend_of(idle))
    return (
        first_wrong(late, wrong),
        where_etc(wrong),
        after_sentence(wrong),
        every_policy(wrong),
        redundant(idle, right),
        how_many(right),
        trade(),
    )


def first_wrong(run: Diagnosis, result: EntropyTrendResult) -> Step:
    """Return the step that asks for the first wrong word."""
    said = mention(result)
    options = tuple(
        Option(
            text=word.text,
            why="Yes: the words the answer ends with, and which are wrong, stand here first."
            if index in said
            else "Too early: up to here it could still have ended well."
            if index < said[0]
            else "Too late: the wrong words stand before it already.",
        )
        for index, word in enumerate(result.words)
    )
    return Step(
        title="Find the first wrong word",
        text=(
            f"The question is {asked(run)}, and right is {golds_words(run)}. From memory the model wrote the text "
            f"below and concluded {quoted(result.answer)}.",
            "Once a wrong word stands, everything after it builds on it. A lookup helps if it comes before.",
        ),
        question=Question(
            kind="words", text="Where does it go wrong first?", options=options, right=said[0], also=said[1:]
        ),
        reveal=(f"At word {said[0] + 1}, {quoted(result.words[said[0]].text)}.",),
        mistake="Marking the conclusion. It only repeats what went wrong earlier.",
        notes="People label exactly this on the Annotate page. Compare two labels of your class.",
    )


def where_etc(result: EntropyTrendResult) -> Step:
    """Return the step on ETC's first lookup."""
    wrong = result.words[mention(result)[0]].first_token
    etc = lookups(result)[0].token
    right = 2 if etc is None else 0 if etc <= wrong else 1
    said = timing_word(etc, wrong)
    place = "It never looks anything up here" if etc is None else f"It cuts before token {etc + 1}"
    options = tuple(
        Option(text=text, why=f"{'Yes' if place_ == right else 'No'}: {said}.")
        for place_, text in enumerate(
            ("Before the wrong words, or right at them", "Behind their beginning: delayed", "Never")
        )
    )
    return Step(
        title="Was ETC in time?",
        text=(f"ETC looks something up where the trend of entropy turns. The wrong words begin at token {wrong + 1}.",),
        question=Question(kind="choice", text="When does ETC's first lookup come?", options=options, right=right),
        reveal=(f"{place}: {said}.",),
        then=("etc-trend",),
        mistake="Thinking that high entropy stands on the wrong word. Often it stands on the word before, or on none.",
        notes="Let them find the trigger line in the figure and count tokens to the wrong word.",
    )


def after_sentence(result: EntropyTrendResult) -> Step:
    """Return the step that computes the delay of a fixed schedule."""
    wrong, after = result.words[mention(result)[0]].first_token, needed(next_sentence(result))
    return Step(
        title="A fixed schedule",
        text=(
            "The simplest policy looks something up after every sentence. "
            f"The second sentence begins at token {after + 1}, the wrong words at token {wrong + 1}.",
        ),
        question=Question(
            kind="number",
            text="By how many tokens is its first lookup delayed?",
            value=float(after - wrong),
            unit="tokens",
            slips=(
                Slip(value=float(wrong - after), why="Positive means late: lookup minus wrong word."),
                Slip(value=float(after), why="That counts from the beginning. Count from the wrong word."),
            ),
        ),
        reveal=("Lookup minus wrong word:",),
        working=(f"{after + 1} − {wrong + 1} = {after - wrong} tokens",),
        mistake="Believing that more lookups make a schedule timely. Within a sentence it is always late.",
        notes="A lookup after the sentence can still mend it if the policy writes that sentence anew, as FLARE does.",
    )


def every_policy(result: EntropyTrendResult) -> Step:
    """Return the step that puts three policies beside each other."""
    wrong = result.words[mention(result)[0]].first_token
    found = lookups(result)
    flare = timing_word(found[1].token, wrong)
    options = (
        Option(text="Yes, it can", why="Then its cut would lie inside a sentence. FLARE goes back to where it began."),
        Option(
            text="No, not in the first sentence", why="Yes: it writes the whole sentence anew, wrong words and all."
        ),
    )
    return Step(
        title="Three policies, one answer",
        text=(
            f"FLARE first writes a sentence ahead. If any token in it is less likely than {FLARE_THETA:g}, it looks "
            "something up and writes that sentence anew from its beginning.",
        ),
        question=Question(
            kind="choice",
            text="If FLARE fires in the sentence with the wrong words, can it be delayed there?",
            options=options,
            right=1,
        ),
        reveal=(f"On this answer FLARE is {flare}." if flare != "never" else "On this answer FLARE never fires.",),
        working=tuple(f"{one.policy}: {timing_word(one.token, wrong)} ({one.rule})" for one in found),
        mistake="Judging policies by how often they look something up, not by when.",
        notes="The price of FLARE: every sentence in doubt is written twice.",
    )


def redundant(run: Diagnosis, result: EntropyTrendResult) -> Step:
    """Return the step on a lookup for nothing, with another run."""
    options = (
        Option(text="In time", why="In time for what? Nothing wrong follows."),
        Option(text="Delayed", why="Delayed needs a wrong word before it. There is none: the answer ends right."),
        Option(text="Redundant", why="Yes: without any lookup the model gets there by itself."),
    )
    return Step(
        title="Another run: a lookup for nothing",
        part=1,
        text=(
            f"Now another question: {asked(run)} Right is {golds_words(run)}. From memory the model writes and "
            f"concludes {quoted(result.answer)}: right.",
            closed_trigger(result),
        ),
        question=Question(kind="choice", text="What is this lookup?", options=options, right=2),
        reveal=("The model was unsure for a moment and right all the same. Doubt is no error.",),
        then=("etc-trend",),
        mistake="Counting every lookup as careful. Each costs time, and brings passages that can mislead.",
        notes="Whether a lookup was redundant can only be said afterwards, with the right answer known.",
    )


def closed_trigger(result: EntropyTrendResult) -> str:
    """Return where ETC first fires, as a sentence."""
    first = result.triggers[0].word
    return f"ETC would look something up before word {first + 1}, {quoted(result.words[first].text)}."


def how_many(result: EntropyTrendResult) -> Step:
    """Return the step on how many of the stored triggers would happen."""
    fired = len(result.triggers)
    return Step(
        title="How many lookups would really happen?",
        part=1,
        text=(
            f"In this stored answer the trend reaches α at {counted(fired, 'word')}. The text was written from memory, "
            "with no lookup made.",
        ),
        table={
            "before word": [trigger.word + 1 for trigger in result.triggers],
            "which is": [result.words[trigger.word].text for trigger in result.triggers],
            "value (nats)": [f"{trigger.value:.2f}" for trigger in result.triggers],
        },
        question=Question(
            kind="number",
            text="How many of these lookups are certain to happen if ETC runs for real?",
            value=1.0,
            slips=(
                Slip(
                    value=float(fired), why="After the first, the rest is written anew, and the others may never come."
                ),
            ),
        ),
        reveal=("One: the first. Behind it the text would be another one, which the stored answer cannot show.",),
        mistake="Adding up triggers of a text that would never have been written.",
        notes="That is why the figures draw everything behind the first trigger on grey.",
    )


def trade() -> Step:
    """Return the closing step: both faults pull against each other."""
    return Step(
        title="Two faults that pull against each other",
        text=(
            "A lower threshold fires earlier and more often: fewer delayed lookups, more redundant ones. A higher one "
            "the other way round. No threshold is free.",
            "So a policy is judged by both, at the same number of lookups. The Retrieval timing page runs all "
            "policies on "
            "one question; the Annotate page is where people say which lookups were delayed, redundant or missing.",
        ),
        notes="Ask which fault is worse for a medical question, and which for a chat.",
    )


LESSON = Lesson(
    word="delayed-redundant",
    title="Delayed and redundant retrieval",
    asks="When is a lookup in time, when too late, and when for nothing?",
    papers="ETC, section 1 and table 6; FLARE, section 3.2",
    parts=(
        Part(
            needs=(Need(words="an answer from memory that goes wrong in its first sentence of two", holds=ends_wrong),),
            prefers=("everest-expedition-leader", "moon-landing-date"),
        ),
        Part(
            needs=(
                Need(
                    words="an answer from memory that ends right though ETC fires twice", holds=ends_right_with_trigger
                ),
            ),
            prefers=("telephone-inventor", "author-of-hamlet", "country-of-baikal"),
        ),
    ),
    build=build,
    steps=7,
)
