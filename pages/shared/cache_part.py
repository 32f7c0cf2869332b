"""What the cache of model calls holds, how large it may grow, and the way to empty it."""

import streamlit as st

from engine.backends.call_cache import LIMIT_VARIABLE
from pages.shared import session
from pages.shared.resources import cache, sentences
from pages.shared.theme import as_text


def draw_cache() -> None:
    """Draw the cache's size beside its bound, what is wrong with it, and the button that empties it."""
    st.header("What models have said")
    with sentences():
        held = cache()
        size = held.size()
    if size.limit == 0:
        st.caption(f"Nothing a model says is kept beyond a run: {LIMIT_VARIABLE} is 0.")
        return
    st.caption(
        f"{size.words} on this machine, so that a second look at a question, or a run that goes on, computes nothing "
        f"twice. They hold prompts and answers. What was used longest ago goes first; {LIMIT_VARIABLE} sets the bound."
    )
    if held.fault:
        st.warning(as_text(held.fault), icon=":material/info:")
    if st.button(
        "Empty it", icon=":material/delete_sweep:", key="empty_cache", disabled=not (size.calls or held.fault)
    ):
        with sentences():
            held.clear()
        session.leave_notice("The cache of model calls is empty; the runs are still here.")
        st.rerun()
