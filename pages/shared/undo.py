"""The way back from a deletion, or from what a click overwrote: what happened, and one button.

Where there is no way back, a second click says what goes before it goes.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from engine.core.deleted import MOST_KEPT
from engine.core.errors import RecordError
from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.theme import as_text


def draw_undo(said: str, button: str, restore: Callable[[], object], forget: Callable[[], object]) -> None:
    """Say what was deleted, as Markdown, and offer to ``restore`` it; what is gone for good is only forgotten."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        if st.button("Undo", icon=":material/undo:", key=button):
            with sentences():
                try:
                    restore()
                except RecordError:
                    forget()
                    raise
            forget()
            st.rerun()


def leave_deletion(place: str, deleted: str, said: str) -> None:
    """Keep the way back from a deletion: the id of what was ``deleted``, and what to say of it, as Markdown."""
    session.set_widget(place, (*deletions(place), (deleted, said))[-MOST_KEPT:])


def deletions(place: str) -> tuple[tuple[str, str], ...]:
    """Return what was deleted at a place and can be brought back, the last one last."""
    held = session.widget_state(place)
    return held if isinstance(held, tuple) else ()


def forget_deletion(place: str, deleted: str) -> None:
    """Forget the way back from one deletion at a place: it was restored elsewhere, or is gone for good."""
    session.set_widget(place, tuple(one for one in deletions(place) if one[0] != deleted))


def draw_deletions(place: str, button: str, restore: Callable[[str], object]) -> None:
    """Offer the way back from the last deletion at a place; after it from the one before."""
    held = deletions(place)
    if held:
        deleted, said = held[-1]
        draw_undo(said, button, partial(restore, deleted), partial(session.set_widget, place, held[:-1]))


def leave_undo(place: str, said: str, restore: Callable[[], object]) -> None:
    """Keep the way back from what is about to be overwritten at a place of a page; one way a place, the last."""
    session.set_widget(f"undo.{place}", (said, restore))


def drop_undo(place: str) -> None:
    """Forget the way back at a place."""
    session.reset_widget(f"undo.{place}")


def draw_left_undo(place: str) -> None:
    """Offer the way back that was left at a place; nothing where none was."""
    held = session.widget_state(f"undo.{place}")
    if isinstance(held, tuple):
        said, restore = held
        draw_undo(said, f"undo_{place}", restore, partial(drop_undo, place))


def confirmed(label: str, said: str, sure: str, *, key: str, icon: str, disabled: bool = False) -> bool:
    """Return whether a deletion without a way back was confirmed: ``label`` opens what goes and the button ``sure``."""
    with st.popover(label, icon=f":material/{icon}:", disabled=disabled):
        st.markdown(as_text(said))
        return st.button(as_text(sure), type="primary", icon=f":material/{icon}:", key=key)
