"""Rows of the label tables as records, and records as rows."""

from typing import Any

from sqlalchemy import Connection, Row, Table
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.records import Adjudication, Event, Item, Label
from engine.annotations.schema import ADJUDICATIONS, LABELS
from engine.annotations.serialize import LABEL, VALUES, VIEW, read_record, to_text
from engine.core.errors import InputError


def put(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Insert a row, or update the one with the same primary key."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    keys = [column.name for column in table.primary_key]
    changed = {name: value for name, value in row.items() if name not in keys}
    statement = dialect.insert(table).values(row).on_conflict_do_update(index_elements=keys, set_=changed)
    connection.execute(statement)


def put_label(connection: Connection, label: Label) -> None:
    """Store a label in place of the previous one."""
    row = {name: getattr(label, name) for name in Label.__dataclass_fields__ if name != "values"}
    put(connection, LABELS, {**row, "values_json": to_text(label.values)})


def put_adjudication(connection: Connection, made: Adjudication) -> None:
    """Store an adjudication in place of the previous one."""
    row = {name: getattr(made, name) for name in Adjudication.__dataclass_fields__ if name != "values"}
    put(connection, ADJUDICATIONS, {**row, "values_json": to_text(made.values)})


def item_row(item: Item, project: str, number: int) -> dict[str, Any]:
    """Return an item as a row of its table."""
    if item.project != project:
        raise InputError("An item belongs to one project; make it for this one.")
    row = {name: getattr(item, name) for name in Item.__dataclass_fields__ if name != "view"}
    return row | {
        "number": number,
        "markable": markable(item),
        "searchable": f"{item.view.question}\n{item.view.text}".casefold().replace("\0", " "),
        "view_json": to_text(item.view),
    }


def markable(item: Item) -> int:
    """Return how many tokens may be marked as the first wrong one: those before a retrieval, or all."""
    tokens = len(item.view.tokens)
    return min(item.token, tokens) if item.token is not None else tokens


def item_of(row: Row[Any]) -> Item:
    """Return a row of the items as a record."""
    names = [name for name in Item.__dataclass_fields__ if name != "view"]
    return Item(**{name: getattr(row, name) for name in names}, view=read_record(VIEW, row.view_json, "item"))


def label_of(row: Row[Any]) -> Label:
    """Return a row of the labels as a record."""
    names = [name for name in Label.__dataclass_fields__ if name != "values"]
    return Label(**{name: getattr(row, name) for name in names}, values=read_record(VALUES, row.values_json, "label"))


def event_of(row: Row[Any]) -> Event:
    """Return a row of the history as a record."""
    return Event(
        number=row.number,
        action=row.action,
        item=row.item,
        annotator=row.annotator,
        verb=row.verb,
        of=row.of,
        before=read_record(LABEL, row.before_json, "label"),
        after=read_record(LABEL, row.after_json, "label"),
        at=row.at,
        undone=row.undone,
    )


def adjudication_of(row: Row[Any]) -> Adjudication:
    """Return a row of the adjudications as a record."""
    names = [name for name in Adjudication.__dataclass_fields__ if name != "values"]
    return Adjudication(
        **{name: getattr(row, name) for name in names}, values=read_record(VALUES, row.values_json, "adjudication")
    )
