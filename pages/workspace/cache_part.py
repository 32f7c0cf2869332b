"""What the cache of model calls holds, how large it may grow, and the way to empty it."""

import streamlit as st

from engine.backends.call_cache import LIMIT_VARIABLE, default_cache
from engine.core.allowed import is_restricted
from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.texts import page_text
from pages.shared.theme import as_text
from pages.shared.undo import confirmed
from viz.parts.words import counted


def draw_cache() -> None:
    """Draw the cache's size beside its bound, what is wrong with it, and the button that empties it.

    It is everybody's, so where others may reach the workbench only its owner sees to it, in a shell.
    """
    if is_restricted():
        return
    st.header("Model cache")
    with sentences():
        held = default_cache()
        size = held.size()
    if size.limit == 0:
        st.caption(f"Not cached: {LIMIT_VARIABLE} is 0.")
        return
    st.caption(page_text("notes/cache", size=size.words, variable=LIMIT_VARIABLE))
    if held.fault:
        st.warning(as_text(held.fault), icon=":material/info:")
    said = f"{size.words}. Stored answers are deleted permanently. Runs stay."
    sure, nothing = f"Clear {counted(size.calls, 'call')}", not (size.calls or held.fault)
    if confirmed("Clear cache", said, sure, key="empty_cache", icon="delete_sweep", disabled=nothing):
        with sentences():
            held.clear()
        session.leave_notice("Cache cleared. Your runs are still here.")
        st.rerun()
