"""The commands about stored runs: ``microscope runs list``, ``show``, ``delete``, ``restore`` and ``erase``."""

from typing import Annotated

import typer

from engine.cli.printed import say, summary
from engine.core.errors import InputError
from engine.core.words import shorten
from engine.runs.deletion import deleted_runs, erase_run
from engine.runs.named_run import named_run
from engine.runs.store import RunStore, RunSummary, default_store

QUESTION_LETTERS, ANSWER_LETTERS = 60, 40
ORIGINS = {"sample": "example", "atlas": "example", "imported": "imported", "study": "study"}
NONE_YET = "There is no run yet. Keep one with: microscope ask QUESTION --keep"
runs = typer.Typer(no_args_is_help=True, help="List, show, delete and restore the workbench's runs.")
StoredId = Annotated[str, typer.Argument(help="A run's id.")]


@runs.command("list")
def list_runs(
    search: Annotated[str, typer.Option(help="Only runs whose question or answer contains this.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many runs.")] = 30,
    studies: Annotated[bool, typer.Option("--studies", help="Runs of studies too.")] = False,
    deleted: Annotated[bool, typer.Option("--deleted", help="List the deleted runs instead.")] = False,
) -> None:
    """List runs by when they were asked, newest first: id, time, state or origin, question, answer."""
    if deleted and (search or studies):
        raise InputError("Deleted runs are listed whole: leave --search and --studies out.")
    store = opened_store()
    found = deleted_runs(store, limit) if deleted else store.listing(limit, search, studies=studies)
    none = "No run is deleted." if deleted else "No run contains that." if search.strip() else NONE_YET
    say("\n".join(map(run_line, found)) or none)


@runs.command("show")
def show_run(run: Annotated[str, typer.Argument(help="A run's id, or a file with a record.")]) -> None:
    """Print a run's answer and what every method says about it."""
    say(summary(named_run(run)))


@runs.command("delete")
def delete_run(run: StoredId) -> None:
    """Hide a run; it can be restored at any time."""
    default_store().delete(run)
    say(f"The run is deleted. Undo it with: microscope runs restore {run}")


@runs.command("restore")
def restore_run(run: StoredId) -> None:
    """Bring back a deleted run."""
    default_store().restore(run)
    say(f"The run {run} is back.")


@runs.command("erase")
def erase_deleted_run(
    run: StoredId,
    yes: Annotated[bool, typer.Option("--yes", help="Erase it without asking first.")] = False,
) -> None:
    """Overwrite a deleted run for good; labels, studies and the model cache keep their own copies."""
    if not yes and not typer.confirm(f"The run {run} cannot be restored then. Erase it?"):
        raise InputError("Nothing was erased.")
    erase_run(opened_store(), run)
    say(f"The run {run} is gone for good.")


def opened_store() -> RunStore:
    """Return the store of runs, in which nothing is said to be going on whose program has stopped."""
    store = default_store()
    store.mark_interrupted()
    return store


def run_line(run: RunSummary) -> str:
    """Return a run on one line."""
    question, answer = shorten(run.question, QUESTION_LETTERS), shorten(run.answer.strip(), ANSWER_LETTERS)
    state = ORIGINS.get(run.origin, run.state) if run.state == "done" else run.state
    return f"{run.id}  {run.created_at[:16].replace('T', ' ')}  {state:<11} {question}  {answer}".rstrip()
