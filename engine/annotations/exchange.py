"""Labels in and out: JSON lines (everything), CSV (one column per person) and Label Studio's JSON.

Each export carries the guidelines' version and the hashes of the runs, and comes back unchanged. What comes in is
untrusted: it is checked whole before anything is written, in one transaction, so nothing is ever half imported. A label
that is here already stays as it is where the file holds the same; where the file holds another one, nothing of the file
is imported. The history of single key presses stays here: ``engine.annotations.backup`` keeps that.
"""

from dataclasses import dataclass
from typing import Literal

from engine.annotations import exchange_csv, exchange_jsonl, exchange_label_studio
from engine.annotations.portable import Portable, brought_in, taken_out
from engine.annotations.records import Item
from engine.annotations.store import AnnotationStore
from engine.core.errors import RecordError

Format = Literal["jsonl", "csv", "label_studio"]
LARGEST_FILE = 256 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought: how many items and labels are new, and how many labels were there already, the same."""

    project: str
    items: int
    labels: int
    unchanged: int


def exported(store: AnnotationStore, project: str, form: Format) -> str:
    """Return a project as text: JSON lines with guidelines, items, labels and adjudications, or one of the others."""
    whole = taken_out(store, project)
    match form:
        case "jsonl":
            return exchange_jsonl.written(whole)
        case "csv":
            return exchange_csv.written(whole)
        case "label_studio":
            return exchange_label_studio.written(whole)


def imported(store: AnnotationStore, text: str, form: Format, project: str = "") -> Imported:
    """Bring a file's content into a project and return what it brought.

    ``project`` "" makes the project the file names, where the file holds whole items (JSON lines, Label Studio). Raises
    RecordError where the file cannot be read, and ConflictError where it holds another version of a label that is here.
    """
    if len(text) > LARGEST_FILE:
        raise RecordError(f"This file is larger than {LARGEST_FILE // 2**20} MB; no export is that large.")
    if form == "csv" and not project:
        raise RecordError("A CSV file holds labels without their items: choose the project to bring them into.")
    there = store.items(project) if project else ()
    found = read_in(text.removeprefix("\ufeff"), form, there)
    made, items, labels, unchanged = brought_in(store, found, project)
    return Imported(project=made, items=items, labels=labels, unchanged=unchanged)


def read_in(text: str, form: Format, there: tuple[Item, ...]) -> Portable:
    """Return what a file holds. Raises RecordError that says where it cannot be read."""
    match form:
        case "jsonl":
            return exchange_jsonl.read_back(text)
        case "csv":
            return exchange_csv.read_back(text, there)
        case "label_studio":
            return exchange_label_studio.read_back(text)


def label_studio_config() -> str:
    """Return the labelling interface to paste into Label Studio, for tasks exported from here."""
    return exchange_label_studio.config()
