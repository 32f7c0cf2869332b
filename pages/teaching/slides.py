"""One slide of a lesson: the title, an idea, the vote, its reveal, the sums, or the recap."""

import streamlit as st

from engine.core.words import quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Question, Step
from engine.learning.lessons.polls import ClassPoll, vote_on
from engine.learning.lessons.progress import Prediction
from engine.learning.lessons.slides import Slide, has_own_sums, slide_at, slides_of, vote_before
from pages.shared import links, session
from pages.shared.resources import class_polls, lesson_progress
from pages.shared.theme import as_text, current_theme
from pages.teaching.following import next_lesson
from pages.teaching.listing import draw_export, draw_reset
from pages.teaching.pictures import draw_picture, draw_table
from pages.teaching.polling import (
    current_class,
    draw_closing,
    draw_join,
    draw_notice,
    draw_opening,
    is_open,
    show_on_phones,
)
from pages.teaching.runs import go_to, runs_of
from pages.teaching.turning import draw_turning
from pages.teaching.voting import draw_vote
from viz.learning import lessons as drawn
from viz.learning.slides import BESIDE, recap_html, sums_slide_html
from viz.learning.votes import votes_html
from viz.parts.html import render


def draw_lesson(lesson: Lesson, person: str) -> None:
    """Draw the slide of a lesson that the address names, with the ways on and back."""
    runs = runs_of(lesson)
    steps = lesson.build(*(run for _, run in runs))
    slides = slides_of(steps)
    number = drawn.step_number(session.address_parameter("step"), len(steps))
    index = slide_at(slides, number, drawn.step_number(session.address_parameter("slide"), 99))
    mine = [one for one in lesson_progress().predictions(person) if one.lesson == lesson.word]
    made = made_at(steps[number - 1], number, mine)
    poll = current_class()
    if poll is not None and is_open(poll, lesson, number, steps[number - 1]):
        made = None  # the class has yet to vote, whatever its teacher predicted before
    if slides[index].after_vote and made is None:
        index = vote_before(slides, index)
    slide = slides[index]
    go_to(lesson.word, slide.step, slide.place)
    lesson_progress().visit(person, lesson.word, number)
    step, (run_id, run) = steps[number - 1], runs[steps[number - 1].part]
    joining = poll is not None and session.shows_code()
    if not (joining or session.is_presenting()):
        draw_ways(lesson, step, number, run_id, person, poll)
    draw_notice()
    if poll is not None:
        show_on_phones(poll, lesson, slide, step)
    if poll is not None and joining:
        draw_join(poll)
    else:
        with st.container(key="slide-title" if slide.kind == "title" else "slide"):
            draw_slide(lesson, slide, step, run, made, person, poll)
            if slide.kind == "recap":
                draw_recap(lesson, steps, mine)
    draw_turning(lesson, steps, slides, index, person, poll, voted=made is not None)


def made_at(step: Step, number: int, mine: list[Prediction]) -> Prediction | None:
    """Return the prediction made at a step; None where there is none, or nothing to predict."""
    return None if step.question is None else drawn.answered(step.question, number, mine)


def draw_ways(lesson: Lesson, step: Step, number: int, run_id: str, person: str, poll: ClassPoll | None) -> None:
    """Draw the ways out of the lesson, and what is kept of it."""
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-ways"):
        st.button("All lessons", icon=":material/list:", key="lessons.list", on_click=go_to, args=("",))
        links.page_link("ask", "Open this run", run_id=run_id, icon=":material/dashboard:")
        st.caption(as_text(f"{lesson.title} · {lesson.papers}"), width="content")
        if step.notes:
            with st.popover("Teacher's notes", icon=":material/school:"):
                st.markdown(as_text(step.notes))
        with st.popover("More", icon=":material/more_horiz:", key="lesson-more"):
            st.code(session.whole_address(lesson=lesson.word, step=str(number)), language=None, wrap_lines=True)
            if poll is None:
                draw_opening()
            else:
                draw_closing(poll.code)
            draw_export(person, (lesson.word,))
            draw_reset(person, lesson.word, "Reset this lesson")


def draw_slide(
    lesson: Lesson,
    slide: Slide,
    step: Step,
    run: Diagnosis,
    made: Prediction | None,
    person: str,
    poll: ClassPoll | None,
) -> None:
    """Draw what is on one slide."""
    if slide.kind == "title":
        draw_title(lesson, run)
    elif slide.kind == "idea":
        draw_idea(step, run, f"{lesson.word}.{slide.step}")
    elif slide.kind == "vote":
        draw_asked(lesson, slide, step, run, made, person, poll)
    elif slide.kind == "reveal" and step.question is not None and made is not None:
        draw_reveal(lesson, slide, step, step.question, run, made, poll)
    elif slide.kind == "sums":
        draw_sums(slide, step)


def draw_title(lesson: Lesson, run: Diagnosis) -> None:
    """Draw what a lesson asks, and of which question."""
    st.title(as_text(lesson.title))
    st.html(render("slide_title.html.j2", asks=lesson.asks, question=quoted(run.question, 200)))


