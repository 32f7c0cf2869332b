"""Predictions are checked kindly: hits within tolerance, known slips with their reason, nonsense refused."""

from dataclasses import replace

import pytest

from engine.core.errors import InputError, RecordError
from engine.learning.lessons.base import (
    Lesson,
    Need,
    Option,
    Part,
    Question,
    Slip,
    amount,
    asked_words,
    candidates,
    checked,
    chosen_runs,
    fingerprint,
    number_from,
    right_words,
)

NUMBER = Question(
    kind="number",
    text="How much?",
    value=0.45,
    tolerance=0.02,
    unit="nats",
    slips=(Slip(value=2.7, why="That is the sum."),),
)
CHOICE = Question(
    kind="choice",
    text="Which?",
    options=(Option(text="one", why="No."), Option(text="two", why="Yes."), Option(text="three", why="Also.")),
    right=1,
    also=(2,),
)


@pytest.mark.parametrize(
    ("given", "right", "words"),
    [
        ("0.45", True, "Yes: it is 0.45 nats"),
        ("0,46", True, "Yes"),
        ("2.7", False, "That is the sum"),
        ("1.45", False, "lies 1 nat above"),
        ("−1", False, "lies 1.45 nats below"),
    ],
)
def test_a_number_is_a_hit_a_known_slip_or_so_far_away(given: str, right: bool, words: str) -> None:
    result = checked(NUMBER, given)
    assert result.right is right and words in result.sentence


@pytest.mark.parametrize(("given", "right"), [("0", False), ("1", True), ("2", True)])
def test_a_choice_is_right_where_it_is_the_right_one_or_no_worse(given: str, right: bool) -> None:
    assert checked(CHOICE, given).right is right


@pytest.mark.parametrize("given", ["", "3", "-1", "x", "1e9", "9" * 5000, "²", "٣"])
def test_a_choice_that_is_none_is_refused_with_a_sentence(given: str) -> None:
    with pytest.raises(InputError, match="Choose one"):
        checked(CHOICE, given)


@pytest.mark.parametrize(
    "given", ["", "half", "nan", "inf", "-inf", "1e999", "1e308", "-1e13", "0.4 or 0.5", "<b>1</b>"]
)
def test_a_number_that_is_none_is_refused_with_a_sentence(given: str) -> None:
    with pytest.raises(InputError, match="number"):
        number_from(given)


def test_numbers_are_written_without_needless_zeros_and_with_a_true_minus() -> None:
    assert [amount(-1.5), amount(2.0, "tokens"), amount(-0.0001), amount(0.45056)] == ["−1.5", "2 tokens", "0", "0.451"]


def test_what_was_said_and_what_is_right_are_told_in_words() -> None:
    assert (asked_words(CHOICE, "0"), right_words(CHOICE)) == ("one", "two")
    assert (asked_words(NUMBER, "0,5"), right_words(NUMBER)) == ("0.5 nats", "0.45 nats")
    assert asked_words(NUMBER, "<b>") == "<b>"


def test_another_value_is_another_question() -> None:
    assert fingerprint(NUMBER) == fingerprint(replace(NUMBER, tolerance=0.1))
    assert fingerprint(NUMBER) != fingerprint(replace(NUMBER, value=0.46))


def lesson_of(*prefers: str, wanted: str = "b") -> Lesson:
    """Return a lesson for runs that hold a letter; runs are strings here."""
    part = Part(needs=(Need(words=f"a {wanted}", holds=lambda run: wanted in run),), prefers=prefers)  # type: ignore[operator]
    return Lesson(word="w", title="Letters", asks="", papers="", parts=(part,), build=lambda run: (), steps=0)


def test_a_lesson_takes_its_preferred_run_and_another_that_fits_where_that_no_longer_does() -> None:
    runs = {"first": "ab", "second": "b", "third": "a"}

    def chosen(*prefers: str) -> tuple[str, ...]:
        return chosen_runs(lesson_of(*prefers), runs.__getitem__, tuple(runs))  # type: ignore[arg-type]

    assert chosen("second") == ("second",)
    assert chosen("third", "second") == ("second",)
    assert chosen("gone", "third") == ("first",)
    assert candidates(lesson_of(), runs) == (("first", "second"),)  # type: ignore[arg-type]


def test_a_lesson_without_any_fitting_run_says_what_it_needs() -> None:
    with pytest.raises(RecordError, match="a z"):
        chosen_runs(lesson_of(wanted="z"), {"first": "a"}.__getitem__, ("first",))  # type: ignore[arg-type]
