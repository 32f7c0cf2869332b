"""Lesson: when not to retrieve. Semantic entropy from shares, SUGAR's thresholds, and passages that mislead."""

import math

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import READ_WRONG, REMEMBERED_RIGHT, golds_words, needed, posed, seper_of
from engine.measures.semantic_entropy import retrieval_need
from engine.methods.seper import SeperResult
from viz.words import closed, counted, quoted, signed

LOW, HIGH = 0.4, 0.9
NEEDS = ("none", "single", "multi")
CLEAR_LOSS = -0.1
MOST_SHARES = 6


def lost_belief(run: Diagnosis) -> bool:
    """Return whether reading cost belief in the right answer, by 0.1 or more."""
    result = seper_of(run)
    return result is not None and (result.delta_soft or 0.0) <= CLEAR_LOSS


def some_doubt(run: Diagnosis) -> bool:
    """Return whether the draws from memory hold two to six meanings, so that the entropy can be done by hand."""
    result = seper_of(run)
    return result is not None and 2 <= len(result.without.meanings) <= MOST_SHARES


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result = needed(seper_of(run))
    return (
        decide(run),
        entropy(run, result),
        thresholds(result),
        misled(run, result),
        change(result),
        proof(run, result),
        rule(),
    )


def decide(run: Diagnosis) -> Step:
    """Return the step that asks for a decision before anything is known."""
    options = (
        Option(text="Look it up", why="It feels safer. In this run it costs the right answer."),
        Option(text="Answer from memory", why="Yes, in this run: the model knows it."),
    )
    return Step(
        title="Would you look it up?",
        text=(f"{posed(run)} The model may answer from memory, or have passages looked up and read first.",),
        question=Question(kind="choice", text="What should it do?", options=options, right=1),
        reveal=(
            closed(f"From memory it says {quoted(run.closed_book.text)}, which is right: {golds_words(run)}"),
            closed(f"Over the passages it says {quoted(run.answer.text)}"),
        ),
        mistake="Thinking that more context can only help. It is also more to be misled by.",
        notes="Vote, and write the numbers on the board for the last step.",
    )


def entropy(run: Diagnosis, result: SeperResult) -> Step:
    """Return the step that computes semantic entropy by hand."""
    shares = [one.probability for one in result.without.meanings if one.probability > 0]
    value = result.without.entropy
    terms = [-p * math.log(p) for p in shares]
    return Step(
        title="How sure is its memory?",
        text=(
            f"SUGAR decides before anything is looked up: it draws {counted(len(result.without.samples), 'answer')} "
            "from memory, groups them by meaning, and takes the entropy of the shares.",
        ),
        equation=r"SE = -\sum_C p(C)\ln p(C)",
        table={
            "meaning": [one.text for one in result.without.meanings if one.probability > 0],
            "share p": [f"{p:.4f}" for p in shares],
        },
        question=Question(
            kind="number",
            text="What is the semantic entropy? A pocket calculator helps.",
            value=value,
            tolerance=0.03,
            unit="nats",
            slips=(
                Slip(
                    value=value / math.log(2),
                    why="That is in bits, with logarithms to base 2. SUGAR's thresholds are in nats.",
                ),
                Slip(value=value / math.log(10), why="That logarithm has base 10. Nats use base e."),
                Slip(
                    value=sum(-math.log(p) for p in shares) / len(shares),
                    why="That is the mean of −ln p, as equation 1 of the paper prints it. It grows as one meaning "
                    "wins: each term has to be weighted by p.",
                ),
            ),
        ),
        reveal=("Every term, and the sum:",),
        working=(
            *(f"−{p:.4f} ln {p:.4f} = {t:.4f}" for p, t in zip(shares, terms, strict=True)),
            f"SE = {amount(value, 'nats', 4)}",
        ),
        mistake="Leaving out the weight p before the logarithm: rare meanings would dominate.",
        notes="The paper's printed equation 1 lacks the weight; its text and baselines mean the entropy.",
    )


def thresholds(result: SeperResult) -> Step:
    """Return the step that applies SUGAR's thresholds."""
    value = result.without.entropy
    need = retrieval_need(max(value, 0.0), LOW, HIGH)
    said = {"none": "no lookup", "single": "one lookup", "multi": "several lookups"}[need]
    where = f"{value:.3f} is {'not above' if need == 'none' else 'between' if need == 'single' else 'above'}"
    where += {"none": f" {LOW}", "single": f" {LOW} and {HIGH}", "multi": f" {HIGH}"}[need]
    right = NEEDS.index(need)
    options = tuple(
        Option(text=text, why=f"{'Yes' if place == right else 'No'}: {where}, so {said}.")
        for place, text in enumerate(("No lookup", "One lookup", "Several lookups"))
    )
    return Step(
        title="Two thresholds, three ways",
        text=(
            f"Up to {LOW} nats SUGAR looks nothing up. Up to {HIGH} once. Above that, several times.",
            f"Here the entropy is {amount(value, 'nats')}.",
        ),
        question=Question(kind="choice", text="What does SUGAR decide?", options=options, right=right),
        reveal=(f"{where}: {said}.",),
        mistake="Using the paper's thresholds on any model. They were set for 7B models; small ones are unsure more "
        "often.",
        notes="Calibration fits both thresholds to a model; the page says which ones are used.",
    )


