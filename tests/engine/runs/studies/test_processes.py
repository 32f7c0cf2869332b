"""A study over processes of this machine: the same records, a lost process asked again, errors, cancel, and an end."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.errors import Cancelled, CorpusError, InputError, MicroscopeError, ModelError, StorageError
from engine.core.progress import Event, Report, Snapshot, Stage, TokensDecoded, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import run as road
from engine.runs.jobs.desk import Run
from engine.runs.jobs.turns import Turns
from engine.runs.store import RunStore
from engine.runs.studies import concurrency, processes
from engine.runs.studies.concurrency import Concurrency, concurrency_for, opened_desks, usual_concurrency
from engine.runs.studies.processes import ProcessWorker, error_of, usual_processes
from engine.runs.studies.worker_process import event_line, event_of
from tests.engine.catalogue.scripted_run import scripted_road
from tests.engine.runs.studies.study_case import answered
from tests.engine.runs.studies.test_equality import YEARS, asked

HERE = "tests.engine.runs.studies.test_processes"
MARK = "MICROSCOPE_TEST_MARK"


def question(words: str) -> DiagnosisRequest:
    """Return a request for a question about a tower."""
    return DiagnosisRequest(question=words, methods=("dense", "seper"))


def scripted_run() -> Run:
    """Return how a process answers with made-up models."""

    def run(*asked: object) -> Diagnosis:
        with scripted_road():
            return road.run_request(*asked)  # type: ignore[arg-type]

    return run


def troubled_run() -> Run:
    """Return how a process answers that fails, dies, prints, or never ends, by the number of the tower."""

    def run(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        mark = Path(os.environ[MARK])
        if "tower 2" in request.question:
            raise CorpusError("There is no such corpus.")
        if "tower 3" in request.question:
            raise ZeroDivisionError("by nothing")
        if "tower 4" in request.question and not mark.exists():
            mark.touch()
            os._exit(1)
        if "tower 5" in request.question:
            os._exit(1)
        if "tower 6" in request.question:
            report(Stage(method="dense", name="rewording", done=1, total=3))
            time.sleep(60)
        print("a library prints this")
        report(TokensDecoded(count=7))
        found = answered(request)
        report(Snapshot(record=found))
        return found

    return run


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessWorker]:
    """Begin a process that gets into trouble."""
    monkeypatch.setenv(MARK, str(tmp_path / "died"))
    made = ProcessWorker(make=f"{HERE}:{troubled_run.__name__}")
    yield made
    made.end()


def test_processes_find_the_records_that_one_desk_finds(tmp_path: Path) -> None:
    made = [ProcessWorker(make=f"{HERE}:{scripted_run.__name__}") for _ in range(2)]
    try:
        by_two = asked(tmp_path / "processes", [one.run for one in made])
        assert all(one.process is not None and one.process.poll() is None for one in made), "each answered"
    finally:
        for one in made:
            one.end()
    with scripted_road():
        alone = asked(tmp_path / "one", [road.run_request])
    assert by_two == alone and len(alone) == len(YEARS)


def test_what_a_process_reports_and_how_it_fails_is_as_in_this_program(worker: ProcessWorker) -> None:
    heard: list[Event] = []
    found = worker.run(question("Who built tower 1?"), heard.append)
    assert found == answered(question("Who built tower 1?"))
    assert TokensDecoded(count=7) in heard and Snapshot(record=found) in heard
    first = worker.process
    with pytest.raises(CorpusError, match=r"^There is no such corpus\.$"):
        worker.run(question("Who built tower 2?"))
    with pytest.raises(MicroscopeError, match="Unexpected ZeroDivisionError: by nothing"):
        worker.run(question("Who built tower 3?"))
    assert worker.process is first and first is not None and first.poll() is None, "an error ends no process"


def test_a_lost_process_is_started_anew_three_times_at_most(worker: ProcessWorker) -> None:
    assert worker.run(question("Who built tower 4?")) == answered(question("Who built tower 4?"))
    assert Path(os.environ[MARK]).exists()
    with pytest.raises(ModelError, match="lost 3 times"):
        worker.run(question("Who built tower 5?"))
    assert worker.process is None
    assert worker.run(question("Who built tower 1?")) == answered(question("Who built tower 1?"))


def test_a_cancelled_question_ends_its_process_at_once(worker: ProcessWorker) -> None:
    seen: list[int] = []

    def stop(event: Event) -> None:
        if isinstance(event, Stage) and event.name == "rewording":
            assert worker.process is not None
            seen.append(worker.process.pid)
            raise Cancelled("enough")

    began = time.monotonic()
    with pytest.raises(Cancelled):
        worker.run(question("Who built tower 6?"), stop)
    assert time.monotonic() - began < 30 and worker.process is None
    with pytest.raises(ProcessLookupError):
        os.kill(seen[0], 0)


def test_a_process_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    program = f"""
import os, time
from engine.runs.studies.processes import ProcessWorker
worker = ProcessWorker(make="{HERE}:troubled_run")
worker.start()
print(worker.process.pid, flush=True)
os._exit(0)
"""
    project = Path(__file__).resolve().parents[4]
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=project, capture_output=True, text=True, timeout=60,
        env={**os.environ, MARK: str(tmp_path / "died"), "PYTHONPATH": str(project)},
    )  # fmt: skip
    process, until = int(told.stdout), time.monotonic() + 30
    while time.monotonic() < until and Path(f"/proc/{process}/cmdline").exists():
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_question_of_the_page_goes_first(worker: ProcessWorker) -> None:
    turns, waited = Turns(), []
    worker.busy = lambda: turns.busy
    party = object()
    turns.wait_for(party)

    def look(event: Event) -> None:
        if event == processes.GIVING_WAY:
            assert worker.process is None
            waited.append(event)
            turns.leave(party)

    worker.run(question("Who built tower 1?"), look)
    assert waited == [processes.GIVING_WAY]


def test_events_and_errors_come_back_as_they_were() -> None:
    for event in (Stage(method="dense", name="é\n", done=1, total=2), TokensDecoded(count=3)):
        line = event_line(event)
        assert line is not None and "\n" not in line
    assert event_of("Stage", '{"method":"dense","name":"x"}') == Stage(method="dense", name="x")
    assert event_line(Snapshot(record="no diagnosis")) is None
    assert type(error_of("StorageError", "full")) is StorageError and str(error_of("StorageError", "full")) == "full"
    assert type(error_of("os", "x")) is MicroscopeError and type(error_of("SystemExit", "x")) is MicroscopeError


def test_as_many_processes_as_cores_memory_and_questions_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "usable_cores", lambda: 3)
    monkeypatch.setattr(processes, "free_memory", lambda: 100 * processes.PROCESS_BYTES)
    assert [usual_processes(points) for points in (0, 1, 2, 50)] == [1, 1, 2, 3]
    monkeypatch.setattr(processes, "free_memory", lambda: 2 * processes.PROCESS_BYTES + 1)
    assert usual_processes(50) == 2
    monkeypatch.setattr(processes, "free_memory", lambda: 5)
    assert usual_processes(50) == 1
    monkeypatch.setattr(processes, "usable_cores", lambda: 64)
    monkeypatch.setattr(processes, "free_memory", lambda: None)
    assert usual_processes(50) == processes.MOST_PROCESSES


def test_how_many_are_asked_at_once_suits_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "usual_processes", lambda points: 3)
    monkeypatch.setattr(concurrency, "place_or_cpu", lambda: "cpu")
    assert usual_concurrency("embedded", 9) == Concurrency(workers=3)
    assert usual_concurrency("/models/mine", 9) == Concurrency() and usual_concurrency(
        "http://a/v1#m", 9
    ) == Concurrency(together=8)
    assert concurrency_for("embedded", 5) == Concurrency(workers=5) and concurrency_for(
        "http://a/v1#m", 5
    ) == Concurrency(together=5)
    assert [one.number for one in (Concurrency(), Concurrency(together=4), Concurrency(workers=2))] == [1, 4, 2]


def test_both_ways_at_once_are_refused_and_processes_end_with_the_block(tmp_store: RunStore) -> None:
    with pytest.raises(InputError, match="not both"), opened_desks(Concurrency(together=2, workers=2), tmp_store, ""):
        pass
    with opened_desks(Concurrency(workers=2), tmp_store, "") as desks:
        assert len(desks) == 2
    assert all(not desk.worker.is_alive() for desk in desks)
