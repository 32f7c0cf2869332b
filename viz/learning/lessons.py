"""Lessons as words and HTML: how far somebody is, the sums, the answers as a table. Everything drawn is escaped."""

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from engine.core.errors import InputError
from engine.core.words import closed, quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Checked, Lesson, Question, Step, asked_words, checked, fingerprint, right_words
from engine.learning.lessons.progress import Place, Prediction
from viz.methods.views import exhibits_of
from viz.parts.exhibit import Exhibit
from viz.parts.html import render
from viz.parts.words import counted
from viz.runs.summary import run_exhibits

SMALL_NUMBERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
PASSAGE_OPTION = re.compile(r"^(Passage \d+, .+?): “.*”$", re.DOTALL)
LOOKED = "You revealed it without predicting."


def outcome(question: Question, given: str) -> Checked:
    """Return what is said of a kept prediction; "" is somebody who looked without one."""
    if not given:
        return Checked(right=False, sentence=LOOKED)
    try:
        return checked(question, given)
    except InputError as exc:
        return Checked(right=False, sentence=str(exc))


def answered(question: Question, step: int, predictions: Sequence[Prediction]) -> Prediction | None:
    """Return the prediction made of this very question at a step (from 1), None where there is none."""
    asked = fingerprint(question)
    return next((one for one in predictions if one.step == step and one.asked == asked), None)


def feedback(question: Question, given: str, aloud: bool = False) -> str:
    """Return what is said after a prediction: what was guessed, and why it is right or what is.

    ``aloud``: a class has guessed aloud, so who reveals without a prediction is told the right answer and why.
    """
    result = outcome(question, given)
    if result.right:
        return result.sentence
    if not given:
        why = aloud_reason(question) if aloud else result.sentence
        return f"It is: {at_end(right_words(question))} {why}".strip()
    said, right = at_end(asked_words(question, given)), at_end(right_words(question))
    return f"You said: {said} {result.sentence} It is: {right}"


def aloud_reason(question: Question) -> str:
    """Return why the right answer is right, for a class that has guessed aloud: without a yes to anybody."""
    if question.kind == "number":
        return ""
    why = without_yes(outcome(question, str(question.right)).sentence)
    return why[:1].upper() + why[1:]


def without_yes(sentence: str) -> str:
    """Return why something is right, without the yes to whoever said so.

    >>> without_yes("Yes: its degree is the smallest."), without_yes("Yes. It is.")
    ('its degree is the smallest.', 'It is.')
    """
    return sentence.removeprefix("Yes: ").removeprefix("Yes, ").removeprefix("Yes.").strip()


def said_words(question: Question, given: str) -> str:
    """Return what was predicted, in words; "" is somebody who looked without a prediction."""
    return f"You said: {at_end(asked_words(question, given))}" if given else LOOKED


def at_end(answer: str) -> str:
    """Return an answer as the end of a sentence; a mark alone is quoted, or it would read as the sentence's own.

    >>> at_end("Sir"), at_end("."), at_end("It rises.")
    ('Sir.', '“.”', 'It rises.')
    """
    return closed(answer if any(letter.isalnum() for letter in answer) else quoted(answer))


def shown_exhibits(run: Diagnosis, names: Sequence[str]) -> tuple[Exhibit, ...]:
    """Return the exhibits of these names, in this order. Raises KeyError on a name that the run has nothing under."""
    if not names:
        return ()
    results = [outcome.result for outcome in run.outcomes if outcome.result is not None]
    found = {one.name: one for result in results for one in exhibits_of(result)}
    found |= {one.name: one for one in run_exhibits(run)}
    return tuple(found[name] for name in names)


def word_label(words: Sequence[str], place: int) -> str:
    """Return a word of a text as it stands on its button, with its number, so that no two are alike.

    >>> word_label(["the", "canal"], 1)
    'canal ²'
    """
    return f"{words[place]} {str(place + 1).translate(SMALL_NUMBERS)}"


def option_label(text: str) -> str:
    """Return an option as it stands in its list: of a passage number and title, since its text stands beside the vote.

    >>> option_label("Passage 1, Canal: “The canal …”"), option_label("It rises: clearly")
    ('Passage 1, Canal', 'It rises: clearly')
    """
    return PASSAGE_OPTION.sub(r"\1", text)


def begun_words(place: Place | None, steps: int) -> str:
    """Return how far somebody is in a lesson of so many steps.

    >>> begun_words(None, 6)
    '6 steps'
    """
    if place is None:
        return counted(steps, "step")
    seen = len(seen_steps(place, steps))
    return f"all {steps} steps seen" if seen == steps else f"{seen} of {steps} steps seen"


def seen_steps(place: Place | None, steps: int) -> tuple[int, ...]:
    """Return the steps somebody has seen that the lesson still has."""
    return tuple(step for step in place.seen if 1 <= step <= steps) if place else ()


def next_step(place: Place | None, steps: int) -> int:
    """Return the step to go on at: the one seen last, the first where all have been seen or none."""
    if place is None or len(seen_steps(place, steps)) == steps:
        return 1
    return min(max(place.last, 1), steps)


def step_number(asked: str, steps: int) -> int:
    """Return the step that an address asks for, held within the lesson; 1 where it asks for none.

    >>> step_number("3", 6), step_number("99", 6), step_number("x", 6)
    (3, 6, 1)
    """
    return min(max(int(asked), 1), steps) if asked.isascii() and asked.isdigit() and len(asked) < 4 else 1


def hits_words(steps: Sequence[Step], predictions: Sequence[Prediction]) -> str:
    """Return how many predictions of a lesson were made and how many were right, as a sentence; "" before the first."""
    asked = [(number, step.question) for number, step in enumerate(steps, 1) if step.question is not None]
    made = [one for number, question in asked if (one := answered(question, number, predictions)) is not None]
    made = [one for one in made if one.given]
    if not made:
        return ""
    right = sum(one.right for one in made)
    return f"{right} of {counted(len(made), 'prediction')} right. The lesson asks for {len(asked)}."


def answers_table(
    lessons: Mapping[str, Lesson], made: Mapping[str, Sequence[Step]], predictions: Sequence[Prediction]
) -> pd.DataFrame:
    """Return everything somebody predicted as a table: lesson, step, question, what was said and what is right."""
    rows = [
        row_of(lessons[lesson], number, step.question, prediction)
        for lesson, steps in made.items()
        for number, step in enumerate(steps, 1)
        if step.question is not None
        for prediction in [one for one in predictions if (one.lesson, one.step) == (lesson, number)]
    ]
    columns = ["lesson", "step", "question", "your prediction", "right answer", "right", "when (UTC)", "note"]
    return pd.DataFrame(rows, columns=columns)


def row_of(lesson: Lesson, number: int, question: Question, prediction: Prediction) -> dict[str, object]:
    """Return one prediction as a row; one to a question that has changed since keeps what was typed, and says so."""
    current = prediction.asked == fingerprint(question)
    return {
        "lesson": lesson.title,
        "step": number,
        "question": question.text if current else "",
        "your prediction": asked_words(question, prediction.given)
        if current and prediction.given
        else prediction.given,
        "right answer": right_words(question) if current else "",
        "right": prediction.right,
        "when (UTC)": prediction.at,
        "note": "" if current else "The question has changed since.",
    }


def print_rules() -> str:
    """Return the style of a lesson on paper: no sidebar, no buttons, no header; black on white is the browser's own."""
    return str(render("lesson_print.css.j2"))
