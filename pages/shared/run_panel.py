"""Starting a run, watching it, stopping it. The work itself is done by the job desk, never in a page's thread.

The panel asks the desk twice a second while a run goes on, whoever looks and from whichever page or window; when the
run has ended the page is drawn anew, with its result.
"""

from dataclasses import replace

import streamlit as st

from engine.backends.call_cache import default_cache
from engine.core.words import counted, duration_text, left_text
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import FinishedStage, JobStatus
from engine.runs.jobs.pace import stored_pace
from engine.runs.jobs.remaining import expected_parts, remaining
from engine.runs.store import STOPPED, RunSummary, StoredRun
from engine.runs.unfinished import failed_methods, is_refused_again, may_go_on
from pages.shared import forms, links, session
from pages.shared.end_notice import is_said_running
from pages.shared.resources import GOING, desk, is_going, sentences, standing, store
from pages.shared.theme import as_text

POLL_SECONDS, FIRST_POLL_SECONDS = 0.5, 0.2  # until the passages are there, a reader waits for nothing else
BEFORE_METHODS = ("models", "retrieval", "answer")
METHOD_NAMES = {
    "": "Preparing",
    "models": "Models",
    "retrieval": "Retrieval",
    "answer": "Answers",
    "entailment": "Judging",
    **links.METHOD_TITLES,
}


def run_panel(run_id: str) -> None:
    """Draw the progress of a run with a button to cancel it; when it moves to its next method, draw the page anew."""
    with sentences():
        status = standing(run_id)
        request = store().get(run_id).request
        expected = expected_parts(request, store(), stored_pace(request.model, request.device))
    marker = progress_marker(status)
    every = POLL_SECONDS if marker else FIRST_POLL_SECONDS
    st.fragment(draw_run_progress, run_every=every)(run_id, expected, marker)


def draw_state(run: StoredRun) -> None:
    """Draw a run's progress while it goes on, or why it is not whole and the way to resume it."""
    if has_ended_since(run) or is_said_running(run):
        st.rerun()
    if is_going(run):
        run_panel(run.id)
    elif ended := how_it_ended(run):
        kept = " Finished parts are below." if run.diagnosis else ""
        st.warning(as_text(f"{ended}{kept}"), icon=":material/info:")
        draw_going_on(run)
    elif may_go_on(run):
        failed = counted(len(failed_methods(run)), "method")
        st.warning(f"{failed} failed. What finished is kept.", icon=":material/info:")
        draw_going_on(run)


def has_ended_since(run: StoredRun) -> bool:
    """Return whether a run ended after this record of it was read, so that it must be read again."""
    return run.state in GOING and not is_going(run) and store().summary(run.id).state not in GOING


def progress_marker(status: JobStatus | None) -> str:
    """Return what there is to see of a run, as a word that changes when the page around it has something new to show.

    The passages come first, and a record is kept when the answers are there and after each method.
    """
    if status is None:
        return ""
    if status.method in links.METHOD_TITLES:
        return status.method
    if status.hits and (status.state == "queued" or status.method in BEFORE_METHODS):
        # A first look by words is followed by what the run itself finds.
        return f"passages.{status.hits[0].retriever}"
    return ""


def watch_for_end(run_id: str, sentence: str) -> None:
    """Draw a sentence that holds while a run goes on; after its end the page is drawn anew."""
    st.fragment(draw_until_end, run_every=POLL_SECONDS)(run_id, sentence)


def draw_until_end(run_id: str, sentence: str) -> None:
    """Draw the sentence, or the page anew where the run has ended."""
    with sentences():
        status = standing(run_id)
    if status is None or status.over:
        st.rerun()
    st.caption(sentence)


def draw_run_progress(run_id: str, expected: dict[str, float], drawn_at: str) -> None:
    """Draw where a run stands now; ``drawn_at`` is the milestone at which the page around it was drawn."""
    with sentences():
        status = standing(run_id)
    if status is None or status.over or progress_marker(status) not in ("", drawn_at):
        st.rerun()
    if status.state == "queued":
        draw_waiting(status)
    else:
        draw_work(status, expected)
    if status.error:
        st.warning(as_text(status.error))
    with sentences():
        fault = default_cache().fault
    if fault:
        st.caption(as_text(fault))
    if status.stopping:
        st.caption("Stopping. Finished parts are kept.")
    else:
        # A callback runs before anything is drawn: the panel may be drawn anew, or be gone, when a click arrives.
        st.button("Cancel", key=f"cancel.{run_id}", icon=":material/stop_circle:", on_click=cancel_run, args=(run_id,))


