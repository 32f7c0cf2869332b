"""Reciprocal rank fusion by hand, and ties that always fall the same way."""

import numpy as np
import pytest

from engine.backends.retrieval.fusion import best, descending, fused, ranking


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    assert ranking(np.array([1.0, 2.0, 1.0, 2.0, 0.0])).tolist() == [1, 3, 0, 2, 4]


def test_scores_at_or_below_the_bound_are_left_out() -> None:
    assert ranking(np.array([0.0, 2.0, 0.0]), above=0.0).tolist() == [1]


def test_a_place_first_and_third_beats_one_that_is_second_only() -> None:
    totals = fused([np.array([5, 6, 7]), np.array([8, 9, 5])], size=11)
    assert totals[5] == pytest.approx(1 / 61 + 1 / 63)
    assert totals[6] == pytest.approx(1 / 62) and totals[8] == pytest.approx(1 / 61)
    assert int(totals.argmax()) == 5
    assert totals[10] == 0, "a place in no ranking has nothing"


def test_sorting_as_integers_is_the_stable_sort_with_ties_zeros_and_extremes() -> None:
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(size=5000).round(2), [0.0, -0.0, 3e38, -3e38, 1e-45, -1e-45]]).astype(
        np.float32
    )
    scores = rng.permutation(scores)
    assert descending(scores).tolist() == np.argsort(-(scores + 0.0), kind="stable").tolist()


def test_the_best_k_are_the_beginning_of_the_whole_ranking_ties_included() -> None:
    for k in [1, 2, 3, 7, 50, 200, 500]:
        scores = np.random.default_rng(0).integers(0, 6, 200).astype(float)
        assert best(scores, k).tolist() == ranking(scores)[:k].tolist()
        assert best(scores, k, above=4.0).tolist() == ranking(scores, above=4.0)[:k].tolist()
