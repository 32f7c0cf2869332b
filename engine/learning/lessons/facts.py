"""What lessons ask of a stored run: the results of its methods, and whether its answers are right.

Predicates must not raise, so a method that has no result is None here; a lesson that was given a run which fits its
predicates takes the result with ``needed``.
"""

from typing import TypeVar

from engine.core.errors import RecordError
from engine.core.passage_names import passage_name
from engine.core.words import closed, quoted
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_marks import is_right
from engine.methods.dense_records import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.seper_records import SeperResult

Result = TypeVar("Result")
EXCERPT = 90


def dense_of(run: Diagnosis) -> DenseResult | None:
    """Return DENSE's result with a measured entropy, None where there is none."""
    result = run.result(DenseResult, measured=False)
    return result if result and result.entropy is not None else None


def seper_of(run: Diagnosis) -> SeperResult | None:
    """Return SePer's result where there is a gold answer, None otherwise."""
    result = run.result(SeperResult, measured=False)
    return result if result and result.delta_soft is not None else None


def trend_of(run: Diagnosis) -> EntropyTrendResult | None:
    """Return ETC's result in the paper's variant with exact entropies and a trend, None otherwise."""
    result = run.result(EntropyTrendResult, measured=False)
    if result is None or result.variant != "paper" or not result.points:
        return None
    return None if any(word.entropy_high is not None for word in result.words) else result


def quco_of(run: Diagnosis) -> QucoResult | None:
    """Return QuCo-RAG's result, None where there is none."""
    return run.result(QucoResult, measured=False)


def needed(result: Result | None) -> Result:
    """Return the result. Raises RecordError where a lesson is built from a run that does not fit it."""
    if result is None:
        raise RecordError("This run does not show what the lesson is about.")
    return result


def read_right(run: Diagnosis) -> bool | None:
    """Return whether the answer over the passages is right, None without one to compare."""
    return is_right(run.answer.text, run.golds) if run.golds else None


def read_wrong(run: Diagnosis) -> bool:
    """Return whether the answer over the passages is not right."""
    return read_right(run) is False


def remembered_right(run: Diagnosis) -> bool | None:
    """Return whether the answer from memory is right, None without one to compare."""
    return is_right(run.closed_book.text, run.golds) if run.golds else None


def golds_words(run: Diagnosis) -> str:
    """Return the gold answers as they are named in a sentence."""
    return " or ".join(quoted(gold) for gold in run.golds)


def posed(run: Diagnosis, start: str = "The question is") -> str:
    """Return a sentence that names the question of a run."""
    return closed(f"{start} {quoted(run.question, 300)}")


def passage_names(run: Diagnosis) -> tuple[str, ...]:
    """Return each passage by its number, title and beginning."""
    return tuple(
        f"Passage {place}, {passage_name(hit.passage)}: {quoted(hit.passage.text, EXCERPT)}"
        for place, hit in enumerate(run.hits, 1)
    )
