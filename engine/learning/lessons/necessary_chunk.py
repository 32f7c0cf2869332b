"""Lesson: why a chunk is necessary. Rewording, removing, and the rule that makes a label (DENSE, section 5.2)."""

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import dense_of, golds_words, needed, passage_names, posed, read_right
from engine.learning.lessons.script import Facts, lesson_from
from engine.methods.dense_records import DenseChunk, DenseResult


def the_chunk(run: Diagnosis) -> DenseChunk | None:
    """Return the one chunk that most wordings call necessary, where the answer without it is another; else None."""
    result = dense_of(run)
    found = [chunk for chunk in result.chunks if mostly_necessary(result, chunk)] if result else []
    return found[0] if len(found) == 1 and found[0].ablation_weight == 0 else None


def mostly_necessary(result: DenseResult, chunk: DenseChunk) -> bool:
    """Return whether the first wording and most others change the answer, and leaving the chunk out does too."""
    changing, wordings = result.changes.get(chunk.index, (0, 0))
    changed = chunk.weight is not None and chunk.weight < 1 and 2 * changing > wordings
    return changed and chunk.ablation_weight is not None and chunk.ablation_weight < 1


def has_certain(run: Diagnosis) -> bool:
    """Return whether no wording of some chunk changes the answer."""
    result = dense_of(run)
    return result is not None and "certain" in result.labels.values()


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
        "labels": result.labels,
        "changing": result.changes[chunk.index][0],
        "wordings": result.changes[chunk.index][1],
        "original": result.original.text,
        "tried": [one for one, _ in tried],
        "numbers": [one.index + 1 for one, _ in tried],
        "answers": [answer.text.strip() for _, answer in tried],
        "changed": sum(one.weight is not None and one.weight < 1 for one, _ in tried),
        "left": needed(chunk.ablation).text,
        "rule": result.rule,
        "certain": [index + 1 for index, label in result.labels.items() if label == "certain"],
    }


LESSON = lesson_from("necessary-chunk", facts, (lambda run: the_chunk(run) is not None, has_certain))
