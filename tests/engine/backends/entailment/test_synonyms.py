"""Names for one thing by WordNet, and answers that are none."""

import pytest

from engine.backends.entailment import load_judge
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT
from engine.backends.entailment.synonyms import FILE, are_synonyms, read_groups
from tests.each_row import each_row

SAME = [
    ("Mark Twain", "Samuel Clemens"),
    ("Samuel L. Clemens", "Mark Twain"),
    ("JFK", "John F. Kennedy"),
    ("from Holland", "the Netherlands"),
    ("lawyers", "an attorney"),
    ("Saint Nicholas", "Father Christmas"),
    ("It was the U.K.", "Britain"),
    ("He drowned.", "by drowning"),
    ("Ice giant.", "ice giants"),
]
APART = [
    ("George H. W. Bush", "George W. Bush"),
    ("John Adams", "John Quincy Adams"),
    ("Hustons", "John Huston"),
    ("a doctor", "a nurse"),
    ("England", "Britain"),
    ("a king", "a kin"),
    ("Hastings", "haste"),
    ("New York", "New York City"),
    ("", "a doctor"),
    ("the", "a"),
]


@each_row(SAME, name=lambda pair: f"{pair[0]} / {pair[1]}")
def test_names_of_one_thing_are_synonyms(pair: tuple[str, str]) -> None:
    assert are_synonyms(*pair, ()) and are_synonyms(*reversed(pair), ())


@each_row(APART, name=lambda pair: f"{pair[0]} / {pair[1]}")
def test_other_names_are_none(pair: tuple[str, str]) -> None:
    assert not are_synonyms(*pair, ()) and not are_synonyms(*reversed(pair), ())


def test_an_answer_that_says_the_question_back_is_no_synonym() -> None:
    asked = ("what", "is", "the", "chemical", "symbol", "for", "gold")
    assert are_synonyms("gold", "Au", ()) and not are_synonyms("gold", "Au", asked)


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        ("Who wrote it?", "It was Samuel Clemens.", "Mark Twain", ENTAILMENT),
        ("What does her father do?", "He is a lawyer.", "an attorney", ENTAILMENT),
        ("Is the lake salty?", "It is salty.", "Yes, it is.", ENTAILMENT),
        ("Is the lake salty?", "The lake is not salty.", "Yes.", CONTRADICTION),
    ],
)
def test_the_judge_goes_by_them(question: str, one: str, other: str, expected: int) -> None:
    rows = load_judge().entailment(question, [one, other], [other, one])
    assert rows.argmax(axis=1).tolist() == [expected, expected]


def test_the_file_holds_each_group_in_the_form_answers_are_looked_up_in() -> None:
    assert read_groups().count("\n") > 39_000 and FILE.stat().st_size < 500_000
    assert "\tnetherlands\t" in read_groups() and "the netherlands" not in read_groups()
