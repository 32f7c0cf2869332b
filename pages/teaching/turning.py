"""Turning the slides: buttons, arrow keys, and the Page Up and Page Down of a presenter's remote."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from engine.learning.lessons.base import Lesson, Step
from engine.learning.lessons.polls import ClassPoll, vote_on
from engine.learning.lessons.slides import Slide, after_step
from pages.shared import session
from pages.shared.theme import current_theme
from pages.teaching.following import next_lesson
from pages.teaching.polling import draw_class_bar, draw_opening
from pages.teaching.runs import go_to
from pages.teaching.voting import reveal_vote
from viz.learning.slides import way_html


def draw_turning(
    lesson: Lesson,
    steps: Sequence[Step],
    slides: Sequence[Slide],
    index: int,
    person: str,
    poll: ClassPoll | None,
    *,
    voted: bool,
) -> None:
    """Draw the ways to the slide before and after, at the foot of the screen, and the class that votes by phone."""
    back = partial(turn_to, lesson, slides[max(index - 1, 0)])
    on, label = way_on(lesson, steps, slides, index, person, poll, voted=voted)
    question = steps[slides[index].step - 1].question
    counts = poll is not None and question is not None and slides[index].kind == "vote" and not voted
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-turning"):
        st.button(
            "Back", icon=":material/arrow_back:", key="lessons.back", shortcut="Left", disabled=not index, on_click=back
        )
        st.html(way_html(index + 1, len(slides), current_theme()))
        if poll is not None:
            draw_class_bar(poll, vote_on(lesson.word, slides[index].step, question) if counts and question else None)
        elif session.is_presenting():
            draw_opening()
        st.button(
            label, icon=":material/arrow_forward:", key="lessons.next", shortcut="Right", on_click=on, type="primary"
        )
    with st.container(key="lesson-remote"):
        # A button has one key: these two, which nobody sees, are the remote's.
        st.button("Back", key="lessons.remote.back", shortcut="PageUp", disabled=not index, on_click=back)
        st.button("Next", key="lessons.remote.next", shortcut="PageDown", on_click=on)


def way_on(
    lesson: Lesson,
    steps: Sequence[Step],
    slides: Sequence[Slide],
    index: int,
    person: str,
    poll: ClassPoll | None,
    *,
    voted: bool,
) -> tuple[partial[None], str]:
    """Return where the next slide leads and its button's words: behind a vote the reveal, at the end the next lesson.

    Alone, who goes on without a vote skips its reveal; a class has voted by hands or phones, so it is shown. From the
    way into a class it leads to the slide.
    """
    if poll is not None and session.shows_code():
        return partial(session.show_code, False), "Next"
    slide = slides[index]
    question = steps[slide.step - 1].question
    if slide.kind == "recap":
        following = next_lesson(lesson)
        return (partial(go_to, following.word, 1), "Next lesson") if following else (partial(go_to, ""), "All lessons")
    if slide.kind == "vote" and question is not None and not voted:
        if poll is not None or session.is_presenting():
            return partial(reveal_vote, lesson, question, slide, person, poll), "Reveal"
        return partial(turn_to, lesson, slides[after_step(slides, index)]), "Skip"
    return partial(turn_to, lesson, slides[index + 1]), "Next"


def turn_to(lesson: Lesson, slide: Slide) -> None:
    """Go to a slide of a lesson."""
    go_to(lesson.word, slide.step, slide.place)
