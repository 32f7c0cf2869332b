"""What the atlas reads off a run: who holds which answer, copies, and where a conclusion is first written."""

import pytest

from engine.learning.atlas.facts import (
    conclusion_word,
    contains_answer,
    copy_ranks,
    is_wrong,
    numbers_in,
    ranks_containing,
    ranks_with_answer,
)
from tests.engine.learning.atlas.failure_case import ELSEWHERE, OTHER, RIGHT, question, run
from tests.viz.sample_trend_results import voyage_result


def test_the_passages_that_hold_an_answer_are_told_by_rank() -> None:
    made = run("1,768 metres", ELSEWHERE, OTHER, RIGHT)
    assert ranks_with_answer(made, question()) == (3,)
    assert ranks_containing(made, "1,768 metres") == (2,)


def test_a_bare_no_is_held_by_no_passage() -> None:
    assert ranks_with_answer(run("yes", "There is no bridge."), question("yes_no", golds=("no",))) == ()


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("about 29 years", "once in 29 years", True),
        ("about 29 years", "in 1929", False),
        ("1768", "it is 1,768 metres high", True),
        ("14 September 1702", "signed in 1702", False),
        ("Eagle", "the eagle landed", True),
        ("the", "the eagle", False),
    ],
)
def test_an_answer_stands_in_a_text_by_its_words_or_by_all_its_numbers(answer: str, text: str, expected: bool) -> None:
    assert contains_answer(answer, text) is expected


def test_an_empty_answer_and_one_without_passages_are_not_called_wrong() -> None:
    assert not is_wrong(run("", RIGHT), question())
    assert not is_wrong(run("1,768 metres"), question())
    assert is_wrong(run("1,768 metres", RIGHT), question())


def test_copies_share_four_words_in_five() -> None:
    near = RIGHT.replace("first climbed", "climbed first")
    assert copy_ranks(run("x", RIGHT, OTHER, near)) == (1, 3)
    assert copy_ranks(run("x", RIGHT, OTHER, ELSEWHERE)) == ()


def test_numbers_are_read_without_their_separators() -> None:
    assert numbers_in("1,768 metres at 11:30") == {"1768", "11:30"}


def test_the_conclusion_is_found_at_the_word_that_first_writes_it() -> None:
    trend = voyage_result()
    made = run("x", RIGHT, results=(trend,))
    place = conclusion_word(made)
    assert place is not None and trend.answer in trend.words[place].text
    assert not any(trend.answer in word.text for word in trend.words[:place])
    assert conclusion_word(run("x", RIGHT)) is None
