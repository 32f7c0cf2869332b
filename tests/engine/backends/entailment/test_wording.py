"""What the wording of a short answer does with what it names, and which kind of answer a question asks for."""

import time

import numpy as np
import pytest

from engine.backends.entailment.answer_kinds import with_neutral
from engine.backends.entailment.answers import words
from engine.backends.entailment.focus import by_focus
from engine.backends.entailment.wording import kin_of, read_wording
from engine.backends.entailment.wording_verdicts import by_wording
from tests.each_row import each_row

QUESTION = "Who did it?"
PAIRS = [
    ("not Selm but Karst", "Selm", "other"),
    ("not Selm but Karst", "Karst", "said"),
    ("They ruled out Selm and took Karst.", "Karst", "said"),
    ("none other than Karst", "Karst", "said"),
    ("Selm or Karst", "Selm", "open"),
    ("Selm", "Selm or Karst", "said"),
    ("Selm or Karst", "Brod", "other"),
    ("possibly Karst", "Karst", "open"),
    ("I think it was Karst.", "Karst", "said"),
    ("Marta Lind's brother", "Marta Lind", "other"),
    ("Marta Lind's brother Olof", "Olof Lind", "said"),
    ("his nephew", "his niece", "other"),
    ("Selm, Karst and Brod", "Karst", "said"),
    ("Karst", "Selm, Karst and Brod", "part"),
    ("Selm, Karst and Arn", "Selm, Karst and Brod", "other"),
    ("Janet Lind", "Michael Lind", "other"),
    ("M. Lind", "Michael Lind", "same"),
    ("Brazil beat Germany.", "Germany beat Brazil.", "other"),
    ("Brazil beat Germany.", "Germany was beaten by Brazil.", "same"),
    ("a year before the fire", "a year after the fire", "other"),
    ("the mayor's secretary's", "the mayor's", "other"),
    ("It was led by Ida Karst.", "Dr. Karst", "said"),
    ("Dr. Karst", "Ida Karst", ""),
    ("Ida Karst", "Queen Karst", ""),
    ("They saw Selm, Karst and Brod.", "Karst and Brod", "said"),
    ("Karst and Brod", "They saw Selm, Karst and Brod.", "part"),
    ("Some say Selm, others say Karst.", "Selm", "open"),
    ("Some say Selm, others say Karst.", "Brod", "other"),
    ("Some people think Selm, while others think Karst", "Karst or Selm", "same"),
    ("Some suspect Karst, but it has not been shown.", "Karst", "open"),
    ("Karst, though this was never proven", "Karst", "open"),
    ("Paris", "Lyon", ""),
]


@each_row(PAIRS, name=lambda pair: f"{pair[0]} / {pair[1]}")
def test_what_wording_decides(pair: tuple[str, str, str]) -> None:
    one, other = (read_wording(text, words(QUESTION)) for text in pair[:2])
    assert by_wording(one, other) == pair[2]


@pytest.mark.weights
def test_a_name_in_another_place_than_the_asked_one_is_named_in_passing() -> None:
    asked, said = "Where did he travel to?", "He travelled from Odessa to Lviv."
    asked_first, sold = "Who sold the farm?", "Griet sold the farm to Piet."
    assert by_focus(asked_first, sold, "Piet") == "other" and by_focus(asked_first, sold, "Griet") == "said"
    assert by_focus(asked, said, "Paris") == ""


def test_an_answer_without_a_time_does_not_contradict_a_time() -> None:
    judged = np.array([[0.8, 0.1, 0.1], [0.8, 0.1, 0.1]])
    found = with_neutral(judged, "When was it built?", [("by the Romans", "in 105"), ("in 210", "in 105")])
    assert found[0] == pytest.approx([0.0, 0.9, 0.1]) and found[1].tolist() == [0.8, 0.1, 0.1]


@pytest.mark.parametrize("answer", ["A" * 26 + "!'s son", "a" + " " * 20_000 + "b"])
def test_a_hostile_answer_is_looked_through_in_no_time(answer: str) -> None:
    began = time.thread_time()
    assert kin_of(answer, ()) is None
    assert time.thread_time() - began < 1.5


def test_an_owner_is_a_name_or_a_few_plain_words() -> None:
    for owner, is_one in [
        ("Otto von Bismarck", True),
        ("J.R. Smith-Jones", True),
        ("the keeper", True),
        ("an ox!", False),
    ]:
        assert (kin_of(f"{owner}'s son", ()) is not None) == is_one
