"""Where every page is, by its word, and links that carry the current run along.

A page also works alone, without the page list of ``app.py`` (one page opened by a test): links are then plain text.
"""

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from engine.methods import METHODS
from pages.shared import session

METHOD_TITLES = {word: method.title for word, method in METHODS.items()}
METHOD_ICONS = {word: f":material/{method.icon}:" for word, method in METHODS.items()}
PAGES = {
    "ask": "pages/workspace/ask.py",
    "runs": "pages/workspace/runs.py",
    "compare": "pages/workspace/compare.py",
    "what_if": "pages/workspace/what_if.py",
    "trace": "pages/workspace/trace.py",
    "numbers": "pages/workspace/numbers.py",
    "prompts": "pages/workspace/prompts.py",
    "thresholds": "pages/workspace/thresholds.py",
    "annotate": "pages/workspace/annotate.py",
    "guide": "pages/workspace/guide.py",
    "lessons": "pages/learn/lessons.py",
    "atlas": "pages/learn/atlas.py",
    **{method: f"pages/methods/{method}.py" for method in METHODS},
}


def page_link(word: str, label: str, *, run_id: str | None = None, icon: str | None = None) -> None:
    """Draw a link to the page of that word, carrying the run given or else the one that is shown."""
    run = run_id or session.current_run()
    try:
        st.page_link(PAGES[word], label=label, icon=icon, query_params=session.run_link(run) if run else None)
    except StreamlitPageNotFoundError:
        st.markdown(f"*{label}*")


def go_to(word: str, run_id: str | None = None) -> None:
    """Leave for the page of that word, with the run given or else the one that is shown; else draw this page anew."""
    run = run_id or session.current_run()
    try:
        st.switch_page(PAGES[word], query_params=session.run_link(run) if run else None)
    except StreamlitPageNotFoundError:
        st.rerun()


def go_to_pair(first: str, second: str) -> None:
    """Leave for the page that compares two runs; else draw this page anew."""
    try:
        st.switch_page(PAGES["compare"], query_params=session.pair_link(first, second))
    except StreamlitPageNotFoundError:
        st.rerun()
