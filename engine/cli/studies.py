"""The commands of studies: ``microscope study QUESTIONS …`` and ``microscope studies list, resume, view, export …``.

Progress goes to standard error. A study that was stopped, by Ctrl+C or a kill, goes on with ``studies resume``.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from engine.cli.printed import say
from engine.core.errors import InputError, StorageError
from engine.core.words import counted, left_text, shorten
from engine.diagnosis.options import with_options
from engine.diagnosis.request import DiagnosisRequest, Retriever
from engine.methods import DEFAULT_METHODS, METHODS
from engine.runs.store import default_store
from engine.runs.studies.concurrency import Concurrency, check_concurrency, opened_desks, usual_concurrency
from engine.runs.studies.plan import make_plan, place_of_settings
from engine.runs.studies.questions import FORMS, read_questions
from engine.runs.studies.records import Study
from engine.runs.studies.runner import Progress, StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import file_form, json_lines, parquet_bytes, read_table, setting_frame, without_texts

JUDGE_HELP = "'embedded', 'similarity', 'llm' or an entailment classifier."
MOST_FAILED_SHOWN, INTERRUPTED = 10, 130
TOGETHER_HELP = "How many questions are asked side by side, in shared batches."
WORKERS_HELP = "How many processes, each with its own models; 0 = what suits this machine and the model."
RAY_HELP = "Workers by Ray (the extra “ray”): its address, 'auto' for the one here, 'local' to begin one."
SideBySide = Annotated[int, typer.Option("--together", min=1, max=64, help=TOGETHER_HELP)]
Workers = Annotated[int, typer.Option("--workers", min=0, max=1024, help=WORKERS_HELP)]
Cluster = Annotated[str, typer.Option("--ray", help=RAY_HELP)]
VARY_HELP = "A setting and its values, such as k=1,3,5, threshold=0.1,0.2 or dense.temperature=0,0.5; repeat it."
SETTINGS_HELP = "Which of the settings that vary, such as 'k=3'; the first without. Sweeps take all."
studies = typer.Typer(no_args_is_help=True, help="List, resume, look at and export studies.")


def study(
    questions: Annotated[str, typer.Argument(help=f"A file of questions: {FORMS}.")],
    corpus: Annotated[str | None, typer.Option(help="A file or folder, or 'sample'; else the file's passages.")] = None,
    method: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(METHODS)}; repeat it.")] = None,
    vary: Annotated[list[str] | None, typer.Option(help=VARY_HELP)] = None,
    model: Annotated[str, typer.Option(help="'embedded', a folder, a hub name, or http://HOST/v1#MODEL.")] = "embedded",
    judge: Annotated[str, typer.Option(help=JUDGE_HELP)] = "embedded",
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    k: Annotated[int | None, typer.Option(help="How many passages to retrieve.")] = None,
    retriever: Annotated[str, typer.Option(help="'hybrid', 'bm25', 'vector' or 'reranked'.")] = "hybrid",
    profile: Annotated[str, typer.Option(help="Prompts and sizes: 'embedded' or 'paper'.")] = "embedded",
    thresholds: Annotated[str, typer.Option(help="'paper', or 'fitted' where microscope calibrate has run.")] = "paper",
    settings: Annotated[list[str] | None, typer.Option("--set", help="A method's setting; repeat it.")] = None,
    first: Annotated[int | None, typer.Option(min=1, help="Ask only the first N questions.")] = None,
    name: Annotated[str, typer.Option(help="Its name; default: the file's.")] = "",
    together: SideBySide = 1,
    workers: Workers = 0,
    ray: Cluster = "",
) -> None:
    """Ask many questions the same way, each as a run of its own, and keep every number in one table."""
    request = DiagnosisRequest(
        question="",
        corpus=corpus,
        methods=tuple(method) if method else DEFAULT_METHODS,
        model=model,
        judge=judge,
        seed=seed,
        k=k,
        retriever=cast(Retriever, retriever),  # what it is not is refused with a sentence
        profile=cast(Literal["embedded", "paper"], profile),  # likewise
        thresholds=cast(Literal["paper", "fitted"], thresholds),  # likewise
    )
    asked = Concurrency(together=together, workers=workers, ray=ray)
    check_concurrency(asked)
    file = read_questions(questions).first(first)
    plan, points = make_plan(file, with_options(request, settings or ()), vary or (), name)
    store = StudyStore()
    study_id = store.create(plan, file, points)
    say(f"Study {study_id}: {counted(len(file.questions), 'question')}, {counted(len(points), 'point')}.", err=True)
    for note in file.notes:
        say(note, err=True)
    if file.repeated:
        say(f"Left out: {counted(file.repeated, 'repeated question')}.", err=True)
    work_on(store, study_id, asked)


@studies.command("list")
def list_studies(
    deleted: Annotated[bool, typer.Option("--deleted", help="List the deleted studies instead.")] = False,
) -> None:
    """List every study: its id, state, points and name."""
    store = StudyStore()
    if deleted:
        say("\n".join(map(study_line, store.deleted())) or "No study is deleted.")
        return
    lines = [study_line(one) for one in store.listing()]
    for study in store.damaged():
        say(f"Study {study} cannot be read. Hide it with: microscope studies delete {study}", err=True)
    say("\n".join(lines) or "There is no study yet. Start one with: microscope study QUESTIONS --corpus PATH")


@studies.command("resume")
def resume(
    study: Annotated[str, typer.Argument(help="A study's id.")],
    failed: Annotated[bool, typer.Option("--failed", help="Ask failed questions again too.")] = False,
    together: SideBySide = 1,
    workers: Workers = 0,
    ray: Cluster = "",
) -> None:
    """Resume a study at the first question that is not finished."""
    store = StudyStore()
    store.get(study)
    if failed:
        say(f"Asked again: {counted(store.ask_again(study), 'failed point')}.", err=True)
    work_on(store, study, Concurrency(together=together, workers=workers, ray=ray))


@studies.command("pause")
def pause(study: Annotated[str, typer.Argument(help="A study's id.")]) -> None:
    """Tell a study to pause after the current question, whichever program works on it."""
    store = StudyStore()
    if store.get(study).state != "running":
        raise InputError(f"Nobody works on the study {study}, so there is nothing to pause.")
    store.tell(study, "pause")
    say(f"Study {study} pauses after the current question.")


@studies.command("view")
def view(
    study: Annotated[str, typer.Argument(help="A study's id.")],
    name: Annotated[str, typer.Argument(help="A view's name; without one they are listed.")] = "",
    settings: Annotated[str, typer.Option(help=SETTINGS_HELP)] = "",
) -> None:
    """Print one of the papers' tables or figures from a study, with intervals and n."""
    from engine.runs.studies.views import VIEWS, view_named
    from viz.studies.views import view_sentence, view_table

    table = read_table(study)
    if not name:
        ready = {one.name for one in VIEWS if one.ready(table)}
        lines = [f"{one.name:<18} {one.title}{'' if one.name in ready else ' (more needed)'}" for one in VIEWS]
        say("\n".join(lines))
        return
    found = view_named(name).measure(table, place_of_settings(table.study.plan, settings))
    say(view_sentence(found))
    if found.marks:
        say(view_table(found).astype(object).fillna("–").to_string(index=False))


