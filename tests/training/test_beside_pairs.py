"""Pairs cut from real answers: a sentence beside the correct answer, and a name or year in passing."""

import random

import pytest

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from training.beside_pairs import named_beside, said_beside
from training.evouna import Row
from training.made_pairs import Made, pools_of


def row(question: str, answer: str, gold: str, right: bool = True) -> Row:
    return Row(system="gpt4", question=question, answer=answer, golds=(gold,), right=right, split=2)


SUNG = row(
    "who sang the harbour song",
    "The harbour song was sung by Ada Lund, for whom it was written by the pianist Tom Rask. It was a hit for years.",
    "Ada Lund",
)
BUILT = row("when was the mill built", "Planned since 1905, the mill was built in 1913.", "1913")


def made(asked: Row, kind: str) -> set[Made]:
    pools = pools_of([asked])
    return {named_beside(random.Random(seed), asked, kind, pools) for seed in range(30)}


def test_a_sentence_without_the_correct_answer_is_neutral_to_it() -> None:
    found = said_beside(random.Random(0), SUNG, "people", pools_of([SUNG]))
    assert found == ("It was a hit for years.", "Ada Lund", NEUTRAL)


@pytest.mark.parametrize(
    ("asked", "kind", "passing"), [(SUNG, "people", "Tom Rask"), (BUILT, "dates", "1905")], ids=["person", "year"]
)
def test_what_stands_in_passing_contradicts_and_the_correct_answer_is_entailed(
    asked: Row, kind: str, passing: str
) -> None:
    labelled = {(found[1], found[2]) for found in made(asked, kind) if found is not None}
    assert labelled == {(passing, CONTRADICTION), (asked.golds[0], ENTAILMENT)}


def test_of_a_wrong_answer_nothing_is_cut() -> None:
    wrong = row(SUNG.question, SUNG.answer, "Ada Lund", right=False)
    assert said_beside(random.Random(0), wrong, "people", pools_of([wrong])) is None
    assert made(wrong, "people") == {None}
