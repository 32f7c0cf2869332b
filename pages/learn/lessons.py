"""Lessons as slides: recorded runs to learn on. Predict first, then reveal, with the sums on the run's numbers."""

import streamlit as st

from engine.learning.lessons import LESSONS
from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.theme import current_theme
from pages.teaching.listing import draw_list
from pages.teaching.notes import draw_notes
from pages.teaching.polling import clear_phones
from pages.teaching.slides import draw_lesson
from viz.learning import lessons as drawn
from viz.learning.slides import slide_rules


def main() -> None:
    """Draw the list of lessons, the slide that the address names, or a lesson's notes for the teacher."""
    st.html(f"<style>{slide_rules(current_theme(), presenting=session.is_presenting())}{drawn.print_rules()}</style>")
    with sentences():
        person = session.learning_person()
        word = session.address_parameter("lesson")
        clear_phones(word in LESSONS and not session.address_parameter("notes"))
        if word not in LESSONS:
            draw_list(person, word)
        elif session.address_parameter("notes"):
            draw_notes(LESSONS[word])
        else:
            draw_lesson(LESSONS[word], person)


main()
