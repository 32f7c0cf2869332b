"""A span exporter for OpenTelemetry: added to a tracer provider, each run of a pipeline becomes a trace.

It reads the spans that OpenInference's instrumentation, or a framework with OpenTelemetry's ``gen_ai`` conventions,
writes (``engine.diagnosis.traces.spans``). Nothing leaves the process.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from engine.core.errors import RecordError
from engine.diagnosis.traces.adapters import TraceObject
from engine.diagnosis.traces.listeners.seen_runs import not_taken
from engine.diagnosis.traces.spans import from_spans

MOST_OPEN = 1_000
MOST_KEPT = 1_000


class SpanListener(SpanExporter):  # type: ignore[misc]  # the package is optional
    """Keeps every run as a trace: ``provider.add_span_processor(SimpleSpanProcessor(listener))``."""

    def __init__(self, written_by: str = "", on_trace: Callable[[TraceObject], None] | None = None) -> None:
        self.written_by, self.on_trace = written_by, on_trace
        self.traces: list[TraceObject] = []
        self.left_out: list[str] = []
        self._open: OrderedDict[int, list[dict[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Keep spans; with the root of a run the run is over."""
        with self._lock:
            for span in spans:
                self._open.setdefault(span.context.trace_id, []).append(json.loads(span.to_json()))
                if span.parent is None or span.parent.is_remote:
                    self._keep(self._open.pop(span.context.trace_id))
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return SpanExportResult.SUCCESS

    def _keep(self, run: list[dict[str, Any]]) -> None:
        try:
            (trace,) = from_spans(run)
        except RecordError as exc:
            self.left_out = [*self.left_out, str(exc)][-MOST_KEPT:]
            return
        if self.written_by:
            trace["answer"]["written_by"] = self.written_by
        self.traces = [*self.traces, trace][-MOST_KEPT:]
        if why := not_taken(self.on_trace, trace):
            self.left_out = [*self.left_out, why][-MOST_KEPT:]
