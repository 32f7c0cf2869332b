"""Amounts and times as intervals: worked by hand."""

import pytest

from engine.backends.entailment.amounts import by_amounts, read_amount
from tests.each_row import each_row

PAIRS = [
    ("before 1912", "1912", "apart"),
    ("before 1912", "1905", "around"),
    ("1905", "before 1912", "inside"),
    ("1890", "before 1912", "overlaps"),
    ("1926", "by 1926", "inside"),
    ("1925", "by 1926", "inside"),
    ("1984", "by mid-1988", "overlaps"),
    ("seven", "at least seven", "inside"),
    ("52", "at least 40", "inside"),
    ("eleven", "at least seven", "overlaps"),
    ("51,331", "over 50,000", "inside"),
    ("4 million", "over 50,000", "overlaps"),
    ("over 24,000", "over 50,000", "around"),
    ("over 50,000", "over 24,000", "overlaps"),
    ("three", "more than two", "inside"),
    ("10", "less than 60,000", "overlaps"),
    ("in the late 1950s", "1957", "around"),
    ("the fifteenth century", "1550", "apart"),
    ("9 November 1989", "1989", "inside"),
    ("41 feet", "41 metres", "apart"),
    ("41 feet", "12.5 metres", "same"),
    ("$3,000,000", "3 million dollars", "same"),
    ("3 million dollars", "3 billion dollars", "apart"),
    ("2 tonnes", "2,000 kg", "same"),
    ("150 seconds", "two and a half minutes", "same"),
    ("2½ hours", "150 minutes", "same"),
    ("¾ mile", "1,207 metres", "same"),
    ("at least 40", "31", "apart"),
    ("between 1955 and 1962", "1970", "apart"),
    ("90 minutes", "an hour and a half", "same"),
    ("45 percent", "45 votes", "apart"),
    ("12", "12 metres", ""),
]


@each_row(PAIRS, name=lambda pair: f"{pair[0]} / {pair[1]}")
def test_how_two_amounts_lie_to_each_other(pair: tuple[str, str, str]) -> None:
    one, other = (read_amount(text, ("when",)) for text in pair[:2])
    assert one is not None and other is not None
    assert by_amounts(one, other) == pair[2]


def test_41_feet_are_12_and_a_half_metres() -> None:
    found = read_amount("41 feet", ())
    assert found is not None and found.dimension == "length" and found.low == pytest.approx(12.4968)


def test_an_answer_that_says_more_than_an_amount_is_none() -> None:
    assert read_amount("It was built by the Romans in 105", ("when",)) is None and read_amount("Paris", ()) is None


def test_which_century_is_answered_without_the_word_as_well() -> None:
    which, when = ("in", "which", "century"), ("when",)
    said, correct = read_amount("the 20th", which), read_amount("19th century", which)
    assert said is not None and correct is not None
    assert (said.dimension, said.low, by_amounts(said, correct)) == ("date", 1900.0, "apart")
    counted = read_amount("the 20th", when)
    assert counted is not None and counted.dimension == "count"
