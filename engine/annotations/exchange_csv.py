"""Labels as CSV: one line per item and field, one column per person, for a spreadsheet.

After the fields of an item, further lines hold state, note, time and origin of each label, so that labels come back
unchanged. Somebody may fill in the lines of the fields alone, in a column of their own: such a label is submitted where
nothing is missing, else a draft. A token stands there by its number from 1, as on the page. Files of earlier versions,
whose line ``first_wrong`` counts from 0, are read as well. A cell that a spreadsheet would run as a formula gets a
leading apostrophe, which an import removes.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.annotations.fields import FIELDS, missing_fields
from engine.annotations.portable import Portable
from engine.annotations.records import Adjudication, Item, Label, Value
from engine.annotations.serialize import ADJUDICATION, LABEL, validated
from engine.core.errors import RecordError

ITEM_COLUMNS = ("item", "kind", "policy", "place", "run_id", "run_hash", "guidelines_version", "question", "field")
SETTLED = "adjudicated"
# The lines of a label and of an adjudication, and the names of their fields in the record.
LABEL_LINES = {name: name for name in ("state", "note", "seconds", "action", "version", "guidelines", "updated_at")}
SETTLED_LINES = {"state": "by", "note": "reason", "version": "version", "updated_at": "at"}
RISKY = ("=", "+", "-", "@", "\t", "\r", "'")
# The line of a field that is a token's place: what the page calls it, counted from 1.
TOKEN_LINES = {"first_wrong": "first_wrong_token"}
NUMBERS: Mapping[str, type[int] | type[float]] = {
    "seconds": float,
    "version": int,
    "guidelines": int,
    "first_wrong": int,
    "first_wrong_token": int,
}
Cells = dict[str, str]


def write_csv(whole: Portable) -> str:
    """Return the labels as CSV with a header; people's columns come last, in alphabetical order."""
    people = sorted({label.annotator for label in whole.labels})
    labels = {(label.item, label.annotator): label for label in whole.labels}
    settled = {one.item: one for one in whole.adjudications}
    version = str(whole.project.version if whole.project else 0)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*ITEM_COLUMNS, SETTLED, *map(guarded, people)])
    for item in whole.items:
        columns = [cells_of(labels.get((item.id, person)), LABEL_LINES) for person in people]
        decided = cells_of(settled.get(item.id), SETTLED_LINES)
        for field in lines_of(item):
            begin = (item.id, item.kind, item.policy, str(item.place), item.run_id, item.run_hash, version)
            row = [*begin, item.view.question, field, decided.get(field, ""), *(one.get(field, "") for one in columns)]
            writer.writerow([guarded(cell) for cell in row])
    return out.getvalue()


def lines_of(item: Item) -> tuple[str, ...]:
    """Return the line names of an item: its fields, then state and origin of its labels."""
    return (*(TOKEN_LINES.get(field.name, field.name) for field in FIELDS[item.kind]), *LABEL_LINES)


def cells_of(record: Label | Adjudication | None, lines: Mapping[str, str]) -> Cells:
    """Return the cells of a label or an adjudication by line; none without one."""
    if record is None:
        return {}
    values = {
        TOKEN_LINES.get(name, name): str(int(value) + 1 if name in TOKEN_LINES else value)
        for name, value in record.values
    }
    return values | {line: text_of(getattr(record, name)) for line, name in lines.items()}


def text_of(value: str | int | float) -> str:
    """Return a value as text that brings it back exactly."""
    return value if isinstance(value, str) else repr(value)


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet runs as a formula.

    >>> guarded("=1+1"), guarded("plain"), guarded("'quoted")
    ("'=1+1", 'plain', "''quoted")
    """
    return f"'{cell}" if cell.startswith(RISKY) else cell


def bared(cell: str) -> str:
    """Return a cell without the apostrophe of ``guarded``."""
    return cell.removeprefix("'")


def from_csv(text: str, items: Sequence[Item]) -> Portable:
    """Return the labels in a CSV file for these items. Raises RecordError with the place of an error."""
    rows = [row for row in rows_of(text) if row]
    if not rows or tuple(rows[0][: len(ITEM_COLUMNS) + 1]) != (*ITEM_COLUMNS, SETTLED):
        raise RecordError(f"This CSV file is not an export of labels: its first columns are not {ITEM_COLUMNS[0]} …")
    people = [bared(name) for name in rows[0][len(ITEM_COLUMNS) + 1 :]]
    known, placed = {item.id: item for item in items}, placed_items(items)
    came: dict[str, str] = {}
    columns: dict[str, list[Cells]] = {}
    versions: dict[str, str] = {}
    for number, row in enumerate(rows[1:], start=2):
        item, field = checked_row(row, number, known, placed, len(people))
        if came.setdefault(item.id, row[0]) != row[0]:
            raise RecordError(f"Row {number} of this CSV file names an item again by another id: {row[0][:64]!r}.")
        versions[item.id] = row[ITEM_COLUMNS.index("guidelines_version")]
        cells = columns.setdefault(item.id, [{} for _ in range(len(people) + 1)])
        for cell, there in zip(row[len(ITEM_COLUMNS) :], cells, strict=True):
            there[field] = bared(cell)
    labels = [
        label_from(known[name], person, cells, versions[name])
        for name, (_, *theirs) in columns.items()
        for person, cells in zip(people, theirs, strict=True)
        if any(cells.values())
    ]
    settled = [settled_from(known[name], cells) for name, (cells, *_) in columns.items() if cells.get("state")]
    return Portable(project=None, labels=tuple(labels), adjudications=tuple(settled))


def placed_items(items: Iterable[Item]) -> dict[tuple[str, ...], Item]:
    """Return the items by what they are of, each that is alone there: a copy of the project has other ids for them."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        found.setdefault((item.kind, item.policy, str(item.place), item.run_hash), []).append(item)
    return {place: alone for place, (alone, *others) in found.items() if not others}


