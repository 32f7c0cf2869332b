"""Intervals over resampled questions, and bins."""

import numpy as np
import pytest

from engine.measures.ranking import auroc
from engine.measures.resampling import bin_places, bootstrap_interval, quantile_edges


def test_an_interval_of_a_mean_is_about_two_standard_errors() -> None:
    values = np.random.default_rng(1).normal(size=400)
    low, high = bootstrap_interval(np.mean, values)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.1)


def test_columns_are_drawn_together_and_draws_without_a_number_left_out() -> None:
    wrong, scores = [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9]
    assert bootstrap_interval(auroc, wrong, scores) == (1.0, 1.0)
    assert np.isnan(bootstrap_interval(auroc, [0, 0], [0.1, 0.2])).all()
    assert np.isnan(bootstrap_interval(np.mean, [1.0])).all()


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.arange(20.0)
    assert bootstrap_interval(np.mean, values) == bootstrap_interval(np.mean, values)
    assert bootstrap_interval(np.mean, values) != bootstrap_interval(np.mean, values, seed=1)


def test_wrong_inputs_are_refused() -> None:
    with pytest.raises(ValueError):
        bootstrap_interval(np.mean, [1.0, 2.0], [1.0])
    with pytest.raises(ValueError):
        bootstrap_interval(np.mean, [1.0, 2.0], level=1.0)
    with pytest.raises(ValueError):
        bin_places([0.1], [0.2, 0.2])
    with pytest.raises(ValueError):
        quantile_edges([1.0], 0)


def test_quantile_bins_are_about_equal_and_keep_ties_together() -> None:
    values = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
    edges = quantile_edges(values, 5)
    assert [int((bin_places(values, edges) == place).sum()) for place in range(len(edges) + 1)] == [4, 2, 2, 2]


def test_two_questions_have_an_interval_and_one_has_none() -> None:
    # Of two questions a quarter of the draws is twice the first, a quarter twice the second: both ends are reached.
    assert bootstrap_interval(np.mean, [0.0, 1.0]) == (0.0, 1.0)
    assert np.isnan(bootstrap_interval(np.mean, [1.0])).all()
    with pytest.raises(ValueError, match="level must be in"):
        bootstrap_interval(np.mean, [0.0, 1.0], level=0.0)


def test_one_bin_has_no_edge() -> None:
    assert quantile_edges([1.0, 2.0, 3.0], 1) == []
