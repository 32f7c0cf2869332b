"""A record as JSON text, every number exact: NaN and the infinities as strings, floats with all their digits."""

import pydantic_core

from engine.core.errors import RecordError


def record_to_json(record: object) -> str:
    """Return a record as one line of JSON. Raises RecordError where its text is not valid Unicode."""
    try:
        return pydantic_core.to_json(record, inf_nan_mode="strings").decode()
    except pydantic_core.PydanticSerializationError as exc:
        raise RecordError(f"The record cannot be written as JSON: {exc}") from exc
