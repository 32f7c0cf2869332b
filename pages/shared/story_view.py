"""A run as one looks at it: headline, memory → passages → answer, a small live figure for each kind of evidence."""

import streamlit as st

from engine.diagnosis.record import Diagnosis
from pages.shared import links
from pages.shared.figures import draw_figure
from pages.shared.theme import current_theme
from viz.parts.words import counted
from viz.runs import story, summary
from viz.runs.headline import headline
from viz.runs.prompts import token_count
from viz.runs.story import EVIDENCE, Evidence


def draw_story(diagnosis: Diagnosis, run_id: str, at_work: str | None) -> None:
    """Draw the story of a run; ``at_work`` is the method in hand while it goes on, None after its end."""
    st.html(story.headline_html(headline(diagnosis)))
    st.html(story.flow_html(diagnosis))
    for name, generation in (("after reading", diagnosis.answer), ("from memory", diagnosis.closed_book)):
        if generation.stop_reason == "length":
            count = token_count(generation)
            limit = "its length limit" if count is None else counted(count, "token")
            st.caption(f"The answer {name} was cut off at {limit}.")
    with st.container(key="story-figures"):
        # A method that nobody asked for stands in the line of those that are not in this run.
        for one in (one for one in EVIDENCE if diagnosis.outcome(one.method) is not None):
            with st.container(border=True, key=f"story-figure-{one.method}"):
                draw_evidence(one, diagnosis, run_id, at_work)


def draw_evidence(one: Evidence, diagnosis: Diagnosis, run_id: str, at_work: str | None) -> None:
    """Draw one kind of evidence: finding, figure, the way to its page; a quiet card where it is not measured."""
    outcome = diagnosis.outcome(one.method)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"):
        st.html(story.kind_html(one), width="content")
        links.page_link(one.method, links.METHOD_TITLES[one.method], run_id=run_id, icon=":material/arrow_forward:")
    if outcome is None or outcome.result is None or outcome.status != "done":
        verdict = summary.verdict_in_run(outcome, at_work)
        st.html(story.finding_html(verdict.word.capitalize(), verdict.sentence))
        return
    result = outcome.result
    st.html(story.finding_html(one.title(result)))
    figure = one.draw(result, current_theme())
    draw_figure(figure, key=f"story.{one.method}", name=f"{one.method}-small", alt=one.sentence(result))
