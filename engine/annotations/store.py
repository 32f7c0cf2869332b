"""The store of labels: SQLite by default, PostgreSQL by URL; every action is one transaction.

``MICROSCOPE_ANNOTATIONS_URL`` names a database (``postgresql+psycopg://user@host/name``). Without it, labels are in
``annotations.sqlite`` in the data folder, with write-ahead logging. An action has an id from the browser and names the
action behind the label that the person saw. Sent twice, it counts once. A label that was changed elsewhere meanwhile is
never overwritten; the receipt reports a conflict with the newer value.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, and_, func, select

from engine.annotations.changes import Target, checked_values
from engine.annotations.database import open_database
from engine.annotations.fields import GUIDELINES
from engine.annotations.queries import labelling_person, next_for, of_own_projects, passing
from engine.annotations.reads import (
    EVERYTHING,
    adjudications_in,
    get_adjudication,
    get_label,
    get_project,
    items_in,
    labels_in,
    last_adjudication,
    progress_in,
    project_of,
    withdrawn_version,
)
from engine.annotations.records import (
    MOST_GUIDELINES,
    MOST_NAME,
    Action,
    Adjudication,
    AdjudicationConflict,
    Event,
    Filter,
    Item,
    Progress,
    Project,
    ProjectConflict,
    Receipt,
    Values,
    refuse_long_note,
    refuse_unwritable,
)
from engine.annotations.rows import (
    WITHDRAWN,
    event_of,
    item_of,
    markable,
    put,
    put_adjudication,
    withdrawn_adjudication,
)
from engine.annotations.schema import (
    ADJUDICATIONS,
    ARRIVALS,
    ASSIGNMENTS,
    CLAIMS,
    EVENTS,
    ITEMS,
    LABELS,
    PREFERENCES,
    PROJECTS,
)
from engine.annotations.schema import GUIDELINES as WORDINGS
from engine.annotations.writes import claim, insert_items, insert_project, note_arrival, write_action
from engine.core.allowed import acting_person
from engine.core.clock import now
from engine.core.errors import InputError
from engine.runs.limits import refuse_beyond_limits
from engine.runs.store import new_id

NEWER_GUIDELINES = "The guidelines were changed meanwhile. You see the newer ones; yours were not stored."
NEWER_ADJUDICATION = "Somebody else adjudicated this item meanwhile. You see that decision; yours was not stored."
MOST_NAMES = 1000  # names under which visitors keep one setting: any name may be typed, and each takes a row
WITHDRAWN_MEANWHILE = "Somebody took back the decision on this item meanwhile. Yours was not stored."


Given = ParamSpec("Given")
Found = TypeVar("Found")


def in_one_reading(
    query: Callable[Concatenate[Connection, Given], Found],
) -> "Callable[Concatenate[AnnotationStore, Given], Found]":
    """Return a method of the store that runs a query on one state of the database."""

    @wraps(query)
    def method(store: "AnnotationStore", /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        with store.database.reading() as connection:
            return query(connection, *args, **kwargs)

    return method


class AnnotationStore:
    """Projects, items, labels and their history. Threads, processes and people may use one database together.

    Every method raises StorageError if the database cannot be used, and InputError for an unknown project or item.
    """

    def __init__(self, url: str | None = None) -> None:
        """Open the database and migrate its tables; ``url`` None is the environment's, otherwise the data folder's."""
        self.database = open_database(url)

    project = in_one_reading(get_project)
    items = in_one_reading(items_in)
    label = in_one_reading(get_label)
    labels = in_one_reading(labels_in)
    progress_of = in_one_reading(progress_in)
    adjudication = in_one_reading(get_adjudication)
    withdrawn_version = in_one_reading(withdrawn_version)
    adjudications = in_one_reading(adjudications_in)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close()

    def create_project(
        self, name: str, *, guidelines: str = "", overlap: int = 2, blind: bool = True, project: str | None = None
    ) -> Project:
        """Return a new project; ``guidelines`` "" takes the shipped ones.

        Raises InputError if the name is taken, or a visitor has made as many as the owner grants.
        """
        self.refuse_many()
        made = Project(
            id=project or new_id(),
            name=checked_name(name, "A project"),
            guidelines=checked_guidelines(guidelines or GUIDELINES),
            version=1,
            overlap=checked_overlap(overlap),
            blind=blind,
            created_at=now(),
        )
        with self.database.transaction("projects") as connection:
            made = replace(made, name=free_name(connection, made.name, ""))
            insert_project(connection, made)
            note_arrival(connection)
        return made

    def refuse_many(self) -> None:
        """Raise InputError where a visitor has made and imported as much in the last hour as the owner grants."""
        refuse_beyond_limits(self.usage, waits=False)

    def usage(self, person: str, since: str) -> tuple[int, int, tuple[str, ...]]:
        """Return 0, 0, since nothing waits here, and when a person made or imported something, the first one first."""
        wanted = select(ARRIVALS.c.at).where(ARRIVALS.c.person == person, ARRIVALS.c.at >= since)
        with self.database.reading() as connection:
            return 0, 0, tuple(connection.execute(wanted.order_by(ARRIVALS.c.at)).scalars())

    def projects(self) -> tuple[Project, ...]:
        """Return every project, a visitor's own, oldest first."""
        with self.database.reading() as connection:
            wanted = PROJECTS.select().where(of_own_projects(PROJECTS.c.id))
            rows = connection.execute(wanted.order_by(PROJECTS.c.created_at, PROJECTS.c.id)).all()
            return tuple(project_of(connection, row) for row in rows)

    def change_project(
        self, project: str, *, overlap: int | None = None, blind: bool | None = None, name: str | None = None
    ) -> Project:
        """Return the project with the given changes."""
        given = {
            "overlap": None if overlap is None else checked_overlap(overlap),
            "blind": blind,
            "name": None if name is None else checked_name(name, "A project"),
        }
        values = {key: value for key, value in given.items() if value is not None}
        with self.database.transaction("projects") as connection:
            get_project(connection, project)
            if name is not None:
                values["name"] = free_name(connection, str(values["name"]), project)
            if values:
                connection.execute(PROJECTS.update().where(PROJECTS.c.id == project).values(values))
            return get_project(connection, project)

    def remove_unlabelled(self, project: str) -> None:
        """Remove a project that nobody has labelled anything in, with its items. Raises InputError for another one."""
        own = select(ITEMS.c.id).where(ITEMS.c.project == project)
        with self.database.transaction(project) as connection:
            made = get_project(connection, project)
            if connection.execute(select(EVENTS.c.number).where(EVENTS.c.project == project).limit(1)).first():
                raise InputError(f"The project {made.name} holds labels, so it stays.")
            for table in (CLAIMS, ASSIGNMENTS, ADJUDICATIONS, LABELS):
                connection.execute(table.delete().where(table.c.item.in_(own)))
            connection.execute(ITEMS.delete().where(ITEMS.c.project == project))
            connection.execute(WORDINGS.delete().where(WORDINGS.c.project == project))
            connection.execute(PROJECTS.delete().where(PROJECTS.c.id == project))

    def set_guidelines(self, project: str, text: str, base: int) -> Project:
        """Return the project with new guidelines, one version after ``base``. Raises ProjectConflict."""
        wording = checked_guidelines(text)
        with self.database.transaction(project) as connection:
            current = get_project(connection, project)
            if current.version != base:
                raise ProjectConflict(NEWER_GUIDELINES, current)
            if wording != current.guidelines:
                row = {"project": project, "version": base + 1, "text": wording, "at": now()}
                connection.execute(WORDINGS.insert().values(row))
            return get_project(connection, project)

    def guidelines(self, project: str, version: int) -> str:
        """Return the guidelines of a version. Raises InputError for an unknown version."""
        wanted = WORDINGS.select().where(WORDINGS.c.project == project, WORDINGS.c.version == version)
        wanted = wanted.where(of_own_projects(WORDINGS.c.project))
        with self.database.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        if row is None:
            raise InputError(f"The guidelines of this project have no version {version}.")
        return str(row.text)

    def add_items(self, project: str, items: Sequence[Item]) -> int:
        """Return how many of the items were new; existing ones stay as they are."""
        with self.database.transaction(project) as connection:
            get_project(connection, project)
            return insert_items(connection, project, items)

    def item(self, item: str) -> Item:
        """Return an item by its id."""
        with self.database.reading() as connection:
            wanted = ITEMS.select().where(ITEMS.c.id == item, of_own_projects(ITEMS.c.project))
            row = connection.execute(wanted).one_or_none()
        if row is None:
            raise unknown_item(item)
        return item_of(row)

    def item_ids(self, project: str, where: Filter = EVERYTHING) -> tuple[str, ...]:
        """Return the ids of a project's items that pass the filter, in their order."""
        wanted = select(ITEMS.c.id).where(passing(project, where)).order_by(ITEMS.c.number)
        with self.database.reading() as connection:
            return tuple(connection.execute(wanted).scalars())

    def count(self, project: str, where: Filter = EVERYTHING) -> int:
        """Return how many of a project's items pass the filter."""
        with self.database.reading() as connection:
            wanted = select(func.count()).select_from(ITEMS).where(passing(project, where))
            return int(connection.execute(wanted).scalar_one())

    def policies(self, project: str) -> tuple[str, ...]:
        """Return the policies of a project's items, in alphabetical order."""
        wanted = select(ITEMS.c.policy).distinct().where(ITEMS.c.project == project, ITEMS.c.policy != "")
        with self.database.reading() as connection:
            return tuple(sorted(connection.execute(wanted).scalars()))

    def next_items(
        self, project: str, annotator: str, count: int = 1, where: Filter = EVERYTHING, besides: Sequence[str] = ()
    ) -> tuple[Item, ...]:
        """Return this person's next items that are neither submitted nor discarded, and claim them for half an hour.

        Left out: items that enough other people label or claim (the project's overlap), items assigned only to others,
        and ``besides``. The person's own drafts and claims come first, then one item of each run in turn.
        """
        person = checked_name(annotator, "An annotator")
        with self.database.transaction(project) as connection:
            overlap = get_project(connection, project).overlap
            wanted = next_for(project, person, overlap, where, count, besides)
            ids = [row.id for row in connection.execute(wanted)]
            claim(connection, person, ids)
            rows = {row.id: row for row in connection.execute(ITEMS.select().where(ITEMS.c.id.in_(ids)))}
        return tuple(item_of(rows[name]) for name in ids)

    def release(self, project: str, annotator: str) -> None:
        """Release this person's claims on items without a label of theirs."""
        own = select(ITEMS.c.id).where(ITEMS.c.project == project)
        with self.database.transaction(project) as connection:
            connection.execute(CLAIMS.delete().where(CLAIMS.c.annotator == annotator, CLAIMS.c.item.in_(own)))

    def assign(self, item: str, annotators: Sequence[str]) -> None:
        """Set the only people who get an item; () makes it available to everybody again."""
        people = sorted({checked_name(name, "An annotator") for name in annotators})
        with self.database.transaction("assignments") as connection:
            if connection.execute(select(ITEMS.c.id).where(ITEMS.c.id == item)).one_or_none() is None:
                raise unknown_item(item)
            connection.execute(ASSIGNMENTS.delete().where(ASSIGNMENTS.c.item == item))
            if people:
                connection.execute(ASSIGNMENTS.insert(), [{"item": item, "annotator": name} for name in people])

    def apply(self, project: str, annotator: str, actions: Sequence[Action]) -> tuple[Receipt, ...]:
        """Return a receipt for each of this person's actions, in order; all valid ones are stored in one transaction.

        A stored action raises its label's version by one. An action that conflicts, does not fit its item, or submits
        an incomplete label changes nothing and stops no other one; an action that is already stored returns "repeated".
        """
        person = checked_name(annotator, "An annotator")
        with self.database.transaction(project) as connection:
            guidelines = get_project(connection, project).version
            return tuple(write_action(connection, project, person, action, guidelines) for action in actions)

    def annotators(self, project: str = "") -> tuple[str, ...]:
        """Return the people with actions in a project (any project: ""), in alphabetical order."""
        wanted = select(EVENTS.c.annotator).where(of_own_projects(EVENTS.c.project)).distinct()
        wanted = wanted.where(EVENTS.c.project == project) if project else wanted
        with self.database.reading() as connection:
            return tuple(sorted(connection.execute(wanted).scalars()))

    def progress(self, project: str) -> tuple[Progress, ...]:
        """Return each person's progress, in alphabetical order."""
        people = self.annotators(project)
        with self.database.reading() as connection:
            return tuple(progress_in(connection, project, person) for person in people)

    def history(self, project: str, annotator: str = "", limit: int = 100) -> tuple[Event, ...]:
        """Return the last events of a project, newest first, optionally of one person."""
        own = of_own_projects(EVENTS.c.project)
        wanted = EVENTS.select().where(EVENTS.c.project == project, own).order_by(EVENTS.c.number.desc()).limit(limit)
        wanted = wanted.where(EVENTS.c.annotator == annotator) if annotator else wanted
        with self.database.reading() as connection:
            return tuple(event_of(row) for row in connection.execute(wanted))

    def adjudicate(self, item: str, by: str, values: Values, reason: str, base: int) -> Adjudication:
        """Store and return the adjudication of an item. Raises AdjudicationConflict if its version is not ``base``."""
        found = self.item(item)
        target = Target(kind=found.kind, markable=markable(found))
        refuse_long_note(reason, "A reason")
        made = Adjudication(
            item=item,
            by=checked_name(by, "An adjudicator"),
            values=checked_values(target, values),
            reason=reason,
            version=base + 1,
            at=now(),
        )
        with self.database.transaction(found.project) as connection:
            current = last_adjudication(connection, item)
            if current.version != base:
                withdrawn = current.by == WITHDRAWN
                raise AdjudicationConflict(WITHDRAWN_MEANWHILE if withdrawn else NEWER_ADJUDICATION, current)
            put_adjudication(connection, made)
        return made

    def withdraw_adjudication(self, item: str, base: int) -> None:
        """Make an item unresolved again, one version on, so that no later decision has a version that somebody saw.

        Raises AdjudicationConflict if its adjudication's version is not ``base``.
        """
        found = self.item(item)
        with self.database.transaction(found.project) as connection:
            current = last_adjudication(connection, item)
            if current.by == WITHDRAWN or current.version != base:
                raise AdjudicationConflict(NEWER_ADJUDICATION, current)
            put_adjudication(connection, withdrawn_adjudication(item, base + 1, now()))

    def preference(self, annotator: str, name: str) -> str:
        """Return a stored setting of a person (for example a key map as JSON), "" without one.

        Where labels are each visitor's own, so is it: another who types the same name as annotator has another.
        """
        own = and_(PREFERENCES.c.annotator == annotator, PREFERENCES.c.name == own_setting(name))
        with self.database.reading() as connection:
            row = connection.execute(PREFERENCES.select().where(own)).one_or_none()
        return "" if row is None else str(row.value)

    def set_preference(self, annotator: str, name: str, value: str) -> None:
        """Store a setting of a person. Raises InputError where a visitor has stored it under too many names."""
        refuse_unwritable(value, "A setting")
        row = {"annotator": checked_name(annotator, "An annotator"), "name": own_setting(name), "value": value}
        others = and_(PREFERENCES.c.name == row["name"], PREFERENCES.c.annotator != row["annotator"])
        with self.database.transaction("preferences") as connection:
            held = connection.execute(select(func.count()).select_from(PREFERENCES).where(others)).scalar_one()
            if acting_person() is not None and held >= MOST_NAMES:
                raise InputError(f"This is stored for {held} names already, as many as there may be.")
            put(connection, PREFERENCES, row)


