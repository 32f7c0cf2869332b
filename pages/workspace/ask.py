"""Ask: one question, its passages, both answers, and every method's word at a glance."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from engine.core.errors import InputError, QuestionError
from engine.runs.models.prompt_room import too_long
from pages.shared import forms, links, session
from pages.shared.cost import draw_cost_of
from pages.shared.draft import Draft
from pages.shared.passage_editor import FORM
from pages.shared.resources import desk, sentences, shown_errors, stored_run, why_missing
from pages.shared.run_names import run_name
from pages.shared.run_panel import submit_variant
from pages.shared.texts import page_text
from pages.shared.theme import as_text
from pages.shared.undo import draw_left_undo, drop_undo
from pages.shared.unsent import forget_found, is_found_again, note_sent
from pages.workspace.case_view import draw_cases, recorded_cards
from pages.workspace.method_choice import method_set, methods_part
from viz.runs.case_card import CaseCard, telling_cards

LEAD = "See what a model does with passages: open a recorded run, or ask."


def main() -> None:
    """Draw the form, or the run that the address names."""
    with sentences():
        run_id = session.current_run()
        run = stored_run(run_id) if run_id else None
    if run is not None:
        # The form waits for nothing that a run alone needs.
        from pages.workspace.shown_run import draw_run

        draw_run(run)
        return
    st.title("Ask one question")
    st.caption(LEAD)
    if run_id:
        st.warning(as_text(why_missing(run_id)))
        session.forget_run(run_id)
        links.page_link("runs", "To the list of runs", icon=":material/history:")
    cards = recorded_cards()
    chosen = telling_cards(cards)
    draw_cases(chosen, "telling")
    draw_form()
    draw_recorded([card for card in cards if card not in chosen])
    with sentences():
        desk().warm()


def draw_form() -> None:
    """Draw the one box of question and passages, the bar that asks, and below them what few people change."""
    if notice := session.pop_notice():
        st.warning(as_text(notice))
    draft = session.ask_draft()
    draw_tie(draft)
    draw_left_undo(FORM)
    box, bar = st.container(border=True, key="ask-box"), st.container(key="ask-bar")
    with box:
        draft = forms.question_box(draft)
        left, right = st.columns([3, 2])
        with left:
            draft = forms.paste_box(draft)
        with right:
            draft = forms.gold_box(draft)
        draft = forms.source_part(draft)
    forms.sample_picker()
    draft = methods_part(draft)
    draft = forms.advanced_part(draft)
    session.keep_draft(draft)
    with bar, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        method_set(draft)
        asked = st.button("Ask", type="primary", icon=":material/search:", shortcut="ctrl+enter", key="ask", width=160)
        with st.container(width="stretch", key="ask-cost"):
            draw_cost(draft)
    if asked:
        with bar, shown_errors():  # beside the button that was pressed, not below everything
            request = forms.request_of(draft)
            drop_undo(FORM)
            note_sent()
            submit_variant(request)


def draw_tie(draft: Draft) -> None:
    """Say where what stands in the form came from, with the way to an empty one."""
    if not draft.parent and not is_found_again():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(as_text(origin_of(draft)))
        if st.button("Start empty", key="start_empty"):
            forget_found()
            forms.leave_form("The form was emptied.")
            session.fill_form(Draft(), passages=())
            st.rerun()


def origin_of(draft: Draft) -> str:
    """Return which run the form was filled from, or that it was found again."""
    if not draft.parent:
        return "As you left it, before the page was loaded again."
    kept = ""
    if draft.base is not None and draft.base.dense.rewrites:
        kept = " Its rewordings apply while the passages stay."
    parent = stored_run(draft.parent)
    return f"Filled from {run_name(parent) if parent else 'a run that is gone'}.{kept}"


def draw_cost(draft: Draft) -> None:
    """Draw what the form will cost, or that it is too long; nothing yet where it cannot be asked."""
    try:
        request = forms.request_of(replace(draft, question=draft.question.strip() or "?"))
    except QuestionError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    except InputError:
        return
    if why := too_long(request):
        st.warning(as_text(why))
        return
    draw_cost_of(request)


def draw_recorded(cards: Sequence[CaseCard]) -> None:
    """Draw the recorded examples that do not stand at the top, and the way to the recorded failures."""
    label = "What can go wrong: the failure atlas"
    links.page_link("atlas", label, icon=":material/bug_report:")
    if cards:
        st.header("More recorded examples")
        st.caption(page_text("notes/recorded"))
        draw_cases(cards, "more")


main()
