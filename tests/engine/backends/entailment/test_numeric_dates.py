"""Dates in digits: both ways to read them, and what the judge says of them."""

import numpy as np
import pytest

from engine.backends.entailment import load_judge
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.backends.entailment.numeric_dates import CANNOT_TELL, readings_of_pair, with_dates

SIGNED = "When was the treaty signed?"


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("1871-05-03", ["3 May 1871"]),
        ("1871/5/3, at noon", ["3 May 1871, at noon"]),
        ("13.5.1871", ["13 May 1871"]),
        ("05/13/1871.", ["13 May 1871."]),
        ("on 5-5-1871", ["on 5 May 1871"]),
        ("3/5/1871", ["3 May 1871", "5 March 1871"]),
        ("32.13.1871", ["32.13.1871"]),
        ("version 1.2.1998.4", ["version 1.2.1998.4"]),
        ("3/5", ["3/5"]),
        ("10.1.2.1871", ["10.1.2.1871"]),
    ],
)
def test_a_date_is_read_in_each_way_that_makes_it_one(text: str, ways: list[str]) -> None:
    assert [one for one, _ in readings_of_pair(text, "")] == ways


def test_a_date_in_both_answers_is_read_in_one_way_at_a_time() -> None:
    assert readings_of_pair("3/5/1871", "on 3/5/1871") == [
        ("3 May 1871", "on 3 May 1871"),
        ("5 March 1871", "on 5 March 1871"),
    ]


def test_more_than_three_open_dates_are_left_as_they_are() -> None:
    text = ", ".join(f"{day}/6/1871" for day in (1, 2, 3, 4))
    assert readings_of_pair(text, "1 June 1871") == [(text, "1 June 1871")]


def test_pairs_keep_their_places_and_no_pair_gives_no_row() -> None:
    rows = {"3 May 1871": (0.0, 0.0, 1.0), "5 March 1871": (1.0, 0.0, 0.0), "Paris": (0.2, 0.2, 0.6)}
    judged = with_dates(
        ["Paris", "3/5/1871", "1871-05-03"], ["x", "x", "x"], lambda left, right: np.array([rows[one] for one in left])
    )
    assert judged.tolist() == [[0.2, 0.2, 0.6], list(CANNOT_TELL), [0.0, 0.0, 1.0]]
    assert with_dates([], [], lambda left, right: np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("1871/05/03", ENTAILMENT),
        ("3.5.1871", NEUTRAL),
        ("It was signed on 5/3/1871.", NEUTRAL),
        ("13.5.1871", CONTRADICTION),
        ("7/9/1871", CONTRADICTION),
    ],
)
def test_the_judge_is_sure_of_a_date_in_digits_only_where_its_order_does_not_matter(said: str, expected: int) -> None:
    row = load_judge().entailment(SIGNED, [said], ["3 May 1871"])[0]
    assert int(row.argmax()) == expected


def test_one_date_written_twice_is_the_same_date() -> None:
    row = load_judge().entailment(SIGNED, ["It was signed on 3/5/1871."], ["3/5/1871"])[0]
    assert int(row.argmax()) == ENTAILMENT