@studies.command("export")
def export(
    study: Annotated[str, typer.Argument(help="A study's id.")],
    file: Annotated[Path, typer.Argument(help="Write to this file: .csv, .json, .parquet or .html.")],
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Leave questions and answers out.")] = False,
) -> None:
    """Write a study as a table, or as a report in one HTML page."""
    from viz.parts.csv_text import csv_text
    from viz.studies.report import study_report

    form, table = file_form(file), read_table(study)
    frame = without_texts(setting_frame(table)) if no_texts else setting_frame(table)
    if form == "html":
        content = study_report(table, texts=not no_texts).encode()
    elif form == "parquet":
        content = parquet_bytes(frame)
    elif form:
        content = (csv_text(frame) if form == "csv" else json_lines(frame)).encode()
    else:
        raise InputError(f"A study is written as .csv, .json, .parquet or .html; {file.name!r} is none of them.")
    write_bytes(file, content)
    say(f"Wrote {file}.")


@studies.command("refresh")
def refresh(study: Annotated[str, typer.Argument(help="A study's id.")]) -> None:
    """Rebuild the rows of a study from its runs, for numbers that a newer program adds."""
    from engine.runs.studies.runner import refresh_rows
    from viz.studies.words import verdicts_in

    number = refresh_rows(StudyStore(), default_store(), study, verdicts_in)
    say(f"Rebuilt: {counted(number, 'row')}.")


