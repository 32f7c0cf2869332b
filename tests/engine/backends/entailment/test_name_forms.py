"""What the form of short answers says: initials, kinds of place, who beat whom, pounds, what "which" asks about."""

import pytest

from engine.backends.entailment.answers import words
from engine.backends.entailment.name_forms import by_form_of_names, result_of
from engine.backends.entailment.rules import OTHERWISE, SAME, UNRELATED, decided


@pytest.mark.parametrize(
    ("question", "one", "other", "verdict"),
    [
        ("who won the final", "Team A", "Team B beat Team A", OTHERWISE),
        ("who won the final", "Team A beat Team B by three goals", "Team B beat Team A", OTHERWISE),
        ("who won the final", "The Reds lost to the Blues", "The Reds beat the Blues", OTHERWISE),
        ("who won the final", "Team B", "Team B beat Team A", None),
        ("who lost the final", "Team A", "Team B beat Team A", None),
        ("where is it", "New York State", "New York City", OTHERWISE),
        ("where is it", "the state of New York", "New York City", OTHERWISE),
        ("where is it", "New York", "New York City", None),
        ("where is it", "Lake Erie", "Erie", None),
        ("how is it done", "SCNT", "somatic cell nuclear transfer", SAME),
        ("how is it done", "SCNR", "somatic cell nuclear transfer", None),
        ("which body is it", "the W.H.O.", "World Health Organization", SAME),
        ("which John Carrow wrote it", "John Carrow", "John Carrow the younger", UNRELATED),
        ("which John Carrow wrote it", "John", "John P. Carrow", UNRELATED),
        ("who wrote it", "the younger John Carrow", "John Carrow", None),
        ("how much did it cost", "2.5 million pounds", "£2.5 million", SAME),
        ("how much did it cost", "2 million pounds", "£2.5 million", OTHERWISE),
        ("how heavy is it", "2.5 pounds", "2.5 kg", OTHERWISE),
    ],
)
def test_the_form_of_names_decides_in_both_directions_or_leaves_it_to_the_encoder(
    question: str, one: str, other: str, verdict: object
) -> None:
    asked = words(question)
    assert [decided(one, other, asked), decided(other, one, asked)] == [verdict, verdict]


def test_a_choice_that_the_question_names_is_an_answer() -> None:
    assert decided("the Nile", "the Nile River", words("Which is longer, the Nile or the Volga?")) is None


def test_the_winner_is_read_up_to_the_score() -> None:
    assert result_of("Spain beat the Netherlands 1–0 in 2010") == (("spain",), ("netherlands",))
    assert result_of("nobody knows") is None


@pytest.mark.parametrize(
    ("premise", "hypothesis", "found"),
    [
        ("Brooklyn, New York", "New York City", "part"),
        ("Albany, New York", "New York City", "part"),
        ("New York City", "Albany, New York", "part"),
        ("New York, New York", "New York City", ""),
        ("Cambridge, Massachusetts", "Cambridge, England", "other"),
        ("Kansas City, Missouri", "Kansas City, Kansas", "other"),
        ("Paris, Texas", "Paris, France", "other"),
        ("Springfield, Illinois", "Springfield, USA", ""),
        ("Mexico", "Mexico City", "part"),
        ("Mexico City", "Mexico", ""),
        ("New Mexico", "Mexico", "other"),
        ("New England", "England", "other"),
        ("New Delhi", "Delhi", ""),
        ("New York", "New York City", ""),
        ("Selm, Karst", "Karst", ""),
    ],
)
def test_a_place_is_not_another_one_of_its_name_nor_the_whole_it_lies_in(
    premise: str, hypothesis: str, found: str
) -> None:
    assert by_form_of_names(premise, hypothesis, ()) == found
