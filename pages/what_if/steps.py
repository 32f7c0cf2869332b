"""What a person has changed so far, kept in the session under the run it belongs to; undo and redo go along it.

A run that was recorded anew, or has found its passages since, is another start: then the steps begin again.
"""

from collections.abc import Callable

import streamlit as st

from engine.core.errors import CorpusError
from engine.runs.store import StoredRun
from engine.runs.variants import Steps, Variant, push_step, start_variant
from pages.shared import links, session
from pages.shared.unsent import keep_unsent

Edit = Callable[[Variant], Variant]


def steps_of(run: StoredRun) -> tuple[Variant, Steps]:
    """Return the variant in which nothing is changed, and the steps from it. Raises CorpusError before any passage."""
    start = start_variant(run)
    held = session.widget_state(steps_key(run.id))
    if isinstance(held, tuple) and held[0] == start:
        return held
    fresh = (start, Steps(states=(start,)))
    session.set_widget(steps_key(run.id), fresh)
    return fresh


def steps_key(run_id: str) -> str:
    """Return where the steps of a run are kept."""
    return f"microscope.what_if.{run_id}"


def apply_edit(run_id: str, edit: Edit) -> None:
    """Make one step; where the passage it is about is gone, leave the sentence that says so. For a callback."""
    try:
        set_steps(run_id, lambda steps: push_step(steps, edit(steps.now)))
    except CorpusError as exc:
        session.leave_notice(str(exc))


def start_over(run_id: str) -> None:
    """Go back to the run as it was read; this too can be undone."""
    held = session.widget_state(steps_key(run_id))
    if isinstance(held, tuple):
        apply_edit(run_id, lambda _: held[0])


def set_steps(run_id: str, how: Callable[[Steps], Steps]) -> None:
    """Put other steps in the place of those that are kept; nothing where none are."""
    held = session.widget_state(steps_key(run_id))
    if isinstance(held, tuple):
        start, steps = held
        session.set_widget(steps_key(run_id), (start, how(steps)))
        keep_unsent()


def open_key(run_id: str) -> str:
    """Return where it is kept which passage of a run is being worked on."""
    return f"microscope.what_if.open.{run_id}"


def draw_what_if(run_id: str | None, place: int | None = None) -> None:
    """Draw the button that leads to the What if page, with the passage at a place opened to be worked on."""
    if run_id is None:
        return
    label = "What if …" if place is None else f"What if passage {place + 1} …"
    if st.button(label, icon=":material/science:", key=f"to_what_if.{run_id}.{place}"):
        if place is not None:
            session.set_widget(open_key(run_id), place)
        links.go_to("what_if", run_id)
