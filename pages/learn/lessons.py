"""Lessons: recorded runs to learn on, step by step. Predict first, then reveal, with the sums on the run's numbers."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from engine.core.errors import InputError
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import Lesson, Question, Step, checked, chosen_runs, fingerprint
from engine.learning.lessons.progress import Place, Prediction
from engine.runs.sample_runs import recorded_ids, recorded_run
from pages.shared import links, session
from pages.shared.downloads import save_button
from pages.shared.figures import draw_figure
from pages.shared.plain_table import draw_table
from pages.shared.resources import lesson_progress, sentences
from pages.shared.texts import page_text
from pages.shared.theme import as_text, current_theme
from viz import lessons as drawn
from viz.csv_text import csv_text
from viz.exhibit import Exhibit
from viz.summary import hits_html

PASSAGES = "passages"


def main() -> None:
    """Draw the list of lessons, or the step that the address names."""
    st.html(f"<style>{drawn.print_rules()}</style>")
    with sentences():
        person = session.learning_person()
        word = session.address_parameter("lesson")
        if word in LESSONS:
            draw_lesson(LESSONS[word], person)
        else:
            draw_list(person, word)


def runs_of(lesson: Lesson) -> tuple[tuple[str, Diagnosis], ...]:
    """Return the recorded run of each part of a lesson with its id."""
    ids = chosen_runs(lesson, recorded_run, recorded_ids())
    return tuple((run_id, recorded_run(run_id)) for run_id in ids)


def steps_of(word: str) -> tuple[Step, ...]:
    """Return the steps of a lesson on its recorded runs."""
    return LESSONS[word].build(*(run for _, run in runs_of(LESSONS[word])))


def draw_list(person: str, unknown: str) -> None:
    """Draw every lesson with how far this person is."""
    st.title("Lessons")
    st.markdown(page_text("lead/lessons"))
    if unknown:
        st.warning(as_text(f"There is no lesson {unknown[:60]!r}. Here are those there are."))
    places = lesson_progress().places(person)
    for lesson in LESSONS.values():
        draw_card(lesson, places.get(lesson.word))
    draw_keeping(person)


def draw_card(lesson: Lesson, kept: Place | None) -> None:
    """Draw one lesson: what it asks, how far somebody is, and the way in."""
    with st.container(border=True, key=f"lesson-{lesson.word}"):
        text, way = st.columns([4, 1], vertical_alignment="center")
        with text:
            st.markdown(f"#### {as_text(lesson.title)}")
            st.markdown(as_text(lesson.asks))
            st.caption(
                as_text(f"{drawn.begun_words(kept, lesson.steps)} · about {lesson.minutes} minutes · {lesson.papers}")
            )
        with way:
            label = "Begin" if kept is None else "Go on"
            step = drawn.next_step(kept, lesson.steps)
            if st.button(label, key=f"open.{lesson.word}", icon=":material/arrow_forward:", help=as_text(lesson.title)):
                go_to(lesson.word, step)
                st.rerun()
        if kept is not None:
            st.progress(drawn.seen_share(kept, lesson.steps))


def draw_keeping(person: str) -> None:
    """Draw whose answers are kept, and the ways to save, reset and bring them back."""
    st.subheader("Your answers")
    st.caption(page_text("notes/lesson_answers"))
    key = session.widget_key("lessons.name", session.learner_name())
    st.text_input(
        "Your name (optional)",
        key=key,
        max_chars=session.LONGEST_NAME,
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
        help="Hides your answers here; Undo brings them back.",
    )
    if lesson_progress().can_undo(person):
        st.button(
            "Undo the last reset",
            icon=":material/undo:",
            key="lessons.undo",
            on_click=partial(lesson_progress().undo, person),
        )


def go_to(word: str, step: int) -> None:
    """Name a step of a lesson in the address; "" is the list."""
    session.set_address("lesson", word)
    session.set_address("step", str(step) if word else "")


def draw_lesson(lesson: Lesson, person: str) -> None:
    """Draw the step of a lesson that the address names, with the ways on and back."""
    runs = runs_of(lesson)
    steps = lesson.build(*(run for _, run in runs))
    number = drawn.step_number(session.address_parameter("step"), len(steps))
    session.set_address("step", str(number))
    lesson_progress().visit(person, lesson.word, number)
    step = steps[number - 1]
    draw_head(lesson, number, len(steps), runs[step.part][0])
    draw_step(lesson, step, number, runs[step.part][1], person)
    draw_turning(lesson.word, number, len(steps))
    if not session.is_presenting():
        draw_foot(lesson, number, steps, person)


def draw_head(lesson: Lesson, number: int, count: int, run_id: str) -> None:
    """Draw the lesson's title, how far the step is in it, and the run it is about."""
    st.title(as_text(lesson.title))
    st.progress(number / count, text=f"Step {number} of {count}")
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-ways"):
        st.button("All lessons", icon=":material/list:", key="lessons.list", on_click=go_to, args=("", 0))
        links.page_link("ask", "Open this run", run_id=run_id, icon=":material/dashboard:")
        st.caption(as_text(lesson.papers), width="content")