def with_origin(item: Item, cells: Cells, guidelines: str) -> Cells:
    """Return a label's cells with state and origin where somebody filled in its fields alone."""
    if cells.get("state"):
        return cells
    values = tuple((name, value) for name, value in values_from(item, cells) if not isinstance(value, float))
    lacking = missing_fields(item.kind, values)
    origin = {"state": "draft" if lacking else "submitted", "seconds": "0", "version": "1", "guidelines": guidelines}
    return cells | {line: cells.get(line) or cell for line, cell in origin.items()}


def rows_of(text: str) -> Iterator[list[str]]:
    """Yield the rows of a CSV text. Raises RecordError if it is not CSV.

    A spreadsheet of a country that writes 1,5 saves it with ";" between its cells, another with tabs.
    """
    mark = next((mark for mark in ";\t" if text.replace('"', "", 2).startswith(f"{ITEM_COLUMNS[0]}{mark}")), ",")
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    except csv.Error as exc:
        raise RecordError(f"This CSV file cannot be read: {exc}.") from exc


def checked_row(
    row: Sequence[str], number: int, known: Mapping[str, Item], placed: Mapping[tuple[str, ...], Item], people: int
) -> tuple[Item, str]:
    """Return a row's item and line. Raises RecordError if it does not fit the project's items."""
    if len(row) != len(ITEM_COLUMNS) + 1 + people:
        raise RecordError(f"Row {number} of this CSV file has {len(row)} cells; its header has a different number.")
    kind, policy, place, _, run_hash = map(bared, row[1:6])
    item = known.get(bared(row[0])) or placed.get((kind, policy, place, run_hash))
    if item is None:
        raise RecordError(f"Row {number} of this CSV file names an item that is not in the project: {row[0][:64]!r}.")
    if row[5] != item.run_hash:
        raise RecordError(f"Row {number} of this CSV file comes from another record of the run {row[4][:64]!r}.")
    field = row[len(ITEM_COLUMNS) - 1]
    if field not in (*lines_of(item), *TOKEN_LINES):
        raise RecordError(
            f"Row {number} of this CSV file names {field[:40]!r}, which an item of this kind does not have."
        )
    return item, field


def label_from(item: Item, person: str, cells: Cells, guidelines: str) -> Label:
    """Return the label in a person's cells. Raises RecordError, with person and item, without a valid label."""
    told = f"label of {person[:60]} on item {item.number}"
    try:
        fields = fields_from(item, with_origin(item, cells, guidelines), LABEL_LINES) | {"annotator": person}
    except RecordError as exc:
        raise RecordError(f"The {told} cannot be read: {exc}") from exc
    return validated(LABEL, fields, told)


def settled_from(item: Item, cells: Cells) -> Adjudication:
    """Return the adjudication in the cells. Raises RecordError without a valid one."""
    return validated(ADJUDICATION, fields_from(item, cells, SETTLED_LINES), "settled item")


def fields_from(item: Item, cells: Cells, lines: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a record in the cells, its values in the order of the item's fields."""
    fields: dict[str, Any] = {name: number_or_text(line, cells.get(line, "")) for line, name in lines.items()}
    return fields | {"item": item.id, "values": list(values_from(item, cells))}


def values_from(item: Item, cells: Cells) -> Iterator[tuple[str, Value | float]]:
    """Yield the item's fields that have a value in the cells, in the order of the item's fields."""
    for name in (field.name for field in FIELDS[item.kind]):
        line = TOKEN_LINES.get(name, "")
        if cells.get(line):
            yield name, int(number_or_text(line, cells[line])) - 1
        elif name in NUMBERS and cells.get(name):
            yield name, number_or_text(name, cells[name])
        elif cell := cells.get(name, "").strip().lower():  # a spreadsheet begins a cell with a capital
            yield name, cell


def number_or_text(name: str, cell: str) -> Value | float:
    """Return a cell as a number if its line needs one, otherwise as text. Raises RecordError for another text."""
    kind = NUMBERS.get(name)
    try:
        return cell if kind is None else kind(cell)
    except ValueError as exc:
        raise RecordError(f"The {name} {cell[:20]!r} in this CSV file is not a number.") from exc
