"""What the store holds, as one connection sees it inside its transaction."""

from typing import Any

from sqlalchemy import Connection, Row, and_, func, select

from engine.annotations.queries import can_be_given, passing
from engine.annotations.records import Adjudication, Event, Filter, Item, Label, LabelState, Progress, Project, Verb
from engine.annotations.rows import adjudication_of, event_of, item_of, label_of
from engine.annotations.schema import ADJUDICATIONS, EVENTS, ITEMS, LABELS, PROJECTS
from engine.annotations.schema import GUIDELINES as WORDINGS
from engine.core.errors import InputError

EVERYTHING = Filter()


def found_project(connection: Connection, project: str) -> Project:
    """Return a project. Raises InputError where there is none with this id."""
    row = connection.execute(PROJECTS.select().where(PROJECTS.c.id == project)).one_or_none()
    if row is None:
        raise InputError(f"There is no labelling project with the id {project[:64]!r}.")
    return project_of(connection, row)


def project_of(connection: Connection, row: Row[Any]) -> Project:
    """Return a row of the projects with the newest wording of its guidelines."""
    newest = WORDINGS.select().where(WORDINGS.c.project == row.id).order_by(WORDINGS.c.version.desc()).limit(1)
    wording = connection.execute(newest).one()
    return Project(
        id=row.id,
        name=row.name,
        guidelines=wording.text,
        version=wording.version,
        overlap=row.overlap,
        blind=row.blind,
        created_at=row.created_at,
    )


def items_in(
    connection: Connection, project: str, where: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
) -> tuple[Item, ...]:
    """Return a project's items that pass the filter, in their order, as a connection sees them."""
    wanted = ITEMS.select().where(passing(project, where)).order_by(ITEMS.c.number).offset(offset)
    wanted = wanted if limit is None else wanted.limit(limit)
    return tuple(item_of(row) for row in connection.execute(wanted))


def labels_in(connection: Connection, project: str, annotator: str = "", item: str = "") -> tuple[Label, ...]:
    """Return a project's labels, of one person or one item where named, as a connection sees them."""
    wanted = LABELS.select().join(ITEMS, ITEMS.c.id == LABELS.c.item).where(ITEMS.c.project == project)
    wanted = wanted.where(LABELS.c.annotator == annotator) if annotator else wanted
    wanted = wanted.where(LABELS.c.item == item) if item else wanted
    rows = connection.execute(wanted.add_columns(ITEMS.c.number)).all()
    return tuple(label_of(row) for row in sorted(rows, key=lambda row: (row.number, row.annotator)))


def adjudications_in(connection: Connection, project: str) -> tuple[Adjudication, ...]:
    """Return everything settled in a project, in the order of its items, as a connection sees it."""
    joined = ADJUDICATIONS.select().join(ITEMS, ITEMS.c.id == ADJUDICATIONS.c.item)
    wanted = joined.where(ITEMS.c.project == project).order_by(ITEMS.c.number)
    return tuple(adjudication_of(row) for row in connection.execute(wanted))


def found_label(connection: Connection, item: str, annotator: str) -> Label:
    """Return a person's label of an item, an untouched one where there is none."""
    own = and_(LABELS.c.item == item, LABELS.c.annotator == annotator)
    row = connection.execute(LABELS.select().where(own)).one_or_none()
    return Label(item=item, annotator=annotator) if row is None else label_of(row)


def found_adjudication(connection: Connection, item: str) -> Adjudication | None:
    """Return what was settled for an item, None where nothing was."""
    row = connection.execute(ADJUDICATIONS.select().where(ADJUDICATIONS.c.item == item)).one_or_none()
    return None if row is None else adjudication_of(row)


def progress_in(connection: Connection, project: str, person: str) -> Progress:
    """Return how far one person is."""
    overlap = found_project(connection, project).overlap
    joined = select(LABELS.c.state, func.count(), func.sum(LABELS.c.seconds)).join(ITEMS, ITEMS.c.id == LABELS.c.item)
    own = joined.where(ITEMS.c.project == project, LABELS.c.annotator == person).group_by(LABELS.c.state)
    counted = {state: (int(number), float(seconds)) for state, number, seconds in connection.execute(own)}
    everything = select(func.count()).select_from(ITEMS).where(ITEMS.c.project == project)
    states: tuple[LabelState, ...] = ("draft", "submitted", "discarded")
    drafts, submitted, discarded = (counted.get(state, (0, 0.0))[0] for state in states)
    return Progress(
        annotator=person,
        drafts=drafts,
        submitted=submitted,
        discarded=discarded,
        open=int(connection.execute(everything.where(can_be_given(person, overlap))).scalar_one()),
        items=int(connection.execute(everything).scalar_one()),
        seconds=sum(seconds for _, seconds in counted.values()),
    )


def step_taken(connection: Connection, project: str, person: str, action: str) -> Event | None:
    """Return the event of an undo or redo that was kept before, None where it is new."""
    own = EVENTS.select().where(EVENTS.c.project == project, EVENTS.c.annotator == person, EVENTS.c.action == action)
    row = connection.execute(own.order_by(EVENTS.c.number).limit(1)).one_or_none()
    return None if row is None else event_of(row)


def next_step(connection: Connection, project: str, person: str, verb: Verb) -> Event | None:
    """Return what a person's undo would take back, or their redo bring again: ``undoable`` and ``redoable``, the first.

    Read off the newest events only, as a history grows long.
    """
    own = and_(EVENTS.c.project == project, EVENTS.c.annotator == person, EVENTS.c.verb == "set")
    if verb == "undo":
        wanted = EVENTS.select().where(own, ~EVENTS.c.undone).order_by(EVENTS.c.number.desc())
    else:
        undo = EVENTS.alias("undo")
        last = select(func.coalesce(func.max(EVENTS.c.number), 0)).where(own).scalar_subquery()
        joined = EVENTS.join(
            undo, and_(undo.c.item == EVENTS.c.item, undo.c.annotator == person, undo.c.of == EVENTS.c.action)
        )
        wanted = select(EVENTS).select_from(joined).where(own, EVENTS.c.undone, undo.c.verb == "undo")
        wanted = wanted.where(undo.c.number > last).order_by(undo.c.number.desc())
    row = connection.execute(wanted.limit(1)).one_or_none()
    return None if row is None else event_of(row)
