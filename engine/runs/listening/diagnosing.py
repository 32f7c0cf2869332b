"""What becomes of a trace that came in: a file of its own, a run where methods are asked for, and scores to send back.

One thread works off the traces in order. A trace that waits behind a hundred others is kept as a file and not asked.
"""

import json
import queue
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import MicroscopeError
from engine.core.folders import make_folder, write_whole
from engine.core.words import shorten
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.diagnosis.traces.schema import Trace
from engine.runs.read_trace import imported_answer, trace_request

MOST_WAITING = 100
ANNOTATIONS = ".annotations.json"
Ask = Callable[[DiagnosisRequest], tuple[str, Diagnosis | None, str]]
Score = Callable[[ImportedAnswer, Diagnosis | None], list[dict[str, object]]]


class Diagnoser:
    """Keeps and diagnoses traces. ``ask`` gives a run's id, its record and, without one, why; ``say`` tells people."""

    def __init__(
        self,
        folder: Path,
        methods: Sequence[str],
        model: str,
        ask: Ask,
        score: Score,
        say: Callable[[str], None],
    ) -> None:
        self.folder, self.methods, self.model = make_folder(folder), tuple(methods), model
        self.ask, self.score, self.say = ask, score, say
        self.count = 0
        self._waiting: queue.Queue[tuple[Trace, Path] | None] = queue.Queue(MOST_WAITING)
        self._worker = threading.Thread(target=self._work, name="microscope-listen", daemon=True)
        self._worker.start()

    def take(self, trace: Trace) -> None:
        """Keep a trace and line it up. Raises StorageError where it cannot be written."""
        self.count += 1
        file = write_trace(self.folder, trace)
        self.say(f"Trace {self.count}: {shorten(trace.question, 80)} → {shorten(trace.answer.text.strip(), 80)}")
        try:
            self._waiting.put_nowait((trace, file))
        except queue.Full:
            self.say(f"Trace {self.count} is kept and not looked at: {MOST_WAITING} others wait.")

    def close(self) -> None:
        """Work off what waits, then stop."""
        self._waiting.put(None)
        self._worker.join()

    def _work(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            try:
                self._look_at(*waiting)
            except MicroscopeError as exc:
                self.say(f"{waiting[1].name}: {exc}")
            except Exception as exc:  # the next trace is looked at all the same
                self.say(f"{waiting[1].name}: {type(exc).__name__}")

    def _look_at(self, trace: Trace, file: Path) -> None:
        answer = imported_answer(trace)
        diagnosis = None
        if self.methods:
            run_id, diagnosis, why = self.ask(trace_request(trace, answer, self.methods, self.model))
            self.say(f"{file.name}: run {run_id}" + (f" gave no record: {why}" if diagnosis is None else ""))
        scores = file.with_suffix(ANNOTATIONS)
        write_json(scores, {"data": self.score(answer, diagnosis)})
        self.say(f"{scores.name}: scores to send back")


def write_trace(folder: Path, trace: Trace) -> Path:
    """Return the new file of a trace, named by when it came. Raises StorageError where it cannot be written."""
    file = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{name_of(trace)}.json"
    write_json(file, asdict(trace))
    return file


def name_of(trace: Trace) -> str:
    """Return a trace's id as part of a file's name, "trace" where it has none."""
    return re.sub(r"[^0-9A-Za-z]", "", trace.trace_id)[:32] or "trace"


def write_json(file: Path, value: object) -> None:
    """Write a file, which the Trace page lists once it is whole. Raises StorageError where it cannot be written."""
    write_whole(file, json.dumps(value, ensure_ascii=False, indent=1), str(file))
