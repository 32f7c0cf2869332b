"""Lesson: why a chunk is necessary. Rewording, removing, and the rule that makes a label (DENSE, section 5.2)."""

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import dense_of, golds_words, needed, passage_names, posed, read_right
from engine.learning.lessons.script import Facts, lesson_from
from engine.methods.dense import DenseChunk


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


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result, chunk = needed(dense_of(run)), needed(the_chunk(run))
    tried = [(one, one.answer) for one in result.chunks if one.weight is not None and one.answer is not None]
    return {
        "posed": posed(run),
        "answer": run.answer.text,
        "gold": golds_words(run),
        "right": read_right(run),
        "passages": passage_names(run),
        "chunk": chunk,
        "labels": {one.index: one.label for one in result.chunks},
        "original": result.original.text,
        "tried": [one for one, _ in tried],
        "numbers": [one.index + 1 for one, _ in tried],
        "answers": [answer.text.strip() for _, answer in tried],
        "changed": sum(one.weight is not None and one.weight < 1 for one, _ in tried),
        "left": needed(chunk.ablation).text,
        "rule": result.rule,
        "certain": [one.index + 1 for one in result.chunks if one.label == "certain"],
    }


LESSON = lesson_from("necessary-chunk", facts, (lambda run: the_chunk(run) is not None, has_certain))
