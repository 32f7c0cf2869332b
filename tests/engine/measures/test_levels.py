"""Values that differ by rounding are one level: hand-made twins, and DSE of one partition in two orders."""

import math

import numpy as np
import pytest

from engine.measures.levels import levelled, levels_of
from engine.measures.ranking import auarc, aurac, auroc, pearson
from engine.measures.response_graph import degree_entropy

# Five of six answers agree; the odd one is the third, or the second. By hand both are (5 ln(6/5) + ln 6) / 6.
TWINS = [degree_entropy([[float((i == odd) == (j == odd)) for j in range(6)] for i in range(6)]) for odd in range(1, 6)]
LOW, HIGH = min(TWINS), max(TWINS)


def test_the_same_partition_gives_dse_that_differs_in_the_last_bits() -> None:
    assert LOW < HIGH == pytest.approx((5 * math.log(6 / 5) + math.log(6)) / 6, abs=1e-12)
    assert levelled([HIGH, LOW, 0.9]).tolist() == [LOW, LOW, 0.9]


def test_equal_dse_ranks_no_answer_above_another() -> None:
    # By hand every pair is a tie, which counts half; by the last bits right answers would be the less certain ones.
    assert auroc([1, 1, 0, 0], [LOW, LOW, HIGH, HIGH]) == 0.5
    assert auroc([0, 0, 1, 1], [LOW, LOW, HIGH, HIGH]) == 0.5


def test_the_areas_of_equal_dse_are_the_share_of_right_answers() -> None:
    # All four are as certain: every quantile keeps all four, of which half are right, 20 times 0.9/19.
    assert aurac([1, 1, 0, 0], [LOW, LOW, HIGH, HIGH]) == pytest.approx(0.5 * 20 * 0.9 / 19, abs=1e-12)
    assert auarc([1, 1, 0, 0], [LOW, LOW, HIGH, HIGH], "averaged") == 0.5


def test_values_alike_but_for_rounding_have_no_correlation() -> None:
    assert math.isnan(pearson([LOW, HIGH, LOW, HIGH], [0.0, 1.0, 0.0, 1.0])[0])
    assert math.isnan(pearson([0.0, 1.0, 0.0, 1.0], [LOW, HIGH, LOW, HIGH])[0])


def test_an_infinity_is_a_level_of_its_own() -> None:
    lowest, highest, place = levels_of([np.inf, 1.0, -np.inf, np.inf])
    assert lowest.tolist() == highest.tolist() == [-np.inf, 1.0, np.inf]
    assert place.tolist() == [2, 1, 0, 2]


def test_what_counts_as_rounding_grows_with_the_values() -> None:
    # A billionth of 3,290 seconds is 3.29e-6; beside 0 it is a billionth.
    assert levels_of([3290.0, 3290.000003])[2].tolist() == [0, 0]
    assert levels_of([3290.0, 3290.000004])[2].tolist() == [0, 1]
    assert levels_of([0.0, 3e-6])[2].tolist() == [0, 1]
