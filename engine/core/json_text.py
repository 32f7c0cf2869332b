"""A record as JSON text, every number exact: NaN and the infinities as strings, floats with all their digits.

What is wrong with JSON that does not fit is put into words here too.
"""

from pathlib import Path
from typing import TypeVar

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.core.errors import RecordError

Record = TypeVar("Record")


def record_to_json(record: object) -> str:
    """Return a record as one line of JSON. Raises RecordError where its text is not valid Unicode."""
    try:
        return pydantic_core.to_json(record, inf_nan_mode="strings").decode()
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
    return ".".join(str(part) for part in fault["loc"][above:])[:200], fault["msg"][:200].rstrip(".")
