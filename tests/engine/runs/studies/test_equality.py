"""However a study is asked, its records are the same: in turn, side by side, by two programs, and after a kill."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.core.progress import Event, Report, Snapshot, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import run as road
from engine.runs import store as run_store
from engine.runs.jobs import desk as jobs
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.jobs.turns import Turns
from engine.runs.store import RunStore
from engine.runs.studies.plan import make_plan
from engine.runs.studies.questions import read_questions
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.together import Together
from tests.engine.catalogue.scripted_run import GOLDS, PASSAGES, scripted_road
from tests.engine.runs.studies.study_case import question_file, without_clock

PROJECT = Path(__file__).resolve().parents[4]
YEARS = (1702, 1890, 1911, 1954)
OTHER = """
import sys
from pathlib import Path
from engine.runs.run import run_request
from tests.engine.runs.studies.test_equality import asked, half_of_the_second, scripted_road

with scripted_road():
    asked(Path(sys.argv[1]) / "two", [run_request])
    asked(Path(sys.argv[1]) / "killed", [half_of_the_second])
"""


def asked(folder: Path, runs: Sequence[Run]) -> dict[str, str]:
    """Return the records of a study in this folder by their questions, after a desk for each of ``runs`` worked."""
    folder.mkdir(exist_ok=True)
    own = [{"title": one.title, "text": one.text} for one in PASSAGES]
    rows: list[dict[str, object]] = [
        {"question": f"Who rebuilt the Vesper Clock of {year}?", "answers": list(GOLDS), "passages": own}
        for year in YEARS
    ]
    file = read_questions(question_file(folder, rows))
    plan, points = make_plan(file, DiagnosisRequest(question="", methods=("dense", "seper")))
    studies, store = StudyStore(folder / "studies.sqlite"), RunStore(folder / "runs.sqlite")
    study = studies.listing()[0].id if studies.listing() else studies.create(plan, file, points)
    desks = [JobDesk(store, run) for run in runs]
    print("begun", flush=True)
    try:
        StudyRunner(studies, desks).work(study)
    finally:
        for desk in desks:
            desk.shutdown()
    found = [store.get(point.run).diagnosis for point in points]
    assert studies.get(study).done == len(YEARS) == len(store.listing(search="Vesper"))
    return {one.question: without_clock(one) for one in found if one is not None}


def half_of_the_second(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
    """Ask as ever, but stay in the second question for good once one of its methods is over."""

    def told(event: Event) -> None:
        report(event)
        record = event.record if isinstance(event, Snapshot) else None
        if isinstance(record, Diagnosis) and record.outcomes and str(YEARS[1]) in request.question:
            print("half", flush=True)
            sys.stdin.read()

    return road.run_request(request, told, kept)


def other_program(folder: Path) -> subprocess.Popen[str]:
    """Return another program that works on one study of a folder, and then gets stuck in another."""
    return subprocess.Popen(
        [sys.executable, "-c", OTHER, str(folder)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def read_until(process: subprocess.Popen[str], word: str) -> None:
    """Read what a program says until it says this. Raises AssertionError where it ends before."""
    assert process.stdout is not None
    assert any(line.strip() == word for line in process.stdout)


def test_one_by_one_side_by_side_by_two_programs_and_after_a_kill_records_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_program(tmp_path)
    with scripted_road():
        one_by_one = asked(tmp_path / "one", [road.run_request])
        together = Together(2, lambda name, report, device: road.load_language_model(name, report, device), 0.05)
        side_by_side = asked(tmp_path / "beside", [together.run] * 2)
        read_until(other, "begun")
        by_two = asked(tmp_path / "two", [road.run_request])
        read_until(other, "half")
        other.kill()
        other.wait()
        # The dead program's last beat would count for twenty seconds.
        monkeypatch.setattr(run_store, "BEAT_EXPIRY", 0.0)
        monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.1)
        resumed = asked(tmp_path / "killed", [road.run_request])
    assert len(one_by_one) == len(YEARS)
    assert side_by_side == one_by_one and by_two == one_by_one and resumed == one_by_one


def test_a_question_asked_meanwhile_waits_for_the_round_and_comes_before_the_next_one() -> None:
    turns, order = Turns(), []
    first, second = object(), object()
    turns.wait_for(first)

    def look(event: Event) -> None:
        order.append("waits")
        turns.leave(first)

    with turns.taken(look):
        order.append("question")
        assert turns.busy
    turns.wait_for(second)
    assert order == ["waits", "question"]
    turns.leave(second)
    assert not turns.busy
