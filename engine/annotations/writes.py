"""What one action, project or claim writes, each within the transaction it is called in."""

import time
from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from engine.annotations.changes import UNKNOWN_ITEM, Change, Target, decide_action
from engine.annotations.queries import labelling_person
from engine.annotations.reads import get_label
from engine.annotations.records import Action, Item, Label, Project, Receipt
from engine.annotations.rows import event_of, item_row, put, put_label
from engine.annotations.schema import ARRIVALS, CLAIMS, EVENTS, ITEMS, LABELS, PROJECTS
from engine.annotations.schema import GUIDELINES as WORDINGS
from engine.annotations.serialize import to_text
from engine.core.allowed import OWNER, acting_person
from engine.core.clock import now
from engine.runs.limits import hour_ago
from engine.runs.store import new_id


def write_action(connection: Connection, project: str, person: str, action: Action, guidelines: int) -> Receipt:
    """Write what one action changes and return its receipt."""
    row = connection.execute(
        select(ITEMS.c.kind, ITEMS.c.markable).where(ITEMS.c.id == action.item, ITEMS.c.project == project)
    ).one_or_none()
    if row is None:
        return Receipt(action=action.id, status="refused", sentence=UNKNOWN_ITEM, label=None)
    label = get_label(connection, action.item, person)
    own = EVENTS.select().where(EVENTS.c.item == action.item, EVENTS.c.annotator == person)
    events = tuple(event_of(found) for found in connection.execute(own))
    at = now()
    made = decide_action(action, label, Target(kind=row.kind, markable=row.markable), events, guidelines, at)
    if isinstance(made, Receipt):
        return made
    put_label(connection, made.after)
    write_event(connection, project, action, label, made, at)
    connection.execute(CLAIMS.delete().where(CLAIMS.c.item == action.item, CLAIMS.c.annotator == person))
    return Receipt(action=action.id, status="kept", sentence="", label=made.after)


def write_event(
    connection: Connection, project: str, action: Action, before: Label, made: Change, at: str, verb: str = ""
) -> None:
    """Add a line to the history, and mark the event that an undo reverts or a redo repeats."""
    connection.execute(
        EVENTS.insert().values(
            project=project,
            item=action.item,
            annotator=before.annotator,
            action=action.id,
            verb=verb or action.verb,
            of=action.of,
            before_json=to_text(before),
            after_json=to_text(made.after),
            at=at,
            undone=False,
        )
    )
    for number, undone in ((made.undone, True), (made.redone, False)):
        if number is not None:
            connection.execute(EVENTS.update().where(EVENTS.c.number == number).values(undone=undone))


def insert_project(connection: Connection, made: Project) -> None:
    """Write a project with its first known version of the guidelines."""
    row = {name: getattr(made, name) for name in ("id", "name", "overlap", "blind", "created_at")}
    row["person"] = labelling_person() or OWNER
    connection.execute(PROJECTS.insert().values(row))
    wording = {"project": made.id, "version": made.version, "text": made.guidelines, "at": made.created_at}
    connection.execute(WORDINGS.insert().values(wording))


def note_arrival(connection: Connection) -> None:
    """Write that a visitor made or imported something now, and forget what is an hour old."""
    person = acting_person()
    if person is not None:
        connection.execute(ARRIVALS.delete().where(ARRIVALS.c.at < hour_ago()))
        connection.execute(ARRIVALS.insert().values(id=new_id(), person=person, at=now()))


def insert_items(connection: Connection, project: str, items: Sequence[Item]) -> int:
    """Write the new items, numbered after the last one, and return how many."""
    known = set(connection.execute(select(ITEMS.c.id).where(ITEMS.c.project == project)).scalars())
    last = connection.execute(select(func.max(ITEMS.c.number)).where(ITEMS.c.project == project)).scalar_one() or 0
    new = [item for item in {item.id: item for item in items}.values() if item.id not in known]
    rows = [item_row(item, project, number) for number, item in enumerate(new, start=last + 1)]
    if rows:
        connection.execute(ITEMS.insert(), rows)
    return len(rows)


def claim(connection: Connection, person: str, ids: Sequence[str]) -> None:
    """Claim items for a person for a while; items with a label of theirs need no claim."""
    begun = select(LABELS.c.item).where(
        LABELS.c.annotator == person, LABELS.c.item.in_(ids), LABELS.c.state != "untouched"
    )
    theirs = set(connection.execute(begun).scalars())
    for name in ids:
        if name not in theirs:
            put(connection, CLAIMS, {"item": name, "annotator": person, "claimed_at": time.time()})
