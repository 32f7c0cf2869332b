"""A project as one value, out of a store and into another: what every form of exchange writes and reads.

Ids of items follow from their project, so an import into another project gives them new ones; labels follow along.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from engine.annotations.changes import Change, Target, checked_values
from engine.annotations.fields import missing_fields
from engine.annotations.reads import (
    adjudications_in,
    get_adjudication,
    get_project,
    items_in,
    labels_in,
    withdrawn_version,
)
from engine.annotations.records import MOST_ID, MOST_NOTE, Action, Adjudication, Item, Label, Project, refuse_unwritable
from engine.annotations.rows import item_of, markable, put_adjudication, put_label, record_of
from engine.annotations.schema import GUIDELINES, ITEMS
from engine.annotations.store import AnnotationStore, checked_guidelines, checked_name, checked_overlap, free_name
from engine.annotations.tasks import item_id
from engine.annotations.writes import insert_items, insert_project, note_arrival, write_event
from engine.core.clock import now
from engine.core.errors import ConflictError, InputError, RecordError
from engine.core.words import listing
from engine.runs.store import new_id

LONGEST = 1e9  # seconds on one item
MOST_NAMED = 5  # items that a sentence names


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One version of a project's guidelines."""

    version: int
    text: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Portable:
    """A project with everything that is said about it; ``project`` None where a form names items only."""

    project: Project | None
    wordings: tuple[Wording, ...] = ()
    items: tuple[Item, ...] = ()
    labels: tuple[Label, ...] = ()
    adjudications: tuple[Adjudication, ...] = ()


def collect_project(store: AnnotationStore, project: str) -> Portable:
    """Return a project whole, as one moment sees it: what others write meanwhile is in it wholly or not at all.

    Raises InputError where there is no such project.
    """
    with store.database.reading() as connection:
        found = get_project(connection, project)
        return Portable(
            project=found,
            wordings=wordings_in(connection, project),
            items=items_in(connection, project),
            labels=labels_in(connection, project),
            adjudications=adjudications_in(connection, project),
        )


def wordings_in(connection: Connection, project: str) -> tuple[Wording, ...]:
    """Return every wording of a project's guidelines, the first one first."""
    wanted = GUIDELINES.select().where(GUIDELINES.c.project == project).order_by(GUIDELINES.c.version)
    return tuple(record_of(Wording, row) for row in connection.execute(wanted))


def write_project(store: AnnotationStore, whole: Portable, project: str) -> tuple[str, int, int, int]:
    """Write a project and return its id, the new items, the new labels, and the unchanged labels; all or nothing.

    ``project`` "" creates the project in the file. A label names the version of the guidelines that has the same text
    in this project, 0 ("before any") where none has it.

    Raises RecordError if parts do not fit together, and ConflictError if a label or an adjudication is already stored
    in another version.
    """
    name = project or new_id()
    with store.database.transaction(project or "projects") as connection:
        if not project:
            make_project(connection, whole, name)
        get_project(connection, name)
        moved = moved_to_project(whole, name, known_items(connection, name))
        refuse_unfit(moved)
        items = insert_items(connection, name, moved.items)
        stored = {(label.item, label.annotator): label for label in labels_in(connection, name)}
        refuse_others(moved, stored, adjudications_in(connection, name), numbers_in(connection, name))
        came, here = texts_of(whole.wordings), texts_of(wordings_in(connection, name))
        labels = sum(
            write_label(
                connection,
                name,
                replace(label, guidelines=guidelines_here(label.guidelines, came, here)),
                stored.get((label.item, label.annotator)),
            )
            for label in moved.labels
        )
        for settled in moved.adjudications:
            write_adjudication(connection, settled)
        note_arrival(connection)
    return name, items, labels, len(moved.labels) - labels


def texts_of(wordings: Sequence[Wording]) -> dict[int, str]:
    """Return the texts of guidelines by version."""
    return {one.version: one.text for one in wordings}


