"""A study while its stores cannot be written: its processes and threads end, and it goes on once there is room."""

import threading
import time
from pathlib import Path

import pytest

from engine.core.errors import StorageError
from engine.core.progress import silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk
from engine.runs.store import RunStore
from engine.runs.studies import concurrency
from engine.runs.studies.background import start_study
from engine.runs.studies.concurrency import Concurrency, opened_desks
from engine.runs.studies.row import no_verdicts
from engine.runs.studies.store import StudyStore
from tests.engine.runs.studies.study_case import Engine, answered, started

FULL = "The disk is full, so the run store cannot grow. Free some space and try again."


class Process:
    """Stands for a process that answers questions, and notes that it was ended."""

    def __init__(self) -> None:
        self.ended = False

    def run(self, *asked: object) -> Diagnosis:
        """Return the run of a question."""
        return answered(*asked)  # type: ignore[arg-type]

    def end(self) -> None:
        """Note the end."""
        self.ended = True


def refuse(*_: object, **__: object) -> None:
    """Do what a store on a full disk does."""
    raise StorageError(FULL, "full")


def test_the_processes_of_a_study_end_where_the_store_cannot_be_written(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = [Process(), Process()]
    monkeypatch.setattr(concurrency, "made_processes", lambda number, turns: processes)
    with opened_desks(Concurrency(workers=2), tmp_store, "") as desks:
        monkeypatch.setattr(tmp_store, "retire", refuse)
    assert [one.ended for one in processes] == [True, True]
    assert not any(desk.worker.is_alive() or desk.heart.is_alive() for desk in desks)


def test_a_study_on_a_full_disk_ends_its_thread_and_goes_on_once_there_is_room(
    tmp_path: Path, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies, engine, broken = StudyStore(tmp_path / "studies.sqlite"), Engine(), []
    monkeypatch.setattr(threading, "excepthook", broken.append)
    study = started(tmp_path, studies)

    def full_from_now(request: DiagnosisRequest, *_: object) -> Diagnosis:
        full.setattr(StudyStore, "change", refuse)
        full.setattr(StudyStore, "conclude", refuse)
        return engine.run(request, silent)

    with pytest.MonkeyPatch.context() as full:
        desk = JobDesk(tmp_store, full_from_now)
        start_study(studies, desk, study, no_verdicts)
        wait_for_end(study)
        desk.shutdown()
    assert broken == [] and engine.asked == ["Who built tower 1?"]
    assert (studies.get(study).done, studies.get(study).waiting) == (0, 6)

    desk = JobDesk(tmp_store, engine.run)
    start_study(studies, desk, study, no_verdicts)
    wait_for_end(study)
    desk.shutdown()
    studies.close()
    assert (studies.get(study).state, engine.asked) == ("done", [f"Who built tower {n}?" for n in range(1, 7)])


def wait_for_end(study: str) -> None:
    """Wait until no thread works on a study."""
    name = f"microscope-study-{study}"
    for _ in range(2000):
        if not any(thread.name == name for thread in threading.enumerate()):
            return
        time.sleep(0.01)
    raise AssertionError("the study's thread did not end")
