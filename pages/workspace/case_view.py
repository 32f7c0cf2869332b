"""Recorded runs as picture cards: a click opens one, at once and without any model."""

from collections.abc import Sequence

import streamlit as st

from pages.shared import session
from pages.shared.grid_view import draw_grid
from pages.shared.resources import recorded_runs, sentences, stored_run
from viz.runs.case_card import CaseCard, cases_html, shipped_cards


def recorded_cards() -> tuple[CaseCard, ...]:
    """Return the cards of the recorded examples, in the order of their ids."""
    with sentences():
        found = [
            shipped_cards().get((run.id, run.finished_at)) or card_of(run.id, run.finished_at)
            for run in recorded_runs()
        ]
    return tuple(card for card in found if card is not None)


@st.cache_data(show_spinner=False, max_entries=500)
def card_of(run_id: str, finished_at: str) -> CaseCard | None:
    """Return a run's card, None without answers; ``finished_at`` tells a run from itself before it was finished."""
    from viz.runs.run_cards import case_card

    run = stored_run(run_id) if finished_at else None
    return case_card(run_id, run.diagnosis) if run is not None and run.diagnosis is not None else None


def draw_cases(cards: Sequence[CaseCard], key: str) -> None:
    """Draw cards in a grid of their own; ``key`` names it. One grid for all: a browser draws a widget much later."""
    name = f"cases-{key}"

    def open_case(numbers: tuple[int, ...]) -> None:
        """Open the run of the card at this place; a browser may send any number."""
        for card in cards[numbers[0] : numbers[0] + 1]:
            session.open_run(card.run_id)

    if cards:
        draw_grid(cases_html(name, cards), open_case, name=name)
