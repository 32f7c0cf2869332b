"""Runs that wait until a test lets them go on, and how long a test waits for a state."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from engine.core.progress import Report, Snapshot, Stage, TokensDecoded
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk, JobStatus, Run

REQUEST = DiagnosisRequest(question="Who?")
OpenDesk = Callable[[Run], JobDesk]


class Gate:
    """A run that goes on only when the test lets it, and reports once on each side of the gate."""

    def __init__(self, record: Diagnosis) -> None:
        self.record = record
        self.entered = threading.Event()
        self.opened = threading.Event()
        self.questions: list[str] = []

    def run(self, request: DiagnosisRequest, report: Report) -> Diagnosis:
        """Return the record once the gate is open."""
        self.questions.append(request.question)
        report(Stage(method="dense", name="rewriting", done=1, total=5))
        report(TokensDecoded(count=40))
        report(Snapshot(record=replace(self.record, outcomes=self.record.outcomes[:1])))
        self.entered.set()
        assert self.opened.wait(10)
        report(Stage(method="seper", name="sampling", done=2, total=20))
        return self.record


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds; fails after ten seconds."""
    over = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < over, "it does not come about"
        time.sleep(0.01)


def waited(desk: JobDesk, run_id: str, state: str) -> JobStatus:
    """Return the status once it is ``state``; fails after ten seconds."""
    for _ in range(1000):
        status = desk.status(run_id)
        if status and status.state == state:
            return status
        time.sleep(0.01)
    raise AssertionError(f"not {state} in time: {desk.status(run_id)}")
