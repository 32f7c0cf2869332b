"""What stands beside every page: the run that is shown with the way back to it; the style writes the name above."""

import streamlit as st

from pages.shared import links, session
from pages.shared.end_notice import draw_end_notice, running_words
from pages.shared.palette_view import draw_palette
from pages.shared.presenting import draw_bar, draw_switch
from pages.shared.resources import sentences, stored_run
from pages.shared.sign_in import draw_signed_in, let_in
from pages.shared.theme import ICON, cut_label, follow_scheme, page_style
from pages.shared.unsent import draw_tab
from pages.shared.visitors import watch_visitors


def draw_frame(page: str) -> None:
    """Draw the sidebar's head and, in presenter mode, the bar above the page; ``page`` is its word, "" the first.

    A phone that votes has neither.
    """
    watch_visitors()
    if page == links.VOTE:
        page_style()
        let_in()
        return
    session.enter_page(page)
    # First of all: what is drawn before its style would jump when that comes.
    page_style()
    let_in()
    st.logo(ICON, size="large")
    draw_bar(page or "ask")
    with st.sidebar:
        draw_head()
        with sentences():
            draw_end_notice(page)
        draw_palette()
        draw_switch()
        draw_signed_in()
        follow_scheme()
        draw_tab()


def draw_head() -> None:
    """Draw the current question and whether its run still goes on."""
    with sentences():
        run_id = session.current_run()
        run = stored_run(run_id) if run_id else None
        if run is None:
            return
        question, whole = cut_label(run.request.question, 120)
        st.caption(question, help=whole)
        links.page_link("ask", running_words(run), icon=":material/dashboard:")
