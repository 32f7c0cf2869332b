"""A study over Ray: two local workers find what one desk finds, and a lost worker's question is asked again."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import torch

from engine.core.allowed import acting_person
from engine.core.errors import CorpusError, ModelError
from engine.core.progress import Report, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.store import RunStore
from engine.runs.studies.plan import corpus_hash
from engine.runs.studies.ray_workers import Asker, RayWorker, begin_ray, passed_on
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import StudyTable, read_table
from tests.engine.runs.studies.study_case import Engine, answered, started, worked
from tests.hosted import open_to_others


@pytest.fixture
def two_workers() -> Iterator[None]:
    """Begin a Ray of two workers on this machine, which do not give way to other programs."""
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")
        begin_ray(2)
    yield
    ray.shutdown()


class Mortal:
    """Dies in the middle of one question, the first time it is asked; ``folder`` remembers that."""

    def __init__(self, folder: str, question: str) -> None:
        self.mark, self.question = Path(folder) / "died", question

    def __call__(self) -> Run:
        return self.run

    def run(self, request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        if request.question == self.question and not self.mark.exists():
            self.mark.touch()
            os._exit(1)
        if request.question.endswith("5?"):
            raise ModelError("The model lost its weights.")
        time.sleep(0.05)
        return answered(request)


def over_ray(folder: Path, make: Mortal) -> StudyTable:
    """Return a study's table after two workers answered it."""
    studies = StudyStore(folder / "ray.sqlite")
    study = started(folder, studies)
    runs = RunStore(folder / "ray-runs.sqlite")
    corpus = studies.get(study).plan.corpus_hash
    desks = [JobDesk(runs, RayWorker(make, corpus, processors=0.5).run) for _ in range(2)]
    try:
        StudyRunner(studies, desks).work(study)
        return read_table(study, studies)
    finally:
        for desk in desks:
            desk.shutdown()
        studies.close()


def test_two_workers_find_the_same_as_one_desk_and_a_lost_question_is_asked_again(
    tmp_path: Path, tmp_store: RunStore, two_workers: None
) -> None:
    studies = StudyStore(tmp_path / "studies.sqlite")
    one_desk = worked(studies, tmp_store, started(tmp_path, studies), Engine(failing=("Who built tower 5?",)).run)
    make = Mortal(str(tmp_path), "Who built tower 3?")
    both = over_ray(tmp_path, make)
    assert make.mark.exists()
    assert both.frame["state"].tolist() == ["done"] * 4 + ["failed", "done"]
    pd.testing.assert_frame_equal(both.frame, one_desk.frame)
    studies.close()


def test_workers_have_the_threads_and_the_settings_of_this_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_DTYPE", "float32")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    found = passed_on()
    assert found["OMP_NUM_THREADS"] == str(torch.get_num_threads()), "what torch took, whatever was said since"
    assert found["MICROSCOPE_DTYPE"] == "float32"


def test_a_worker_with_another_corpus_is_refused_and_one_with_the_same_is_not(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Another text.")
    asker = Asker(lambda: answered)
    request = DiagnosisRequest(question="Who built tower 1?", corpus=str(corpus))
    assert isinstance(asker.ask(request, None, "0" * 64), CorpusError)
    found = asker.ask(request, None, corpus_hash(str(corpus)))
    assert found == answered(request)


def test_a_worker_acts_for_the_owner_where_others_may_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(request: DiagnosisRequest, report: Report = silent) -> Diagnosis:
        acting.append(acting_person())
        return answered(request)

    acting: list[str | None] = []
    open_to_others(monkeypatch, tmp_path)
    Asker(lambda: run).ask(DiagnosisRequest(question="Who built tower 1?"), None, "")
    assert acting == [None]
