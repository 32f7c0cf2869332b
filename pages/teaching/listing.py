"""The list of lessons, and whose answers are kept: save them, reset them, bring them back."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import Lesson
from engine.learning.lessons.progress import Place
from pages.shared import session
from pages.shared.downloads import save_button
from pages.shared.resources import lesson_progress
from pages.shared.texts import page_text
from pages.shared.theme import as_text
from pages.teaching.runs import go_to, steps_of
from viz.learning import lessons as drawn
from viz.parts.csv_text import csv_text


def draw_list(person: str, unknown: str) -> None:
    """Draw every lesson with how far this person is."""
    st.title("Lessons")
    st.markdown(page_text("lead/lessons"))
    if unknown:
        st.warning(as_text(f"There is no lesson {unknown[:60]!r}. Here are all."))
    places = lesson_progress().places(person)
    with st.container(key="lesson-cards"):
        for number, lesson in enumerate(LESSONS.values(), 1):
            draw_card(number, lesson, places.get(lesson.word))
    draw_keeping(person)


def draw_card(number: int, lesson: Lesson, kept: Place | None) -> None:
    """Draw one lesson: what it asks, how far somebody is, and the ways in."""
    with st.container(border=True, key=f"lesson-{lesson.word}"):
        st.header(as_text(f"{number}. {lesson.title}"))
        st.markdown(as_text(lesson.asks))
        st.caption(as_text(f"{drawn.begun_words(kept, lesson.steps)} · {lesson.papers}"))
        with st.container(horizontal=True):
            st.button(
                "Begin" if kept is None else "Continue", key=f"open.{lesson.word}", icon=":material/slideshow:",
                help=as_text(lesson.title), on_click=go_to, args=(lesson.word, drawn.next_step(kept, lesson.steps)),
            )  # fmt: skip
            st.button(
                "Teacher's notes", key=f"notes.{lesson.word}", type="tertiary", icon=":material/school:",
                help="On one page, to print", on_click=go_to, args=(lesson.word, 0, 1, True),
            )  # fmt: skip


def draw_keeping(person: str) -> None:
    """Draw whose answers are kept, and the ways to save, reset and bring them back."""
    st.header("Your answers")
    st.caption(page_text("notes/lesson_answers"))
    key = session.widget_key("lessons.name", session.learner_name())
    st.text_input(
        "Your name (optional)",
        key=key,
        max_chars=session.LONGEST_NAME,
        width=420,
        on_change=lambda: session.name_learner(str(session.widget_state(key) or "")),
    )
    with st.container(horizontal=True):
        draw_export(person, tuple(LESSONS))
        draw_reset(person, "", "Reset all lessons")


def draw_export(person: str, words: Sequence[str]) -> None:
    """Draw the download of this person's predictions in these lessons, written when it is asked for."""

    def written() -> str:
        predictions = lesson_progress().predictions(person)
        return csv_text(drawn.answers_table(LESSONS, {word: steps_of(word) for word in words}, predictions))

    file_name = "lessons.csv" if len(words) > 1 else f"lesson-{words[0]}.csv"
    save_button("Save my answers as CSV", written, file_name, key="lessons.csv")


def draw_reset(person: str, word: str, label: str) -> None:
    """Draw the button that begins anew, and the one that takes that back."""
    st.button(
        label,
        icon=":material/restart_alt:",
        key="lessons.reset",
        on_click=partial(lesson_progress().reset, person, word),
        help="Undo restores your answers.",
    )
    if lesson_progress().can_undo(person):
        st.button(
            "Undo the last reset",
            icon=":material/undo:",
            key="lessons.undo",
            on_click=partial(lesson_progress().undo, person),
        )
