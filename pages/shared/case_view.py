"""Recorded runs as picture cards: a click opens one, at once and without any model."""

from collections.abc import Sequence

import streamlit as st

from pages.shared import session
from pages.shared.resources import recorded_runs, sentences, stored_run
from pages.shared.theme import cut_label
from viz.case_card import CaseCard, case_card, case_card_html


def recorded_cards(most: int | None = None) -> tuple[CaseCard, ...]:
    """Return the cards of the recorded examples, or of the first so many of them, in the order of their ids."""
    with sentences():
        recorded = recorded_runs()[:most]
    found = (card_of(run.id, run.finished_at) for run in recorded)
    return tuple(card for card in found if card is not None)


@st.cache_data(show_spinner=False, max_entries=500)
def card_of(run_id: str, finished_at: str) -> CaseCard | None:
    """Return a run's card, None without answers; ``finished_at`` tells a run from itself before it was finished."""
    run = stored_run(run_id) if finished_at else None
    return case_card(run_id, run.diagnosis) if run is not None and run.diagnosis is not None else None


def draw_cases(cards: Sequence[CaseCard], key: str) -> None:
    """Draw cards in a grid of their own; ``key`` names it."""
    with st.container(key=f"cases-{key}"):
        for card in cards:
            with st.container(border=True, key=f"case-{card.run_id}"):
                st.html(case_card_html(card))
                label, whole = cut_label(card.question, 90)
                if st.button(label, key=f"recorded.{card.run_id}", type="tertiary", help=whole):
                    session.open_run(card.run_id)
                    st.rerun()
