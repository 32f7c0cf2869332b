"""The questions of a study on several processes of this machine, each with its own models.

Threads that work on one question wait for each other often: on two cores, two processes are 1.76 times as fast as one
(``benchmarks/results/study_speed.json``). Each process has as many threads as this program, since
bfloat16 products round by their number: with one thread instead of two, greedy answers change. So records are the same
bit for bit. A process that is lost is started anew, and its question is asked again.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue

import engine
from engine.backends.devices import free_memory
from engine.core import errors
from engine.core.errors import MicroscopeError, ModelError
from engine.core.progress import Report, Stage, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json
from engine.runs.studies import worker_process
from engine.runs.studies.worker_process import DONE, FAILED, asked_line, event_of

TRIES = 3
LOOK_SECONDS = 0.2
END_SECONDS = 5.0
STARTING = Stage(method="", name="another process is started")
GIVING_WAY = Stage(method="", name="a question asked before is computed")
MOST_PROCESSES = 4
# What a process with the embedded models takes beside the weights that all share, measured (docs/scale.md).
PROCESS_BYTES = 2_600 * 2**20


def not_busy() -> bool:
    """Return that nobody else computes."""
    return False


def usable_cores() -> int:
    """Return how many cores this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usual_processes(points: int) -> int:
    """Return how many processes suit so many questions here: one a core while memory lasts, four at most."""
    cores, free = usable_cores(), free_memory()
    room = cores if free is None else free // PROCESS_BYTES
    return max(1, min(cores, room, points, MOST_PROCESSES))


@dataclass(eq=False)
class ProcessWorker:
    """One process as a desk sees it: ``run`` answers there. It is started at its first question.

    ``nice`` says how far it gives way to other programs, 0 to 19; ``busy`` says whether
    somebody else computes in this program, for whom the next question waits. ``make`` is the MODULE:NAME of the
    function that says how to answer, "" = as this program does.
    """

    nice: int = 0
    busy: Callable[[], bool] = not_busy
    make: str = ""
    process: subprocess.Popen[str] | None = None
    lines: SimpleQueue[str | None] = field(default_factory=SimpleQueue)

    def run(self, request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        """Return the diagnosis that the process found. Raises its error, ModelError where it was lost thrice.

        ``report`` may raise to stop: the process is then ended.
        """
        while self.busy():
            report(GIVING_WAY)
            threading.Event().wait(LOOK_SECONDS)
        for _ in range(TRIES):
            answered = False
            try:
                self.ask(request, kept)
                found = self.wait_for(report)
                answered = found is not None
            finally:
                if not answered:
                    self.end()
            if isinstance(found, MicroscopeError):
                raise found
            if found is not None:
                return found
        raise ModelError(f"A process was lost {TRIES} times while it answered this question.")

    def ask(self, request: DiagnosisRequest, kept: Diagnosis | None) -> None:
        """Send a question; one that cannot be sent is found lost when its answer is waited for."""
        if self.process is None:
            self.start()
        assert self.process is not None and self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(asked_line(request, kept) + "\n")
            self.process.stdin.flush()

    def start(self) -> None:
        """Start the process, and the thread that takes what it says."""
        command = [sys.executable, "-m", worker_process.__name__, *filter(None, [self.make])]
        self.process = started = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment(),
        )
        if self.nice:
            with suppress(OSError, AttributeError):
                os.setpriority(os.PRIO_PROCESS, started.pid, self.nice)
        said: SimpleQueue[str | None] = SimpleQueue()
        self.lines = said

        def take() -> None:
            assert started.stdout is not None
            with suppress(OSError, ValueError):
                for line in started.stdout:
                    said.put(line)
            said.put(None)

        threading.Thread(target=take, name="study process", daemon=True).start()

    def wait_for(self, report: Report) -> Diagnosis | MicroscopeError | None:
        """Return what the process answers, None where it was lost; its events are passed on meanwhile."""
        last = STARTING
        while True:
            try:
                line = self.lines.get(timeout=LOOK_SECONDS)
            except Empty:
                report(last)
                continue
            if line is None:
                return None
            told = json.loads(line)
            if told["kind"] == DONE:
                return from_json(told["content"])
            if told["kind"] == FAILED:
                return error_of(*json.loads(told["content"]))
            event = event_of(told["kind"], told["content"])
            last = event if isinstance(event, Stage) else last
            report(event)

    def end(self) -> None:
        """End the process, if there is one."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def error_of(name: str, said: str) -> MicroscopeError:
    """Return the error that a process told of, by the name of its class."""
    kind = getattr(errors, name, MicroscopeError)
    return kind(said) if isinstance(kind, type) and issubclass(kind, MicroscopeError) else MicroscopeError(said)


def environment() -> dict[str, str]:
    """Return the environment of a process: this program's, and where this code lies."""
    code = str(Path(engine.__file__).parent.parent)
    paths = [code, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
