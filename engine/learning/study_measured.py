"""A study of test questions as ``benchmarks/study_speed.py`` measured it: its views, each with the paper's values."""

from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.folders import PROJECT
from engine.core.json_text import read_json_file
from engine.runs.studies.views.base import Mark, Measured

RESULTS = PROJECT / "benchmarks" / "results" / "study_nq.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyMeasured:
    """The views that a study was measured for, and of how many questions it is."""

    questions: int
    views: tuple[Measured, ...]


def stored_view(name: str, path: Path = RESULTS) -> Measured | None:
    """Return the first series of the view of that name, None without a file or a view.

    Raises RecordError for another kind of file.
    """
    if not path.is_file():
        return None
    found = next((view for view in read_json_file(path, StudyMeasured).views if view.name == name), None)
    return None if found is None else replace(found, marks=first_series(found.marks))


def first_series(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Return the marks of the series that is named first: a phone has no room for two panels."""
    return tuple(mark for mark in marks if mark.series == marks[0].series)
