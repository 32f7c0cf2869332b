"""How cost grows with the corpus and with one question: the records of both benchmarks, and where their results lie."""

from dataclasses import dataclass
from pathlib import Path

from engine.core.records import Interval

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPoint:
    """One cost at one size: the median of its repeats, and their 95th percentile if there are several."""

    size: int
    value: float
    p95: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthCurve:
    """One cost over all sizes. ``exponent`` is b in cost = a · size^b, None if there are too few points to fit.

    ``unit`` is the unit of ``value``. ``note`` says what was extrapolated and not measured, "" without such values.
    """

    name: str
    unit: str
    points: tuple[GrowthPoint, ...]
    exponent: float | None = None
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusGrowth:
    """All curves of one measurement, and what a reader must know about it."""

    started_at: str
    machine: str
    processors: int
    threads: int
    libraries: tuple[tuple[str, str], ...]
    queries: int
    notes: tuple[str, ...]
    curves: tuple[GrowthCurve, ...]

    def curve(self, name: str) -> GrowthCurve | None:
        """Return the curve with a name, None if it was not measured."""
        return next((curve for curve in self.curves if curve.name == name), None)


def results_file() -> Path:
    """Return the path of the shipped measurement over the corpus."""
    return RESULTS / "growth_corpus.json"


def question_results_file() -> Path:
    """Return the path of the shipped measurement over the size of one diagnosis."""
    return results_file().with_name("growth_question.json")
