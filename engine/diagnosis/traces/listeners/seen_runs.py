"""What a listener has seen of a pipeline's runs, as traces: the part that all frameworks share.

A framework reports steps: a root (the chain, the query engine, the pipeline) with retrievers and language models below
it. A run is over when its root is. Passages are what the retrievers found that no other retriever holds, in the order
read; what the root itself returns as its passages or its answer comes first.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.core.errors import StorageError
from engine.diagnosis.traces.adapters import TraceObject, distinct, token_objects, trace_object
from engine.diagnosis.traces.replies import Written
from engine.diagnosis.traces.schema import UNNAMED
from engine.diagnosis.traces.spans import ODD

MOST_KEPT = 1_000
MOST_OPEN = 1_000


@dataclass(slots=True, kw_only=True)
class OpenRun:
    """A run that goes on: its steps with the step above each, and what was read and written so far."""

    question: str = ""
    asked: str = ""
    answer: str = ""
    documents: tuple[TraceObject, ...] = ()
    above: dict[str, str] = field(default_factory=dict)
    read: dict[str, tuple[TraceObject, ...]] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)

    def within(self, step: str, outer: str) -> bool:
        """Return whether a step stands somewhere below another one."""
        while step := self.above.get(step, ""):
            if step == outer:
                return True
        return False


class SeenRuns:
    """The runs that a listener has seen. Frameworks may call it from several threads at once.

    ``traces`` are the newest ones, oldest first; ``left_out`` says of each run that is no trace why. ``on_trace`` is
    called with each trace as soon as its run is over; where it fails, ``left_out`` says so. A listener stands inside
    the pipeline, so nothing is raised here that would end it.
    """

    def __init__(
        self,
        pipeline: str,
        written_by: str = "",
        on_trace: Callable[[TraceObject], None] | None = None,
    ) -> None:
        self.pipeline, self.written_by, self.on_trace = pipeline, written_by, on_trace
        self.traces: list[TraceObject] = []
        self.left_out: list[str] = []
        self._open: OrderedDict[str, OpenRun] = OrderedDict()
        self._lock = threading.RLock()

    def begin(self, step: str, above: str = "", question: str = "") -> None:
        """Note that a step began below another one; one below nothing that is known is the root of a new run."""
        with self._lock:
            run = self._run_of(above)
            if run is None:
                run = self._open[step] = OpenRun()
                while len(self._open) > MOST_OPEN:
                    self._leave_out("it never ended", self._open.popitem(last=False)[1])
            run.above[step] = above
            if step in self._open:
                run.question = question

    def question(self, step: str, question: str) -> None:
        """Note what a run was asked, where a step says it after it began."""
        with self._lock:
            if run := self._run_of(step):
                run.question = run.question or question

    def ask(self, step: str, query: str) -> None:
        """Note what a retriever was asked; it is the question of a run whose root names none."""
        with self._lock:
            if run := self._run_of(step):
                run.asked = run.asked or query

    def find(self, step: str, passages: Iterable[TraceObject]) -> None:
        """Note what a retriever found; what the retrievers below it found is part of that."""
        with self._lock:
            if run := self._run_of(step):
                run.read = {at: held for at, held in run.read.items() if at != step and not run.within(at, step)}
                run.read[step] = tuple(passages)

    def replace(self, step: str, passages: Iterable[TraceObject]) -> None:
        """Note what a reranker kept of all that was found so far."""
        with self._lock:
            if run := self._run_of(step):
                run.read = {step: tuple(passages)}

    def write(self, step: str, written: Written) -> None:
        """Note what a language model wrote."""
        with self._lock:
            if run := self._run_of(step):
                run.written.append(written)

    def end(self, step: str, answer: str = "", passages: Iterable[TraceObject] = ()) -> None:
        """Note that a step is over; with the root the run is."""
        with self._lock:
            if run := self._open.pop(step, None):
                run.answer, run.documents = answer or run.answer, tuple(passages) or run.documents
                self._keep(run)

    def is_root(self, step: str) -> bool:
        """Return whether a step is the root of a run that goes on."""
        with self._lock:
            return step in self._open

    def fail(self, step: str, error: object) -> None:
        """Note that a step failed; a run whose root fails is no trace."""
        with self._lock:
            if step in self._open:
                self._leave_out(f"it failed: {type(error).__name__}", self._open.pop(step))

    @contextmanager
    def aside(self, step: str) -> Iterator[None]:
        """Keep out of the pipeline what fails while a step is looked at; its run is no trace then."""
        try:
            yield
        except Exception as exc:  # the pipeline's objects are of any kind
            with self._lock:
                if run := self._run_of(step):
                    self._open = OrderedDict((root, one) for root, one in self._open.items() if one is not run)
                    self._leave_out(f"it cannot be read: {type(exc).__name__}, {exc}", run)

    def save(self, folder: Path | str) -> list[Path]:
        """Write each trace to a file of its own, trace-001.json and on; return the files. Raises StorageError."""
        into = Path(folder)
        try:
            into.mkdir(parents=True, exist_ok=True)
            files = [into / f"trace-{place:03}.json" for place in range(1, len(self.traces) + 1)]
            for file, trace in zip(files, self.traces, strict=True):
                file.write_text(json.dumps(trace, ensure_ascii=False, indent=1), encoding="utf-8")
        except OSError as exc:
            raise StorageError(f"The traces could not be written to {into}: {exc.strerror}.") from exc
        return files

    def _run_of(self, step: str) -> OpenRun | None:
        return next((run for run in reversed(self._open.values()) if step in run.above), None) if step else None

    def _keep(self, run: OpenRun) -> None:
        last = next((one for one in reversed(run.written) if one.text.strip()), Written(text=""))
        question, answer = (run.question or run.asked).strip(), run.answer if run.answer.strip() else last.text
        if not question:
            return  # a model or retriever asked by itself: no run of a pipeline
        if not answer.strip():
            self._leave_out("it has no answer", run)
            return
        trace = trace_object(
            question=question,
            passages=run.documents or distinct(one for found in run.read.values() for one in found),
            answer=answer,
            written_by=self.written_by or last.model or UNNAMED,
            pipeline=self.pipeline,
        )
        try:
            add_tokens(trace, last)
        except ODD as exc:
            self._leave_out(f"its log-probabilities cannot be read: {type(exc).__name__}, {exc}", run)
            return
        self.traces = [*self.traces, trace][-MOST_KEPT:]
        if why := not_taken(self.on_trace, trace):
            self.left_out = [*self.left_out, why][-MOST_KEPT:]

    def _leave_out(self, why: str, run: OpenRun) -> None:
        named = (run.question or run.asked).strip()[:200]
        self.left_out = [*self.left_out, f"A run{f' ({named})' if named else ''} is no trace: {why}."][-MOST_KEPT:]


def not_taken(on_trace: Callable[[TraceObject], None] | None, trace: TraceObject) -> str:
    """Return why a caller's function did not take a trace, "" where it did or there is none."""
    try:
        if on_trace is not None:
            on_trace(trace)
    except Exception as exc:  # whatever the caller's function raises must not end the pipeline
        return f"The trace of a run ({trace['question'][:200]}) was not taken: {type(exc).__name__}, {exc}"
    return ""


def add_tokens(trace: TraceObject, written: Written) -> None:
    """Add a model's tokens to the answer they spell, and why it ended; where the pipeline changed it, say so."""
    answer = trace["answer"]
    if written.finish:
        answer["stop_reason"] = written.stop_reason
    if not written.content:
        return
    tokens = token_objects(written.content, written.text)
    if "".join(token["text"] for token in tokens).strip() == answer["text"].strip():
        answer["tokens"] = tokens
        return
    trace.setdefault("notes", []).append(
        "The pipeline changed what its model wrote, so the model's log-probabilities are not those of this answer."
    )
