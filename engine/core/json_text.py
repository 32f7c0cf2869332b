"""A record as JSON text, every number exact: NaN and the infinities as strings, floats with all their digits.

What is wrong with JSON that does not fit is put into words here too.
"""

from pathlib import Path
from typing import Any, TypeVar

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.core.errors import RecordError

Record = TypeVar("Record")
# No time, count, seed or score of ours comes near: beyond, sums overflow and a table's whole numbers have no room.
LARGEST_WHOLE, LARGEST_PART = 2**63 - 1, 1e18
# The way to a place in parsed JSON: the way to what it is part of, and the last step. () = the top. A text for each
# number would repeat the names above it, which may be long.
Way = tuple[()] | tuple["Way", str | int]


def record_to_json(record: object, indent: int | None = None) -> str:
    """Return a record as one line of JSON, or with so many spaces a level where ``indent`` says so.

    Raises RecordError where its text is not valid Unicode.
    """
    try:
        return pydantic_core.to_json(record, inf_nan_mode="strings", indent=indent).decode()
    except pydantic_core.PydanticSerializationError as exc:
        raise RecordError(f"The record cannot be written as JSON: {exc}") from exc


def read_json_file(file: Path, kind: type[Record]) -> Record:
    """Return the record in a JSON file of ours. Raises RecordError with the file and the first thing wrong in it."""
    try:
        return TypeAdapter(kind).validate_json(file.read_bytes())
    except OSError as exc:
        raise RecordError(f"{file.name} cannot be read: {exc.strerror}.") from exc
    except ValidationError as exc:
        raise RecordError(f"{file.name} cannot be read: {first_fault(exc)}.") from exc


def json_kind(value: Any) -> str:
    """Return what a parsed JSON value is, in words.

    >>> json_kind(None), json_kind(True), json_kind(4.2), json_kind("Who?"), json_kind([])
    ('null', 'a truth value', 'a number', 'a text', 'a list')
    """
    kinds = {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "null")


def refuse_large_numbers(parsed: Any, kind: str) -> None:
    """Raise RecordError where parsed JSON holds a number too large to draw; "Infinity" in it is a value like any other.

    >>> refuse_large_numbers({"a": [0.5, 2**63 - 1, float("inf")]}, "record")
    >>> refuse_large_numbers({"a": [1, 10**400]}, "record")
    Traceback (most recent call last):
    engine.core.errors.RecordError: This record cannot be read: a.1: the number is too large.
    """
    left: list[tuple[Way, Any]] = [((), parsed)]
    while left:
        way, value = left.pop()
        if isinstance(value, dict):
            left += [((way, name), one) for name, one in value.items() if not isinstance(one, str)]
        elif isinstance(value, list | tuple):
            left += [((way, number), one) for number, one in enumerate(value) if not isinstance(one, str)]
        elif too_large(value):
            raise RecordError(f"This {kind} cannot be read: {place_at(way)[:200]}: the number is too large.")


def place_at(way: Way) -> str:
    """Return the place that a way leads to, as text.

    >>> place_at((((), "a"), 1))
    'a.1'
    """
    steps = []
    while way:
        way, step = way
        steps.append(str(step))
    return ".".join(reversed(steps)).lstrip(".")


def parse_json(text: str, kind: str) -> Any:
    """Return what JSON text holds. Raises RecordError where it is not JSON."""
    try:
        return pydantic_core.from_json(text)
    except ValueError as exc:
        raise RecordError(f"This {kind} is not JSON: {exc}.") from exc
    except TypeError as exc:  # a text that cannot be written as UTF-8
        raise RecordError(f"This {kind} is not JSON: it has half a letter, which is not valid Unicode.") from exc


def too_large(value: object) -> bool:
    """Return whether a number is beyond what is drawn; whole numbers may be as large as a seed.

    >>> too_large(2**63 - 1), too_large(2**63), too_large(1e19), too_large(float("nan")), too_large(float("inf"))
    (False, True, True, False, False)
    """
    if isinstance(value, int):
        return not -LARGEST_WHOLE <= value <= LARGEST_WHOLE
    return isinstance(value, float) and LARGEST_PART < abs(value) < float("inf")


def first_fault(error: ValidationError, above: int = 0) -> str:
    """Return the place and the message of the first fault; ``above`` is how many steps of the place are left out."""
    place, message = fault_parts(error, above)
    return f"at {place or 'the top'}, {message.lower()}"


def fault_line(error: ValidationError) -> str:
    """Return the first fault after its place, as "title: Field required"; the message alone for the whole text."""
    place, message = fault_parts(error)
    return f"{place}: {message}" if place else message


def fault_parts(error: ValidationError, above: int = 0) -> tuple[str, str]:
    """Return (place, message) of the first fault; never the input itself."""
    fault = error.errors(include_url=False, include_input=False)[0]
    # A reader of JSON knows lists.
    message = fault["msg"].replace("Tuple should", "The list should").replace(" after validation", "")
    return ".".join(str(part) for part in fault["loc"][above:])[:200], message[:200].rstrip(".")
