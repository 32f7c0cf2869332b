"""The search box: another passage of the corpus that the run was asked over."""

import streamlit as st

from engine.backends.retrieval import load_corpus, load_embedder
from engine.core.allowed import refuse_unlisted
from engine.core.errors import MicroscopeError
from engine.core.records import Hit, Passage
from engine.core.words import shorten
from engine.methods.profiles import PROFILES, titled
from engine.runs.store import StoredRun
from engine.runs.variants import Variant
from pages.shared import session
from pages.shared.rows import draw_rows
from pages.shared.sent_values import whole_number
from pages.shared.settings import draw_choice
from pages.shared.theme import as_text
from viz.runs.what_if import found_table

MOST_FOUND = 8
WAYS = {"bm25": "By words", "vector": "By meaning"}


def draw_search(run: StoredRun, now: Variant, name: str) -> Passage | None:
    """Draw the search box and what it finds; return the passage that is picked, None without one."""
    if now.corpus is None:
        st.caption("This run has no corpus. Write a passage.")
        return None
    left, right = st.columns([3, 2])
    query = left.text_input("Search the corpus", key=session.widget_key(f"what_if.{run.id}.{name}.query", ""))
    with right:
        way = draw_choice("How", WAYS, f"what_if.{run.id}.{name}.way", "bm25")
    asked = str(query or "").strip()
    if not asked:
        st.caption("Enter a name or other words.")
        return None
    try:
        refuse_unlisted(now.corpus, "corpus")  # what was found for one person is kept for the next
        hits = search_passages(now.corpus, run.request.profile, asked, way)
    except MicroscopeError as exc:
        st.info(as_text(str(exc)))
        return None
    picked = st.selectbox(
        "Passages found",
        range(len(hits)),
        format_func=lambda place: hit_label(hits[place]),
        key=f"what_if.{run.id}.{name}.picked.{asked}.{way}",
    )
    draw_rows(found_table(hits), alt="Passages found")
    place = whole_number(picked, 0, len(hits) - 1, 0)
    return hits[place].passage


def hit_label(hit: Hit) -> str:
    """Return a found passage on one line."""
    return f"{hit.rank}. {shorten(titled(hit.passage), 110)}"


@st.cache_data(show_spinner="Searching …", max_entries=64, ttl=600)
def search_passages(corpus: str, profile: str, query: str, way: str) -> tuple[Hit, ...]:
    """Return the passages of a corpus that fit the words best. Raises CorpusError where none does."""
    sizes, embedder = PROFILES[profile], load_embedder()
    opened = load_corpus(corpus, chunk_tokens=sizes.chunk_tokens, chunk_overlap=sizes.chunk_overlap, embedder=embedder)
    return opened.search(query, MOST_FOUND, way)
