"""A stored run as a reader sees it at a glance: the same lines draw a fresh one, an old one and half of one."""

import streamlit as st

from engine.catalogue.headlines import headlines
from engine.core.records import Hit
from engine.core.words import shorten
from engine.diagnosis.record import Diagnosis
from engine.methods import DEFAULT_METHODS
from engine.runs.store import StoredRun
from pages.shared import links, session
from pages.shared.downloads import draw_exhibit_tables
from pages.shared.linked import draw_chosen, draw_hint, linked_rows
from pages.shared.number_view import draw_control
from pages.shared.plain_table import draw_table
from pages.shared.prompt_view import draw_prompt
from pages.shared.resources import is_going, stored_run
from pages.shared.rows import draw_rows
from pages.shared.run_names import run_name
from pages.shared.selection import Chosen, Selection
from pages.shared.story_view import draw_story
from pages.shared.theme import as_text
from viz.methods.other_scripts import run_language_note
from viz.parts.words import judge_name, model_name
from viz.runs import summary
from viz.runs.bundle import origin_facts
from viz.runs.radar import finding_html, radar
from viz.runs.story import words_read
from viz.runs.trace import apart_sentence, imported_html

SHORT_ANSWER = 60  # characters: at most three lines beside the question on a narrow screen


def draw_question(diagnosis: Diagnosis) -> None:
    """Draw the question with its gold answers, and the answer over the passages: beside it where it is short.

    Another pipeline's answer comes before this model's, so that the two stand below the question.
    """
    beside = diagnosis.imported is None and len(diagnosis.answer.text) <= SHORT_ANSWER
    question, answer = st.columns([3, 2]) if beside else (st.container(), st.container())
    with question:
        st.html(summary.question_html(diagnosis.question, diagnosis.golds, tag="h2"))
        draw_imported(diagnosis)
    with answer:
        draw_answer(reading_name(diagnosis), diagnosis.answer.text, diagnosis, large=False)


def draw_imported(diagnosis: Diagnosis) -> None:
    """Draw another pipeline's answer in a card of its own, and say whose the rest is; nothing without one."""
    imported = diagnosis.imported
    if imported is None:
        return
    with st.container(border=True, key="card-unknown-imported"):
        st.html(imported_html(imported, diagnosis.golds))
    st.info(as_text(apart_sentence(imported, diagnosis.provenance.model)), icon=":material/call_split:")


def reading_name(diagnosis: Diagnosis) -> str:
    """Return what the answer over the passages is called: with the model's name where another's stands beside it."""
    writer = "" if diagnosis.imported is None else f" of {model_name(diagnosis.provenance.model)}"
    return f"Answer{writer} {'over the passages' if diagnosis.hits else 'without passages'}"


def draw_summary(diagnosis: Diagnosis, run_id: str) -> None:
    """Draw a run: its story in pictures, then every method's word, where they pull apart, prompts and provenance.

    On a wide screen the passages stand beside all of it, else they come last.
    """
    run = stored_run(run_id)
    going = run is not None and is_going(run)
    with st.container(key="story-page"):
        with st.container(key="story"):
            draw_imported(diagnosis)
            chosen = draw_chosen(diagnosis, hint=False)
            draw_story(diagnosis, run_id, summary.at_work_in(diagnosis) if going else None)
        with st.container(key="story-details"):
            st.header("What each method says")
            draw_cards(diagnosis, run_id)
            if note := run_language_note(diagnosis):
                st.caption(as_text(note))
            draw_radar(diagnosis, run_id)
            draw_prompts(diagnosis, chosen)
            with st.expander("Provenance of this run", icon=":material/fingerprint:"):
                draw_table(origin_facts(diagnosis))
        with st.container(key="story-passages"):
            st.header("Passages")
            draw_passages(diagnosis, chosen)
            draw_hint()
            draw_exhibit_tables(run_id, summary.run_exhibits(diagnosis))


def draw_prompts(diagnosis: Diagnosis, chosen: Chosen) -> None:
    """Draw the prompts behind both answers, each with its answer token by token."""
    memory_first = not chosen.is_answer(diagnosis.answer) and chosen.is_answer(diagnosis.closed_book)
    expanded = memory_first or chosen.is_answer(diagnosis.answer)
    with st.expander("Prompts for both answers", icon=":material/terminal:", expanded=expanded):
        names = ["Over the passages", "From memory"]
        over, alone = st.tabs(names, default=names[memory_first])
        with over:
            draw_prompt(diagnosis.answer, "run.answer", diagnosis.provenance.model, chosen)
        with alone:
            draw_prompt(diagnosis.closed_book, "run.closed_book", diagnosis.provenance.model, chosen)


def draw_answer(kind: str, text: str, diagnosis: Diagnosis, *, large: bool) -> None:
    """Draw one answer of a run, framed in the colour of right, wrong or not known."""
    match = summary.match_of(text, diagnosis.golds, diagnosis.judged)
    with st.container(
        border=True, height="stretch", key=f"card-{summary.MATCH_WORDS[match][1]}-{kind.replace(' ', '-')}"
    ):
        st.html(summary.answer_html(kind, text, match, large=large))


