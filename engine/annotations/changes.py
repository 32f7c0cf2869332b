"""What an action does to a label: pure rules, no database.

An action names the action that made the label its author saw. If that is not the label's last action, somebody else (or
the same person in another tab) was faster, and nothing changes. Actions that follow a conflict are conflicts too. Undo
and redo restore earlier states of an item, one action after the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.annotations.fields import FIELDS, checked_value, field_of, missing_fields
from engine.annotations.records import (
    MOST_ID,
    Action,
    Event,
    Kind,
    Label,
    Receipt,
    Values,
    redoable,
    refuse_long_note,
    refuse_unwritable,
    undoable,
)
from engine.core.errors import InputError

CHANGED_ELSEWHERE = "This label was changed elsewhere. You now see the newer one; nothing was lost."
UNKNOWN_ITEM = "There is no such item in this project."


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a label is about, for the rules: ``markable`` tokens of the text may be marked as wrong."""

    kind: Kind
    markable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A label after an action, and the earlier action (a number of the history) that it undoes or redoes."""

    after: Label
    undone: int | None = None
    redone: int | None = None


def decide_action(
    action: Action, label: Label, target: Target, events: Sequence[Event], guidelines: int, at: str
) -> Change | Receipt:
    """Return the change that an action makes, or a receipt with the reason for none.

    ``events`` is this person's history of this item; ``guidelines`` is the project's current version.
    """
    if any(event.action == action.id for event in events):
        return Receipt(action=action.id, status="repeated", sentence="", label=label)
    if action.base != label.action:
        return Receipt(action=action.id, status="conflict", sentence=CHANGED_ELSEWHERE, label=label)
    try:
        change = applied_change(action, label, target, events)
    except InputError as exc:
        return Receipt(action=action.id, status="refused", sentence=str(exc), label=label)
    after = replace(
        change.after,
        seconds=max(label.seconds, action.seconds),
        action=action.id,
        version=label.version + 1,
        guidelines=guidelines,
        updated_at=at,
    )
    return replace(change, after=after)


def applied_change(action: Action, label: Label, target: Target, events: Sequence[Event]) -> Change:
    """Return what an action does to values, state and note of a label. Raises InputError if it does not fit."""
    if not 1 <= len(action.id) <= MOST_ID:
        raise InputError(f"An action needs an id of 1 to {MOST_ID} characters.")
    refuse_unwritable(action.id, "An action's id")
    if not math.isfinite(action.seconds) or action.seconds < 0:
        raise InputError(f"Time spent must be at least 0 seconds, got {action.seconds}.")
    if action.verb == "set":
        return Change(after=set_whole(action, label, target))
    choices, word = (undoable(events), "undone") if action.verb == "undo" else (redoable(events), "redone")
    if not choices or choices[0].action != action.of:
        raise InputError(
            f"That action cannot be {word} now: another action on this item comes first, or there is none."
        )
    event = choices[0]
    if action.verb == "undo":
        return Change(after=restored(label, event.before), undone=event.number)
    return Change(after=restored(label, event.after), redone=event.number)


def set_whole(action: Action, label: Label, target: Target) -> Label:
    """Return the label of an action. Raises InputError for a wrong value, or if a submitted label lacks one."""
    refuse_long_note(action.note, "A note")
    if action.state == "untouched":
        raise InputError("Only an undo can make a label untouched again.")
    values = checked_values(target, action.values)
    lacking = missing_fields(target.kind, values) if action.state == "submitted" else ()
    if lacking:
        names = ", ".join(field_of(target.kind, name).title.lower() for name in lacking)
        raise InputError(f"This item still needs: {names}.")
    return replace(label, values=values, state=action.state, note=action.note)


def checked_values(target: Target, values: Values) -> Values:
    """Return the values in the order of the kind's fields. Raises InputError if one does not fit the item."""
    said: Values = ()
    for name, value in values:
        if name in dict(said):
            raise InputError(f"The field {name[:40]!r} is given twice.")
        said = (*said, (name, checked_value(target.kind, name, value, target.markable)))
    stray = [name for name, _ in said if (needed := field_of(target.kind, name).needed_with) and needed not in said]
    if stray:
        field = field_of(target.kind, stray[0])
        raise InputError(f"{field.title} belongs to {' = '.join(field.needed_with)} only.")
    return tuple((field.name, dict(said)[field.name]) for field in FIELDS[target.kind] if field.name in dict(said))


def restored(label: Label, was: Label) -> Label:
    """Return a label with its earlier values, state and note; the time spent on it stays."""
    return replace(label, values=was.values, state=was.state, note=was.note)
