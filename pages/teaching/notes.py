"""A lesson's notes for the teacher, on one page to print: each slide's question, its answer, what to say."""

import streamlit as st

from engine.learning.lessons.base import Lesson, Step, right_words
from pages.shared.theme import as_text
from pages.teaching.runs import go_to, steps_of


def draw_notes(lesson: Lesson) -> None:
    """Draw the notes of every step, with the question asked there and its answer."""
    st.title(as_text(f"Notes: {lesson.title}"))
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-ways"):
        st.button("All lessons", icon=":material/list:", key="lessons.list", on_click=go_to, args=("",))
        st.button("Begin", icon=":material/slideshow:", key="lessons.begin", on_click=go_to, args=(lesson.word, 1))
        st.caption(as_text(f"{lesson.minutes} minutes · {lesson.papers}"), width="content")
    for number, step in enumerate(steps_of(lesson.word), 1):
        draw_step(number, step)


def draw_step(number: int, step: Step) -> None:
    """Draw one step's notes: what is asked, what is right, what people get wrong, what to say."""
    st.header(as_text(f"{number}. {step.title}"))
    if step.question is not None:
        st.markdown(f"**Vote:** {as_text(step.question.text)} **Answer:** {as_text(right_words(step.question))}")
    if step.mistake:
        st.markdown(f"**Often gotten wrong:** {as_text(step.mistake)}")
    if step.notes:
        st.markdown(f"**Say:** {as_text(step.notes)}")
