"""Studies of real questions as ``benchmarks/real_studies.py`` measured them: views, each with the paper's values."""

from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.folders import PROJECT
from engine.core.json_text import read_json_file
from engine.runs.studies.views.base import Mark, Measured

FOLDER = PROJECT / "benchmarks" / "results"
STUDIES = {"nq": "Natural Questions", "hotpotqa": "HotpotQA", "musique": "MuSiQue"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyMeasured:
    """What a study measured: its views, how many of its questions they are of, and how many passages each read.

    ``writer`` is the model of step-by-step answers, ``dtype`` the numbers it computed with.
    """

    questions: int
    measured: int
    passages: int
    views: tuple[Measured, ...]
    writer: str
    dtype: str

    def view(self, name: str) -> Measured | None:
        """Return the view of this name, None without."""
        return next((view for view in self.views if view.name == name), None)


def stored_study(word: str, folder: Path = FOLDER) -> StudyMeasured | None:
    """Return the study of this word, None without its file. Raises RecordError for another kind of file."""
    path = folder / f"study_{word}.json"
    return read_json_file(path, StudyMeasured) if path.is_file() else None


def stored_studies(folder: Path = FOLDER) -> dict[str, StudyMeasured]:
    """Return every study that was measured, by its word. Raises RecordError for another kind of file."""
    found = {word: stored_study(word, folder) for word in STUDIES}
    return {word: study for word, study in found.items() if study is not None}


def stored_view(name: str, folder: Path = FOLDER) -> Measured | None:
    """Return the first series of the view of that name, None without a file or a view.

    Raises RecordError for another kind of file.
    """
    study = next(iter(stored_studies(folder).values()), None)
    found = study.view(name) if study is not None else None
    return None if found is None else replace(found, marks=first_series(found.marks))


def first_series(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Return the marks of the series that is named first: a phone has no room for two panels."""
    return tuple(mark for mark in marks if mark.series == marks[0].series)
