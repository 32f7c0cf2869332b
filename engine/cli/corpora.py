"""The commands about corpora: ``microscope corpus read``, ``add``, ``list``, ``rename``, ``delete`` and ``restore``."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.printed import say, tell
from engine.core.errors import CorpusError

INTERRUPTED_STATUS = 130  # as a shell has it after Ctrl+C
corpora = typer.Typer(no_args_is_help=True, help="Read, index, list, rename and delete corpora.")


@corpora.command("read")
def read_files(path: Annotated[Path, typer.Argument(help="A file or folder of documents.")]) -> None:
    """Say what every file of a corpus holds, or why it is skipped; nothing is indexed."""
    from engine.backends.retrieval.documents import read_corpus
    from viz.workspace.corpora import file_lines, reading_sentence

    reading = read_corpus(path.expanduser())
    say("\n".join(file_lines(reading.files)))
    say(reading_sentence(reading.files))


@corpora.command("add")
def add_corpus(
    path: Annotated[Path, typer.Argument(help="A file or folder of documents.")],
    name: Annotated[str, typer.Option(help="Its name; default: the folder's, or the one it has.")] = "",
) -> None:
    """Put a corpus on the list and index it now; one that was stopped goes on."""
    from engine.backends.retrieval import load_embedder
    from engine.backends.retrieval.documents import is_folder
    from engine.runs.corpora import shelf
    from engine.runs.corpora.indexing import INTERRUPTED, finish_entry, keep_failure
    from viz.workspace.corpora import entry_line, file_lines

    is_folder(path := path.expanduser())  # raises where nothing is there, so that no slip of a key is listed
    new = shelf.listed_at(path) is None
    listed = shelf.rename(shelf.add(path, name).id, name)
    try:
        entry = finish_entry(listed.id, load_embedder(), tell)
    except KeyboardInterrupt:
        keep_failure(listed.id, INTERRUPTED, "stopped")
        say(f"Interrupted. Go on with: microscope corpus add {shlex.quote(str(path))}", err=True)
        raise typer.Exit(code=INTERRUPTED_STATUS) from None
    if new and entry.state == "failed" and not entry.files:
        shelf.forget(entry.id)  # nothing of it could be read
        raise CorpusError(entry.reason)
    say("\n".join([*file_lines(entry.files), entry_line(entry)]))
    if entry.state != "ready":
        raise CorpusError(entry.reason)


@corpora.command("list")
def list_corpora(
    deleted: Annotated[bool, typer.Option("--deleted", help="List the deleted corpora instead.")] = False,
) -> None:
    """List the corpora on this machine, newest first."""
    from engine.runs.corpora import shelf
    from viz.workspace.corpora import entry_line

    if not deleted:
        for file in shelf.damaged():
            say(f"{file} cannot be read. Move it away, then add its corpus again.", err=True)
    found = shelf.deleted_entries() if deleted else shelf.entries()
    none = "No corpus is deleted." if deleted else "There is no corpus on the list yet."
    say("\n".join(map(entry_line, found)) or none)


@corpora.command("rename")
def rename_corpus(
    corpus: Annotated[str, typer.Argument(help="A corpus's id or name.")],
    name: Annotated[str, typer.Argument(help="Its new name.")],
) -> None:
    """Call a corpus something else."""
    from engine.runs.corpora import shelf

    say(f"It is now called {shelf.rename(shelf.named(corpus).id, name).name}.")


@corpora.command("delete")
def delete_corpus(corpus: Annotated[str, typer.Argument(help="A corpus's id or name.")]) -> None:
    """Take a corpus off the list; your own files stay where they are."""
    from engine.runs.corpora import shelf

    entry = shelf.named(corpus)
    shelf.delete(entry.id)
    say(f"{entry.name} is off the list. Undo it with: microscope corpus restore {entry.id}")


@corpora.command("restore")
def restore_corpus(
    corpus: Annotated[str, typer.Argument(help="The id or name of a corpus that was deleted.")],
) -> None:
    """Bring back a corpus that was deleted."""
    from engine.runs.corpora import shelf

    say(f"{shelf.restore(shelf.deleted_named(corpus).id).name} is on the list again.")