def guidelines_here(version: int, came: Mapping[int, str], here: Mapping[int, str]) -> int:
    """Return the version with the same text here, the same number first; 0 where none has it.

    A file without guidelines keeps the number where this project has such a version.

    >>> guidelines_here(2, {1: "A", 2: "B"}, {1: "B", 2: "C"}), guidelines_here(1, {1: "A"}, {1: "B"})
    (1, 0)
    """
    text = came.get(version) if came else here.get(version)
    if text is not None and here.get(version) == text:
        return version
    return max((number for number, known in here.items() if known == text), default=0)


def make_project(connection: Connection, whole: Portable, name: str) -> None:
    """Write the imported project with all versions of its guidelines. Raises RecordError without a project."""
    came = whole.project
    if came is None or not whole.wordings:
        raise RecordError("This file has labels without their project. Choose the project to import them into.")
    if [one.version for one in whole.wordings] != list(range(1, came.version + 1)):
        raise RecordError("This file lacks a version of its guidelines.")
    try:
        checked_name(came.name, "A project")
        checked_overlap(came.overlap)
        for one in whole.wordings:
            checked_guidelines(one.text)
        called = free_name(connection, came.name, name, imported=True)
    except InputError as exc:
        raise RecordError(f"This file's project cannot be made: {exc}") from exc
    first, *later = whole.wordings
    insert_project(connection, replace(came, id=name, name=called, version=1, guidelines=first.text))
    for one in later:
        row = {"project": name, "version": one.version, "text": one.text, "at": one.at}
        connection.execute(GUIDELINES.insert().values(row))


def known_items(connection: Connection, project: str) -> dict[str, Item]:
    """Return a project's items by id."""
    return {row.id: item_of(row) for row in connection.execute(ITEMS.select().where(ITEMS.c.project == project))}


def numbers_in(connection: Connection, project: str) -> dict[str, int]:
    """Return the number that the page shows of each item of a project, by id."""
    rows = connection.execute(select(ITEMS.c.id, ITEMS.c.number).where(ITEMS.c.project == project))
    return {row.id: row.number for row in rows}


def moved_to_project(whole: Portable, project: str, known: dict[str, Item]) -> Portable:
    """Return the same content as part of another project, with the ids that its items have there.

    Items that are only in the project, and not in the file, are taken from the project.
    """
    ids = {
        item.id: item_id(project, item.run_hash, item.kind, item.source, item.policy, item.place)
        for item in whole.items
    }
    items = {ids[item.id]: replace(item, id=ids[item.id], project=project) for item in whole.items}
    if len(ids) < len(whole.items) or len(items) < len(whole.items):
        raise RecordError("This file has the same item twice.")
    needed = {label.item for label in whole.labels} | {one.item for one in whole.adjudications}
    ids |= {name: name for name in needed if name in known and name not in ids}
    stray = sorted(needed - set(ids))
    if stray:
        raise RecordError(f"This file labels an item that is in neither the file nor the project: {stray[0][:64]!r}.")
    return Portable(
        project=whole.project,
        items=tuple({**{name: known[name] for name in needed if name in known}, **items}.values()),
        labels=tuple(replace(label, item=ids[label.item]) for label in whole.labels),
        adjudications=tuple(replace(one, item=ids[one.item]) for one in whole.adjudications),
    )


def refuse_unfit(whole: Portable) -> None:
    """Raise RecordError if a label or an adjudication does not fit its item, or occurs twice."""
    targets = {item.id: Target(kind=item.kind, markable=markable(item)) for item in whole.items}
    numbers = {item.id: item.number for item in whole.items}
    pairs = [(label.item, label.annotator) for label in whole.labels]
    if len(set(pairs)) < len(pairs):
        raise RecordError("This file has two labels of one person on one item.")
    for label in whole.labels:
        refuse_unfit_label(label, targets[label.item], numbers[label.item])
    for one in whole.adjudications:
        try:
            checked_values(targets[one.item], one.values)
            checked_name(one.by, "An adjudicator")
            refuse_unwritable(one.reason, "A reason")
        except InputError as exc:
            raise RecordError(f"The adjudication of item {numbers[one.item]} does not fit: {exc}") from exc


