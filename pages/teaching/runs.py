"""The recorded runs behind a lesson, its steps on them, and the address of a slide."""

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import Lesson, Step, chosen_runs
from engine.runs.sample_runs import recorded_ids, recorded_run
from pages.shared import session


def runs_of(lesson: Lesson) -> tuple[tuple[str, Diagnosis], ...]:
    """Return the recorded run of each part of a lesson with its id."""
    ids = chosen_runs(lesson, recorded_run, recorded_ids())
    return tuple((run_id, recorded_run(run_id)) for run_id in ids)


def steps_of(word: str) -> tuple[Step, ...]:
    """Return the steps of a lesson on its recorded runs."""
    return LESSONS[word].build(*(run for _, run in runs_of(LESSONS[word])))


def go_to(word: str, step: int = 0, slide: int = 1, notes: bool = False) -> None:
    """Name a slide of a lesson in the address; "" is the list, ``notes`` the teacher's page."""
    session.set_address("lesson", word)
    session.set_address("step", str(step) if word and step else "")
    session.set_address("slide", str(slide) if word and step and slide > 1 else "")
    session.set_address("notes", "1" if notes else "")
