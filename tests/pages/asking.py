"""What tests of the Ask page share: where it is, and waiting for a run to come so far."""

import time
from collections.abc import Callable

from engine.runs.jobs.desk import JobDesk, JobStatus
from engine.runs.store import RunStore

ASK = "pages/workspace/ask.py"
PASTE = "ask.0.pasted"


def finished(store: RunStore, run_id: str, state: str = "done") -> None:
    """Wait until a run has reached a state."""
    for _ in range(200):
        if store.get(run_id).state == state:
            return
        time.sleep(0.02)
    raise AssertionError(f"run {run_id} is {store.get(run_id).state}, not {state}")


def going(desk: JobDesk, run_id: str, reached: Callable[[JobStatus], bool]) -> None:
    """Wait until a run has come as far as wanted."""
    for _ in range(250):
        if (status := desk.status(run_id)) and reached(status):
            return
        time.sleep(0.02)
    raise AssertionError("the run did not come that far")