def draw_radar(diagnosis: Diagnosis, run_id: str) -> None:
    """Draw where the methods pull apart or agree strongly, most telling first, each with the way to its evidence."""
    st.header("Agreement and disagreement")
    for place, finding in enumerate(radar(diagnosis, *summary.matches_of(diagnosis))):
        with st.container(border=True, key=f"radar-{place}"):
            st.html(finding_html(finding))
            with st.container(horizontal=True):
                for method in finding.pages:
                    label = f"See it in {links.METHOD_TITLES[method]}"
                    links.page_link(method, label, run_id=run_id, icon=":material/arrow_forward:")


def draw_cards(diagnosis: Diagnosis, run_id: str) -> None:
    """Draw a card for every method that was asked for, measured ones first, two in a row, with the way to its page.

    The usual methods that were not asked for stand in one line below. While the run goes on no card changes its place.
    """
    run = stored_run(run_id)
    going = run is not None and is_going(run)
    outcomes = sorted(diagnosis.outcomes, key=lambda outcome: not going and outcome.status != "done")
    shown = tuple(outcome.method for outcome in outcomes)
    for first in range(0, len(shown), 2):
        for method, column in zip(shown[first : first + 2], st.columns(2), strict=False):
            with column:
                draw_card(method, diagnosis, run_id, summary.at_work_in(diagnosis) if going else None)
    draw_absent(tuple(method for method in DEFAULT_METHODS if method not in shown), run_id)


def draw_absent(methods: tuple[str, ...], run_id: str) -> None:
    """Draw in one line the usual methods that were not asked for, each a way to the page that can run it."""
    if not methods:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="not-asked-for"):
        st.markdown("Not in this run:", width="content")
        for method in methods:
            links.page_link(method, links.METHOD_TITLES[method], run_id=run_id)


def draw_card(method: str, diagnosis: Diagnosis, run_id: str, at_work: str | None) -> None:
    """Draw one method's word and sentence, framed in the colour of its tone, with the way to its page.

    ``at_work`` is the method in hand while the run goes on.
    """
    outcome = diagnosis.outcome(method)
    verdict = summary.verdict_in_run(outcome, at_work)
    name = links.METHOD_TITLES[method]
    label = "How it got there" if outcome and outcome.result else f"Open {name}"
    with st.container(border=True, height="stretch", key=f"card-{verdict.tone}-{method}"):
        st.html(summary.card_html(name, verdict))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            for place in headlines(diagnosis, method)[:1]:
                draw_control(place, "card")
            links.page_link(method, label, run_id=run_id, icon=":material/arrow_forward:")


def draw_passages(diagnosis: Diagnosis, chosen: Chosen) -> None:
    """Draw the passages with gold answers marked, and the same as a table."""
    if not diagnosis.hits:
        st.info("The model got no passages.")
        return
    st.html(summary.passages_html(diagnosis, chosen.passage, words_read(diagnosis)))
    with st.expander("The passages as a table", expanded=chosen.chunk is not None):
        linked_rows(
            summary.hit_rows(diagnosis.hits),
            [Selection(chunk=place) for place in range(len(diagnosis.hits))],
            chosen.chunk,
            key=f"ask.passages.{session.current_run()}",
            alt="The passages, best first",
        )


def draw_found(hits: tuple[Hit, ...], golds: tuple[str, ...]) -> None:
    """Draw the passages of a run that has no answer yet: the first thing there is to look at."""
    st.header("What the model reads")
    st.html(summary.hits_html(hits, golds))
    with st.expander("The passages as a table"):
        draw_rows(summary.hit_rows(hits), alt="The passages, best first")


def draw_judge(diagnosis: Diagnosis) -> None:
    """Name the judge that said which answers mean the same on a button, and behind it how it comes to its word."""
    origin = diagnosis.provenance
    name = judge_name(origin.judge)
    with st.popover(as_text(f"Judged by “{shorten(name, 40)}”"), icon=":material/gavel:"):
        st.markdown(as_text(f"Judge: “{name}”. {origin.judge_note}"))
        links.page_link("measured", "How far to trust a judge", icon=":material/monitoring:")


def draw_parent(run: StoredRun) -> None:
    """Draw the way back to the run this one was made from, where it is still stored.

    A button and not a link: Streamlit does not follow a link to the page it stands on, whatever its parameters.
    """
    parent = stored_run(run.parent) if run.parent else None
    if parent is None:
        return
    label = as_text(f"Made from {run_name(parent)}")
    with st.container(horizontal=True):
        if st.button(label, type="tertiary", icon=":material/arrow_back:", key=f"parent.{run.id}"):
            session.open_run(run.parent)
            st.rerun()
        if st.button("Compare with it", type="tertiary", icon=":material/compare_arrows:", key=f"compare.{run.id}"):
            links.go_to_pair(run.parent, run.id)
