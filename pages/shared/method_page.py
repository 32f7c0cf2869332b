"""How every method page begins: which run it is about, and what to do where there is nothing to show."""

from dataclasses import replace
from typing import NoReturn

import streamlit as st

from engine.core.words import shorten
from engine.diagnosis.record import Diagnosis, MethodResult, Outcome
from engine.methods import METHODS
from engine.runs.store import STOPPED, RunSummary, StoredRun
from pages.shared import links, session
from pages.shared.downloads import draw_tables
from pages.shared.examples import default_run, draw_examples
from pages.shared.linked import draw_chosen
from pages.shared.resources import (
    is_going,
    recent_runs,
    recorded_runs,
    sentences,
    stored_run,
)
from pages.shared.result_view import draw_parent, draw_question
from pages.shared.run_panel import draw_going_on, how_it_ended, run_panel, submit_variant, variant_of
from pages.shared.theme import as_text, page_style
from viz.summary import question_html


def open_method(method: str) -> tuple[Diagnosis, MethodResult | None]:
    """Return the run this page is about and the method's result in it, after drawing the page's head.

    Where there is none to draw (no run at all, still computing, failed, not asked for) the page says so, offers what
    helps, and ends. A method that was *not measured* has for its result what was seen, which says why, or None: then
    its reason is drawn here.
    """
    page_style()
    st.title(links.METHOD_TITLES[method])
    st.markdown(METHODS[method].question)
    head = st.container(horizontal=True, vertical_alignment="bottom")
    picker, tables = head.container(), head.container(width="content")
    with sentences(), picker:
        run = chosen_run(method)
    if run is None:
        end_with_nothing()
    diagnosis = run.diagnosis
    if is_going(run) and (diagnosis is None or is_pending(diagnosis.outcome(method), method, run)):
        st.html(question_html(run.request.question, run.request.golds))
        run_panel(run.id)
        st.stop()
    if diagnosis is None:
        st.html(question_html(run.request.question, run.request.golds))
        st.warning(as_text(how_it_ended(run) or "This run stored nothing to show."))
        draw_going_on(run)
        links.page_link("ask", "Ask again", run_id=run.id, icon=":material/arrow_back:")
        st.stop()
    draw_question(diagnosis)
    draw_chosen(diagnosis)
    result = result_of(method, run, diagnosis)
    with tables:
        draw_tables(run.id, result)
    return diagnosis, result


def chosen_run(method: str, *, with_parent: bool = True) -> StoredRun | None:
    """Return the run that is shown, after drawing the list it can be changed from; None where there is no run.

    ``with_parent``: draw the way to the run it was made from as well.
    """
    wanted = session.current_run() or session.last_run() or default_run(method)
    if wanted is None:
        return None
    run = stored_run(wanted)
    if run is None:
        st.warning(f"There is no run {wanted} on this machine; it may have been deleted. Another one is shown.")
        session.forget_run(wanted)
        other = default_run(method)
        run = stored_run(other) if other else None
    if run is not None:
        session.show_run(run.id)
        draw_picker(method, run)
        if with_parent:
            draw_parent(run)
    return run


def draw_picker(method: str, run: StoredRun) -> None:
    """Draw the list of recent runs: the shown one, those with the method, the others; a choice is opened at once."""
    recent = sorted(recent_runs(), key=lambda other: method not in other.methods)
    others = {other.id: picker_label(other) for other in recent if other.id != run.id}
    # Two runs of one question need two labels: Streamlit finds a choice again by its label, here the other run.
    labels = {run_id: f"{label} · {run_id}" for run_id, label in {run.id: run_label(run), **others}.items()}
    picked = st.selectbox(
        "Run",
        list(labels),
        format_func=lambda run_id: labels.get(run_id, run_id),
        # The browser keeps showing the label it first drew for a key: "(running)" would stay after the end.
        key=f"pick.{method}.{run.id}.{run.state}",
    )
    if picked in others:
        session.open_run(picked)
        st.rerun()


def picker_label(run: RunSummary) -> str:
    """Return a run's line in the picker: its question, its state where not done, its origin."""
    state = "" if run.state == "done" else f" ({run.state})"
    return f"{shorten(run.question, 90)}{state}{origin_mark(run.origin)}"


def run_label(run: StoredRun) -> str:
    """Return the shown run's line in the picker."""
    state = "" if run.state == "done" else f" ({run.state})"
    return f"{shorten(run.request.question, 90)}{state}{origin_mark(run.origin)}"


def origin_mark(origin: str) -> str:
    """Return how a run that was not asked here is marked."""
    marks = {"sample": " · recorded example", "atlas": " · failure atlas", "imported": " · imported"}
    return marks.get(origin, "")


def is_pending(outcome: Outcome | None, method: str, run: StoredRun) -> bool:
    """Return whether a method that was asked for has still to come."""
    if outcome is None:
        return method in run.request.methods
    return outcome.status == "waiting"


def end_with_nothing() -> NoReturn:
    """Say that there is no run yet, offer the ways to one, and end the page."""
    st.info("No runs yet. Ask a question, or open a recorded example; that needs no model.")
    links.page_link("ask", "Ask a question", icon=":material/edit:")
    draw_recorded_button()
    st.stop()


def draw_recorded_button() -> None:
    """Draw the button that opens the newest recorded example, where there is one."""
    recorded = recorded_runs()
    if recorded and st.button("Open a recorded example", icon=":material/play_circle:"):
        session.open_run(recorded[0].id)
        st.rerun()


def result_of(method: str, run: StoredRun, diagnosis: Diagnosis) -> MethodResult | None:
    """Return the method's result; where it failed or was not run, say why, offer to run it now, and end the page."""
    outcome = diagnosis.outcome(method)
    if outcome is not None and outcome.status == "done" and outcome.result is not None:
        if is_going(run):
            st.caption("The other methods of this run are still running.")
        return outcome.result
    if outcome is not None and outcome.status == "not measured":
        # What was seen carries the reason in its own verdict.
        if outcome.result is None:
            st.info(f"**Not measured.** {as_text(outcome.reason)}", icon=":material/do_not_disturb_on:")
        return outcome.result
    if outcome is not None and outcome.status == "failed":
        reason = as_text(outcome.reason)
        st.error(f"{links.METHOD_TITLES[method]} failed in this run. {reason}", icon=":material/error:")
    else:
        st.info(as_text(missing_sentence(method, run)))
    draw_run_now(method, run)
    with sentences():
        draw_examples(method)
    st.stop()


def missing_sentence(method: str, run: StoredRun) -> str:
    """Return why a run holds nothing of a method."""
    title = links.METHOD_TITLES[method]
    if method not in run.request.methods:
        return f"{title} is not part of this run."
    return how_it_ended(run) or f"The run stopped before {title}."


def draw_run_now(method: str, run: StoredRun) -> None:
    """Draw the button that asks the same again with this method, as a new run; a stopped one goes on instead."""
    if method in run.request.methods and run.state in STOPPED:
        draw_going_on(run)
        return
    if st.button("Run it now", type="primary", icon=":material/play_arrow:", key=f"run_now.{method}"):
        wanted = variant_of(run)
        submit_variant(replace(wanted, methods=tuple(dict.fromkeys((*wanted.methods, method)))))