def own_setting(name: str) -> str:
    """Return the name under which a setting is stored: with whose it is, where labels are each visitor's own."""
    person = labelling_person()
    return name if person is None else f"{person}:{name}"


def free_name(connection: Connection, name: str, besides: str, *, imported: bool = False) -> str:
    """Return the name, numbered where it is a project's that whoever asks cannot see, or where it came with a file.

    Raises InputError if another project that they can see has the name that they typed.
    """
    first = name[: MOST_NAME - 8]
    numbered = (f"{first} ({number})" for number in itertools.count(2))
    while True:
        taken = select(PROJECTS.c.id).where(PROJECTS.c.name == name, PROJECTS.c.id != besides)
        if connection.execute(taken).first() is None:
            return name
        if not imported and connection.execute(taken.where(of_own_projects(PROJECTS.c.id))).first() is not None:
            raise InputError(f"A project named {name!r} already exists. Choose another name.")
        name = next(numbered)


def checked_name(name: str, what: str) -> str:
    """Return a name without surrounding blanks. Raises InputError if it is empty, too long or has a line break.

    >>> checked_name(" Ada ", "An annotator")
    'Ada'
    """
    stripped = name.strip()
    if not 1 <= len(stripped) <= MOST_NAME or not stripped.isprintable():
        raise InputError(f"{what} needs a name of 1 to {MOST_NAME} characters on one line.")
    return stripped


def checked_guidelines(text: str) -> str:
    """Return guidelines. Raises InputError if they are empty or too long."""
    refuse_unwritable(text, "The text of the guidelines")
    if not 1 <= len(text.strip()) <= MOST_GUIDELINES:
        raise InputError(f"Guidelines need 1 to {MOST_GUIDELINES} characters, these have {len(text.strip())}.")
    return text


def checked_overlap(overlap: int) -> int:
    """Return the number of people per item. Raises InputError if it is less than one."""
    if overlap < 1:
        raise InputError(f"Each item needs at least one person, got an overlap of {overlap}.")
    return overlap


def unknown_item(item: str) -> InputError:
    """Return the error for an unknown item."""
    return InputError(f"There is no item with the id {item[:64]!r} among the labels.")
