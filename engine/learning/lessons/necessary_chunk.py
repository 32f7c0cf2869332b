"""Lesson: why a chunk is necessary. Rewording, removing, and the rule that makes a label (DENSE, section 5.2)."""

from engine.core.words import closed, listing, quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step
from engine.learning.lessons.facts import asked, dense_of, golds_words, needed, passage_names, read_right
from engine.methods.dense import DenseChunk, DenseResult


def the_chunk(run: Diagnosis) -> DenseChunk | None:
    """Return the one chunk DENSE calls necessary, where without it the answer is another; None otherwise."""
    result = dense_of(run)
    found = [chunk for chunk in result.chunks if chunk.label == "necessary"] if result else []
    whole = len(found) == 1 and found[0].ablation is not None and found[0].ablation_weight == 0
    return found[0] if whole and found[0].answer is not None else None


def has_certain(run: Diagnosis) -> bool:
    """Return whether some chunk can be reworded without changing the answer."""
    result = dense_of(run)
    return result is not None and any(chunk.label == "certain" for chunk in result.chunks)


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result, chunk = needed(dense_of(run)), needed(the_chunk(run))
    return (
        guess(run, result, chunk),
        rewording(result, chunk),
        removing(run, chunk),
        label(result, chunk),
        certain(result),
        for_what(run, chunk),
    )


def guess(run: Diagnosis, result: DenseResult, chunk: DenseChunk) -> Step:
    """Return the step that asks for the necessary passage."""
    labels = {one.index: one.label for one in result.chunks}
    options = tuple(
        Option(
            text=name,
            why="Yes: without it the model answers differently."
            if place == chunk.index
            else f"DENSE calls this one {labels.get(place, 'not measured')}. The next steps show why.",
        )
        for place, name in enumerate(passage_names(run))
    )
    return Step(
        title="Which passage carries the answer?",
        text=(
            closed(f"Asked {asked(run)}, the model read these passages and answered {quoted(run.answer.text)}"),
            "One of them is necessary: the answer does not survive without it. Look closely: the passage that names "
            "the answer need not be the one.",
        ),
        shows=("passages",),
        question=Question(kind="choice", text="Which passage is necessary?", options=options, right=chunk.index),
        reveal=(f"It is passage {chunk.index + 1}. DENSE finds that out by two experiments, one after the other.",),
        mistake="Looking for the gold answer in the passages. Necessary is about what the model did, not about the "
        "truth.",
        notes="Have the class mark its guess before anybody opens a table.",
    )


def rewording(result: DenseResult, chunk: DenseChunk) -> Step:
    """Return the step on the first experiment: put one passage in other words."""
    tried = [one for one in result.chunks if one.weight is not None and one.answer is not None]
    changed = [one for one in tried if one.weight is not None and one.weight < 1]
    return Step(
        title="First experiment: other words",
        text=(
            "Each passage in turn is put in other words that say the same, and the question is asked again. A passage "
            "whose rewording keeps the answer is certain: the model reads it the same either way.",
            closed(f"The original answer is {quoted(result.original.text)}"),
        ),
        table={
            "passage reworded": [one.index + 1 for one in tried],
            "answer then": [one.answer.text.strip() for one in tried if one.answer is not None],
        },
        question=Question(
            kind="number",
            text="For how many passages does the rewording change the answer, at least in part?",
            value=float(len(changed)),
            unit="passages",
            slips=(
                Slip(value=float(len(tried) - len(changed)), why="That counts those that keep the answer."),
                Slip(value=float(len(tried)), why="Some of these answers mean the same as the original one."),
            ),
        ),
        reveal=("The weight is 1 where both answers entail each other, 0.5 where one does, 0 where none does:",),
        working=tuple(f"passage {one.index + 1}: weight with the original answer = {one.weight:g}" for one in tried),
        mistake="A changed answer after rewording is no proof of need: the model may only be easily confused.",
        notes="Ask why one experiment is not enough before showing the second.",
    )


def removing(run: Diagnosis, chunk: DenseChunk) -> Step:
    """Return the step on the second experiment: leave the passage out."""
    left = needed(chunk.ablation).text
    options = (
        Option(text="The same answer", why="Then the passage would be unnecessary. Here the answer is another one."),
        Option(text="Another answer", why="Yes: without it the model has to take its answer from elsewhere."),
        Option(text="No answer at all", why="A model hardly ever stays silent: it takes what is left, or its memory."),
    )
    return Step(
        title="Second experiment: leave it out",
        text=(f"Now passage {chunk.index + 1} is taken away altogether and the question is asked over the others.",),
        question=Question(kind="choice", text="What does the model answer then?", options=options, right=1),
        reveal=(closed(f"With it: {quoted(run.answer.text)}. Without it: {quoted(left)}"),),
        working=(f"agreement of the two answers = {chunk.ablation_weight:g}",),
        mistake="Thinking that a model without the passage says “I do not know”. It answers with what it has.",
        notes="This is leave-one-out, as in feature ablation. It costs one more answer per uncertain passage.",
    )