def draw_step(lesson: Lesson, step: Step, number: int, run: Diagnosis, person: str) -> None:
    """Draw one step: sentences, what to look at, the prediction, and the reveal once it was made."""
    st.subheader(as_text(f"{number}. {step.title}"))
    for sentence in step.text:
        st.markdown(as_text(sentence))
    if step.equation:
        st.latex(step.equation)
    mine = [one for one in lesson_progress().predictions(person) if one.lesson == lesson.word]
    made = drawn.answered(step.question, number, mine) if step.question is not None else None
    draw_shown(step, run, f"before.{lesson.word}.{number}", made is not None)
    if step.table is not None:
        # As text, so that it grows with the page's letters.
        draw_table(pd.DataFrame(step.table).map(str), hide_index=True, width="content")
    if step.question is None:
        draw_remark(step)
        return
    if made is None:
        draw_question(lesson, step.question, number, person)
    else:
        draw_reveal(lesson, step, step.question, number, run, made)


def draw_shown(step: Step, run: Diagnosis, key: str, folded: bool) -> None:
    """Draw what is looked at before a prediction; folded away once that was made, so that the reveal stands near."""
    if not step.shows:
        return
    with st.container(key="lesson-looked"), st.expander("What you looked at") if folded else st.container():
        for exhibit in drawn.shown_exhibits(run, step.shows):
            draw_exhibit(exhibit, run, key)


def draw_question(lesson: Lesson, question: Question, number: int, person: str) -> None:
    """Draw the prediction's form; what is sent is checked and kept, and the first one counts."""
    key = f"lessons.given.{lesson.word}.{number}.{fingerprint(question)}"
    with st.form(f"predict.{lesson.word}.{number}", border=True):
        st.markdown(f"**Predict first.** {as_text(question.text)}")
        given = draw_field(question, key)
        with st.container(horizontal=True):
            sent = st.form_submit_button(
                "Predict and reveal", key="lessons.send", type="primary", icon=":material/visibility:"
            )
            looked = st.form_submit_button("Reveal without a prediction", key="lessons.look", type="tertiary")
    if not (sent or looked):
        return
    try:
        right = bool(sent) and checked(question, given).right
    except InputError as exc:
        st.warning(as_text(str(exc)))
        return
    said = Prediction(
        lesson=lesson.word, step=number, asked=fingerprint(question), given=given if sent else "", right=right
    )
    lesson_progress().keep(person, said)
    st.rerun()


def draw_field(question: Question, key: str) -> str:
    """Return what is given as a prediction, after drawing the field for it: as text, "" while there is nothing."""
    places = range(len(question.options))
    if question.kind == "number":
        unit = f" ({question.unit})" if question.unit else ""
        return st.text_input(as_text(f"Your number{unit}"), key=key, max_chars=40, placeholder="such as 0.45")
    if question.kind == "words":
        words = [option.text for option in question.options]
        picked = st.pills(
            "Click a word", list(places), format_func=lambda place: as_text(drawn.word_label(words, place)), key=key
        )
    else:
        texts = [as_text(option.text) for option in question.options]
        picked = st.radio(
            "Your answer", list(places), format_func=lambda place: texts[place], index=None, key=key,
            label_visibility="collapsed",
        )  # fmt: skip
    return "" if picked is None else str(picked)


