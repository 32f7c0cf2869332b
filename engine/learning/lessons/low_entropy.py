"""Lesson: why low entropy can be wrong. A model that agrees with itself about a wrong answer (DENSE, SePer)."""

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.entailment_graph import graph_facts
from engine.learning.lessons.facts import dense_of, golds_words, needed, passage_names, read_wrong, seper_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.answer_match import contains

NEAR, ONE_ANSWER = 0.1, 1e-9


def is_low(run: Diagnosis) -> bool:
    """Return whether DENSE is certain of the question, with one answer in every reading."""
    result = dense_of(run)
    return result is not None and result.uncertain is False and (result.entropy or 0.0) < ONE_ANSWER


def low_belief(run: Diagnosis) -> bool:
    """Return whether belief in the correct answer stays below one half over the passages."""
    result = seper_of(run)
    return result is not None and (result.with_passages.soft or 0.0) < 0.5


def source_of(run: Diagnosis) -> int | None:
    """Return the only passage whose words hold the answer the model gave, None where there are none or several."""
    said = run.answer.text.strip()
    places = [place for place, hit in enumerate(run.hits) if said and contains(hit.passage.text, (said,))]
    return places[0] if len(places) == 1 else None


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    seper = needed(seper_of(run))
    return {
        **graph_facts(run),
        "answer": run.answer.text,
        "gold": golds_words(run),
        "passages": passage_names(run),
        "source": needed(source_of(run)),
        "before": needed(seper.without.soft),
        "after": needed(seper.with_passages.soft),
        "near": NEAR,
    }


LESSON = lesson_from("low-entropy", facts, (read_wrong, is_low, low_belief, lambda run: source_of(run) is not None))
