"""A tracer for Haystack 2 and newer: turned on once, each pipeline run becomes a trace.

Haystack asks its tracer for a *span* around the pipeline and around each component, and puts inputs and outputs on it
as tags. These are read here and go no further. A tracer that was on before hears everything as before.
"""

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from haystack import tracing
from haystack.tracing import Span, Tracer

from engine.diagnosis.traces.adapters import QUESTION_KEYS, TraceObject, passage_of
from engine.diagnosis.traces.listeners.seen_runs import SeenRuns
from engine.diagnosis.traces.replies import Written, first_object, told_reply

INPUT, OUTPUT = "haystack.component.input", "haystack.component.output"
PIPELINE_INPUT = "haystack.pipeline.input_data"
ASKED_KEYS = [*QUESTION_KEYS, "text", "prompt"]
NUMBERS = count(1)


class SeenSpan(Span):  # type: ignore[misc]  # the package is optional
    """One span: its tags, and the span of the tracer that was on before."""

    def __init__(self, step: str, inner: Span | None) -> None:
        self.step, self.inner = step, inner
        self.tags: dict[str, Any] = {}

    def set_tag(self, key: str, value: Any) -> None:
        """Keep a tag."""
        self.tags[key] = value
        if self.inner is not None:
            self.inner.set_tag(key, value)

    def set_content_tag(self, key: str, value: Any) -> None:
        """Keep a tag with texts; the other tracer gets it only where Haystack's own switch allows that."""
        self.tags[key] = value
        if self.inner is not None:
            self.inner.set_content_tag(key, value)

    def raw_span(self) -> Any:
        """Return the other tracer's own span where there is one."""
        return self if self.inner is None else self.inner.raw_span()

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        """Return what the other tracer adds to log lines."""
        return {} if self.inner is None else dict(self.inner.get_correlation_data_for_logs())


class HaystackListener(Tracer):  # type: ignore[misc]  # the package is optional
    """Keeps every run of a pipeline as a trace, from when it is made until ``stop``."""

    def __init__(self, written_by: str = "", on_trace: Callable[[TraceObject], None] | None = None) -> None:
        self.seen = SeenRuns("Haystack", written_by, on_trace)
        self._current: contextvars.ContextVar[SeenSpan | None] = contextvars.ContextVar("span", default=None)
        self._before = tracing.tracer.actual_tracer if tracing.is_tracing_enabled() else None
        tracing.enable_tracing(self)

    @property
    def traces(self) -> list[TraceObject]:
        """The traces so far, oldest first."""
        return self.seen.traces

    def stop(self) -> None:
        """Listen no longer; the tracer that was on before is on again, and the traces stay."""
        if self._before is None:
            tracing.disable_tracing()
        else:
            tracing.enable_tracing(self._before)

    def current_span(self) -> Span | None:
        """Return the span that is open."""
        return self._current.get()

    @contextlib.contextmanager
    def trace(
        self, operation_name: str, tags: dict[str, Any] | None = None, parent_span: Span | None = None
    ) -> Iterator[Span]:
        """Open a span around a pipeline or a component, and read it when it is over."""
        above = parent_span if isinstance(parent_span, SeenSpan) else self._current.get()
        with self._inner(operation_name, tags, parent_span) as inner:
            span = SeenSpan(str(next(NUMBERS)), inner)
            span.tags.update(tags or {})
            self.seen.begin(span.step, above.step if above else "", question_in(span.tags.get(PIPELINE_INPUT)))
            token = self._current.set(span)
            try:
                yield span
            except Exception as exc:
                self.seen.fail(span.step, exc)
                raise
            finally:
                self._current.reset(token)
            with self.seen.aside(span.step):
                self._read(span)

    def _inner(
        self, operation_name: str, tags: dict[str, Any] | None, parent_span: Span | None
    ) -> contextlib.AbstractContextManager[Span | None]:
        if self._before is None:
            return contextlib.nullcontext()
        above = parent_span.inner if isinstance(parent_span, SeenSpan) else parent_span
        return self._before.trace(operation_name, tags, above)  # type: ignore[no-any-return]

    def _read(self, span: SeenSpan) -> None:
        given = span.tags.get(OUTPUT)
        output: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        asked = span.tags.get(INPUT)
        documents = output.get("documents")
        if isinstance(documents, list) and documents and all(hasattr(one, "content") for one in documents):
            self.seen.ask(span.step, question_in(asked))
            ranked = isinstance(asked, Mapping) and bool(asked.get("documents"))
            (self.seen.replace if ranked else self.seen.find)(span.step, map(passage_of, documents))
        if output.get("replies"):
            self.seen.write(span.step, written_in(output))
        self.seen.end(span.step)


def question_in(data: Any) -> str:
    """Return the question in what a pipeline or component was given: the first field that holds one, at any depth."""
    if not isinstance(data, Mapping):
        return ""
    own = next((data[key] for key in ASKED_KEYS if isinstance(data.get(key), str) and data[key].strip()), "")
    return own or next((found for inner in data.values() if (found := question_in(inner))), "")


def written_in(output: Mapping[str, Any]) -> Written:
    """Return what a generator wrote: text, model, log-probabilities where its reply has them."""
    reply = output["replies"][0]
    beside = (first_object(output.get("meta")), getattr(reply, "meta", None))
    return told_reply(str(getattr(reply, "text", reply) or ""), *beside)
