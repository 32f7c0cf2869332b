"""The commands about labels: ``microscope annotations backup``, ``restore``, ``migrate``, ``export`` and ``import``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from engine.annotations.records import Project
from engine.cli.files import read_bytes, write_text
from engine.cli.printed import say
from engine.core.errors import InputError
from engine.core.words import counted

annotations = typer.Typer(no_args_is_help=True, help="Keep, move and migrate people's labels.")
LabelForm = Literal["jsonl", "csv", "label_studio"]
FORMS: dict[str, LabelForm] = {".jsonl": "jsonl", ".csv": "csv", ".json": "label_studio"}
FORM_HELP = "jsonl, csv or label_studio; without it the file's ending says: .jsonl, .csv, .json."


@annotations.command("backup")
def backup_labels(file: Annotated[Path, typer.Argument(help="Write every label to this file.")]) -> None:
    """Write the whole store of labels to one file."""
    from engine.annotations.backup import backup

    saved = backup(file)
    say(f"Saved to {file.name}: {counted(saved.labels, 'label')} (tables {saved.revision}).")


@annotations.command("restore")
def restore_labels(file: Annotated[Path, typer.Argument(help="A file that backup has written.")]) -> None:
    """Bring a backup back into an empty store, in SQLite or PostgreSQL."""
    from engine.annotations.backup import restore

    saved = restore(file)
    say(f"Restored from {file.name}: {counted(saved.labels, 'label')}.")


@annotations.command("migrate")
def migrate_labels() -> None:
    """Bring the tables of the labels up to date, and list the projects in them."""
    from engine.annotations.store import AnnotationStore

    store = AnnotationStore()
    lines = [f"{one.id}  {one.name}: {counted(store.count(one.id), 'item')}" for one in store.projects()]
    say("\n".join([f"The tables are at revision {store.database.version()}.", *lines]))


@annotations.command("export")
def export_labels(
    project: Annotated[str, typer.Argument(help="A project's name or id.")],
    file: Annotated[Path, typer.Argument(help="Write the labels to this file.")],
    form: Annotated[str, typer.Option(help=FORM_HELP)] = "",
) -> None:
    """Write the labels of one project to a file."""
    from engine.annotations.exchange import export_text
    from engine.annotations.store import AnnotationStore

    store = AnnotationStore()
    write_text(file, export_text(store, project_named(store.projects(), project), form_of(file, form)))
    say(f"The labels are in {file.name}.")


@annotations.command("import")
def import_labels(
    file: Annotated[Path, typer.Argument(help="A file that export has written.")],
    project: Annotated[
        str, typer.Option(help="The project to bring them into; without it the file's own is made.")
    ] = "",
    form: Annotated[str, typer.Option(help=FORM_HELP)] = "",
) -> None:
    """Bring labels from a file into a project, all of them or none."""
    from engine.annotations.exchange import import_text
    from engine.annotations.store import AnnotationStore

    store = AnnotationStore()
    into = project_named(store.projects(), project) if project else ""
    came = import_text(store, read_text(file), form_of(file, form), into)
    say(f"{came.items} new items, {came.labels} new labels, {came.unchanged} were already there.")


def project_named(projects: Sequence[Project], wanted: str) -> str:
    """Return the id of the project with this name or id. Raises InputError where there is none."""
    for project in projects:
        if wanted in (project.id, project.name):
            return project.id
    names = ", ".join(project.name for project in projects) or "none yet"
    raise InputError(f"There is no labelling project {wanted!r}; there are: {names}.")


def form_of(file: Path, named: str) -> LabelForm:
    """Return the form of a file of labels: the one named, else what its ending says. Raises InputError for another."""
    found = named or FORMS.get(file.suffix.lower(), "")
    if found not in FORMS.values():
        raise InputError(f"Labels are exchanged as jsonl, csv or label_studio; {named or file.name!r} is none of them.")
    return cast(LabelForm, found)


def read_text(file: Path) -> str:
    """Return a file's text. Raises InputError where it cannot be read."""
    try:
        return read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as exc:
        raise InputError(f"{file} could not be read: {exc}.") from exc
