"""What the cache of model calls holds, how large it may grow, and the way to empty it."""

import streamlit as st

from engine.backends.call_cache import LIMIT_VARIABLE
from pages.shared import session
from pages.shared.resources import cache, sentences
from pages.shared.theme import as_text


def draw_cache() -> None:
    """Draw the cache's size beside its bound, what is wrong with it, and the button that empties it."""
    st.header("Model cache")
    with sentences():
        held = cache()
        size = held.size()
    if size.limit == 0:
        st.caption(f"Model calls are not cached: {LIMIT_VARIABLE} is 0.")
        return
    st.caption(
        f"{size.words} on this machine, so that repeated or resumed runs compute nothing twice. "
        "They contain prompts and answers. The least recently used are removed first; "
        f"{LIMIT_VARIABLE} sets the limit."
    )
    if held.fault:
        st.warning(as_text(held.fault), icon=":material/info:")
    if st.button(
        "Empty it", icon=":material/delete_sweep:", key="empty_cache", disabled=not (size.calls or held.fault)
    ):
        with sentences():
            held.clear()
        session.leave_notice("The model cache is empty. Your runs are still here.")
        st.rerun()
