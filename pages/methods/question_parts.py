"""Question parts: is every part of the question answered?"""

import streamlit as st

from engine.methods.question_parts import QuestionPartsResult
from pages.shared.details import Section, draw_details
from pages.shared.method_page import draw_opening, open_method
from pages.shared.rows import draw_rows
from pages.shared.texts import draw_formulas
from pages.shared.theme import current_theme
from viz.methods import question_parts


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("question_parts", QuestionPartsResult)
    st.html(question_parts.parts_html(result, current_theme()))
    draw_opening(diagnosis, result, chooses=False)
    draw_formulas("question_parts")
    table = question_parts.parts_table(result)
    draw_details("question_parts", [Section(label="As a table", draw=lambda: draw_rows(table, alt="The parts"))])


draw_page()
