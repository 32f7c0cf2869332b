"""Which stored and shipped runs hold a method's result, and what its page shows, for runs that do not hold it."""

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from engine.errors import RecordError
from engine.runs.store import RunSummary
from pages.shared import links
from pages.shared.resources import atlas, opening_run, store, stored_run
from pages.shared.theme import as_text
from viz.theme import shorten

MANY, MOST_EXAMPLES = 1000, 3
SHOWS = {
    "dense": "DENSE puts each passage in other words and asks again: where the answer changes, the passages were not "
    "understood. Its graph joins the answers that say the same, and names the passages the answer needed.",
    "dense_rag": "Where the passages were not understood, DENSE-RAG cuts their documents by meaning and lets chunks "
    "leave and come, round by round. Each context it tried can be played, with its entropy against the threshold.",
    "seper": "The model answers many times at random, without and with the passages. SePer is the probability that "
    "such an answer is right, and ΔSePer is what reading added to it.",
    "entropy_trend": "ETC reads an answer written step by step from memory, word by word. It marks the words at which "
    "the model suddenly became unsure, where it should have looked something up.",
    "timing": "Several policies answer the same question, and each decides by itself when to look something up. Lanes "
    "over one answer show where each looked up, and below stands what it wrote that way.",
    "quco_rag": "QuCo-RAG splits the answer into claims of two ends, and counts where both stand together in a corpus. "
    "A claim whose ends never meet has no evidence there.",
    "sugar": "SUGAR asks the model several times from memory and puts answers that mean the same together. The more "
    "they differ, the more often it looks up: not at all, once, or in several rounds.",
    "uncertainty": "Nine measures of uncertainty read the very same answers, DENSE's and SePer's. They stand side by "
    "side, so that one sees where they disagree.",
    "chunk_utility": "Each passage is left out once and shown alone once, and the model answers again each time. A "
    "figure shows which passage moves belief towards the right answer, which does nothing, and which misleads.",
}


def default_run(method: str) -> str | None:
    """Return the run a page opens with where none was chosen: the newest that holds the method, else any."""
    return next((run_id for run_id, _ in holding(method)), None) or opening_run()


def holding(method: str, *, recorded: bool = False) -> Iterator[tuple[str, str]]:
    """Return id and question of each run that holds a method's result, newest first, after them those of the atlas.

    ``recorded``: only runs that are shipped. None for a page that shows more than one method.
    """
    if method not in SHOWS:
        return
    told = set()
    for run in store().listing(limit=MANY):
        if (run.origin in ("sample", "atlas") or not recorded) and holds(run, method):
            told.add(run.id)
            yield run.id, run.question
    for run_id, question in failures_with(method):
        if run_id not in told:
            yield run_id, question


def holds(run: RunSummary, method: str) -> bool:
    """Return whether a run is over and has the method's result."""
    if run.state != "done" or method not in run.methods:
        return False
    whole = stored_run(run.id)
    outcome = whole.diagnosis.outcome(method) if whole is not None and whole.diagnosis is not None else None
    return outcome is not None and outcome.status == "done"


def failures_with(method: str) -> tuple[tuple[str, str], ...]:
    """Return id and question of the atlas's runs that hold a method's result; () where the shelf cannot be read."""
    try:
        shelf = atlas()
    except RecordError:
        return ()
    return tuple(
        (one.kind.run_id, one.run.question)
        for one in shelf
        if (outcome := one.run.outcome(method)) is not None and outcome.status == "done"
    )


def draw_examples(method: str) -> None:
    """Draw what a method's page shows, and the ways to recorded runs that hold it."""
    st.markdown(SHOWS[method])
    found = tuple(islice(holding(method, recorded=True), MOST_EXAMPLES))
    if not found:
        return
    st.caption(f"Recorded runs that hold {links.METHOD_TITLES[method]}; they open at once, and no model is loaded:")
    for run_id, question in found:
        links.page_link(method, as_text(shorten(question, 100)), run_id=run_id, icon=":material/play_circle:")
