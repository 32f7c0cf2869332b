"""The notice that a run is over, on whatever page its owner is by then."""

import streamlit as st

from engine.core.words import quoted
from engine.runs.store import StoredRun
from pages.shared import session
from pages.shared.resources import is_going, stored_run
from pages.shared.theme import as_text

WATCHED = "notice.watched"
SAID_RUNNING = "notice.said_running"
LOOK_SECONDS = 3.0


def draw_end_notice(page: str) -> None:
    """Watch the run that was shown last while it goes on, and say once that it is over; ``page`` is the page's word."""
    run_id = session.last_run()
    run = stored_run(run_id) if run_id else None
    if run is None:
        return
    if is_going(run):
        session.set_widget(WATCHED, run.id)
        # The run's own page follows it already.
        if page or session.current_run() != run.id:
            st.fragment(look, run_every=LOOK_SECONDS)(run.id)
    elif session.widget_state(WATCHED) == run.id:
        session.set_widget(WATCHED, "")
        st.toast(as_text(ended_words(run)), icon=":material/notifications:", duration="long")


def running_words(run: StoredRun) -> str:
    """Return what the sidebar says of a run's state, and remember where it said that the run goes on."""
    going = is_going(run)
    session.set_widget(SAID_RUNNING, run.id if going else "")
    return "Running" if going else "All verdicts"


def is_said_running(run: StoredRun) -> bool:
    """Return whether the sidebar says that a run goes on which has ended since: then the page is to be drawn anew."""
    return session.widget_state(SAID_RUNNING) == run.id and not is_going(run)


def look(run_id: str) -> None:
    """Draw the page anew once a run is over."""
    run = stored_run(run_id)
    if run is None or not is_going(run):
        st.rerun()


def ended_words(run: StoredRun) -> str:
    """Return that a run is over, and how, with its question."""
    how = "Finished" if run.state == "done" else f"Ended ({run.state})"
    return f"{how}: {quoted(run.request.question, 80)}"
