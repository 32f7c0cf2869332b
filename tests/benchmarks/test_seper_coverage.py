"""SePer's intervals in the shipped simulation: what is chosen covers in every cell, and what it replaced does not."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.seper_coverage import BEFORE, CHOSEN, METHODS, RESULTS, WANTED, Pool, holds, noise_of
from engine.measures.draw_intervals import covering_interval


def cells(part: str, method: str) -> Iterator[float]:
    """Yield the coverage of every simulated cell of one part."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))["cells"][part]
    return (cell["coverage"] for cell in found if cell["method"] == method)


@pytest.mark.parametrize("part", ["single", "change", "bands"])
def test_the_chosen_interval_holds_in_93_of_a_hundred_in_every_cell_up_to_noise_and_the_one_before_does_not(
    part,
) -> None:
    # Of differences a cell has 2,000 trials, of bands 250, and the least of 144 cells is told: two standard errors.
    assert min(cells(part, CHOSEN)) >= WANTED - {"single": 0.0, "change": 0.011, "bands": 0.032}[part]
    assert min(cells(part, BEFORE)) < 0.8


def test_the_simulated_interval_is_the_one_of_the_engine() -> None:
    odds, kernel = np.exp([[-0.2, -0.5, -1.5, -0.1]]), np.array([[1.0, 0.0, 0.02, 0.9]])
    low, high = METHODS[CHOSEN](odds, kernel, noise_of(4, 20000, np.random.default_rng(0)), 0.95)
    assert covering_interval(np.log(odds[0]), kernel[0], 1, repeats=20000) == pytest.approx((low[0], high[0]), abs=0.01)


def test_the_true_value_of_likelihood_weights_is_the_limit_of_the_estimator_and_not_the_share() -> None:
    # A right draw weighs e^0, a wrong one e^-1: 0.3 / (0.3 + 0.7 / e).
    pool = Pool(right=np.array([[0.0, 1.0]]), wrong=np.array([[-1.0, 0.0]]))
    assert pool.truth(0.3, soft=False, equal=False) == pytest.approx(0.3 / (0.3 + 0.7 / np.e))
    assert pool.truth(0.3, soft=False, equal=True) == pytest.approx(0.3)
    assert holds((np.array([0.2]), np.array([0.3])), 0.25).tolist() == [True]
