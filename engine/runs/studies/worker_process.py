"""A process that answers questions of a study for the program that started it, one after another, with its own models.

    python -m engine.runs.studies.worker_process [MODULE:NAME]

Requests come as lines of JSON on standard input, events and answers go as lines of JSON to standard output; what
libraries print goes to standard error, and logs hold no content. It ends when its input ends, so it never outlives the
program that started it. ``MODULE:NAME`` is a function without arguments that returns how to answer.
"""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from queue import SimpleQueue
from typing import TextIO

from pydantic import TypeAdapter

from engine.core.allowed import OWNER, acting_for
from engine.core.errors import MicroscopeError
from engine.core.json_text import record_to_json
from engine.core.progress import BatchHalved, Event, FilesRead, Found, Report, Snapshot, Stage, TokensDecoded
from engine.core.quiet_logs import keep_logs_quiet
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, request_from_json, to_json

Run = Callable[..., Diagnosis]
EVENTS: Mapping[str, TypeAdapter[Event]] = {
    kind.__name__: TypeAdapter(kind) for kind in (Stage, TokensDecoded, FilesRead, Found, BatchHalved)
}
SNAPSHOT, DONE, FAILED = Snapshot.__name__, "done", "failed"
UNEXPECTED = "Unexpected {}: {}. This is a fault of the program; its log says more."
log = logging.getLogger(__name__)


def own_run() -> Run:
    """Return how a program answers."""
    from engine.runs.run import run_request

    return run_request


def asked_line(request: DiagnosisRequest, kept: Diagnosis | None) -> str:
    """Return the line that asks a question; ``kept`` is what an earlier try came to."""
    return json.dumps({"request": to_json(request), "kept": None if kept is None else to_json(kept)})


def told_line(kind: str, content: str) -> str:
    """Return the line that tells an event, an answer or an error."""
    return json.dumps({"kind": kind, "content": content})


def event_line(event: Event) -> str | None:
    """Return the line of an event, None for a snapshot of something that is no diagnosis."""
    if not isinstance(event, Snapshot):
        return told_line(type(event).__name__, record_to_json(event))
    return told_line(SNAPSHOT, to_json(event.record)) if isinstance(event.record, Diagnosis) else None


def event_of(kind: str, content: str) -> Event:
    """Return the event of a line."""
    if kind == SNAPSHOT:
        return Snapshot(record=from_json(content))
    return EVENTS[kind].validate_json(content)


def answer(run: Run, line: str, tell: Callable[[str], None]) -> None:
    """Answer the question of a line and tell how it goes and ends."""
    given = json.loads(line)

    def report(event: Event) -> None:
        told = event_line(event)
        if told is not None:
            tell(told)

    try:
        tell(told_line(DONE, to_json(asked(run, given, report))))
    except MicroscopeError as exc:
        tell(told_line(FAILED, json.dumps([type(exc).__name__, str(exc)])))
    except Exception as exc:  # the border of the process: any fault becomes a sentence for this question alone
        log.exception("a question failed")
        told = UNEXPECTED.format(type(exc).__name__, exc)
        tell(told_line(FAILED, json.dumps([MicroscopeError.__name__, told])))


def asked(run: Run, given: Mapping[str, str | None], report: Report) -> Diagnosis:
    """Return the diagnosis of what a line asks; studies are the owner's."""
    kept = given["kept"]
    with acting_for(OWNER):
        return run(request_from_json(str(given["request"])), report, *(() if kept is None else (from_json(kept),)))


def lines_read(source: TextIO) -> SimpleQueue[str]:
    """Return a queue of the lines that come; the process ends where they end, even in the middle of a question."""
    found: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in source:
            found.put(line)
        os._exit(0)

    threading.Thread(target=read, name="asked", daemon=True).start()
    return found


def main() -> None:
    """Answer until the input ends."""
    spoken = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    keep_logs_quiet()
    lines = lines_read(sys.stdin)
    module, _, name = (sys.argv[1] if len(sys.argv) > 1 else f"{__spec__.name}:{own_run.__name__}").partition(":")
    run = getattr(import_module(module), name)()

    def tell(line: str) -> None:
        spoken.write(line + "\n")
        spoken.flush()

    while True:
        answer(run, lines.get(), tell)


if __name__ == "__main__":
    main()
