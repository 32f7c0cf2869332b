"""The store of labels: SQLite by default, PostgreSQL by one URL; every action is one transaction.

``MICROSCOPE_ANNOTATIONS_URL`` names a database (``postgresql+psycopg://user@host/name``); without it the labels lie in
``annotations.sqlite`` in the data folder, with write-ahead logging. An action carries an id made where the key was
pressed and names the action that made the label the person saw: sent twice it counts once, and what was changed elsewhere in
between is never overwritten but raised as a conflict with the newer value.
"""

from collections.abc import Sequence

from engine.annotations.records import (
    Action,
    Adjudication,
    Event,
    Filter,
    Item,
    Label,
    Progress,
    Project,
    Receipt,
    Values,
)

URL_VARIABLE = "MICROSCOPE_ANNOTATIONS_URL"
CLAIM_SECONDS = 1800.0
EVERYTHING = Filter()


class AnnotationStore:
    """Projects, items, labels and their history. Threads, processes and people may use one database at once.

    Every method raises StorageError where the database cannot be used, and InputError for an unknown project or item.
    """

    def __init__(self, url: str | None = None) -> None:
        """Open the database, tables brought up to date; ``url`` None is the environment's, else the data folder's."""
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection that is not in use."""
        raise NotImplementedError

    def create_project(
        self, name: str, *, guidelines: str = "", overlap: int = 2, blind: bool = True, project: str | None = None
    ) -> Project:
        """Return a new project; ``guidelines`` "" takes the shipped ones. Raises InputError where the name is taken."""
        raise NotImplementedError

    def projects(self) -> tuple[Project, ...]:
        """Return every project, oldest first."""
        raise NotImplementedError

    def project(self, project: str) -> Project:
        """Return a project by its id."""
        raise NotImplementedError

    def change_project(
        self, project: str, *, overlap: int | None = None, blind: bool | None = None, name: str | None = None
    ) -> Project:
        """Return the project after changing what is given."""
        raise NotImplementedError

    def set_guidelines(self, project: str, text: str, base: int) -> Project:
        """Return the project with a new wording, one version further than ``base``. Raises ProjectConflict."""
        raise NotImplementedError

    def guidelines(self, project: str, version: int) -> str:
        """Return the guidelines as they stood in a version. Raises InputError where there was none."""
        raise NotImplementedError

    def add_items(self, project: str, items: Sequence[Item]) -> int:
        """Return how many of the items were new: one that is there already stays as it is."""
        raise NotImplementedError

    def item(self, item: str) -> Item:
        """Return an item by its id."""
        raise NotImplementedError

    def items(self, project: str, where: Filter = EVERYTHING, limit: int = 1000, offset: int = 0) -> tuple[Item, ...]:
        """Return a project's items that pass the filter, in their order."""
        raise NotImplementedError

    def count(self, project: str, where: Filter = EVERYTHING) -> int:
        """Return how many of a project's items pass the filter."""
        raise NotImplementedError

    def policies(self, project: str) -> tuple[str, ...]:
        """Return the policies that a project's items come from, in alphabetical order."""
        raise NotImplementedError

    def next_items(
        self, project: str, annotator: str, count: int = 1, where: Filter = EVERYTHING, besides: Sequence[str] = ()
    ) -> tuple[Item, ...]:
        """Return the next items this person has neither submitted nor discarded, and claim them for half an hour.

        Not given: items that as many others as the project's overlap have labelled or hold a claim on, items assigned
        to others only, and ``besides``. The person's own drafts and claims come first, then the project's order.
        """
        raise NotImplementedError

    def release(self, project: str, annotator: str) -> None:
        """Give up this person's claims on items they have no label on."""
        raise NotImplementedError

    def assign(self, item: str, annotators: Sequence[str]) -> None:
        """Name the only people who are given an item; () lets everybody have it again."""
        raise NotImplementedError

    def assigned(self, item: str) -> tuple[str, ...]:
        """Return the people an item is assigned to, in alphabetical order; () means everybody."""
        raise NotImplementedError

    def apply(self, project: str, annotator: str, actions: Sequence[Action]) -> tuple[Receipt, ...]:
        """Return a receipt for each of this person's actions, in order; all that are kept are kept in one transaction.

        A kept action raises its label's version by one. One that conflicts, does not fit its item, or submits a label
        that still lacks a field changes nothing and stops no other; one that was kept before answers "repeated".
        """
        raise NotImplementedError

    def undo(self, project: str, annotator: str, action: str) -> Receipt | None:
        """Return the receipt of taking back this person's last action in the project; None where there is none.

        ``action`` is the id of the undo itself: sent twice it counts once.
        """
        raise NotImplementedError

    def redo(self, project: str, annotator: str, action: str) -> Receipt | None:
        """Return the receipt of bringing back what was undone last; None where nothing is, or after a new action."""
        raise NotImplementedError

    def label(self, item: str, annotator: str) -> Label:
        """Return this person's label of an item; version 0 where it was never touched."""
        raise NotImplementedError

    def labels(self, project: str, annotator: str = "", item: str = "") -> tuple[Label, ...]:
        """Return a project's labels, of one person or one item where named, in the order of items and names."""
        raise NotImplementedError

    def annotators(self, project: str = "") -> tuple[str, ...]:
        """Return the people who have touched a project (any project: ""), in alphabetical order."""
        raise NotImplementedError

    def progress(self, project: str) -> tuple[Progress, ...]:
        """Return how far each person is, in alphabetical order."""
        raise NotImplementedError

    def progress_of(self, project: str, annotator: str) -> Progress:
        """Return how far one person is, who may not have begun."""
        raise NotImplementedError

    def history(self, project: str, annotator: str = "", item: str = "", limit: int = 100) -> tuple[Event, ...]:
        """Return the last events of a project, newest first, of one person or one item where named."""
        raise NotImplementedError

    def adjudicate(self, item: str, by: str, values: Values, reason: str, base: int) -> Adjudication:
        """Return what is settled for an item. Raises AdjudicationConflict where its version is not ``base``."""
        raise NotImplementedError

    def adjudication(self, item: str) -> Adjudication | None:
        """Return what was settled for an item, None where nothing was."""
        raise NotImplementedError

    def adjudications(self, project: str) -> tuple[Adjudication, ...]:
        """Return everything settled in a project, in the order of its items."""
        raise NotImplementedError

    def preference(self, annotator: str, name: str) -> str:
        """Return a setting a person has kept (a key map as JSON, for example), "" where there is none."""
        raise NotImplementedError

    def set_preference(self, annotator: str, name: str, value: str) -> None:
        """Keep a setting of a person."""
        raise NotImplementedError
