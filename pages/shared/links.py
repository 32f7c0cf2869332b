"""Where every page is, by its word, and links that carry the current run along.

A page also works alone, without the page list of ``app.py`` (one page opened by a test): links are then plain text.
"""

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from engine.methods import METHODS
from pages.shared import session
from pages.shared.theme import as_text

METHOD_TITLES = {word: method.title for word, method in METHODS.items()}
METHOD_ICONS = {word: f":material/{method.icon}:" for word, method in METHODS.items()}
WORKSPACE = "ask documents models runs studies compare what_if trace numbers prompts thresholds annotate guide".split()
FOLDERS = {"workspace": WORKSPACE, "learn": ["lessons", "atlas", "measured"], "methods": [*METHODS]}
# What phones of a class see: in no list of pages.
VOTE, VOTE_PAGE = "vote", "pages/learn/vote.py"
PAGES = {word: f"pages/{folder}/{word}.py" for folder, words in FOLDERS.items() for word in words}


def page_link(word: str, label: str, *, run_id: str | None = None, icon: str | None = None) -> None:
    """Draw a link to the page of that word, carrying the run given or else the one that is shown."""
    run = run_id or session.current_run()
    try:
        st.page_link(PAGES[word], label=as_text(label), icon=icon, query_params=session.run_link(run) if run else None)
    except StreamlitPageNotFoundError:
        st.markdown(f"*{as_text(label)}*")


def go_to(word: str, run_id: str | None = None) -> None:
    """Leave for the page of that word, with the run given or else the one that is shown; else draw this page anew."""
    run = run_id or session.current_run()
    leave_for(word, session.run_link(run) if run else None)


def go_to_pair(first: str, second: str) -> None:
    """Leave for the page that compares two runs; else draw this page anew."""
    leave_for("compare", session.pair_link(first, second))


def open_first_page() -> None:
    """Leave for Ask, whose own address is empty, with what the address carries."""
    leave_for("ask", st.query_params.to_dict())


def leave_for(word: str, parameters: dict[str, str] | None) -> None:
    """Leave for the page of that word with these address parameters; else draw this page anew."""
    try:
        st.switch_page(PAGES[word], query_params=parameters)
    except StreamlitPageNotFoundError:
        st.rerun()
