"""Labels in and out: JSON lines (everything), CSV (one column per person) and Label Studio's JSON.

Each export carries the guidelines' version and the hashes of the runs, and comes back unchanged. What comes in is
untrusted: it is checked whole before anything is written, in one transaction, so nothing is ever half imported.
"""

from dataclasses import dataclass
from typing import Literal

from engine.annotations.store import AnnotationStore

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
    raise NotImplementedError


def imported(store: AnnotationStore, text: str, form: Format, project: str = "") -> Imported:
    """Bring a file's content into a project and return what it brought.

    ``project`` "" makes the project the file names, where the file holds whole items (JSON lines, Label Studio). Raises
    RecordError where the file cannot be read, and ConflictError where it holds another version of a label that is here.
    """
    raise NotImplementedError


def label_studio_config() -> str:
    """Return the labelling interface to paste into Label Studio, for tasks exported from here."""
    raise NotImplementedError
