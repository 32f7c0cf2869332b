"""The timing runs' answers are scored by the judge of the answer card."""

import re

import pytest

from engine.backends.text.base import TextSpan
from engine.measures.answer_marks import is_right
from engine.methods.conclusion import scored
from tests.viz.sample_results import generation


class OneSentence:
    """A parser that takes every text as one sentence."""

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the whole text as a sentence."""
        return tuple(TextSpan(text=one.group(), start=one.start(), end=one.end()) for one in re.finditer(r".+", text))


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("not Paris", "Paris", False),
        ("Paris", "Paris", True),
        ("Paris or Lyon", "Paris", False),
        ("15", "1.5", False),
        ("1.5", "1.5", True),
        ("no", "no", True),
        ("yes, there is no doubt", "no", False),
    ],
)
def test_a_conclusion_is_right_by_the_rule_of_the_answer_card(said: str, gold: str, right: bool) -> None:
    found = scored(f"It is in France. So the answer is {said}.", None, (gold,), OneSentence())  # type: ignore[arg-type]
    assert (found.answer, found.right) == (said, right)
    assert is_right(found.answer, (gold,)) is right


def test_without_a_correct_answer_nothing_is_right_or_wrong() -> None:
    assert scored("So the answer is Paris.", None, (), OneSentence()).right is None  # type: ignore[arg-type]


@pytest.mark.parametrize("said", [" 1889.", "1889", "So the answer is 1889."])
def test_a_forced_conclusion_is_read_with_or_without_the_space_before_it(said: str) -> None:
    """A chat server begins a reply without a space, and may say the phrase again."""
    found = scored("It was long ago.", generation(said), ("1889",), OneSentence())  # type: ignore[arg-type]
    assert (found.answer, found.right) == ("1889", True)
