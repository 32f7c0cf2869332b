"""Getting ready before anybody asks: once, out of the way of a run, quiet when the program ends; and a first look."""

import logging
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import CorpusError, ModelError
from engine.core.progress import Found, Report, Stage
from engine.core.records import Hit
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk
from engine.runs.store import RunStore
from tests.engine.runs.jobs.gated_runs import REQUEST, until, waited


def test_getting_ready_happens_once_and_gives_way_to_a_run(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    begun, gone = threading.Event(), threading.Event()
    times: list[int] = []

    def warm(report: Report) -> None:
        times.append(1)
        begun.set()
        try:
            while True:
                time.sleep(0.01)
                report(Stage(method="models", name="getting ready"))
        finally:
            gone.set()

    desk = JobDesk(tmp_store, lambda request, report: example_diagnosis, warm)
    assert not begun.wait(0.1), "nobody has asked to get ready"
    desk.warm()
    assert begun.wait(10)
    waited(desk, desk.submit(REQUEST), "done")
    assert gone.is_set()
    desk.warm()
    time.sleep(0.1)
    assert times == [1]
    desk.shutdown()


def test_getting_ready_that_fails_is_logged_and_costs_no_run(
    tmp_store: RunStore, example_diagnosis: Diagnosis, caplog: pytest.LogCaptureFixture
) -> None:
    def warm(report: Report) -> None:
        raise ModelError("The weights are gone.")

    desk = JobDesk(tmp_store, lambda request, report: example_diagnosis, warm)
    with caplog.at_level(logging.ERROR):
        desk.warm()
        waited(desk, desk.submit(REQUEST), "done")
        until(lambda: "The weights are gone" in caplog.text)
    desk.shutdown()


def test_a_run_that_waits_shows_the_passages_of_a_first_look_until_it_finds_its_own(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    own = example_diagnosis.hits
    first = tuple(replace(hit, retriever="bm25") for hit in own[:1])
    looked, go, found, end = (threading.Event() for _ in range(4))

    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        go.wait(10)
        report(Found(hits=own))
        found.set()
        end.wait(10)
        return example_diagnosis

    def look(request: DiagnosisRequest) -> tuple[Hit, ...]:
        looked.set()
        return first

    desk = JobDesk(tmp_store, run, look=look)
    run_id = desk.submit(REQUEST)
    assert looked.wait(10)
    until(lambda: (status := desk.status(run_id)) and status.hits)
    status = desk.status(run_id)
    assert status is not None and status.hits == first
    go.set()
    assert found.wait(10)
    status = desk.status(run_id)
    assert status is not None and status.hits == own
    end.set()
    waited(desk, run_id, "done")
    desk.shutdown()


def test_a_first_look_that_fails_costs_no_run(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    def look(request: DiagnosisRequest) -> tuple[Hit, ...]:
        raise CorpusError("The corpus is gone.")

    desk = JobDesk(tmp_store, lambda request, report: example_diagnosis, look=look)
    waited(desk, desk.submit(REQUEST), "done")
    desk.shutdown()


EARLY = """
import atexit, logging, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from engine.runs.jobs.desk import JobDesk
from engine.runs.store import RunStore
logging.basicConfig(level=logging.WARNING)
begun = threading.Event()
def warm(report):
    begun.set()
    while True:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(time.sleep, 0.001).result()
desk = JobDesk(RunStore(Path(sys.argv[1])), None, warm)
atexit.register(desk.shutdown, 2.0)
desk.warm()
begun.wait(20)
"""


def test_a_program_that_ends_while_it_gets_ready_ends_quietly(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EARLY, str(tmp_path / "runs.sqlite")], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")
