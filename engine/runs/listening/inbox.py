"""Spans that arrived, gathered into runs: an exporter sends them in parts, the root of a run last.

A run is whole when its root has come, or when nothing of it came for a while. Everything is bounded: open runs, the
spans of one run, the bytes of all together, and how long a run stays open.
"""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.core.errors import MicroscopeError, RecordError
from engine.diagnosis.traces.schema import Trace, read_trace
from engine.diagnosis.traces.span_layouts import Span, read_spans
from engine.diagnosis.traces.spans import odd_spans_refused, trace_of

MOST_OPEN = 500
MOST_SPANS = 5_000
MOST_BYTES = 128 * 2**20
IDLE_SECONDS = 30.0


@dataclass(slots=True, kw_only=True)
class Arriving:
    """A run that still arrives.

    Its spans, their share of the bytes that were sent, and when the last of them came, in seconds of a steady clock.
    """

    spans: list[Span] = field(default_factory=list)
    size: float = 0.0
    at: float = 0.0


class Inbox:
    """Gathers spans; ``take`` gets each trace that is whole, ``say`` a sentence about each run that is none."""

    def __init__(
        self,
        take: Callable[[Trace], None],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.take, self.say, self.clock = take, say, clock
        self._open: OrderedDict[str, Arriving] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, found: Any, size: int = 0) -> int:
        """Return how many spans of an export request of ``size`` bytes were taken in. Runs whose root is among them are
        whole.

        Raises RecordError where they cannot be read.
        """
        with odd_spans_refused():
            spans = list(read_spans(found))
        with self._lock:
            for span in spans:
                run = self._open.setdefault(span.trace_id, Arriving())
                run.spans.append(span)
                run.at = self.clock()
                run.size += size / len(spans)
            roots = dict.fromkeys(span.trace_id for span in spans if not span.parent_id)
            whole = [self._open.pop(trace_id) for trace_id in roots]
            full = [key for key, run in self._open.items() if len(run.spans) > MOST_SPANS]
            dropped = [self._open.pop(key) for key in full]
            while len(self._open) > MOST_OPEN or sum(run.size for run in self._open.values()) > MOST_BYTES:
                dropped.append(self._open.popitem(last=False)[1])
        for run in dropped:
            self.say(f"A run of {len(run.spans):,} spans was dropped: its root did not come.")
        for run in whole:
            self._close(run)
        return len(spans)

    def close_idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Close the runs of which nothing came for so long: their root is another program's."""
        with self._lock:
            due = [key for key, run in self._open.items() if self.clock() - run.at >= seconds]
            idle = [self._open.pop(key) for key in due]
        for run in idle:
            self._close(run)

    def _close(self, run: Arriving) -> None:
        try:
            made = trace_of(sorted(run.spans, key=lambda span: span.start))
            if made is None:
                raise RecordError("it holds no question with an answer.")
            self.take(read_trace(json.dumps(made)))
        except MicroscopeError as exc:
            self.say(f"A run of {len(run.spans):,} spans is not a trace: {exc}")
        except Exception as exc:  # one odd run ends neither the server nor the runs beside it
            self.say(f"A run of {len(run.spans):,} spans is not a trace: {type(exc).__name__}.")
