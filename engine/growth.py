"""How cost grows with the corpus, as ``benchmarks/growth_corpus.py`` measured it: the records, and where they lie."""

from dataclasses import dataclass
from pathlib import Path

from engine.records import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPoint:
    """One cost at one size: the middle value of its repeats, and where there were several, their 95th percentile."""

    size: int
    value: float
    p95: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthCurve:
    """One cost over all sizes. ``exponent`` is b in cost = a · size^b, None where there are too few points to fit.

    ``unit`` is what ``value`` counts in. ``note`` says what was not measured but worked out, "" where nothing was.
    """

    name: str
    unit: str
    points: tuple[GrowthPoint, ...]
    exponent: float | None = None
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusGrowth:
    """All curves of one measurement, and what a reader must know of how they were taken."""

    started_at: str
    machine: str
    processors: int
    threads: int
    libraries: tuple[tuple[str, str], ...]
    queries: int
    notes: tuple[str, ...]
    curves: tuple[GrowthCurve, ...]

    def curve(self, name: str) -> GrowthCurve | None:
        """Return the curve of a name, None where it was not measured."""
        return next((curve for curve in self.curves if curve.name == name), None)


def results_file() -> Path:
    """Return where the measurement that ships with the program lies."""
    return Path(__file__).resolve().parent.parent / "benchmarks" / "results" / "growth_corpus.json"
