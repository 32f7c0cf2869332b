"""The way back from a deletion: what was deleted last, and one button."""

from collections.abc import Callable

import streamlit as st

from pages.shared import session
from pages.shared.resources import sentences


def draw_undo(deleted: str, said: str, button: str, restore: Callable[[], object]) -> None:
    """Say what was deleted, as Markdown, and offer to restore it; ``deleted`` is the key that remembers it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        if st.button("Undo", icon=":material/undo:", key=button):
            with sentences():
                restore()
            session.reset_widget(deleted)
            st.rerun()
