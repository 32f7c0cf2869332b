"""The commands of other pipelines' answers: ``microscope trace``, ``trace-schema``, ``listen`` and ``scores``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.files import read_bytes, write_text
from engine.cli.printed import say
from engine.core.allowed import OWNER, acting_for
from engine.core.errors import InputError
from engine.core.folders import data_folder
from engine.core.words import counted
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS
from engine.runs.jobs.desk import JobDesk

PORT = 4318
WAIT_SECONDS, NEW_LINE = 1.0, "\n"
NO_TRACE = "No run here is of a trace with an id, so its scores have nowhere to go back to. --table needs none."
METHOD_HELP = f"Ask a model here too, and run one of {', '.join(METHODS)}; repeat it."


def schema(into: Annotated[Path | None, typer.Option(help="Write it to this file.")] = None) -> None:
    """Print the JSON Schema of a trace: what another pipeline writes so that it can be looked at here."""
    from engine.diagnosis.traces.schema import trace_schema

    if into is None:
        say(trace_schema())
        return
    write_text(into, trace_schema() + "\n")


def trace(
    file: Annotated[Path, typer.Argument(help="A trace of another pipeline, or its OpenTelemetry spans (JSON).")],
    answer: Annotated[list[str] | None, typer.Option(help="An answer that counts as right; repeat it.")] = None,
) -> None:
    """Say what can be measured of another pipeline's answer: exactly, within bounds, by asking again, or not at all."""
    from engine.diagnosis.traces.spans import open_trace
    from engine.runs.read_trace import imported_answer
    from viz.runs.trace import reading_lines

    found = open_trace(read_bytes(file))
    found = replace(found, golds=(*found.golds, *(answer or ())))
    say(reading_lines(imported_answer(found), found.golds))


def listen(
    port: Annotated[int, typer.Option(help="Port of 127.0.0.1 that exporters send traces to.")] = PORT,
    method: Annotated[list[str] | None, typer.Option(help=METHOD_HELP)] = None,
    model: Annotated[str, typer.Option(help="'embedded', a folder, a hub name, or http://HOST/v1#MODEL.")] = "embedded",
    into: Annotated[Path | None, typer.Option(help="Folder for traces and scores; else in the data folder.")] = None,
) -> None:
    """Take OpenTelemetry traces (OTLP over HTTP) from programs on this machine, and turn them into runs to diagnose."""
    from engine.runs.listening.diagnosing import Diagnoser
    from engine.runs.listening.inbox import Inbox
    from engine.runs.listening.receiver import Receiver
    from engine.runs.run import run_request
    from engine.runs.store import default_store
    from viz.runs.scores import annotations

    unknown = sorted(set(method or ()) - set(METHODS))
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}; there are: {', '.join(METHODS)}.")
    desk = JobDesk(default_store(), run_request) if method else None

    def ask(request: DiagnosisRequest) -> tuple[str, Diagnosis | None, str]:
        with acting_for(OWNER):  # in a thread of its own
            return asked(desk, request) if desk else ("", None, "")

    folder = into or data_folder() / "traces"
    diagnoser = Diagnoser(folder, method or (), model, ask, annotations, say)
    inbox = Inbox(diagnoser.take, say)
    server = Receiver(inbox, port)
    say(f"Listening on {server.address}. Traces go to {folder}. Stop with Ctrl+C.")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("Stopping after the received traces. Press Ctrl+C again to stop now.")
    finally:
        server.server_close()
        inbox.close_idle(0.0)  # runs whose root has not come
        diagnoser.close()
        if desk:
            desk.shutdown()


def asked(desk: JobDesk, request: DiagnosisRequest) -> tuple[str, Diagnosis | None, str]:
    """Return the id of a run that was asked and waited for, its record, and why where it has none."""
    run_id = desk.submit(request)
    while True:
        status = desk.wait_for(run_id, WAIT_SECONDS)
        if status is None or status.state not in ("queued", "running"):
            break
    stored = desk.store.get(run_id)
    return run_id, stored.diagnosis, stored.reason or stored.state


def scores(
    runs: Annotated[list[str], typer.Argument(help="Ids of stored runs, or files with a record.")],
    annotations: Annotated[Path | None, typer.Option(help="Write them as annotations of spans (JSON).")] = None,
    langfuse: Annotated[Path | None, typer.Option(help="Write them as scores of Langfuse (JSON Lines).")] = None,
    table: Annotated[Path | None, typer.Option(help="Write them as a table with one row per run (CSV).")] = None,
) -> None:
    """Give verdicts back to where traces came from: as annotations of spans, as scores, and as a table like Ragas's."""
    from engine.runs.named_run import named_run
    from viz.parts.csv_text import csv_text
    from viz.runs.scores import annotations as span_annotations
    from viz.runs.scores import annotations_json, langfuse_lines, scores_table

    found = [named_run(run) for run in runs]
    traced = [(record.imported, record) for record in found if record.imported and record.imported.trace_id]
    given = [one for imported, record in traced for one in span_annotations(imported, record)]
    if annotations is not None or langfuse is not None:
        if not traced:
            raise InputError(NO_TRACE)
        if left := len(found) - len(traced):
            say(f"Left out: {counted(left, 'run')} of no trace with an id.", err=True)
    if langfuse is not None:
        lines = langfuse_lines(given)
        write_text(langfuse, lines)
        say(f"In {langfuse}: {counted(lines.count(NEW_LINE), 'score')}.")
    if annotations is not None:
        write_text(annotations, annotations_json(given))
        say(f"In {annotations}: {counted(len(given), 'annotation')}.")
    if table is not None:
        write_text(table, csv_text(scores_table(found)))
        say(f"In {table}: {counted(len(found), 'row')}.")
    if annotations is None and table is None and langfuse is None:
        say(scores_table(found).drop(columns="retrieved_contexts").to_string(index=False))
