"""An item to label as plain data for the browser: words and numbers only, which are drawn there as text.

In a blind project neither the policy's name nor SePer after each lookup is shown, and no suggestion is made.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

from engine.annotations.fields import FIELDS, Field
from engine.annotations.records import (
    Item,
    ItemView,
    Kind,
    Label,
    Mark,
    Project,
    ShownBeliefStep,
    Suggestion,
    Value,
)
from viz.methods.timing import policy_title
from viz.parts.data_files import read_table
from viz.parts.words import WORDS, closed, quoted, signed

SOURCES = WORDS["suggestion sources"]
STAIR_COLUMNS = ["after lookup", "SePer", "gain", "95 % interval", "worth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindWords:
    """A kind of items in words: its title, its question, the heads of its texts ("" without a second), its items."""

    title: str
    question: str
    text: str
    other: str = ""
    items: str


KIND_WORDS: dict[Kind, KindWords] = read_table("annotating/annotation_kinds.yaml", dict[Kind, KindWords])


def field_data(field: Field) -> dict[str, object]:
    """Return a field as data: its choices with their keys, and the field and value it goes with (None: always)."""
    return {
        "name": field.name,
        "title": field.title,
        "with": list(field.needed_with) or None,
        "choices": [{"value": one.value, "title": one.title, "key": one.key} for one in field.choices],
    }


def kind_data() -> list[dict[str, object]]:
    """Return every kind with its fields."""
    return [{"kind": kind, "fields": [field_data(field) for field in fields]} for kind, fields in FIELDS.items()]


def label_data(label: Label) -> dict[str, object]:
    """Return a label as data."""
    shared = {name: getattr(label, name) for name in ("state", "note", "seconds", "action")}
    return {"values": dict(label.values), **shared}


def card(item: Item, project: Project, suggestions: Sequence[Suggestion] = ()) -> dict[str, object]:
    """Return everything the browser draws of an item.

    ``last`` is the first token that may not be marked as wrong: for a lookup the one it stands before.
    """
    view, words = item.view, KIND_WORDS[item.kind]
    return {
        "id": item.id,
        "number": item.number,
        "kind": item.kind,
        "ask": words.question,
        "fields": [field_data(field) for field in FIELDS[item.kind]],
        "facts": facts(item),
        "text_title": words.text,
        "text": view.text,
        "tokens": pieces(view),
        "marks": [mark_data(mark, project.blind) for mark in view.marks],
        "last": first_not_markable(item),
        "delayed": item.token is not None,
        "below": [{"title": words.other, "text": view.other}] if view.other else [],
        "sections": sections(view),
        "stairs": None if project.blind else stairs(view.stairs),
        "suggestions": [] if project.blind else [{"text": suggestion_words(item.kind, one)} for one in suggestions],
    }


def first_not_markable(item: Item) -> int:
    """Return the first token that may not be marked as wrong: a lookup can only be late for what stands before it."""
    return len(item.view.tokens) if item.token is None else min(item.token, len(item.view.tokens))


def facts(item: Item) -> list[dict[str, str]]:
    """Return what has to be known to label: question, correct answers, answers without and with lookups, the query."""
    view = item.view
    here = next((mark for mark in view.marks if mark.here), None)
    rows = [("Question", view.question), ("Correct answer", " · ".join(view.golds) or "none was given")]
    answers = (("Answer without lookups", view.without), ("Answer with its lookups", view.after))
    rows += [(title, text) for title, text in answers if text]
    if here is not None:
        rows.append(("Looked up", here.query or "nothing: the query is empty"))
    return [{"title": title, "text": text} for title, text in rows]


def pieces(view: ItemView) -> list[str]:
    """Return the text cut at the end of each token, the last piece up to its end: no letter between two is lost."""
    ends = [piece.end for piece in view.tokens[:-1]]
    bounds = [0, *ends, len(view.text)] if view.tokens else []
    return [view.text[start:end] for start, end in pairwise(bounds)]


def mark_data(mark: Mark, blind: bool) -> dict[str, object]:
    """Return a lookup's mark in the text; a blind one does not say whose it is."""
    word = "this lookup" if mark.here else "lookup"
    title = word if blind else f"{word} · {policy_title(mark.policy)}"
    return {"token": mark.token, "here": mark.here, "title": title, "hover": f"Looked up {quoted(mark.query, 200)}"}


def sections(view: ItemView) -> list[dict[str, object]]:
    """Return the passages that can be read below: what the lookup brought, and the evidence for the question."""
    titled = (("What this lookup brought", view.found), ("Evidence for the question", view.evidence))
    return [{"title": title, "passages": [asdict(one) for one in found]} for title, found in titled if found]


def stairs(steps: Sequence[ShownBeliefStep]) -> dict[str, object] | None:
    """Return the SePer staircase as a table of words, None where it was not measured."""
    if not steps:
        return None
    title = "SePer after each lookup, 0 to 1"
    return {"title": title, "columns": STAIR_COLUMNS, "rows": [stair_row(step) for step in steps]}


def stair_row(step: ShownBeliefStep) -> list[str]:
    """Return one stair in words."""
    gain = "–" if step.gain is None else signed(step.gain)
    known = step.gain_low is not None and step.gain_high is not None
    interval = f"{signed(step.gain_low or 0.0)} to {signed(step.gain_high or 0.0)}" if known else "–"
    return [str(step.retrieval), f"{step.soft:.2f}", gain, interval, step.worth or "–"]


def suggestion_words(kind: Kind, suggestion: Suggestion) -> str:
    """Return a suggestion as a line: the field, the value, why, and whose word it is."""
    field = next(field for field in FIELDS[kind] if field.name == suggestion.field)
    value = value_words(kind, suggestion.field, suggestion.value)
    return f"{field.title}: {value}. {closed(suggestion.reason)} ({source_words(suggestion.method)})"


def source_words(word: str) -> str:
    """Return who makes a suggestion: a policy or a method by its title, the gold answer, the judge.

    >>> source_words("entropy_trend"), source_words("answer_match")
    ('ETC', 'by the correct answer')
    """
    return SOURCES.get(word) or policy_title(word)


def value_words(kind: Kind, name: str, value: Value | None) -> str:
    """Return a field's value in the words of its choice; a token by its place from 1.

    >>> value_words("retrieval", "timing", "delayed"), value_words("retrieval", "first_wrong", 3)
    ('delayed', 'token 4')
    """
    if value is None:
        return "not said"
    field = next(field for field in FIELDS[kind] if field.name == name)
    named = {choice.value: choice.title for choice in field.choices}
    return named.get(str(value), f"token {int(value) + 1}" if isinstance(value, int) else str(value))


def label_words(kind: Kind, label: Label) -> str:
    """Return what a label says of every field, in the order of the kind's fields."""
    said = dict(label.values)
    return ", ".join(
        f"{field.title}: {value_words(kind, field.name, said[field.name])}"
        for field in FIELDS[kind]
        if field.name in said
    )
