"""How many questions of a study are asked at once: one control, for a new study and for one that goes on."""

import streamlit as st

from engine.runs.studies.concurrency import MOST_TOGETHER, Concurrency, concurrency_for, usual_concurrency
from pages.shared.sent_values import whole_number

HELP = (
    "How many questions run at once: in as many processes with embedded models, in one batch with others. "
    "Your own question goes first."
)


def draw_concurrency(key: str, model: str, points: int) -> Concurrency:
    """Draw the number of questions at once, which starts at what suits the model and machine; return it."""
    usual = usual_concurrency(model, points).number
    number = st.number_input("At once", 1, MOST_TOGETHER, usual, key=f"{key}.{usual}", help=HELP, width=150)
    return concurrency_for(model, whole_number(number, 1, MOST_TOGETHER, usual))
