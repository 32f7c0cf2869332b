"""Reading the store: projects, items, labels, adjudications and progress, inside one transaction."""

from typing import Any

from sqlalchemy import Connection, Row, and_, func, select

from engine.annotations.queries import can_be_given, of_own_projects, passing
from engine.annotations.records import Adjudication, Filter, Item, Label, Progress, Project
from engine.annotations.rows import WITHDRAWN, adjudication_of, item_of, label_of, record_of, withdrawn_adjudication
from engine.annotations.schema import ADJUDICATIONS, ITEMS, LABELS, PROJECTS
from engine.annotations.schema import GUIDELINES as WORDINGS
from engine.core.errors import InputError

EVERYTHING = Filter()


def get_project(connection: Connection, project: str) -> Project:
    """Return a project. Raises InputError for an unknown id."""
    own = and_(PROJECTS.c.id == project, of_own_projects(PROJECTS.c.id))
    row = connection.execute(PROJECTS.select().where(own)).one_or_none()
    if row is None:
        raise InputError(f"There is no labelling project with the id {project[:64]!r}.")
    return project_of(connection, row)


def project_of(connection: Connection, row: Row[Any]) -> Project:
    """Return a row of the projects with the newest version of its guidelines."""
    newest = WORDINGS.select().where(WORDINGS.c.project == row.id).order_by(WORDINGS.c.version.desc()).limit(1)
    wording = connection.execute(newest).one()
    return record_of(Project, row, guidelines=wording.text, version=wording.version)


def items_in(connection: Connection, project: str, limit: int | None = None, offset: int = 0) -> tuple[Item, ...]:
    """Return a project's items in their order; ``limit`` None returns all."""
    wanted = ITEMS.select().where(passing(project, EVERYTHING)).order_by(ITEMS.c.number).offset(offset)
    wanted = wanted if limit is None else wanted.limit(limit)
    return tuple(item_of(row) for row in connection.execute(wanted))


def labels_in(connection: Connection, project: str, annotator: str = "") -> tuple[Label, ...]:
    """Return a project's labels, optionally of one person, in the order of items and names."""
    wanted = LABELS.select().join(ITEMS, ITEMS.c.id == LABELS.c.item).where(ITEMS.c.project == project)
    wanted = wanted.where(of_own_projects(ITEMS.c.project))
    wanted = wanted.where(LABELS.c.annotator == annotator) if annotator else wanted
    rows = connection.execute(wanted.add_columns(ITEMS.c.number)).all()
    return tuple(label_of(row) for row in sorted(rows, key=lambda row: (row.number, row.annotator)))


def adjudications_in(connection: Connection, project: str) -> tuple[Adjudication, ...]:
    """Return all adjudications of a project, in the order of its items."""
    joined = ADJUDICATIONS.select().join(ITEMS, ITEMS.c.id == ADJUDICATIONS.c.item)
    own = joined.where(ITEMS.c.project == project, of_own_projects(ITEMS.c.project))
    wanted = own.where(ADJUDICATIONS.c.by != WITHDRAWN).order_by(ITEMS.c.number)
    return tuple(adjudication_of(row) for row in connection.execute(wanted))


def get_label(connection: Connection, item: str, annotator: str) -> Label:
    """Return a person's label of an item, an untouched one if there is none."""
    own = and_(LABELS.c.item == item, LABELS.c.annotator == annotator)
    row = connection.execute(LABELS.select().where(own)).one_or_none()
    return Label(item=item, annotator=annotator) if row is None else label_of(row)


def get_adjudication(connection: Connection, item: str) -> Adjudication | None:
    """Return the adjudication of an item, None without one."""
    last = last_adjudication(connection, item)
    return None if last.by == WITHDRAWN else last


def withdrawn_version(connection: Connection, item: str) -> int:
    """Return the version of an item's withdrawn adjudication; 0 where none was withdrawn, or one stands."""
    last = last_adjudication(connection, item)
    return last.version if last.by == WITHDRAWN else 0


def last_adjudication(connection: Connection, item: str) -> Adjudication:
    """Return the last adjudication of an item; one by nobody where there is none, or it was withdrawn."""
    row = connection.execute(ADJUDICATIONS.select().where(ADJUDICATIONS.c.item == item)).one_or_none()
    return withdrawn_adjudication(item, 0) if row is None else adjudication_of(row)


def progress_in(connection: Connection, project: str, annotator: str) -> Progress:
    """Return one person's progress, even before they start."""
    overlap = get_project(connection, project).overlap
    joined = select(LABELS.c.state, func.count(), func.sum(LABELS.c.seconds)).join(ITEMS, ITEMS.c.id == LABELS.c.item)
    own = joined.where(ITEMS.c.project == project, LABELS.c.annotator == annotator).group_by(LABELS.c.state)
    counted = {state: (int(number), float(seconds)) for state, number, seconds in connection.execute(own)}
    everything = select(func.count()).select_from(ITEMS).where(ITEMS.c.project == project)
    drafts, submitted, discarded = (counted.get(state, (0, 0.0))[0] for state in ("draft", "submitted", "discarded"))
    return Progress(
        annotator=annotator,
        drafts=drafts,
        submitted=submitted,
        discarded=discarded,
        open=int(connection.execute(everything.where(can_be_given(annotator, overlap))).scalar_one()),
        items=int(connection.execute(everything).scalar_one()),
        seconds=sum(seconds for _, seconds in counted.values()),
    )