@studies.command("delete")
def delete(study: Annotated[str, typer.Argument(help="A study's id.")]) -> None:
    """Hide a study; its runs stay in the run store."""
    StudyStore().delete(study)
    say(f"Study {study} is deleted; its runs are kept. Undo it with: microscope studies restore {study}")


@studies.command("restore")
def restore(study: Annotated[str, typer.Argument(help="The id of a study that was deleted.")]) -> None:
    """Bring back a deleted study."""
    StudyStore().restore(study)
    say(f"Study {study} is back in the list.")


@studies.command("erase")
def erase(
    study: Annotated[str, typer.Argument(help="The id of a study that was deleted.")],
    yes: Annotated[bool, typer.Option("--yes", help="Erase it without asking first.")] = False,
) -> None:
    """Remove a deleted study's questions and table for good; its runs stay."""
    if not yes and not typer.confirm(f"The study {study} cannot be restored then. Erase it?"):
        raise InputError("Nothing was erased.")
    StudyStore().erase(study)
    say(f"Study {study} is gone for good; its runs are kept.")


def work_on(store: StudyStore, study_id: str, asked: Concurrency) -> None:
    """Work on a study until it is finished, paused or interrupted, and say where it stands then.

    The status is 130 after an interruption, 1 where a question failed.
    """
    from viz.studies.words import verdicts_in

    plan, interrupted = store.get(study_id).plan, False
    chosen = suited(asked, plan.request.model, len(store.waiting(study_id)))
    if chosen.workers > 1:
        say(f"{chosen.workers} questions at once, each in a process of its own.", err=True)
    with opened_desks(chosen, default_store(), plan.corpus_hash, wait_seconds=30.0) as desks:
        try:
            StudyRunner(store, desks, verdicts_in).work(study_id, show)
        except KeyboardInterrupt:
            interrupted = True
    ended = store.get(study_id)
    say(study_line(ended))
    if ended.failed:
        say(failed_lines(store, study_id), err=True)
    if ended.waiting:
        say(f"Resume with: microscope studies resume {study_id}")
    elif ended.failed:
        say(f"Ask the failed ones again with: microscope studies resume {study_id} --failed")
    if interrupted or ended.failed:
        raise typer.Exit(code=INTERRUPTED if interrupted else 1)


def failed_lines(store: StudyStore, study_id: str) -> str:
    """Return the first questions that failed, each with its reason, and how many more there are."""
    failed = [one for one in store.kept_points(study_id) if one.point.state == "failed"]
    told = [f"  failed: {shorten(one.question.question, 80)}: {one.point.reason}" for one in failed[:MOST_FAILED_SHOWN]]
    more = len(failed) - len(told)
    return "\n".join([*told, *([f"  and {more:,} more; studies export has every reason"] if more else [])])


def suited(asked: Concurrency, model: str, points: int) -> Concurrency:
    """Return what was asked for with a number of workers, by default what suits the model and this machine."""
    if asked.workers:
        return asked
    if asked.ray or asked.together > 1:
        return replace(asked, workers=1)
    return replace(usual_concurrency(model, points), together=1)


def show(progress: Progress) -> None:
    """Print a line when a question begins."""
    if not progress.question:
        return
    left = "" if progress.seconds_left is None else f", {left_text(progress.seconds_left)}"
    variant = f" [{progress.variant}]" if progress.variant else ""
    line = f"  {progress.finished + 1} of {progress.points}{left}: {progress.question}{variant}"
    say(line, err=True)


def study_line(one: Study) -> str:
    """Return a study on one line."""
    failed = f", {one.failed} failed" if one.failed else ""
    return f"{one.id}  {one.state:<9} {one.finished} of {one.points}{failed}  {one.plan.name}"


def write_bytes(file: Path, content: bytes) -> None:
    """Write a file. Raises StorageError where it cannot be written."""
    try:
        file.write_bytes(content)
    except OSError as exc:
        raise StorageError(f"{file} could not be written: {exc.strerror}.") from exc
