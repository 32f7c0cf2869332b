"""The way back from a deletion, or from what a click overwrote: what happened last, and one button.

Where there is no way back, a second click says what goes before it goes.
"""

from collections.abc import Callable

import streamlit as st

from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.theme import as_text


def draw_undo(deleted: str, said: str, button: str, restore: Callable[[], object]) -> None:
    """Say what was deleted, as Markdown, and offer to restore it; ``deleted`` is the key that remembers it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        if st.button("Undo", icon=":material/undo:", key=button):
            with sentences():
                restore()
            session.reset_widget(deleted)
            st.rerun()


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
        draw_undo(f"undo.{place}", said, f"undo_{place}", restore)


def confirmed(label: str, said: str, sure: str, *, key: str, icon: str, disabled: bool = False) -> bool:
    """Return whether a deletion without a way back was confirmed: ``label`` opens what goes and the button ``sure``."""
    with st.popover(label, icon=f":material/{icon}:", disabled=disabled):
        st.markdown(as_text(said))
        return st.button(as_text(sure), type="primary", icon=f":material/{icon}:", key=key)