def refuse_unfit_label(label: Label, target: Target, number: int) -> None:
    """Raise RecordError if a label could not have been made here."""
    try:
        whole = checked_values(target, label.values) == label.values
        checked_name(label.annotator, "An annotator")
        refuse_unwritable(label.note, "A note")
    except InputError as exc:
        raise RecordError(f"The label of {label.annotator} on item {number} does not fit: {exc}") from exc
    lacking = label.state == "submitted" and missing_fields(target.kind, label.values)
    counted = (
        label.version >= 1 and label.guidelines >= 0 and 0 <= label.seconds < LONGEST and len(label.action) <= MOST_ID
    )
    if not whole or lacking or len(label.note) > MOST_NOTE or not counted:
        raise RecordError(f"The label of {label.annotator} on item {number} in this file is incomplete.")


def refuse_others(
    came: Portable,
    stored: Mapping[tuple[str, str], Label],
    decided: Sequence[Adjudication],
    numbers: Mapping[str, int],
) -> None:
    """Raise ConflictError if the project has another label or decision than the file; it says of whom, on which items.

    ``stored`` are the project's labels by item and person, ``numbers`` its items' numbers.
    """
    others: dict[str, set[int]] = {}
    for label in came.labels:
        here = stored.get((label.item, label.annotator))
        if here is not None and here.state != "untouched" and label_content(here) != label_content(label):
            others.setdefault(label.annotator, set()).add(numbers[label.item])
    if others:
        told = "; ".join(f"{person} on {item_words(sorted(others[person]))}" for person in sorted(others))
        way = "Undo those first, or import the file as a new project."
        if came.project is None:
            way = "Undo those first, or take them out of the file."
        raise ConflictError(f"Other labels than in the file are stored here: {told}. Nothing was imported. {way}")
    settled = {one.item: (one.values, one.reason) for one in decided}
    both = [one for one in came.adjudications if one.item in settled]
    if differ := [numbers[one.item] for one in both if settled[one.item] != (one.values, one.reason)]:
        told = item_words(sorted(differ))
        raise ConflictError(f"Other decisions than in the file are stored here on {told}. Nothing was imported.")


def item_words(numbers: Sequence[int]) -> str:
    """Return items by their numbers, in words; of many the first.

    >>> item_words([3]), item_words([1, 2, 3, 4, 5, 6, 8])
    ('item 3', 'items 1, 2, 3, 4, 5 and 2 more')
    """
    named, more = numbers[:MOST_NAMED], len(numbers) - MOST_NAMED
    words = [*named, f"{more} more"] if more > 0 else named
    return f"{'item' if len(numbers) == 1 else 'items'} {listing(words)}"


def write_label(connection: Connection, project: str, label: Label, stored: Label | None) -> bool:
    """Write a label if it is new and return whether it was; in place of one that was undone, as its next version.

    ``stored`` is this person's label of the item here, the same one or undone; None without one.
    """
    here = stored or Label(item=label.item, annotator=label.annotator)
    if here.version and label_content(here) == label_content(label):
        return False
    at = now()
    arrived = label if label.action else replace(label, action=new_id(), updated_at=label.updated_at or at)
    if here.version:  # the history has the action of what was undone once already
        arrived = replace(arrived, action=new_id(), version=here.version + 1)
    put_label(connection, arrived)
    action = Action(id=arrived.action, item=label.item, base="")
    write_event(connection, project, action, here, Change(after=arrived), at, "import")
    return True


def label_content(label: Label) -> tuple[Any, ...]:
    """Return the content of a label, without its history."""
    return label.values, label.state, label.note, label.seconds


def write_adjudication(connection: Connection, came: Adjudication) -> None:
    """Write an adjudication unless one is stored; where one was withdrawn, with a later version than that."""
    if get_adjudication(connection, came.item) is None:
        later = withdrawn_version(connection, came.item) + 1
        put_adjudication(connection, replace(came, version=max(came.version, later)))
