"""The vote: what is predicted before the reveal. The first prediction counts; a class may vote by hands and go on."""

import streamlit as st

from engine.core.errors import InputError, MicroscopeError
from engine.learning.lessons.base import Lesson, Question, checked, fingerprint
from engine.learning.lessons.polls import ClassPoll, vote_on
from engine.learning.lessons.progress import Prediction
from engine.learning.lessons.slides import Slide
from pages.shared import session
from pages.shared.resources import class_polls, lesson_progress
from pages.shared.theme import as_text
from pages.teaching.runs import go_to
from viz.learning import lessons as drawn


def draw_vote(lesson: Lesson, question: Question, slide: Slide, person: str, *, with_class: bool) -> None:
    """Draw the prediction's form; what is sent is checked and kept, and the reveal comes next.

    Before a class the button that reveals stands in the bar below, so that the options have the room.
    """
    key = vote_key(lesson, question, slide)
    if with_class:
        with st.container(key="slide-question"):
            st.markdown(as_text(question.text))
        draw_field(question, key)
        return
    with st.form(f"predict.{lesson.word}.{slide.step}", border=False):
        with st.container(key="slide-question"):
            st.markdown(as_text(question.text))
        given = draw_field(question, key)
        with st.container(horizontal=True):
            sent = st.form_submit_button(
                "Predict and reveal", key="lessons.send", type="primary", icon=":material/visibility:"
            )
            looked = st.form_submit_button("Reveal without a prediction", key="lessons.look", type="tertiary")
    if not (sent or looked):
        return
    try:
        keep_vote(lesson, question, slide, person, given, looked=looked)
    except InputError as exc:
        st.warning(as_text(str(exc)))
        return
    st.rerun()


def vote_key(lesson: Lesson, question: Question, slide: Slide) -> str:
    """Return the key of the field that a prediction is given in."""
    return f"lessons.given.{lesson.word}.{slide.step}.{fingerprint(question)}"


def reveal_vote(lesson: Lesson, question: Question, slide: Slide, person: str, poll: ClassPoll | None) -> None:
    """Keep what a class gave, or that it voted by hands or phones alone, end the vote, and go to the reveal."""
    if poll is not None:
        try:
            class_polls().reveal(poll.code, poll.owner, vote_on(lesson.word, slide.step, question), question)
        except MicroscopeError as exc:
            session.leave_notice(str(exc))
    held = session.widget_state(vote_key(lesson, question, slide))
    given = "" if held is None else str(held).strip()
    try:
        keep_vote(lesson, question, slide, person, given, looked=not given)
    except InputError:
        keep_vote(lesson, question, slide, person, "", looked=True)


def keep_vote(lesson: Lesson, question: Question, slide: Slide, person: str, given: str, *, looked: bool) -> None:
    """Keep a prediction, or that somebody ``looked`` without one, and go to the reveal.

    Raises InputError where what is given is no prediction.
    """
    right = not looked and checked(question, given).right
    said = Prediction(
        lesson=lesson.word, step=slide.step, asked=fingerprint(question), given="" if looked else given, right=right
    )
    lesson_progress().keep(person, said)
    go_to(lesson.word, slide.step, slide.place + 1)


def draw_field(question: Question, key: str) -> str:
    """Return what is given as a prediction, after drawing the field for it: as text, "" while there is nothing."""
    places = range(len(question.options))
    if question.kind == "number":
        unit = f" ({question.unit})" if question.unit else ""
        return st.text_input(
            as_text(f"Your number{unit}"), key=key, max_chars=40, placeholder="such as 0.45", width=320
        )
    if question.kind == "words":
        words = [option.text for option in question.options]
        picked = st.pills(
            "Click a word", list(places), format_func=lambda place: as_text(drawn.word_label(words, place)), key=key
        )
    else:
        texts = [as_text(drawn.option_label(option.text)) for option in question.options]
        picked = st.radio(
            "Your answer", list(places), format_func=lambda place: texts[place], index=None, key=key,
            label_visibility="collapsed",
        )  # fmt: skip
    return "" if picked is None else str(picked)
