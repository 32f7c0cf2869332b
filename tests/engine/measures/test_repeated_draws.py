"""A difference against repeated draws, by hand: resampled samples, other rewordings, whole repeats, shares."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.repeated_draws import change_interval, next_draw, reworded_change, share_odds

EVEN = [0.0] * 10


def test_seven_right_in_ten_against_none_is_joined_from_both_intervals() -> None:
    # Quantiles of Beta(7 + 1/3, 3 + 2/3), 0.382, and of Beta(2/3, 10 + 1/3), 0.248: 0.7 - sqrt(0.318^2 + 0.248^2).
    low, high = change_interval([(EVEN, [1.0] * 7 + [0.0] * 3)], [(EVEN, [0.0] * 10)], rng=0, repeats=20000)
    assert low == pytest.approx(0.7 - math.hypot(0.7 - 0.382, 0.248), abs=0.02)
    assert 0.9 < high <= 1.0


def test_a_change_of_a_change_takes_four_sets() -> None:
    sets = [([0.0] * 400, [value] * 400) for value in (0.9, 0.1, 0.4, 0.2)]
    # (0.9 - 0.2) - (0.4 - 0.1): what the passages do in the variant less what they do in the original.
    low, high = change_interval([sets[0], sets[1]], [sets[2], sets[3]], rng=0)
    assert low < 0.4 < high and high - low < 0.1


def test_two_rewordings_a_side_give_four_differences() -> None:
    weights = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    # DSE is 0 or ln 2 on either side: differences -ln 2, 0, 0, ln 2, of which 2.5% and 97.5% lie 0.075 steps inside.
    low, high = reworded_change((weights, [-1, 0, 0]), (weights, [-1, 0, 0]))
    assert (low, high) == pytest.approx((-0.925 * math.log(2), 0.925 * math.log(2)))


def test_one_more_draw_after_1_2_3_falls_within_five_of_two() -> None:
    # t(0.975, 2) = 4.302653, s = 1, sqrt(1 + 1/3) = 1.154701: 2 ± 4.968275.
    assert next_draw([1.0, 2.0, 3.0]) == pytest.approx((-2.968275, 6.968275), abs=1e-5)


def test_draws_that_are_all_alike_leave_no_room() -> None:
    assert next_draw([2.0, 2.0, 2.0, 2.0]) == (2.0, 2.0)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0, 2.0, math.nan], [1.0, 2.0, math.inf]])
def test_fewer_than_three_finite_draws_say_nothing_of_the_next(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"at least 3 finite draws|must not hold NaN"):
        next_draw(values)


def test_shares_are_held_apart_by_fishers_exact_test() -> None:
    # Of 184,756 ways to deal ten and ten, 101 are as far apart on one side: 2 · 101 / 184756.
    assert share_odds((9, 10), (1, 10)) == pytest.approx(202 / 184_756)
    assert share_odds((6, 10), (5, 10)) == 1.0
    assert share_odds((0, 0), (3, 3)) == 1.0


def test_shares_of_a_thousand_are_held_apart_as_exactly() -> None:
    # In whole numbers: 600 or more of the 1,100 hits on one side, and the mirror image, of all ways to deal 2,200.
    ways = sum(math.comb(1100, hits) * math.comb(1100, 1100 - hits) for hits in range(600, 1101))
    assert share_odds((600, 1100), (500, 1100)) == pytest.approx(2 * ways / math.comb(2200, 1100), rel=1e-9)
    assert 2 * ways / math.comb(2200, 1100) == pytest.approx(2.4e-5, rel=0.01)


def test_a_count_above_its_total_is_refused() -> None:
    with pytest.raises(ValueError, match="got 4 of 3"):
        share_odds((4, 3), (0, 3))


@given(st.integers(0, 8), st.integers(0, 8))
def test_the_order_of_two_shares_does_not_matter(one: int, other: int) -> None:
    assert share_odds((one, 8), (other, 8)) == pytest.approx(share_odds((other, 8), (one, 8)))


@given(st.lists(st.floats(0, 1), min_size=3, max_size=8))
def test_the_next_draw_is_expected_around_the_mean_of_the_others(values: list[float]) -> None:
    low, high = next_draw(values)
    assert low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high
