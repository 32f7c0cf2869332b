"""Items to label, made from stored runs, and the suggestions a run holds for them."""

from collections.abc import Sequence

from engine.annotations.records import KINDS, Item, Kind, Suggestion
from engine.diagnosis import Diagnosis


def items_of(project: str, run_id: str, diagnosis: Diagnosis, kinds: Sequence[Kind] = KINDS) -> tuple[Item, ...]:
    """Return what there is to label in one stored run, of these kinds; () where it holds nothing of them.

    A policy that ran gives an item for each of its retrievals; one that only judged the answer from memory gives its
    first trigger, the one that would happen. A whole answer without any retrieval is an item of kind "answer".
    """
    raise NotImplementedError


def run_hash(diagnosis: Diagnosis) -> str:
    """Return the SHA-256 of a run's record as it is stored, in hexadecimal."""
    raise NotImplementedError


def suggestions(item: Item, diagnosis: Diagnosis) -> tuple[Suggestion, ...]:
    """Return what each method's numbers say of an item, () where they say nothing. Never stored.

    Raises InputError where the diagnosis is not the run the item was made from.
    """
    raise NotImplementedError
