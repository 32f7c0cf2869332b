"""What stands beside every page: the program's name, and the run that is shown with the way back to it."""

import streamlit as st

from pages.shared import links, session
from pages.shared.resources import is_going, sentences, stored_run
from pages.shared.theme import as_text
from viz.theme import shorten


def draw_frame() -> None:
    """Draw the sidebar's head: the current question and whether its run still goes on."""
    with st.sidebar, sentences():
        run_id = session.current_run()
        run = stored_run(run_id) if run_id else None
        st.markdown("**Retrieval Microscope**")
        if run is None:
            st.caption("One question, and what the model did with what was retrieved for it.")
            return
        st.caption(as_text(shorten(run.request.question, 120)))
        links.page_link("ask", "Still computing" if is_going(run) else "All verdicts", icon=":material/dashboard:")