def cancel_run(run_id: str) -> None:
    """Cancel a run and say what happens to it."""
    if desk().cancel(run_id):
        st.toast("Stopping; finished parts are kept.")
    else:
        st.toast("The run belongs to another program, or has ended.")


def draw_waiting(status: JobStatus) -> None:
    """Draw a run's place in the queue."""
    place = f"number {status.position} in the queue" if status.position else "queued in another program"
    reason = f"; {status.stage}" if status.stage else ""
    st.progress(0.0, text=f"Waiting: {place}{reason}.")


def draw_work(status: JobStatus, expected: dict[str, float]) -> None:
    """Draw what a run does now, how far it is, how long it still takes, and what it has done already."""
    found = remaining(status, expected)
    key = f"progress.{status.run_id}"
    # A part slower than expected moves the end away; the bar then waits instead of going back.
    share = max(found.share, session.widget_number(key))
    session.set_widget(key, share)
    left = "" if found.seconds is None else f" · {left_text(found.seconds)}"
    st.progress(share, text=as_text(f"{stage_sentence(status)}{left}"))
    speed = f" · {status.tokens_per_second:.0f} tokens/s" if status.tokens_per_second else ""
    st.caption(f"{duration_text(status.seconds)} so far · {status.tokens:,} tokens written{speed}")
    if status.stages:
        st.caption(as_text(f"Done: {finished_parts(status.stages)}"))


def stage_sentence(status: JobStatus) -> str:
    """Return what is being done: "DENSE: rewording passages, 2 of 5"; no count before the first is done."""
    name = METHOD_NAMES.get(status.method, status.method)
    count = f", {status.done} of {status.total}" if status.done and status.total else ""
    return f"{name}: {status.stage}{count}" if status.stage else f"{name} …"


def finished_parts(stages: tuple[FinishedStage, ...]) -> str:
    """Return the parts of a run that have been worked on, each with its seconds: "Models 22 s · DENSE 9.1 s"."""
    seconds: dict[str, float] = {}
    for stage in stages:
        seconds[stage.method] = seconds.get(stage.method, 0.0) + stage.seconds
    return " · ".join(f"{METHOD_NAMES.get(part, part)} {duration_text(took)}" for part, took in seconds.items())


def submit_variant(request: DiagnosisRequest) -> None:
    """Submit a run, make it the one that is shown, and draw the page anew; a second click finds the first one's run."""
    with sentences():
        run_id = running_twin(request) or desk().submit(request, session.person_name())
        session.open_run(run_id)
    st.rerun()


def draw_going_on(run: StoredRun) -> None:
    """Draw the button that takes up a run again that stopped or has failed methods; nothing finished is computed anew.

    What was refused would be refused again: there the form is offered, filled with it.
    """
    if not may_go_on(run):
        return
    if is_refused_again(run):
        if st.button("Change and ask again", type="primary", icon=":material/edit:", key=f"change.{run.id}"):
            forms.change_run(run)
        return
    label = "Resume" if run.state in STOPPED else "Run what failed"
    if st.button(label, type="primary", icon=":material/resume:", key=f"go_on.{run.id}"):
        with sentences():
            desk().go_on(run.id, session.person_name())
        st.rerun()


def running_twin(request: DiagnosisRequest) -> str | None:
    """Return the unfinished run that was asked for just this, None where there is none; one that stops is none."""
    for run in store().listing(limit=20, search=request.question):
        if will_go_on(run) and run.question == request.question and store().get(run.id).request == request:
            return run.id
    return None


def will_go_on(run: RunSummary) -> bool:
    """Return whether a run waits or is worked on, and was not cancelled."""
    status = standing(run.id) if run.state in GOING else None
    return status is not None and not (status.over or status.stopping)


def variant_of(run: StoredRun) -> DiagnosisRequest:
    """Return the stored request as the start of a changed one: its parent is that run.

    Counting over the network is not taken over: a run may come from another person, and only the user turns it on.
    """
    return replace(run.request, parent=run.id, quco_rag=replace(run.request.quco_rag, counts="corpus"))


def how_it_ended(run: StoredRun) -> str:
    """Return why a run that is over is not whole, as a sentence; "" for a whole one."""
    if run.state == "done":
        return ""
    status = standing(run.id) if run.state in GOING else None
    return (status.error if status else run.reason) or f"This run is {run.state}."
