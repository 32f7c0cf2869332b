"""How well the embedded judge does, as its benchmark measured it: numbers for the page that explains it.

The file that the benchmark wrote is read as it is; without it there are no numbers.
"""

import json
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "judge.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Answers whose P(entailment) lies in one tenth: how many, its mean, and the share that people call right."""

    answers: int
    said: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuality:
    """Agreement with people in percent by judge and system, and how far the embedded judge's probabilities hold."""

    data: str
    systems: tuple[str, ...]
    agreement: tuple[tuple[str, tuple[float, ...]], ...]
    bins: tuple[ReliabilityBin, ...]
    calibration_error: float
    answers: int


def judge_quality(path: Path = RESULTS) -> JudgeQuality | None:
    """Return what the benchmark wrote, None where there is no such file."""
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    keys = list(found["systems"])
    table = found["accuracy"]
    whole = int(table["embedded"]["answers"])
    return JudgeQuality(
        data=found["data"],
        systems=tuple(found["systems"].values()),
        agreement=tuple(
            (judge_label(name, row, whole), tuple(float(row[key]) for key in keys))
            for name, row in table.items()
            if "asked of" not in name
        ),
        bins=tuple(
            ReliabilityBin(answers=row["answers"], said=row["said"], right=row["right"])
            for row in found["reliability"]["bins"]
        ),
        calibration_error=float(found["reliability"]["expected_calibration_error"]),
        answers=whole,
    )


def judge_label(name: str, row: dict[str, float], whole: int) -> str:
    """Return a judge's name, with the number of answers it judged where these are fewer.

    >>> judge_label("llm", {"answers": 120}, 2793)
    'llm (120 answers only)'
    """
    return name if row.get("answers", whole) == whole else f"{name} ({row['answers']} answers only)"
