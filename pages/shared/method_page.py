"""How every method page begins: which run it is about, and what to do where there is nothing to show."""

from dataclasses import replace
from typing import NoReturn, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.catalogue.headlines import headlines
from engine.diagnosis.record import Diagnosis, MethodResult, Outcome
from engine.learning.guide import what_it_asks
from engine.methods import METHODS
from engine.runs.store import StoredRun
from engine.runs.unfinished import may_go_on
from pages.shared import links, session
from pages.shared.downloads import draw_exhibit_tables
from pages.shared.examples import default_run, draw_examples
from pages.shared.forms import gold_answers
from pages.shared.linked import draw_chosen, draw_hint
from pages.shared.number_view import draw_controls
from pages.shared.resources import RECENT, is_going, recorded_runs, sentences, store, stored_run, why_missing
from pages.shared.result_view import draw_imported, draw_parent, draw_question
from pages.shared.run_names import picker_labels
from pages.shared.run_panel import (
    draw_going_on,
    has_ended_since,
    how_it_ended,
    run_panel,
    submit_variant,
    variant_of,
    watch_for_end,
)
from pages.shared.texts import draw_head, method_lead
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import run_again, with_method
from viz.methods.other_scripts import language_note
from viz.methods.verdicts import reading_html, verdict_line_html
from viz.methods.views import VIEWS, exhibits_of
from viz.runs.story import run_bar_html, run_line_html
from viz.runs.summary import question_html

NO_RUNS = "No runs yet."
Result = TypeVar("Result", bound=MethodResult)


def open_page(word: str, title: str, nothing: str) -> tuple[StoredRun, Diagnosis]:
    """Return the run a page is about and its record, after drawing the page's head and the question.

    Ends the page where there is no run, or one without a record; ``nothing`` says what that has not got.
    """
    draw_head(word, title)
    with sentences():
        run = chosen_run(word)
    if run is None:
        end_with_nothing()
    if run.diagnosis is None:
        st.warning(as_text(how_it_ended(run) or nothing))
        st.stop()
    draw_question(run.diagnosis)
    return run, run.diagnosis


def open_method(method: str, kind: type[Result], gold_form: str = "") -> tuple[Diagnosis, Result]:
    """Return the run a method's page is about and the method's result in it, after drawing the page's head.

    Where there is no result to draw (no run at all, still computing, failed, not asked for) the page says so, offers
    what helps, and ends. A method that was *not measured* has for its result what was seen, which says why, or nothing:
    then its reason is drawn here, and without correct answers the field for them, whose keys begin with ``gold_form``.
    """
    line = st.container(key="method-line")
    with st.container(horizontal=True, vertical_alignment="center", key="method-bar"):
        st.title(links.METHOD_TITLES[method], width="content")
        question = st.container(key="method-question")
        tools = st.container(horizontal=True, gap="xsmall", width="content")
    with sentences():
        run = chosen_run(method, bar=tools)
    if run is None:
        st.markdown(METHODS[method].question)
        end_with_nothing()
    diagnosis = run.diagnosis
    if diagnosis is None or (is_going(run) and is_pending(diagnosis.outcome(method), method, run)):
        end_without_record(run)
    with line:
        st.html(run_line_html(diagnosis, links.METHOD_TITLES[method]))
    with question:
        st.html(run_bar_html(diagnosis))
    if diagnosis.result(kind) is None:  # no figure comes that it could stand below
        draw_imported(diagnosis)
    result = result_of(method, run, diagnosis)
    if not isinstance(result, kind):
        if gold_form and not diagnosis.golds:
            draw_gold_form(method, gold_form)
        st.stop()
    with tools:
        draw_exhibit_tables(run.id, exhibits_of(result))
    st.html(verdict_line_html(VIEWS[result.method].verdict(result), current_theme()))
    draw_chosen(diagnosis, hint=False)
    return diagnosis, result


def end_without_record(run: StoredRun) -> NoReturn:
    """Draw the progress of a run that has nothing to show yet, or why it stored nothing, and end the page."""
    st.html(question_html(run.request.question, run.request.golds))
    if has_ended_since(run):
        st.rerun()
    if is_going(run):
        run_panel(run.id)
    else:
        st.warning(as_text(how_it_ended(run) or "This run stored nothing."))
        draw_going_on(run)
        links.page_link("ask", "Ask again", run_id=run.id, icon=":material/arrow_back:")
    st.stop()


