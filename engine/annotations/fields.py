"""The questions for each kind of item, the guidelines that people read first, and valid answers.

The questions are the ETC paper's (sections 6.3 to 6.5): was a retrieval *delayed* (wrong tokens before it), was it
*redundant* (the answer is right without it, section 6.3; or it gained nothing, section 6.4), is one *missing* in a
whole answer. The paper uses one word for both senses of redundant; here each has its own field.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import TypeAdapter

from engine.annotations.records import Kind, Value, Values
from engine.core.errors import InputError

FOLDER = Path(__file__).parent
GUIDELINES = (FOLDER / "guidelines.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One value of a field: the stored word, the shown words and the default key."""

    value: str
    title: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One question about an item: one of ``choices``, or without choices the index of a token of the text.

    ``needed_with``: the field is needed if another field has this value; () for a field that is always needed.
    """

    name: str
    title: str
    choices: tuple[Choice, ...] = ()
    needed_with: tuple[str, str] | tuple[()] = ()


FIELDS: dict[Kind, tuple[Field, ...]] = TypeAdapter(dict[Kind, tuple[Field, ...]]).validate_python(
    yaml.safe_load((FOLDER / "fields.yaml").read_text(encoding="utf-8"))
)


def field_of(kind: Kind, name: str) -> Field:
    """Return a kind's field. Raises InputError for an unknown name."""
    found = next((field for field in FIELDS[kind] if field.name == name), None)
    if found is None:
        names = ", ".join(field.name for field in FIELDS[kind])
        raise InputError(f"An item of kind {kind} has no field {name[:40]!r}; it has {names}.")
    return found


def checked_value(kind: Kind, name: str, value: object, tokens: int) -> Value:
    """Return the value of a field. Raises InputError if it is not one of its choices, or not a token of the text."""
    field = field_of(kind, name)
    if field.choices:
        if value not in [choice.value for choice in field.choices]:
            choices = ", ".join(choice.value for choice in field.choices)
            raise InputError(f"{field.title} must be one of {choices}, got {str(value)[:40]!r}.")
        return str(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < tokens:
        got = f"token {value + 1}" if isinstance(value, int) else repr(str(value)[:40])
        raise InputError(f"{field.title} must be one of the {tokens} tokens that may be marked, got {got}.")
    return value


def missing_fields(kind: Kind, values: Values) -> tuple[str, ...]:
    """Return the names of the fields a label still needs before it can be submitted.

    >>> missing_fields("retrieval", (("timing", "delayed"), ("gain", "useful")))
    ('first_wrong', 'without')
    """
    given = dict(values)
    return tuple(name for name in needed_fields(kind, given) if name not in given)


def needed_fields(kind: Kind, given: dict[str, Value]) -> tuple[str, ...]:
    """Return the names of the fields that belong to a label with these values, in their order."""
    return tuple(
        field.name
        for field in FIELDS[kind]
        if not field.needed_with or given.get(field.needed_with[0]) == field.needed_with[1]
    )


def with_value(kind: Kind, values: Values, name: str, value: Value | None) -> Values:
    """Return the values with one set, or cleared by None, in the order of the kind's fields.

    A field that is needed only with another field's value sets that value, and is dropped without it.

    >>> with_value("retrieval", (), "first_wrong", 3)
    (('timing', 'delayed'), ('first_wrong', 3))
    >>> with_value("retrieval", (("timing", "delayed"), ("first_wrong", 3)), "timing", "timely")
    (('timing', 'timely'),)
    """
    given = dict(values)
    given.pop(name, None)
    if value is not None:
        given[name] = value
        given.update([needed] if (needed := field_of(kind, name).needed_with) else [])
    return tuple((name, given[name]) for name in needed_fields(kind, given) if name in given)