def draw_reveal(lesson: Lesson, step: Step, question: Question, number: int, run: Diagnosis, made: Prediction) -> None:
    """Draw what a prediction became: the word on it, the sums, the figures."""
    st.markdown(f"**You were asked:** {as_text(question.text)}")
    said = as_text(drawn.feedback(question, made.given, aloud=session.is_presenting()))
    if drawn.outcome(question, made.given).right:
        st.success(said, icon=":material/check_circle:")
    else:
        st.info(said, icon=":material/lightbulb:")
    for sentence in step.reveal:
        st.markdown(as_text(sentence))
    if step.working:
        st.html(drawn.sums_html(step.working, current_theme()))
    for exhibit in drawn.shown_exhibits(run, step.then):
        draw_exhibit(exhibit, run, f"after.{lesson.word}.{number}")
    draw_remark(step)


def draw_remark(step: Step) -> None:
    """Draw what people usually get wrong, and the teacher's notes, hidden until asked for."""
    if step.mistake:
        st.markdown(f":material/report: **What people often get wrong.** {as_text(step.mistake)}")
    if step.notes and not session.is_presenting():
        with st.expander("Teacher's notes", icon=":material/school:"):
            st.markdown(as_text(step.notes))


def draw_exhibit(exhibit: Exhibit, run: Diagnosis, key: str) -> None:
    """Draw one thing of the run: the passages in full, a figure with its sentence and twin, or a table."""
    if exhibit.name == PASSAGES:
        st.html(hits_html(run.hits, ()))
        return
    if exhibit.draw is not None:
        figure, alt = exhibit.draw(current_theme()), exhibit.sentence or exhibit.heading
        draw_figure(figure, key=f"{key}.{exhibit.name}", name=exhibit.name, alt=alt)
    if exhibit.sentence and not session.is_presenting():
        st.caption(as_text(exhibit.sentence))
    if exhibit.table is not None and exhibit.draw is None:
        st.dataframe(exhibit.table, hide_index=True, alt=exhibit.heading)
    elif exhibit.table is not None and not session.is_presenting():
        with st.expander("The same as a table"):
            st.dataframe(exhibit.table, hide_index=True, alt=exhibit.heading)


def draw_turning(word: str, number: int, count: int) -> None:
    """Draw the ways to the step before and after; a presenter's remote has Page Up and Page Down for them."""
    back, on = ("PageUp", "PageDown") if session.is_presenting() else ("Left", "Right")
    with st.container(horizontal=True, key="lesson-turning"):
        st.button(
            "Previous step", icon=":material/arrow_back:", key="lessons.back", shortcut=back,
            disabled=number == 1, on_click=go_to, args=(word, number - 1),
        )  # fmt: skip
        st.button(
            "Next step", icon=":material/arrow_forward:", key="lessons.next", shortcut=on,
            disabled=number == count, on_click=go_to, args=(word, number + 1),
        )  # fmt: skip


def draw_foot(lesson: Lesson, number: int, steps: tuple[Step, ...], person: str) -> None:
    """Draw how the predictions went, the link to this step, and the ways to save and to begin anew."""
    mine = [one for one in lesson_progress().predictions(person) if one.lesson == lesson.word]
    st.divider()
    st.caption(as_text(drawn.hits_words(steps, mine) or "No prediction made in this lesson yet."))
    with st.container(horizontal=True):
        with st.popover("Link to this step", icon=":material/link:"):
            address = session.whole_address(lesson=lesson.word, step=str(number))
            st.code(address, language=None, wrap_lines=True)
        draw_export(person, (lesson.word,))
        draw_reset(person, lesson.word, "Reset this lesson")


main()
