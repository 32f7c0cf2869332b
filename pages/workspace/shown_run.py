"""A run on the Ask page: its question, its progress, what is known so far, and what can be done with it."""

from dataclasses import replace

import streamlit as st

from engine.core.allowed import is_restricted
from engine.runs.store import StoredRun
from pages.shared import forms, session
from pages.shared.downloads import draw_export
from pages.shared.draft import Draft
from pages.shared.resources import standing
from pages.shared.result_view import draw_found, draw_parent, draw_summary
from pages.shared.run_panel import draw_state
from pages.what_if.steps import draw_what_if
from pages.workspace.other_model import draw_other_model
from pages.workspace.story_keys import draw_story_keys
from viz.runs.summary import question_html


def draw_run(run: StoredRun) -> None:
    """Draw a run: its question, its progress while it goes on, and all that is known so far."""
    with st.container(horizontal=True, key="story-head"):
        with st.container():
            st.html(question_html(run.request.question, run.request.golds, tag="h1"))
        draw_actions(run)
    draw_parent(run)
    draw_state(run)
    if run.diagnosis is None:
        status = standing(run.id)
        if status is not None and status.hits:
            if status.hits[0].retriever not in (run.request.retriever, "given"):
                st.caption("Found by words so far.")
            draw_found(status.hits, run.request.golds)
        return
    session.show_run(run.id)
    draw_summary(run.diagnosis, run.id)


def draw_actions(run: StoredRun) -> None:
    """Draw what can be done with a run: ask anew, change it; behind a button duplicate, download, share."""
    with st.container(horizontal=True, gap="xsmall", width="content", key="story-actions"):
        if st.button("New question", icon=":material/add:", key="new_question"):
            session.close_run()
            session.fill_form(replace(Draft(), source=session.ask_draft().source))
            st.rerun()
        draw_what_if(run.id)
        with st.popover("More", icon=":material/more_horiz:", key=f"more.{run.id}"):
            if st.button("Duplicate and change", icon=":material/edit:", key="ask_again"):
                forms.change_run(run)
            draw_other_model(run)
            draw_export(run)
            reader = "Only you" if is_restricted() else "Anyone who can reach this program"
            st.caption(f"{reader} can open this run here:")
            st.code(session.run_address(run.id), language=None, wrap_lines=True)
        if run.diagnosis is not None:
            draw_story_keys()
