"""Limits of settings as types of their fields, and one check that turns a breach into a sentence.

``Field(title=...)`` gives a field another name in that sentence.
"""

from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from engine.core.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

TEXT_SHOWN = 60
LIMITS = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}

MOST_PASSAGES = 20  # that a run or a trace may have
LARGEST_SEED = 2**63 - 1  # that every reader of a record can hold

Positive = Annotated[int, Field(ge=1)]
UpTo20 = Annotated[int, Field(ge=1, le=20)]
FiniteFloat = Annotated[float, Field(allow_inf_nan=False)]


def check_settings(settings: "DataclassInstance", owner: str) -> None:
    """Raise InputError with field, range and value if a field of a frozen record breaks the limits of its type.

    Making such a record checks nothing; a request is checked once, where it enters. Records inside it are not checked.
    """
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    try:
        adapter_of(type(settings)).validate_python(values)
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        name = str(fault["loc"][0])
        limits = number_limits(type(settings), name)
        bounds = " and ".join(f"{words} {limits[key]:,}" for key, words in LIMITS.items() if key in limits)
        allowed = bounds or fault["msg"].removeprefix("Input should be ")
        title, value = limits.get("title", name.replace("_", " ")), repr(values[name])
        got = f", got {value}" if len(value) <= TEXT_SHOWN else ""
        raise InputError(f"{owner}: {title} must be {allowed}{got}.") from exc


@lru_cache(maxsize=64)
def adapter_of(kind: type[Any]) -> TypeAdapter[Any]:
    """Return the validator of a type, made once."""
    return TypeAdapter(kind)


def number_limits(kind: type[Any], name: str) -> dict[str, Any]:
    """Return the JSON schema of a field, of its number if it may be None: its limits and its title."""
    schema = adapter_of(get_type_hints(kind, include_extras=True)[name]).json_schema()
    return next((part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"), {})
