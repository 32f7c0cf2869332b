"""A person's next undo or redo, as the page sends it: found in their history, sent as an action on its item."""

from typing import Literal

from engine.annotations.records import Action, Receipt, redoable, undoable
from engine.annotations.store import AnnotationStore


def next_step(
    store: AnnotationStore, project: str, person: str, verb: Literal["undo", "redo"], action: str
) -> Action | None:
    """Return the action under which the next undo or redo is sent, None without one."""
    events = store.history(project, person)
    choices = undoable(events) if verb == "undo" else redoable(events)
    if not choices:
        return None
    event = choices[0]
    base = store.label(event.item, person).action
    return Action(id=action, item=event.item, base=base, verb=verb, of=event.action)


def undo(store: AnnotationStore, project: str, person: str, action: str) -> Receipt | None:
    """Return the receipt of undoing a person's last action, None without one."""
    step = next_step(store, project, person, "undo", action)
    return None if step is None else store.apply(project, person, [step])[0]


def redo(store: AnnotationStore, project: str, person: str, action: str) -> Receipt | None:
    """Return the receipt of redoing what a person undid last, None without one."""
    step = next_step(store, project, person, "redo", action)
    return None if step is None else store.apply(project, person, [step])[0]
