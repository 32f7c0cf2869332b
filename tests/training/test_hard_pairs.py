"""Made pairs that share their words: the label follows from the template, in both directions."""

import random
from collections import Counter

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from training.evouna import Row
from training.hard_pairs import alternative, part_of_list, roles
from training.judge_pairs import Pair, hard_pairs, swapped
from training.made_pairs import pools_of

PEOPLE = ("Yuri Gagarin", "Alan Shepard", "Neil Armstrong", "Sally Ride", "Mae Jemison")


def row(gold: str) -> Row:
    """Return a right answer to a question for a person."""
    question = f"who was it in the year of {gold.split()[0]}"
    return Row(system="fid", question=question, answer=gold, golds=(gold,), right=True, split=2)


ROWS = [row(name) for name in PEOPLE]
POOLS = pools_of(ROWS)


def test_two_things_left_open_say_neither_and_follow_from_each() -> None:
    made = [alternative(random.Random(seed), ROWS[0], "people", POOLS) for seed in range(60)]
    ways = {found[2:] for found in made if found is not None}
    assert ways == {(NEUTRAL, ENTAILMENT), (ENTAILMENT,), (CONTRADICTION,)}


def test_a_part_follows_from_the_whole_and_not_the_whole_from_a_part() -> None:
    pair = Pair(question="", premise="a and b", hypothesis="a", label=ENTAILMENT, back=NEUTRAL, kind="part_of_list")
    assert swapped(pair).label == NEUTRAL and swapped(swapped(pair)) == pair
    made = [part_of_list(random.Random(seed), ROWS[0], "people", POOLS) for seed in range(60)]
    assert (ENTAILMENT, NEUTRAL) in {found[2:] for found in made if found is not None}


def test_exchanged_roles_contradict_and_another_voice_entails() -> None:
    made = [roles(random.Random(seed), ROWS[0], "people", POOLS) for seed in range(60)]
    assert Counter(found[3] for found in made if found)[CONTRADICTION] > 20
    assert all(found is None or found[1] != found[2] or found[3] == ENTAILMENT for found in made)


def test_the_same_seed_makes_the_same_pairs() -> None:
    first, again = (list(hard_pairs(random.Random(3), ROWS * 20, 2.0)) for _ in range(2))
    assert first == again and len({pair.kind for pair in first}) >= 5
