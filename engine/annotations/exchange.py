"""Export and import of labels: JSON lines (everything), CSV (one column per person), Label Studio's JSON.

Each export has the version of the guidelines and the hashes of the runs, and comes back unchanged. Imported files are
untrusted: a file is checked completely before anything is written, in one transaction. A stored label stays if the file
has the same one. If the file has another one, nothing is imported. Exports do not contain the history of key presses;
``engine.annotations.backup`` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.annotations import exchange_csv, exchange_jsonl, exchange_label_studio
from engine.annotations.portable import Portable, collect_project, write_project
from engine.annotations.records import Item
from engine.annotations.store import AnnotationStore
from engine.core.errors import RecordError
from engine.runs.limits import refuse_large

Format = Literal["jsonl", "csv", "label_studio"]
LARGEST_FILE = 256 * 2**20
WRITERS: Mapping[Format, Callable[[Portable], str]] = {
    "jsonl": exchange_jsonl.to_jsonl,
    "csv": exchange_csv.write_csv,
    "label_studio": exchange_label_studio.to_tasks,
}
# Only CSV needs the items of the project that the file is brought into.
READERS: Mapping[Format, Callable[[str, tuple[Item, ...]], Portable]] = {
    "jsonl": lambda text, _: exchange_jsonl.from_jsonl(text),
    "csv": exchange_csv.from_csv,
    "label_studio": lambda text, _: exchange_label_studio.from_tasks(text),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import: new items, new labels, and labels that were already there unchanged."""

    project: str
    items: int
    labels: int
    unchanged: int


def export_text(store: AnnotationStore, project: str, form: Format) -> str:
    """Return a project as text in one of the formats."""
    return WRITERS[form](collect_project(store, project))


def import_text(store: AnnotationStore, text: str, form: Format, project: str = "") -> Imported:
    """Bring a file's content into a project and return what it brought.

    ``project`` "" makes the project the file names, where the file holds whole items (JSON lines, Label Studio). Raises
    RecordError where the file cannot be read, ConflictError where it holds another version of a label that is here, and
    InputError where a visitor sends more than the owner grants.
    """
    store.refuse_many()
    refuse_large("This file of labels", len(text.encode("utf-8", "replace")))
    if len(text) > LARGEST_FILE:
        raise RecordError(f"This file is larger than {LARGEST_FILE // 2**20} MiB; no export is that large.")
    if form == "csv" and not project:
        raise RecordError("A CSV file holds labels without their items: choose the project to bring them into.")
    there = store.items(project) if project else ()
    found = READERS[form](text.removeprefix("\ufeff"), there)
    made, items, labels, unchanged = write_project(store, found, project)
    return Imported(project=made, items=items, labels=labels, unchanged=unchanged)


def label_studio_config() -> str:
    """Return the labelling interface to paste into Label Studio, for tasks exported from here."""
    return exchange_label_studio.config()
