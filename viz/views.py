"""How each method's result is drawn: its verdict, and everything it is shown by. ``VIEWS`` is the one list."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.diagnosis.record import MethodResult
from viz import (
    chunk_utility,
    dense,
    dense_rag,
    entropy_trend,
    exhibits,
    quco_rag,
    seper,
    sugar,
    timing,
    uncertainty,
)
from viz.exhibit import Exhibit
from viz.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class View:
    """The verdict on a method's result in a word and a sentence, and its figures and tables in order."""

    verdict: Callable[..., Verdict]
    exhibits: Callable[..., tuple[Exhibit, ...]]


VIEWS = {
    "dense": View(dense.verdict, exhibits.of_dense),
    "dense_rag": View(dense_rag.verdict, exhibits.of_dense_rag),
    "seper": View(seper.verdict, exhibits.of_seper),
    "entropy_trend": View(entropy_trend.verdict, exhibits.of_entropy_trend),
    "timing": View(timing.verdict, exhibits.of_timing),
    "quco_rag": View(quco_rag.verdict, exhibits.of_quco_rag),
    "sugar": View(sugar.verdict, exhibits.of_sugar),
    "uncertainty": View(uncertainty.verdict, exhibits.of_uncertainty),
    "chunk_utility": View(chunk_utility.verdict, exhibits.of_chunk_utility),
}


def exhibits_of(result: MethodResult) -> tuple[Exhibit, ...]:
    """Return what a method's result is shown by."""
    return VIEWS[result.method].exhibits(result)
