"""Rows of the label tables as records, and records as rows."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Row, Table
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.records import Adjudication, Event, Item, Label
from engine.annotations.schema import ADJUDICATIONS, ITEMS, LABELS
from engine.annotations.serialize import LABEL, VALUES, VIEW, read_record, to_text
from engine.core.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# Who adjudicated an item that is unresolved again; no adjudicator's name is empty.
WITHDRAWN = ""

Record = TypeVar("Record", bound="DataclassInstance")


def put(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Insert a row, or update the one with the same primary key."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    keys = [column.name for column in table.primary_key]
    changed = {name: value for name, value in row.items() if name not in keys}
    statement = dialect.insert(table).values(row).on_conflict_do_update(index_elements=keys, set_=changed)
    connection.execute(statement)


def put_label(connection: Connection, label: Label) -> None:
    """Store a label in place of the previous one."""
    put(connection, LABELS, columns_of(label, LABELS) | {"values_json": to_text(label.values)})


def put_adjudication(connection: Connection, made: Adjudication) -> None:
    """Store an adjudication in place of the previous one."""
    put(connection, ADJUDICATIONS, columns_of(made, ADJUDICATIONS) | {"values_json": to_text(made.values)})


def withdrawn_adjudication(item: str, version: int, at: str = "") -> Adjudication:
    """Return what stands in an adjudication's place after it was withdrawn; its version goes on rising."""
    return Adjudication(item=item, by=WITHDRAWN, values=(), reason="", version=version, at=at)


def columns_of(record: "DataclassInstance", table: Table) -> dict[str, Any]:
    """Return the fields of a record that are columns of a table."""
    return {field.name: getattr(record, field.name) for field in fields(record) if field.name in table.c}


def item_row(item: Item, project: str, number: int) -> dict[str, Any]:
    """Return an item as a row of its table."""
    if item.project != project:
        raise InputError("An item belongs to one project; make it for this one.")
    return columns_of(item, ITEMS) | {
        "number": number,
        "markable": markable(item),
        "searchable": f"{item.view.question}\n{item.view.text}".casefold().replace("\0", " "),
        "view_json": to_text(item.view),
    }


def markable(item: Item) -> int:
    """Return how many tokens may be marked as the first wrong one: those before a retrieval, or all."""
    tokens = len(item.view.tokens)
    return min(item.token, tokens) if item.token is not None else tokens


def record_of(kind: type[Record], row: Row[Any], **others: object) -> Record:
    """Return a row as a record; ``others`` are the fields that are not columns of the same name."""
    names = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in row._asdict().items() if name in names} | others)


def item_of(row: Row[Any]) -> Item:
    """Return a row of the items as a record."""
    return record_of(Item, row, view=read_record(VIEW, row.view_json, "item"))


def label_of(row: Row[Any]) -> Label:
    """Return a row of the labels as a record."""
    return record_of(Label, row, values=read_record(VALUES, row.values_json, "label"))


def event_of(row: Row[Any]) -> Event:
    """Return a row of the history as a record."""
    before, after = (read_record(LABEL, text, "label") for text in (row.before_json, row.after_json))
    return record_of(Event, row, before=before, after=after)


def adjudication_of(row: Row[Any]) -> Adjudication:
    """Return a row of the adjudications as a record."""
    return record_of(Adjudication, row, values=read_record(VALUES, row.values_json, "adjudication"))
