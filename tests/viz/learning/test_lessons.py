"""Words around the lessons: how far somebody is, what is said after a prediction, and the answers as a table."""

import pytest

from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import Lesson, Option, Question, Step, chosen_runs, fingerprint
from engine.learning.lessons.progress import Place, Prediction
from engine.runs.sample_runs import recorded_ids, recorded_run
from tests.viz.numbers_in_text import numbers_in
from viz.learning.lessons import answers_table, begun_words, feedback, hits_words, next_step, option_label, said_words

OPTIONS = (Option(text="a", why="No."), Option(text="b", why="Yes."))
QUESTION = Question(kind="choice", text="Which?", options=OPTIONS, right=1)
STEPS = (Step(title="One", text=("x",), question=QUESTION), Step(title="Two", text=("y",)))
LESSON = Lesson(word="w", title="Words", asks="", papers="", parts=(), build=lambda: STEPS, steps=2)


def said(given: str, right: bool = False, asked: str = "") -> Prediction:
    """Return a prediction at the first step."""
    return Prediction(lesson="w", step=1, asked=asked or fingerprint(QUESTION), given=given, right=right)


def test_a_lesson_goes_on_where_it_was_left_and_begins_anew_where_all_was_seen() -> None:
    place = Place(lesson="w", seen=(1, 3), last=3)
    assert (begun_words(place, 6), next_step(place, 6)) == ("2 of 6 steps seen", 3)
    whole = Place(lesson="w", seen=(1, 2, 9), last=2)
    assert (begun_words(whole, 2), next_step(whole, 2)) == ("all 2 steps seen", 1)
    assert next_step(None, 6) == 1


def test_right_wrong_and_looked_are_met_with_words_of_their_own() -> None:
    assert feedback(QUESTION, "1") == "Yes."
    assert feedback(QUESTION, "0").endswith(" No. It is: b.")
    assert "without predicting" in feedback(QUESTION, "")
    assert feedback(QUESTION, "", aloud=True) == "It is: b."


def test_a_mark_as_an_answer_does_not_end_a_sentence_with_two_full_stops() -> None:
    words = Question(
        kind="words", text="?", options=(Option(text=".", why="No."), Option(text="Dr.", why="Yes.")), right=1
    )
    assert said_words(words, "0") == "You said: “.”"
    assert feedback(words, "0") == "You said: “.” No. It is: Dr."
    assert feedback(words, "", aloud=True) == "It is: Dr."


def test_looking_counts_as_no_prediction() -> None:
    assert hits_words(STEPS, [said("")]) == ""
    assert numbers_in(hits_words(STEPS, [said("1", right=True)])) == ["1", "1", "1"]


def test_the_table_of_answers_says_where_the_question_has_changed_since() -> None:
    table = answers_table({"w": LESSON}, {"w": STEPS}, [said("0"), said("0.5", asked="old")])
    assert list(table["your prediction"]) == ["a", "0.5"]
    assert list(table["right answer"]) == ["b", ""]
    assert "changed" in table["note"][1] and table["note"][0] == ""
    assert list(answers_table({"w": LESSON}, {"w": STEPS}, []).columns)[:3] == ["lesson", "step", "question"]


@pytest.mark.parametrize("word", ["necessary-chunk", "low-entropy"])
def test_a_passage_that_is_voted_on_is_named_whole_by_its_number_and_title(word: str) -> None:
    shown = chosen_runs(LESSONS[word], recorded_run, recorded_ids())
    steps = LESSONS[word].build(*map(recorded_run, shown))
    options = [one.text for step in steps if step.question and step.shows for one in step.question.options]
    assert [option_label(one).split(",")[0] for one in options] == [f"Passage {n + 1}" for n in range(len(options))]
    assert len(options) >= 3 and not any("“" in option_label(one) for one in options)


@pytest.mark.parametrize("word", LESSONS)
def test_what_is_said_of_a_wrong_answer_does_not_say_no_once_more(word: str) -> None:
    runs = [recorded_run(run_id) for run_id in chosen_runs(LESSONS[word], recorded_run, recorded_ids())]
    questions = [step.question for step in LESSONS[word].build(*runs) if step.question]
    wrong = [
        (one, place) for one in questions for place in range(len(one.options)) if place not in (one.right, *one.also)
    ]
    said = [feedback(question, str(place)) for question, place in wrong]
    assert said and not [one for one in said if ". No: " in one or "Not quite" in one]
