"""Lesson: why low entropy can be wrong. A model that agrees with itself about a wrong answer (DENSE, SePer)."""

import math

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import READ_WRONG, asked, dense_of, golds_words, needed, passage_names, seper_of
from engine.measures.answer_match import contains
from engine.methods.dense import DenseResult
from engine.methods.seper import SeperResult
from viz.lessons.entailment_graph import answers_of, degrees_of, names_of
from viz.words import closed, quoted


def is_low(run: Diagnosis) -> bool:
    """Return whether DENSE is certain of the question."""
    result = dense_of(run)
    return result is not None and result.uncertain is False


def source_of(run: Diagnosis) -> int | None:
    """Return the only passage whose words hold the answer the model gave, None where there are none or several."""
    said = run.answer.text.strip()
    places = [place for place, hit in enumerate(run.hits) if said and contains(hit.passage.text, (said,))]
    return places[0] if len(places) == 1 else None


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    dense, seper, source = needed(dense_of(run)), needed(seper_of(run)), needed(source_of(run))
    return (
        agreement(run, dense),
        verdict(run, dense),
        where_from(run, source),
        more_rewordings(run, source),
        belief_in_truth(run, seper),
        two_questions(run, dense),
    )


def agreement(run: Diagnosis, result: DenseResult) -> Step:
    """Return the step that shows how far the answers agree and asks for the entropy."""
    n, entropy, found = len(result.members), needed(result.entropy), degrees_of(result)
    return Step(
        title="The model agrees with itself",
        text=(
            f"Asked {asked(run)}, the model answers over the passages, and again with one passage after the other put "
            "in other words.",
        ),
        table={"answer to": names_of(result), "answer": answers_of(result)},
        question=Question(
            kind="number",
            text="What is the entropy of this graph? Where all answers agree, every degree is n.",
            value=entropy,
            tolerance=0.02,
            unit="nats",
            slips=(
                Slip(value=1.0, why="Full agreement is a share of 1, and ln 1 is 0."),
                Slip(value=math.log(n), why="That is the most it can be, where no two answers agree."),
            ),
        ),
        reveal=("Each answer's share of agreement, and the mean of minus its logarithm:",),
        working=(
            *(
                f"{name}: D/n = {d:g}/{n}, −ln = {abs(math.log(d / n)):.3f}"
                for name, d in zip(names_of(result), found, strict=True)
            ),
            f"DSE = {amount(entropy, 'nats')}",
        ),
        then=("dense-graph",),
        mistake="Reading agreement as knowledge before asking what the answers agree on.",
        notes="Do not say yet whether the answer is right. Let the tight graph do its work first.",
    )


def verdict(run: Diagnosis, result: DenseResult) -> Step:
    """Return the step that asks whether the answer is right."""
    options = (
        Option(text="Right", why="Tempting: nothing in the graph speaks against it. And yet it is wrong."),
        Option(text="Wrong", why="Yes, it is wrong, although no answer in the graph says so."),
    )
    return Step(
        title="So is it right?",
        text=(
            f"DSE is {amount(needed(result.entropy), 'nats')}, not above the threshold of {result.threshold:g}: DENSE "
            "calls the question certain.",
            closed(f"The answer is {quoted(run.answer.text)}"),
        ),
        question=Question(kind="choice", text="Is the answer right?", options=options, right=1),
        reveal=(f"Right would have been {golds_words(run)}.",),
        mistake="“Certain” is a word about consistency. It promises nothing about truth.",
        notes="Count the hands for “right” and keep the number for the last step.",
    )


def where_from(run: Diagnosis, source: int) -> Step:
    """Return the step that looks for the source of the wrong answer."""
    options = tuple(
        Option(
            text=name,
            why="Yes: the words of the answer stand there."
            if place == source
            else "The words of the answer do not stand in this one.",
        )
        for place, name in enumerate(passage_names(run))
    )
    return Step(
        title="Where does the wrong answer come from?",
        text=(closed(f"Five readings gave one answer, {quoted(run.answer.text)}") if len(run.hits) == 5 else
              closed(f"Every reading gave one answer, {quoted(run.answer.text)}"),
              "It is rarely made up. Look for it in what was read."),
        shows=("passages",),
        question=Question(kind="choice", text="Which passage holds these words?", options=options, right=source),
        reveal=(
            f"They stand in passage {source + 1}. Whether the passage errs or the model takes its words for something "
            "they are not: every reading repeats it.",
        ),
        mistake="Calling every wrong answer a hallucination. The words of this one stand in what was read.",
        notes="Ask what the passage is really about, and why the retriever found it.",
    )  # fmt: skip


