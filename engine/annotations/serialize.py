"""The records of labelling as JSON text and back; imported text is untrusted and checked completely."""

from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import Any, TypeVar

import pydantic_core
from pydantic import ConfigDict, TypeAdapter, ValidationError

from engine.annotations.records import Adjudication, Item, ItemView, Label, Project, Values, refuse_unwritable
from engine.core.errors import InputError, RecordError
from engine.core.json_text import first_fault, parse_json, record_to_json, refuse_large_numbers

Record = TypeVar("Record")

# Inside a tuple, because pydantic hands ``extra="forbid"`` down to plain dataclasses only from a container.
STRICT = ConfigDict(extra="forbid")
VIEW: TypeAdapter[tuple[ItemView]] = TypeAdapter(tuple[ItemView], config=STRICT)
VALUES: TypeAdapter[tuple[Values]] = TypeAdapter(tuple[Values], config=STRICT)
LABEL: TypeAdapter[tuple[Label]] = TypeAdapter(tuple[Label], config=STRICT)
ITEM: TypeAdapter[tuple[Item]] = TypeAdapter(tuple[Item], config=STRICT)
PROJECT: TypeAdapter[tuple[Project]] = TypeAdapter(tuple[Project], config=STRICT)
ADJUDICATION: TypeAdapter[tuple[Adjudication]] = TypeAdapter(tuple[Adjudication], config=STRICT)


def to_text(record: ItemView | Label | Values) -> str:
    """Return a record as one line of JSON, every number exact. Raises RecordError if its text is not valid Unicode.

    >>> to_text((("timing", "delayed"), ("first_wrong", 3)))
    '[["timing","delayed"],["first_wrong",3]]'
    """
    return record_to_json(record)


def to_fields(record: Item | Label | Project | Adjudication) -> dict[str, Any]:
    """Return a record as plain JSON values."""
    fields: dict[str, Any] = pydantic_core.to_jsonable_python(record, inf_nan_mode="strings")
    return fields


def read_record(adapter: TypeAdapter[tuple[Record]], text: str, kind: str) -> Record:
    """Return the record in a text. Raises RecordError with the place of an error."""
    return validated(adapter, parse_json(text, kind), kind)


def validated(adapter: TypeAdapter[tuple[Record]], fields: object, kind: str) -> Record:
    """Return the record in parsed JSON.

    Raises RecordError with the place of an error, of too large a number, or of a text that no database stores.
    """
    refuse_large_numbers(fields, kind)
    try:
        record = adapter.validate_python((fields,))[0]
    except ValidationError as exc:
        raise RecordError(f"This {kind} cannot be read: {first_fault(exc, above=1)}.") from exc
    refuse_unwritable_fields(record, kind)
    return record


def refuse_unwritable_fields(record: object, kind: str) -> None:
    """Raise RecordError where a field's text cannot be stored; what is nested is stored as JSON, which can say it."""
    named = fields_of(record) if is_dataclass(record) else ()
    texts = {field.name: getattr(record, field.name) for field in named}
    try:
        for name, value in texts.items():
            if isinstance(value, str):
                refuse_unwritable(value, f"The {name} of this {kind}")
    except InputError as exc:
        raise RecordError(str(exc)) from exc
