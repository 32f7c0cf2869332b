"""What policies achieved at the same number of lookups, as ``benchmarks/timing.py`` measured it: records, read back.

The file of the benchmark is read as it is. If it is missing, nothing is known.
"""

from dataclasses import dataclass, field
from pathlib import Path

from engine.core.folders import PROJECT
from engine.core.json_text import read_json_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A mean, or a mean difference, over ``questions``, with its 95 % interval; None where it was not measured."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPoint:
    """One policy at one threshold: share of right answers, lookups a question, and what was found and still misread."""

    right: Measured
    lookups: Measured
    exact: Measured = field(default_factory=Measured)
    f1: Measured = field(default_factory=Measured)
    gold_retrieved: int = 0
    gold_retrieved_still_misread: Measured = field(default_factory=Measured)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One point of a policy's curve: the number of lookups asked for, what it looked up, the share that is right."""

    level: str
    lookups: float
    right: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class AtEqualLookups:
    """The differences of two policies at the same number of lookups: right answers, exact matches, F1."""

    right: Measured
    exact: Measured
    f1: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All policies over one group of questions. Names as in the benchmark: "etc 1" is ETC at one lookup a question."""

    policies: dict[str, PolicyPoint]
    curves: dict[str, tuple[CurvePoint, ...]]
    equal_lookups: dict[str, AtEqualLookups]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingMeasured:
    """One measurement: which writer over which corpus, how many questions of one and of several hops, what came out."""

    writer: str
    corpus: str
    levels: tuple[float, ...]
    questions: dict[str, int]
    all: Comparison


def timing_results_file() -> Path:
    """Return the path of the shipped measurement."""
    return PROJECT / "benchmarks" / "results" / "timing.json"


def stored_timing(path: Path | None = None) -> TimingMeasured | None:
    """Return what the benchmark wrote, None without a file. Raises RecordError for another kind of file."""
    file = path or timing_results_file()
    return read_json_file(file, TimingMeasured) if file.is_file() else None
