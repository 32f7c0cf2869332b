"""Bounds of an entropy from a few probabilities: worked by hand, and true for every distribution that has them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.token_entropy import entropy_bounds_from_some


def test_one_half_of_three_tokens() -> None:
    low, high = entropy_bounds_from_some([math.log(0.5)], 3)
    assert low == pytest.approx(math.log(2))
    assert high == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(4))


def test_a_certain_token_leaves_no_doubt() -> None:
    assert entropy_bounds_from_some([0.0], 100) == (0.0, 0.0)


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=12), st.data())
def test_the_entropy_of_any_distribution_lies_between_its_bounds(weights: list[float], data: st.DataObject) -> None:
    p = np.array(weights) / sum(weights)
    known = data.draw(st.integers(1, len(p)))
    low, high = entropy_bounds_from_some(np.log(p[:known]), len(p))
    assert low - 1e-9 <= float(-(p * np.log(p)).sum()) <= high + 1e-9


@pytest.mark.parametrize(
    ("logprobs", "vocabulary", "sentence"),
    [([math.log(0.9)] * 2, 5, "sum to"), ([-0.1, -3.0], 1, "of a vocabulary of 1"), ([0.5], 5, "logprobs")],
)
def test_what_belongs_to_no_distribution_is_refused(logprobs: list[float], vocabulary: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        entropy_bounds_from_some(logprobs, vocabulary)
