"""Lesson: reading the entailment graph. Edges, degrees, and the entropy of degrees by hand (DENSE, eq. 3 to 6)."""

import math

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import dense_of, needed, posed
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.response_graph import degrees, is_uncertain
from engine.methods.dense_records import DenseResult


def degrees_of(result: DenseResult) -> list[float]:
    """Return the degree of every answer, self loop included."""
    return [float(value) for value in degrees(result.weights)]


def names_of(result: DenseResult) -> list[str]:
    """Return what each answer of the graph is the answer to."""
    return ["original passages" if m < 0 else f"passage {m + 1} reworded" for m in result.members]


def answers_of(result: DenseResult) -> list[str]:
    """Return the texts of the answers in the graph."""
    texts = {chunk.index: chunk.answer.text.strip() for chunk in result.chunks if chunk.answer is not None}
    return [result.original.text.strip() if member < 0 else texts.get(member, "") for member in result.members]


def apart(result: DenseResult) -> int | None:
    """Return the one answer that agrees least with the others, None where several agree as little or all agree."""
    found = degrees_of(result)
    least = min(found)
    return found.index(least) if found.count(least) == 1 and least < len(found) else None


def stands_apart(run: Diagnosis) -> bool:
    """Return whether one answer of the run's graph agrees with the others less than any other does."""
    result = dense_of(run)
    return result is not None and len(result.members) > 2 and apart(result) is not None


def graph_facts(run: Diagnosis) -> Facts:
    """Return the numbers of a run's entailment graph: answers, degrees, the term of each answer, and their mean."""
    result = needed(dense_of(run))
    found, n = degrees_of(result), len(result.members)
    return {
        "posed": posed(run),
        "names": names_of(result),
        "answers": answers_of(result),
        "n": n,
        "degrees": found,
        "terms": [-math.log(degree / n) for degree in found],
        "entropy": needed(result.entropy),
        "threshold": result.threshold,
    }


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result = needed(dense_of(run))
    entropy, odd, found = needed(result.entropy), needed(apart(result)), degrees_of(result)
    over = is_uncertain(entropy, result.threshold)
    return {
        **graph_facts(run),
        "odd": odd,
        "row": [f"{weight:g}" for weight in result.weights[odd]],
        "degree": found[odd],
        "degree_words": [f"{degree:g}" for degree in found],
        "over": over,
        "compared": f"{entropy:.4f} {'>' if over else '≤'} {result.threshold:g}",
        "interval": result.entropy_interval,
    }


LESSON = lesson_from("entailment-graph", facts, (stands_apart,))
