"""Training pairs: labels follow from what people said and from how a pair was made."""

import random
from collections import Counter

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains
from training import judge_pairs as made
from training import made_pairs as makers
from training.evouna import Row

ASKED = "who was first in space"


def row(answer: str, right: bool, system: str = "fid", question: str = ASKED, golds: tuple[str, ...] = ()) -> Row:
    """Return a judged answer."""
    return Row(system=system, question=question, answer=answer, golds=golds or ("Yuri Gagarin",), right=right, split=1)


ROWS = [
    row("Yuri Gagarin", True),
    row("It was Yuri Gagarin in 1961.", True, "gpt35"),
    row("Alan Shepard", False, "gpt4"),
    row("I do not know who it was.", False, "chatgpt"),
    row("1889", True, question="when did the tower open", golds=("31 March 1889", "1889")),
    row("Neil Armstrong", True, question="who stood on the moon", golds=("Neil Armstrong",)),
    *(row(city, True, question=f"which city is it, {city[0]}", golds=(city,)) for city in ("Paris", "Rome", "Oslo")),
    row("May 1961", False, question="when did he fly", golds=("12 April 1961",)),
]


def test_a_right_answer_entails_the_alias_it_contains_and_a_wrong_one_contradicts_each() -> None:
    draw = random.Random(0)
    (right,) = made.judged_pairs(draw, ROWS[4])
    assert (right.hypothesis, right.label) == ("1889", ENTAILMENT)
    (wrong,) = made.judged_pairs(draw, ROWS[2])
    assert wrong.label == CONTRADICTION


def test_an_abstention_is_neutral() -> None:
    (pair,) = made.judged_pairs(random.Random(0), ROWS[3])
    assert pair.label == NEUTRAL


def test_two_right_answers_by_the_same_alias_entail_and_right_and_wrong_do_not() -> None:
    labels = {pair.label for seed in range(20) for pair in made.answer_pairs(random.Random(seed), ROWS)}
    assert labels == {ENTAILMENT, CONTRADICTION, NEUTRAL}
    for seed in range(20):
        for pair in made.answer_pairs(random.Random(seed), ROWS):
            if pair.label == ENTAILMENT:
                assert contains(pair.premise, ("Yuri Gagarin",)) and contains(pair.hypothesis, ("Yuri Gagarin",))


def test_what_is_made_to_contradict_never_contains_the_gold_unless_it_denies_it() -> None:
    rows = ROWS * 60
    for pair in made.made_pairs(random.Random(3), rows, 3.0):
        if pair.label == CONTRADICTION and pair.kind in ("other_answer", "replaced"):
            assert not contains(pair.premise, (pair.hypothesis,)), pair


def test_every_way_of_making_pairs_gives_some() -> None:
    kinds = Counter(pair.kind for pair in made.made_pairs(random.Random(1), ROWS * 100, 4.0))
    assert set(kinds) == {maker.__name__ for maker in makers.MAKERS}


def test_numbers_of_kings_and_lists_of_single_words_are_made_both_ways() -> None:
    pairs = [pair for pair in made.made_pairs(random.Random(2), ROWS * 100, 4.0) if pair.kind in ("numbered", "listed")]
    assert {(pair.kind, pair.label) for pair in pairs} == {
        (kind, label) for kind in ("numbered", "listed") for label in (ENTAILMENT, CONTRADICTION)
    }


def test_the_same_seed_gives_the_same_pairs_and_another_seed_others() -> None:
    first, again = (made.epoch_pairs(ROWS, (), 5, 0, 2.0) for _ in range(2))
    assert first == again and first != made.epoch_pairs(ROWS, (), 6, 0, 2.0)


def test_a_phrase_is_replaced_in_any_case_and_everywhere() -> None:
    assert makers.replaced_in("Paris, paris and PARIS.", "paris", "Lyon") == "Lyon, Lyon and Lyon."
