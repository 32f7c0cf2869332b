"""Reciprocal rank fusion by hand, and ties that always fall the same way."""

import numpy as np
import pytest

from engine.retrieval.fusion import fused, ranking


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    assert ranking(np.array([1.0, 2.0, 1.0, 2.0, 0.0])) == [1, 3, 0, 2, 4]


def test_scores_at_or_below_the_bound_are_left_out() -> None:
    assert ranking(np.array([0.0, 2.0, 0.0]), above=0.0) == [1]


def test_a_place_first_and_third_beats_one_that_is_second_only() -> None:
    totals = fused([[5, 6, 7], [8, 9, 5]])
    assert totals[5] == pytest.approx(1 / 61 + 1 / 63)
    assert totals[6] == pytest.approx(1 / 62) and totals[8] == pytest.approx(1 / 61)
    assert max(totals, key=lambda place: totals[place]) == 5