def draw_opening(diagnosis: Diagnosis, result: MethodResult, *, chooses: bool = True, **values: object) -> None:
    """Draw what stands below a method's first figure: the verdict in full, its numbers, and what they are.

    First of all, where the run is of another pipeline's answer, that answer. ``values`` stand in the text.
    ``chooses``: the page has a mark or a row that chooses a thing, so it says how.
    """
    draw_imported(diagnosis)
    if reading := reading_html(VIEWS[result.method].verdict(result)):
        st.html(reading)
    draw_controls(headlines(diagnosis, result.method), f"show.{result.method}")
    st.caption(f"{METHODS[result.method].question} {method_lead(result.method, **values)}")
    if note := language_note(diagnosis, result):
        st.caption(as_text(note))
    for word, why in diagnosis.provenance.papers_kept:
        if word == result.method:
            st.caption(as_text(why))
    if chooses:
        draw_hint()


def draw_gold_form(method: str, name: str) -> None:
    """Draw the field that adds correct answers to the shown run, and asks again with them; ``name`` begins its keys."""
    with st.container(border=True):
        text = st.text_area(
            "Correct answers, one per line",
            key=f"{name}.golds.{session.current_run()}",
        )
        pressed = st.button("Run again with them", type="primary", key=f"{name}.golds.ask")
    golds = gold_answers(text)
    if pressed and golds:
        run_again(method, lambda request: replace(request, golds=golds))
    elif pressed:
        st.warning("Enter a correct answer.")


def chosen_run(method: str, *, with_parent: bool = True, bar: DeltaGenerator | None = None) -> StoredRun | None:
    """Return the run that is shown, after drawing the list it can be changed from; None where there is no run.

    ``with_parent``: draw the way to the run it was made from as well. In a ``bar`` both stand behind a button.
    """
    wanted = session.current_run() or session.last_run() or default_run(method)
    if wanted is None:
        return None
    run = stored_run(wanted)
    if run is None:
        st.warning(as_text(f"{why_missing(wanted)} Another run is shown."))
        session.forget_run(wanted)
        other = default_run(method)
        run = stored_run(other) if other else None
    if run is not None:
        session.show_run(run.id)
        with st.container() if bar is None else bar.popover("Run", icon=":material/history:", help="Other runs"):
            draw_picker(method, run)
            if with_parent:
                draw_parent(run)
    return run


def draw_picker(method: str, run: StoredRun) -> None:
    """Draw the list of recent runs: the shown one, those with the method, the others; a choice is opened at once."""
    recent = sorted(store().listing(limit=RECENT), key=lambda other: method not in other.methods)
    labels = picker_labels((run, *(other for other in recent if other.id != run.id)))
    picked = st.selectbox(
        "Run",
        list(labels),
        format_func=lambda run_id: labels.get(run_id, run_id),
        # The browser keeps showing the label it first drew for a key: "(running)" would stay after the end.
        key=f"pick.{method}.{run.id}.{run.state}",
    )
    if picked in labels and picked != run.id:
        session.open_run(picked)
        st.rerun()


def is_pending(outcome: Outcome | None, method: str, run: StoredRun) -> bool:
    """Return whether a method that was asked for has still to come."""
    if outcome is None:
        return method in run.request.methods
    return outcome.status == "waiting"


def end_with_nothing(sentence: str = NO_RUNS) -> NoReturn:
    """Say that there is no run yet, offer the ways to one, and end the page."""
    st.info(sentence)
    links.page_link("ask", "Ask a question", icon=":material/edit:")
    recorded = recorded_runs()
    if recorded and st.button("Open a recorded example", icon=":material/play_circle:"):
        session.open_run(recorded[0].id)
        st.rerun()
    st.stop()


def result_of(method: str, run: StoredRun, diagnosis: Diagnosis) -> MethodResult | None:
    """Return the method's result; where it failed or was not run, say why, offer to run it now, and end the page."""
    outcome = diagnosis.outcome(method)
    if outcome is not None and outcome.status == "done" and outcome.result is not None:
        if is_going(run):
            watch_for_end(run.id, "Others are still running.")
        return outcome.result
    if outcome is not None and outcome.status == "not measured":
        # What was seen carries the reason in its own verdict.
        if outcome.result is None:
            st.info(f"**Not measured.** {as_text(outcome.reason)}", icon=":material/do_not_disturb_on:")
        return outcome.result
    st.markdown(what_it_asks(method))
    if outcome is not None and outcome.status == "failed":
        reason = as_text(outcome.reason)
        st.error(f"{links.METHOD_TITLES[method]} failed. {reason}", icon=":material/error:")
    else:
        st.info(as_text(missing_sentence(method, run)))
    if method in run.request.methods and may_go_on(run):
        draw_going_on(run)
    elif st.button("Run it now", type="primary", icon=":material/play_arrow:", key=f"run_now.{method}"):
        submit_variant(with_method(variant_of(run), method))
    with sentences():
        draw_examples(method)
    st.stop()


def missing_sentence(method: str, run: StoredRun) -> str:
    """Return why a run holds nothing of a method."""
    title = links.METHOD_TITLES[method]
    if method not in run.request.methods:
        return f"This run was not asked for {title}."
    return how_it_ended(run) or f"Stopped before {title}."
