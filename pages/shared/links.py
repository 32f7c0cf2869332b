"""Where every page is, by its word, and links that carry the current run along.

A page also works alone, without the page list of ``app.py`` (one page opened by a test): links are then plain text.
"""

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from pages.shared import session

METHOD_TITLES = {
    "dense": "DENSE",
    "dense_rag": "DENSE-RAG",
    "seper": "SePer",
    "entropy_trend": "ETC",
    "timing": "Retrieval timing",
    "quco_rag": "QuCo-RAG co-occurrence",
    "sugar": "SUGAR",
    "uncertainty": "Uncertainty baselines",
    "chunk_utility": "Utility of single chunks",
}
METHOD_ICONS = {
    "dense": ":material/hub:",
    "dense_rag": ":material/published_with_changes:",
    "seper": ":material/balance:",
    "entropy_trend": ":material/show_chart:",
    "timing": ":material/timeline:",
    "quco_rag": ":material/join_inner:",
    "sugar": ":material/alt_route:",
    "uncertainty": ":material/table_chart:",
    "chunk_utility": ":material/format_list_numbered:",
}
METHOD_QUESTIONS = {
    "dense": "Did the model understand the passages, and which of them did it need?",
    "dense_rag": "Where it did not understand the passages, does another cut or a refined context help?",
    "seper": "How far did the passages move its belief towards the right answer?",
    "entropy_trend": "Where, while answering from memory, should it have looked something up?",
    "timing": "When would each policy have looked something up, and what does it write that way?",
    "quco_rag": "Is there any evidence in a corpus for what it claims?",
    "sugar": "Did the question need a lookup at all, one, or several?",
    "uncertainty": "Do other measures of uncertainty, on the same answers, say the same as DENSE's?",
    "chunk_utility": "Which passage moves belief towards the right answer, which does nothing, which misleads?",
}
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
    **{method: f"pages/methods/{method}.py" for method in METHOD_TITLES},
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
