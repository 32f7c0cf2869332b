"""Lesson: when do two answers mean the same? Entailment both ways, meanings, and entropy over them.

Semantic entropy (Kuhn et al. 2023; Farquhar et al. 2024) as SePer and SUGAR use it, on one run's sampled answers.
"""

import math
from collections import Counter

from engine.core.records import Judgement
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import needed, posed, seper_of
from engine.measures.semantic_entropy import semantic_entropy
from engine.methods.seper import Belief, Meaning, SeperResult
from viz.words import counted, quoted

ROUNDED = 0.01


def texts_of(belief: Belief) -> list[str]:
    """Return the sampled answers in order; a hard space is written as any other."""
    return [" ".join(sample.text.split()) for sample in belief.samples]


def judged(result: SeperResult, premise: str, hypothesis: str) -> Judgement | None:
    """Return the judge's word on one ordered pair, None where it was not asked."""
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


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result, belief, meaning, pair = needed(found(run))
    return (
        first_look(run, belief, pair),
        both_ways(result, belief, pair),
        counting(belief),
        sharing(belief, meaning),
        entropies(belief),
        limits(meaning),
    )


def first_look(run: Diagnosis, belief: Belief, pair: tuple[str, str]) -> Step:
    """Return the step that shows the wordings and asks whether two of them belong together."""
    times = Counter(texts_of(belief))
    yes = Option(text="The same answer in other words", why="Yes: whoever accepts one must accept the other.")
    no = Option(
        text="Two different answers",
        why="They look different letter by letter. Ask instead: could one be right and the other wrong? Here neither.",
    )
    half = Option(
        text="One says more than the other",
        why="A good suspicion, and then one direction of entailment would fail. Here the judge finds both.",
    )
    return Step(
        title="Different letters, one answer?",
        text=(
            f"{posed(run, 'The model was asked')} It answered {len(belief.samples)} times, each time drawn anew. "
            "Compared letter by letter the draws are the wordings below.",
            "Whether a model is unsure is a question about meanings, so first we need to know which answers are alike.",
        ),
        table={"wording": list(times), "times drawn": list(times.values())},
        question=Question(
            kind="choice",
            text=f"How do {quoted(pair[0])} and {quoted(pair[1])} compare?",
            options=(no, yes, half),
            right=1,
        ),
        reveal=("Here the two wordings mean the same, as answers to this question. The next step shows who says so.",),
        mistake="Counting different wordings as different opinions makes a sure model look unsure.",
        notes="Let the class vote before the reveal. Ask for two wordings of one date, then of one person.",
    )


def both_ways(result: SeperResult, belief: Belief, pair: tuple[str, str]) -> Step:
    """Return the step on entailment in both directions, with the count of judgements it takes."""
    different = len(set(texts_of(belief)))
    pairs = [one for one in (judged(result, *pair), judged(result, *pair[::-1])) if one is not None]
    return Step(
        title="Entailment, both ways",
        text=(
            "A judge, itself a small trained model, reads the question and an ordered pair: does the first text entail "
            "the second? Two answers mean the same when each entails the other.",
            f"There are {different} different wordings in this run.",
        ),
        equation=r"a \equiv b \iff a \Rightarrow b \;\text{ and }\; b \Rightarrow a",
        question=Question(
            kind="number",
            text="How many ordered pairs of different wordings are there to judge?",
            value=float(different * (different - 1)),
            unit="pairs",
            slips=(
                Slip(
                    value=different * (different - 1) / 2,
                    why="That counts each pair once; the judge is asked both ways.",
                ),
                Slip(value=float(different**2), why="That pairs each wording with itself too, which needs no judge."),
            ),
        ),
        reveal=(f"The two directions for {quoted(pair[0])} and {quoted(pair[1])}:",),
        working=(
            f"n (n − 1) = {different} × {different - 1} = {different * (different - 1)} ordered pairs",
            *(
                f"{quoted(one.premise)} → {quoted(one.hypothesis)}: entailment {one.entailment:.3f}, "
                f"neutral {one.neutral:.3f}, contradiction {one.contradiction:.3f} ⇒ {one.label}"
                for one in pairs
            ),
        ),
        mistake="One direction is not enough: “in Europe, in Paris” entails “in Europe”, and they are not one answer.",
        notes="Write an arrow each way on the board. Ask which arrow breaks for “Paris” and “a city”.",
    )


def counting(belief: Belief) -> Step:
    """Return the step that counts the meanings."""
    texts = texts_of(belief)
    rows = [
        {"meaning": number, "its wordings": " | ".join(dict.fromkeys(texts[place] for place in one.members))}
        for number, one in enumerate(belief.meanings, 1)
    ]
    wordings = len(set(texts))
    return Step(
        title="From wordings to meanings",
        text=(
            "The first answer opens a group and takes every later one that means the same; the next answer without a "
            "group opens another, until none is left.",
        ),
        table={"draw": range(1, len(texts) + 1), "answer": texts},
        question=Question(
            kind="number",
            text="How many meanings are there among these answers?",
            value=float(len(belief.meanings)),
            unit="meanings",
            slips=(Slip(value=float(wordings), why="That counts wordings. Some of them mean the same."),),
        ),
        reveal=("The groups, each with all its wordings:",),
        working=tuple(f"meaning {row['meaning']}: {row['its wordings']}" for row in rows),
        mistake="Groups come from the judge. If it errs on one pair, an answer lands in the wrong group.",
        notes="Have pupils group the draws on paper first, then compare with the judge's groups and argue.",
    )