def draw_idea(step: Step, run: Diagnosis, key: str) -> None:
    """Draw an idea that asks for no prediction: its sentences, then what is looked at."""
    st.title(as_text(step.title))
    st.html(recap_html(step.text))
    draw_seen(step, run, key)


def draw_seen(step: Step, run: Diagnosis, key: str) -> None:
    """Draw what of a run is looked at before its question: formula, passages or figures, numbers."""
    if step.equation:
        st.latex(step.equation)
    for name in step.shows:
        draw_picture(run, name, f"before.{key}")
    if step.table is not None:
        draw_table(step.table)


def draw_asked(
    lesson: Lesson,
    slide: Slide,
    step: Step,
    run: Diagnosis,
    made: Prediction | None,
    person: str,
    poll: ClassPoll | None,
) -> None:
    """Draw a step's question beside what is looked at: to be voted on, or with the vote that was given."""
    st.title(as_text(step.title))
    seen = bool(step.equation or step.shows or step.table)
    asked, looked = st.columns([5, 6], gap="large") if seen else (st.container(), None)
    if looked is not None:
        with looked:
            draw_seen(step, run, f"{lesson.word}.{slide.step}")
    with asked:
        with st.container(key="slide-text"):
            for sentence in step.text:
                st.markdown(as_text(sentence))
        if step.question is not None and made is None:
            with_class = poll is not None or session.is_presenting()
            draw_vote(lesson, step.question, slide, person, with_class=with_class)
        elif step.question is not None and made is not None:
            with st.container(key="slide-question"):
                st.markdown(as_text(step.question.text))
            st.info(as_text(drawn.said_words(step.question, made.given)), icon=":material/how_to_vote:")


def draw_reveal(
    lesson: Lesson,
    slide: Slide,
    step: Step,
    question: Question,
    run: Diagnosis,
    made: Prediction,
    poll: ClassPoll | None,
) -> None:
    """Draw what a prediction became: the word on it, how a class voted, and the picture or the sums that show why.

    A picture as high as wide stands beside the words, a wide one below them.
    """
    st.title(as_text(step.title))
    beside = any(name in BESIDE for name in step.then)
    with st.container(key="slide-beside" if beside else "slide-below", height="stretch"):
        with st.container(key="slide-said"):
            draw_said(step, question, made, with_class=poll is not None or session.is_presenting())
            draw_votes(poll, lesson, slide, question)
            if beside and slide.last:
                draw_mistake(step)
        for name in step.then:
            draw_picture(run, name, f"after.{lesson.word}.{slide.step}")
        if step.working and not has_own_sums(step):
            st.html(sums_slide_html(step.working))
        if slide.last and not beside:
            draw_mistake(step)


def draw_votes(poll: ClassPoll | None, lesson: Lesson, slide: Slide, question: Question) -> None:
    """Draw how a class voted by phone; nothing where nobody did."""
    counts = class_polls().counts(poll.code, vote_on(lesson.word, slide.step, question)) if poll is not None else {}
    if counts:
        with st.container(key="slide-votes"):
            st.html(votes_html(question, counts, current_theme()))


def draw_said(step: Step, question: Question, made: Prediction, *, with_class: bool) -> None:
    """Draw the word on a prediction, and what the reveal says."""
    said = as_text(drawn.feedback(question, made.given, aloud=with_class))
    if drawn.outcome(question, made.given).right:
        st.success(said, icon=":material/check_circle:")
    else:
        st.info(said, icon=":material/lightbulb:")
    if not announces(step):
        with st.container(key="slide-text"):
            st.markdown(as_text(" ".join(step.reveal)))


def announces(step: Step) -> bool:
    """Return whether the reveal's words announce sums that have a slide of their own."""
    return has_own_sums(step) and bool(step.reveal) and step.reveal[-1].endswith(":")


def draw_sums(slide: Slide, step: Step) -> None:
    """Draw a step's arithmetic on the run's own numbers, a line after the other."""
    st.title(as_text(step.title))
    if announces(step):
        with st.container(key="slide-text"):
            st.markdown(as_text(" ".join(step.reveal)))
    if step.equation:
        st.latex(step.equation)
    st.html(sums_slide_html(step.working))
    if slide.last:
        draw_mistake(step)


def draw_mistake(step: Step) -> None:
    """Draw what people usually get wrong."""
    if step.mistake:
        with st.container(key="slide-mistake"):
            st.markdown(f":material/report: **Often gotten wrong:** {as_text(step.mistake)}")


def draw_recap(lesson: Lesson, steps: tuple[Step, ...], mine: list[Prediction]) -> None:
    """Draw what the lesson leaves, how the predictions went, and which lesson comes next."""
    st.title("What to take home")
    st.html(recap_html(lesson.recap))
    if hits := drawn.hits_words(steps, mine):
        st.markdown(as_text(hits))
    if following := next_lesson(lesson):
        with st.container(border=True, key="slide-following"):
            st.caption("Next lesson")
            st.subheader(as_text(following.title))
            st.markdown(as_text(following.asks))