def label(result: DenseResult, chunk: DenseChunk) -> Step:
    """Return the step that makes the label from both numbers."""
    options = (
        Option(text="certain", why="Certain needs a rewording weight of 1. Look at the first number again."),
        Option(text="necessary", why="Yes: neither experiment leaves the answer as it was."),
        Option(text="unnecessary", why="Unnecessary needs an answer that survives the removal. This one did not."),
    )
    return Step(
        title="Two numbers make a label",
        text=(
            f"Passage {chunk.index + 1}: rewording weight {chunk.weight:g}, removal weight {chunk.ablation_weight:g}.",
            "The rule: rewording weight 1 is certain. Else, removal weight 1 is unnecessary. Else it is necessary.",
        ),
        question=Question(kind="choice", text="Which label follows?", options=options, right=1),
        reveal=("Both tests in a row:",),
        working=(
            f"rewording weight {chunk.weight:g} = 1? no, so it is not certain",
            f"removal weight {chunk.ablation_weight:g} = 1? no, so it is not unnecessary",
            "so: necessary",
        ),
        then=("dense-graph",),
        mistake="At a removal weight of 0.5 the paper's algorithm 3 says necessary and its equation 10 unnecessary; "
        f"this run follows {'algorithm 3' if result.rule == 'algorithm3' else 'equation 10'}.",
        notes="Here both rules agree, because the removal weight is 0.",
    )


def certain(result: DenseResult) -> Step:
    """Return the step on what "certain" does not mean."""
    places = listing([one.index + 1 for one in result.chunks if one.label == "certain"])
    options = (
        Option(text="It is needed for the answer", why="It may be: it was never removed, so nobody knows."),
        Option(text="It is not needed for the answer", why="It may be: it was never removed, so nobody knows."),
        Option(
            text="Nothing about need: only that its wording does not matter",
            why="Yes: DENSE stops after the first experiment where the answer stays.",
        ),
    )
    return Step(
        title="What “certain” says",
        text=(f"Passages called certain in this run: {places}. Their rewording left the answer as it was.",),
        question=Question(
            kind="choice", text="What do we know of a passage that is certain?", options=options, right=2
        ),
        reveal=(
            "To learn whether a certain passage is needed, remove it: the utility of single chunks, and the what-if "
            "controls, do just that.",
        ),
        mistake="Reading certain as useful. A passage nobody looked at is certain too: its rewording changes nothing.",
        notes="A blank page would be certain. That usually settles it.",
    )


def for_what(run: Diagnosis, chunk: DenseChunk) -> Step:
    """Return the closing step: necessary to this answer, right or wrong."""
    right, left = read_right(run), needed(chunk.ablation).text
    said = {
        True: "That answer is right: the model needs this passage to get there.",
        False: f"That answer is wrong (right would be {golds_words(run)}): reading that passage leads the model there.",
        None: "Whether that answer is right is not known here: there is no gold answer.",
    }[right]
    return Step(
        title="Necessary for what?",
        text=(
            closed(f"Passage {chunk.index + 1} is necessary for the answer {quoted(run.answer.text)}"),
            said,
            closed(f"Without it the model says {quoted(left)}"),
            "So the label does not tell good passages from bad ones. It tells which passage to look at first when an "
            "answer must be explained, or mistrusted.",
        ),
        notes="Open the run and look for a sentence in the passage that invites this answer.",
    )


LESSON = Lesson(
    word="necessary-chunk",
    title="Why is a chunk necessary?",
    asks="Which passage does an answer stand on, and how can one know?",
    papers="DENSE, section 5.2, eq. 8 to 10 and algorithm 3",
    parts=(
        Part(
            needs=(
                Need(
                    words="exactly one passage that DENSE calls necessary and whose removal changes the answer",
                    holds=lambda run: the_chunk(run) is not None,
                ),
                Need(words="a passage that DENSE calls certain", holds=has_certain),
            ),
            prefers=("k2-first-climbers",),
        ),
    ),
    build=build,
    steps=6,
)
