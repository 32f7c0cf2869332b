"""How many questions of a study go side by side: one control, for a new study and for one that goes on."""

import streamlit as st

from engine.runs.studies.hands import MOST_TOGETHER, usual_together
from pages.shared import session

HELP = "They share batches: a server or GPU gains most. Your own question waits for those in hand."


def draw_together(key: str, model: str) -> int:
    """Draw the number of questions side by side, which starts at what suits the model; return it."""
    usual = usual_together(model)
    number = st.number_input("Side by side", 1, MOST_TOGETHER, usual, key=f"{key}.{usual}", help=HELP, width=150)
    return session.whole_number(number, 1, MOST_TOGETHER, usual)
