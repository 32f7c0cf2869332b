"""The questions for each kind of item, the guidelines that people read first, and valid answers.

The questions are the ETC paper's (sections 6.3 to 6.5): was a retrieval *delayed* (wrong tokens before it), was it
*redundant* (the answer is right without it, section 6.3; or it gained nothing, section 6.4), is one *missing* in a
whole answer. The paper uses one word for both senses of redundant; here each has its own field.
"""

from dataclasses import dataclass

from engine.annotations.records import Kind, Value, Values
from engine.core.errors import InputError

GUIDELINES = """\
Read the question, the correct answer and the evidence first. Label what the text says, not what you would have written.

Timing of a retrieval. “Delayed”: the answer contains a wrong token before this retrieval; mark the first one. “Timely”:
everything before it is right, or nothing precedes it. A wrong token makes a statement false: a wrong name, number, date
or relation. Odd style is not wrong. A trigger is a place where a policy would have looked something up in the answer
from memory. Label its timing in the same way.

Right without it. “Redundant”: the answer without any retrieval is right. “Useful”: it is not.

Gain from it. “Redundant”: with this retrieval the answer is no better than before it. “Useful”: it is better.

A whole answer. “Missing”: the answer is wrong and nothing was looked up. “Not missing”: the answer is right, or
something was looked up.

Chunks. “Certain”: rewording the passage does not change the answer. “Necessary”: the answer needs the passage.
“Unnecessary”: the answer changes with the wording, but is as good without the passage.

Entailment. Given the question, does the first answer say what the second says (entailment), deny it (contradiction), or
neither (neutral)?

Correctness. “Right”: the answer means the same as the correct answer, in any words. Otherwise “wrong”.

If you cannot decide, discard the item and say why in the note.
"""


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


def two(name: str, title: str, first: Choice, second: Choice) -> Field:
    """Return a field with two choices."""
    return Field(name=name, title=title, choices=(first, second))


def first_wrong(with_field: str, with_value: str) -> Field:
    """Return the field for the first wrong token, needed with one value of another field."""
    return Field(name="first_wrong", title="First wrong token", needed_with=(with_field, with_value))


TIMING = (
    two(
        "timing",
        "Timing",
        Choice(value="timely", title="timely", key="t"),
        Choice(value="delayed", title="delayed", key="d"),
    ),
    first_wrong("timing", "delayed"),
    two(
        "without",
        "Without it, the answer is",
        Choice(value="useful", title="wrong: useful", key="u"),
        Choice(value="redundant", title="right: redundant", key="r"),
    ),
)


FIELDS: dict[Kind, tuple[Field, ...]] = {
    "retrieval": (
        *TIMING,
        two(
            "gain",
            "With it, the answer is",
            Choice(value="useful", title="better: useful", key="g"),
            Choice(value="redundant", title="no better: redundant", key="n"),
        ),
    ),
    "trigger": TIMING,
    "answer": (
        two(
            "missing",
            "A retrieval is",
            Choice(value="missing", title="missing", key="m"),
            Choice(value="not missing", title="not missing", key="n"),
        ),
        first_wrong("missing", "missing"),
    ),
    "chunk": (
        Field(
            name="chunk",
            title="The passage is",
            choices=(
                Choice(value="certain", title="certain", key="c"),
                Choice(value="necessary", title="necessary", key="n"),
                Choice(value="unnecessary", title="unnecessary", key="u"),
            ),
        ),
    ),
    "edge": (
        Field(
            name="entailment",
            title="The second follows from the first",
            choices=(
                Choice(value="entailment", title="entailment", key="e"),
                Choice(value="neutral", title="neutral", key="n"),
                Choice(value="contradiction", title="contradiction", key="c"),
            ),
        ),
    ),
    "correctness": (
        two(
            "correct",
            "The answer is",
            Choice(value="right", title="right", key="r"),
            Choice(value="wrong", title="wrong", key="w"),
        ),
    ),
}


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
        raise InputError(f"{field.title} must be one of the {tokens} tokens of the text, got {str(value)[:40]!r}.")
    return value


def missing_fields(kind: Kind, values: Values) -> tuple[str, ...]:
    """Return the names of the fields a label still needs before it can be submitted.

    >>> missing_fields("retrieval", (("timing", "delayed"), ("gain", "useful")))
    ('first_wrong', 'without')
    """
    said = dict(values)
    needed = [
        field.name
        for field in FIELDS[kind]
        if not field.needed_with or said.get(field.needed_with[0]) == field.needed_with[1]
    ]
    return tuple(name for name in needed if name not in said)


def with_value(kind: Kind, values: Values, name: str, value: Value | None) -> Values:
    """Return the values with one set, or cleared by None, in the order of the kind's fields.

    A field that is needed only with another field's value sets that value, and is dropped without it.

    >>> with_value("retrieval", (), "first_wrong", 3)
    (('timing', 'delayed'), ('first_wrong', 3))
    >>> with_value("retrieval", (("timing", "delayed"), ("first_wrong", 3)), "timing", "timely")
    (('timing', 'timely'),)
    """
    said = dict(values)
    said.pop(name, None)
    if value is not None:
        said[name] = value
        said.update([needed] if (needed := field_of(kind, name).needed_with) else [])
    kept = [
        field.name
        for field in FIELDS[kind]
        if field.name in said and (not field.needed_with or said.get(field.needed_with[0]) == field.needed_with[1])
    ]
    return tuple((name, said[name]) for name in kept)