def sharing(belief: Belief, meaning: Meaning) -> Step:
    """Return the step that sums the weights of one meaning."""
    texts, weights = texts_of(belief), [belief.weights[place] for place in meaning.members]
    shown = " + ".join(f"{weight:.3f}" for weight in weights)
    return Step(
        title="How much of the belief is one meaning?",
        text=(
            "Each draw has a weight: the more likely the model found its own words, the more it counts. All weights "
            "sum to 1. A meaning has the weights of all its draws.",
        ),
        equation=r"p(C) = \sum_{i \in C} w_i",
        table={
            "answer": texts,
            "weight": [f"{weight:.3f}" for weight in belief.weights],
            "meaning": [i + 1 for i in belief.ids],
        },
        question=Question(
            kind="number",
            text=f"Which probability has the meaning {quoted(meaning.text)}?",
            value=meaning.probability,
            tolerance=ROUNDED,
            slips=(
                Slip(
                    value=len(meaning.members) / len(belief.samples),
                    why="That is its share of the draws. Here draws count by their weight, not one each.",
                ),
            ),
        ),
        reveal=("Add the weights of its draws:",),
        working=(f"{shown} = {meaning.probability:.3f}",),
        mistake="A meaning drawn often with unlikely words can weigh less than one drawn twice with likely words.",
        notes="The weights are the softmax of mean token log-probabilities (SePer, released code).",
    )


def entropies(belief: Belief) -> Step:
    """Return the step that compares entropy over meanings with entropy over wordings."""
    by_text: dict[str, float] = {}
    for text, weight in zip(texts_of(belief), belief.weights, strict=True):
        by_text[text] = by_text.get(text, 0.0) + weight
    words, meanings = list(by_text.values()), [one.probability for one in belief.meanings]
    terms = [f"−{p:.3f} ln {p:.3f} = {-p * math.log(p):.3f}" for p in meanings if p > 0]
    over_words, over_meanings = semantic_entropy(words), semantic_entropy(meanings)
    options = (
        Option(
            text="Over wordings", why="Yes: splitting a group never lowers entropy, so wordings give the larger one."
        ),
        Option(text="Over meanings", why="Joining groups can only lower entropy: there is less left to be unsure of."),
        Option(text="They are always equal", why="Only where every meaning has one wording. Here one has several."),
    )
    return Step(
        title="Entropy over meanings",
        text=(
            "Entropy says how spread out a belief is, in nats: 0 where all of it is in one place. It can be taken over "
            "wordings or over meanings.",
        ),
        equation=r"SE = -\sum_C p(C) \ln p(C)",
        question=Question(kind="choice", text="Which of the two is larger?", options=options, right=0),
        reveal=(
            f"Over {counted(len(words), 'wording')} it is {over_words:.3f} nats, over "
            f"{counted(len(meanings), 'meaning')} {over_meanings:.3f} nats.",
        ),
        working=(*terms, f"sum over meanings: SE = {amount(over_meanings, 'nats')}"),
        mistake="Reporting entropy over wordings as doubt. The part between the two numbers is only style.",
        notes="The difference of both numbers is the entropy of wording within meanings.",
    )


def limits(meaning: Meaning) -> Step:
    """Return the closing step: what equivalence does not say."""
    return Step(
        title="What this does not say",
        text=(
            f"Equivalent answers can all be wrong. That {quoted(meaning.text)} counts as right here comes from a gold "
            "answer, not from agreement.",
            "Equivalence is judged with the question in view: “in spring” and “in April” may be one answer to one "
            "question and two answers to another.",
            "Everything built on meanings, from semantic entropy to SePer and DENSE, inherits the judge's errors. The "
            "Guide shows how often the judge agrees with people.",
        ),
        notes="Closing question for the class: can ten agreeing answers be wrong? The fifth lesson answers it.",
    )


LESSON = Lesson(
    word="semantic-equivalence",
    title="Do two answers mean the same?",
    asks="When a model says one thing in several ways, is it unsure?",
    papers="Kuhn et al. 2023; Farquhar et al. 2024; SePer, section 3",
    parts=(
        Part(
            needs=(
                Need(
                    words="a right meaning worded in two ways, beside other meanings",
                    holds=lambda run: bool(found(run)),
                ),
            ),
            prefers=("mercury-orbit", "apollo-8-orbits", "eiffel-tower-height"),
        ),
    ),
    build=build,
    steps=6,
)
