"""Which stored and shipped runs hold a method's result, for runs that do not hold it."""

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis
from engine.learning.guide import METHODS
from engine.runs.store import RunSummary
from pages.shared import links, session
from pages.shared.resources import atlas, opening_run, store, stored_run
from pages.shared.theme import cut_label

MANY, MOST_EXAMPLES = 1000, 3
SHIPPED = ("sample", "atlas")
# Where most runs show nothing: a recorded run in which the method finds what it looks for.
TELLING = {"contradictions": "atlas-contradiction"}


def default_run(method: str) -> str | None:
    """Return the run a page opens with where none was chosen: the newest that holds the method, else any.

    Where all runs are recorded ones, it is the one that tells most of the method.
    """
    telling = telling_run(method)
    if telling and all(run.origin in SHIPPED for run in store().listing(limit=MANY)):
        return telling
    return next((run_id for run_id, _ in runs_with_method(method)), None) or opening_run()


def telling_run(method: str) -> str:
    """Return the recorded run in which a method finds what it looks for, "" where there is none."""
    named = TELLING.get(method, "")
    return named if named and stored_run(named) is not None else ""


def runs_with_method(method: str, *, recorded: bool = False) -> Iterator[tuple[str, str]]:
    """Return id and question of each run that holds a method's result, newest first, after them those of the atlas.

    ``recorded``: only runs that are shipped. None for a page that shows more than one method.
    """
    if method not in METHODS:
        return
    told = set()
    for run in store().listing(limit=MANY):
        if (run.origin in SHIPPED or not recorded) and has_result(run, method):
            told.add(run.id)
            yield run.id, run.question
    for run_id, question in failures_with(method):
        if run_id not in told:
            yield run_id, question


def has_result(run: RunSummary, method: str) -> bool:
    """Return whether a run is over and has the method's result."""
    whole = stored_run(run.id) if run.state == "done" and method in run.methods else None
    return whole is not None and whole.diagnosis is not None and is_done(whole.diagnosis, method)


def is_done(diagnosis: Diagnosis, method: str) -> bool:
    """Return whether a method is done in a run."""
    outcome = diagnosis.outcome(method)
    return outcome is not None and outcome.status == "done"


def failures_with(method: str) -> tuple[tuple[str, str], ...]:
    """Return id and question of the atlas's runs that hold a method's result; () where the shelf cannot be read."""
    try:
        shelf = atlas()
    except RecordError:
        return ()
    return tuple((one.kind.run_id, one.run.question) for one in shelf if is_done(one.run, method))


def draw_examples(method: str) -> None:
    """Draw the ways to recorded runs that hold a method's result."""
    found = tuple(islice(runs_with_method(method, recorded=True), MOST_EXAMPLES))
    if not found:
        return
    st.caption(f"Recorded runs with {links.METHOD_TITLES[method]}; no model is loaded:")
    for run_id, question in found:
        # Buttons: Streamlit follows a link to the page it stands on, but leaves the old run in the address.
        label, whole = cut_label(question, 100)
        key, icon = f"example.{method}.{run_id}", ":material/play_circle:"
        if st.button(label, key=key, type="tertiary", icon=icon, help=whole):
            session.open_run(run_id)
            st.rerun()