def more_rewordings(run: Diagnosis, source: int) -> Step:
    """Return the step on whether more rewordings would help."""
    options = (
        Option(
            text="Yes, some rewording would break it", why="Good rewordings say the same. The wrong words stay in each."
        ),
        Option(
            text="No, all of them keep what the passage says",
            why="Yes: a rewording keeps the meaning, and the error is in how that meaning is used.",
        ),
    )
    return Step(
        title="Would more rewordings show it?",
        text=(
            f"Passage {source + 1} could be reworded ten times, or a hundred times. DENSE counts how often the answer "
            "moves.",
        ),
        question=Question(kind="choice", text="Would that have uncovered the error?", options=options, right=1),
        reveal=(
            "A systematic error is the same every time. Repeating a measurement shrinks its noise and leaves its bias.",
        ),
        then=("dense-entropy",),
        mistake="Fighting a bias with more samples. It takes another kind of evidence.",
        notes="The scale that is always two kilos off is a good picture.",
    )


def belief_in_truth(run: Diagnosis, result: SeperResult) -> Step:
    """Return the step that asks how much belief the right answer has."""
    before, after = needed(result.without.soft), needed(result.with_passages.soft)
    return Step(
        title="What the right answer is worth to the model",
        text=(
            f"SePer knows the gold answer, {golds_words(run)}, and asks how much of the model's belief lies there, "
            "from 0 to 1.",
            f"Before reading it was {before:.3f}.",
        ),
        question=Question(
            kind="number",
            text="How much is it after reading? A guess within 0.1 counts.",
            value=after,
            tolerance=0.1,
            slips=(Slip(value=1.0, why="The belief is strong, but it lies on the wrong answer."),),
        ),
        reveal=(f"After reading it is {after:.3f}: sure of itself, and sure of something else.",),
        working=(
            f"without passages {before:.3f}, with passages {after:.3f}, change {after - before:+.3f}".replace("-", "−"),
        ),
        then=("seper-beliefs",),
        mistake="Expecting that a measure without a gold answer could have told. SePer can, because it is told what "
        "is right.",
        notes="Here is the trade: what needs no gold answer cannot see this error; what sees it needs one.",
    )


def two_questions(run: Diagnosis, result: DenseResult) -> Step:
    """Return the closing step: two questions that are easily mixed up."""
    return Step(
        title="Two questions, four cases",
        text=(
            "Is the model consistent? Entropy answers that. Is it right? Only something from outside answers that: a "
            "gold answer, another source, a person.",
            "Consistent and right: trust. Inconsistent and wrong: entropy warns you. Inconsistent and right: a lucky "
            "answer. Consistent and wrong: this lesson, and the dangerous one.",
            "So use high entropy as a warning, and never use low entropy as a proof.",
        ),
        table={
            "": ["agrees with itself", "does not"],
            "right": ["trust it", "lucky"],
            "wrong": ["this run: nothing warns you", "entropy warns you"],
        },
        notes="Ask the hands of step 2 again. Who would now want to see the passages first?",
    )


LESSON = Lesson(
    word="low-entropy",
    title="Why low entropy can be wrong",
    asks="Does agreeing with oneself make one right?",
    papers="DENSE, section 5; SePer, section 3",
    parts=(
        Part(
            needs=(
                READ_WRONG,
                Need(words="an entropy that DENSE calls certain", holds=is_low),
                Need(
                    words="a measured belief in the right answer that stays below one half",
                    holds=lambda run: (r := seper_of(run)) is not None and (r.with_passages.soft or 0.0) < 0.5,
                ),
                Need(
                    words="exactly one passage that holds the words of the answer",
                    holds=lambda run: source_of(run) is not None,
                ),
            ),
            prefers=("statue-engineer-birthplace", "which-city-capital-france", "name-of-the-largest-planet"),
        ),
    ),
    build=build,
    steps=6,
)