def misled(run: Diagnosis, result: SeperResult) -> Step:
    """Return the step on what reading did."""
    before, after = needed(result.without.soft), needed(result.with_passages.soft)
    return Step(
        title="What reading did",
        text=(
            f"Before reading, {before:.3f} of the belief lay on the right answer, {golds_words(run)}. Then these "
            "passages were read.",
        ),
        shows=("passages",),
        question=Question(
            kind="number",
            text="How much of it is left? A guess within 0.1 counts.",
            value=after,
            tolerance=0.1,
            slips=(Slip(value=1.0, why="That would be a helpful lookup. This one was not."),),
        ),
        reveal=(f"{after:.3f}. Find the passage that did it: which words did the model take for the answer?",),
        then=("seper-beliefs",),
        mistake="Blaming the model alone. The retriever found what looks like the question, not what answers it.",
        notes="Hand out the passages on paper: most classes find the culprit within a minute.",
    )


def change(result: SeperResult) -> Step:
    """Return the step on the value of the lookup."""
    before, after, delta = needed(result.without.soft), needed(result.with_passages.soft), needed(result.delta_soft)
    interval = result.delta_soft_interval
    clear = interval is not None and interval.high < 0
    options = (
        Option(text="It helped", why=f"The sign tells: {signed(delta, 3)} is a loss."),
        Option(
            text="It harmed, beyond the noise", why=f"{'Yes' if clear else 'The band reaches 0'}: {signed(delta, 3)}."
        ),
        Option(
            text="It harmed, but within the noise",
            why=f"{'The band lies wholly below 0' if clear else 'Yes'}: {signed(delta, 3)}.",
        ),
    )
    band = f"; 95% of redraws between {signed(interval.low, 3)} and {signed(interval.high, 3)}" if interval else ""
    return Step(
        title="The worth of this lookup",
        text=(f"Belief in the right answer was {before:.3f} before and {after:.3f} after reading.",),
        question=Question(kind="choice", text="What was the lookup worth?", options=options, right=1 if clear else 2),
        reveal=("With minus without:",),
        working=(f"ΔSePer = {after:.3f} − {before:.3f} = {signed(delta, 3)}{band}",),
        then=("seper-change",),
        mistake="Looking only at whether the answer changed. Belief can fall long before the answer flips.",
        notes="A lookup that is worth less than nothing also cost time and money.",
    )


def proof(run: Diagnosis, result: SeperResult) -> Step:
    """Return the step on what low entropy cannot promise."""
    options = (
        Option(
            text="Yes, low entropy means it knows",
            why="It means that it says the same each time. That can be a steady error.",
        ),
        Option(text="No, it can be surely wrong", why="Yes: entropy sees doubt, and a firm error shows none."),
    )
    return Step(
        title="Could one have known?",
        text=(
            f"SUGAR's number here, {amount(result.without.entropy, 'nats')}, was measured without the gold answer, so "
            "it can be used before any lookup.",
        ),
        question=Question(
            kind="choice", text="Does a low entropy prove that memory is right?", options=options, right=1
        ),
        reveal=(
            "It is a bet: skip the lookup where the model repeats itself. On the whole that saves more than it costs; "
            "on a single question it can be lost.",
        ),
        mistake="Judging the rule by one question. It has to be judged over many, by answers won and lookups saved.",
        notes="Connects to the lesson on low entropy that is wrong: there the same calm was misplaced.",
    )


def rule() -> Step:
    """Return the closing step."""
    return Step(
        title="A rule of thumb",
        text=(
            "Look up what the model is unsure of. Leave alone what it says the same way each time, unless the matter "
            "is new, rare or must be proved with a source.",
            "If you do look up, check what the passages did: the belief before and after tells help from harm.",
        ),
        notes="Compare with the vote of step 1. Who would decide otherwise now, and on which number?",
    )


LESSON = Lesson(
    word="when-not-to-retrieve",
    title="When not to retrieve",
    asks="Can looking something up make an answer worse?",
    papers="SUGAR, section II, eq. 1; SePer, section 3, eq. 11",
    parts=(
        Part(
            needs=(
                REMEMBERED_RIGHT,
                READ_WRONG,
                Need(words="belief in the right answer that falls by 0.1 or more", holds=lost_belief),
                Need(words="two to six meanings among the draws from memory", holds=some_doubt),
            ),
            prefers=("capital-of-japan", "country-of-baikal"),
        ),
    ),
    build=build,
    steps=7,
)
