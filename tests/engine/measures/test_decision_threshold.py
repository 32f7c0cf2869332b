"""Thresholds by Youden's index and by count: worked by hand, and the same as trying every cut."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.decision_threshold import (
    balanced_accuracy,
    mean_count,
    shares_decided,
    threshold_for_count,
    youden_threshold,
)

LEVELS = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def test_the_best_cut_of_six_answers_is_between_their_third_and_fourth() -> None:
    # Right: 0.0 0.1 0.2 0.9; wrong: 0.4 1.0. At 0.3 three of four right ones are below, both wrong ones above.
    values, wrong = [0.0, 0.1, 0.2, 0.4, 0.9, 1.0], [0, 0, 0, 1, 0, 1]
    assert youden_threshold(values, wrong) == pytest.approx(0.3)
    assert balanced_accuracy(values, wrong, 0.3) == pytest.approx((1 + 3 / 4) / 2)


def test_of_two_equally_good_cuts_the_lower_one_is_taken() -> None:
    # Cut 0.5: both wrong ones above, one of two right ones below. Cut 2.5: one of two, and both. Cut 1.5: a half each.
    values, wrong = [0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1]
    assert balanced_accuracy(values, wrong, 0.5) == balanced_accuracy(values, wrong, 2.5) == 0.75
    assert youden_threshold(values, wrong) == 0.5


@pytest.mark.parametrize(("values", "wrong"), [([0.1, 0.2], [0, 0]), ([0.1, 0.2], [1, 1]), ([0.3, 0.3], [0, 1])])
def test_one_class_or_one_value_has_no_cut(values: list[float], wrong: list[int]) -> None:
    assert math.isnan(youden_threshold(values, wrong))


def test_values_that_differ_in_the_last_bits_are_one_value_with_no_cut_between_them() -> None:
    # Cut 0.2253: both wrong ones above, one of two right ones below. Cut 0.6753: one of two, and both. Between the
    # twins all four would be right, by rounding alone.
    values, wrong = [0, 0.45056120886630463, 0.4505612088663047, 0.9], [0, 0, 1, 1]
    assert youden_threshold(values, wrong) == pytest.approx(0.45056120886630463 / 2, abs=1e-12)
    assert threshold_for_count([[0.45056120886630463], [0.4505612088663047]], wanted=0.5, most=1)[1] == 1.0


def test_sensitivity_and_specificity_are_counts() -> None:
    assert shares_decided([0.0, 0.1, 0.2, 0.4, 0.9, 1.0], [0, 0, 0, 1, 0, 1], 0.3) == ((2, 2), (3, 4))


def test_what_lies_on_a_threshold_does_not_fire_on_either_side() -> None:
    # Below 0.5: one peak of the first question, none of the second. Above it: one, and two of three that count.
    peaks = [[0.2, 0.5, 0.9], [0.6, 0.7, 0.8]]
    assert mean_count(peaks, 0.5, most=2, below=True) == 0.5
    assert mean_count(peaks, 0.5, most=2) == 1.5


def test_a_value_on_the_threshold_is_not_above_it() -> None:
    # As DENSE decides: uncertain is DSE > 0.2. Of the wrong ones 0.4 alone is above, of the right ones none.
    values, wrong = [0.2, 0.4, 0.2, 0.0], [1, 1, 0, 0]
    assert shares_decided(values, wrong, 0.2) == ((1, 2), (2, 2))
    assert balanced_accuracy(values, wrong, 0.2) == 0.75


@given(st.lists(st.tuples(LEVELS, st.booleans()), min_size=2, max_size=12))
def test_no_cut_between_two_values_is_better_than_youdens(labelled: list[tuple[float, bool]]) -> None:
    values, wrong = [value for value, _ in labelled], [is_wrong for _, is_wrong in labelled]
    cut = youden_threshold(values, wrong)
    levels = sorted(set(values))
    tried = [balanced_accuracy(values, wrong, (a + b) / 2) for a, b in pairwise(levels)]
    if math.isnan(cut):
        assert len(levels) < 2 or len(set(wrong)) < 2
    else:
        assert balanced_accuracy(values, wrong, cut) == pytest.approx(max(tried))


def test_one_lookup_a_question_lies_between_the_third_and_fourth_highest_peak_of_three() -> None:
    # Peaks in order: 4, 3, 2, 1. Three questions, one lookup each wanted: three peaks above the cut, 1.5.
    assert threshold_for_count([[2.0, 1.0], [4.0], [3.0]], wanted=1.0, most=3) == (1.5, 1.0)


def test_a_question_counts_as_often_as_it_may_look_up_at_most() -> None:
    # With one lookup a question at most, 2.5 and 2.0 do not count: 3 and 1 do, and one question of two is 3 alone.
    assert threshold_for_count([[3.0, 2.5, 2.0], [1.0]], wanted=0.5, most=1) == (2.0, 0.5)
    assert mean_count([[3.0, 2.5, 2.0], [1.0]], 0.5, most=1) == 1.0


def test_a_low_probability_fires_where_below_is_asked_for() -> None:
    # FLARE: 0.2 and 0.4 fire at a cut of 0.6, half way to 0.8; that is one lookup a question of two.
    cut, count = threshold_for_count([[0.2, 0.9], [0.4, 0.8]], wanted=1.0, most=3, below=True)
    assert (cut, count) == (pytest.approx(0.6), 1.0)
    assert mean_count([[0.2, 0.9], [0.4, 0.8]], cut, most=3, below=True) == 1.0


def test_every_sentence_fires_below_half_the_lowest_peak_and_above_half_way_to_one() -> None:
    assert threshold_for_count([[2.0, 4.0]], wanted=9.0, most=9) == (1.0, 2.0)
    assert threshold_for_count([[0.2, 0.5]], wanted=9.0, most=9, below=True) == (0.75, 2.0)


def test_a_tie_in_distance_takes_the_fewer_lookups() -> None:
    assert threshold_for_count([[1.0], [2.0]], wanted=0.75, most=1) == (1.5, 0.5)
    # One lookup in three questions is as far from a half as two in three, though not in the last bit.
    assert threshold_for_count([[3.0], [2.0], [1.0]], wanted=0.5, most=1) == (2.5, 1 / 3)


def test_no_peaks_have_no_cut() -> None:
    assert all(math.isnan(value) for value in threshold_for_count([[], []], wanted=1.0, most=3))


@pytest.mark.parametrize(("wanted", "most"), [(0.0, 3), (-1.0, 3), (float("nan"), 3), (1.0, 0)])
def test_a_budget_that_cannot_be_is_refused(wanted: float, most: int) -> None:
    with pytest.raises(ValueError, match="wanted > 0 and most >= 1"):
        threshold_for_count([[1.0]], wanted, most)


PEAKS = st.lists(st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0]), max_size=5), min_size=1, max_size=6)


@given(PEAKS, st.floats(0.1, 4.0), st.integers(1, 4))
def test_the_count_told_is_the_count_at_that_cut_and_no_cut_is_nearer(
    peaks: list[list[float]], wanted: float, most: int
) -> None:
    cut, told = threshold_for_count(peaks, wanted, most)
    if math.isnan(cut):
        assert not any(peaks)
        return
    assert mean_count(peaks, cut, most) == pytest.approx(told)
    # Above the highest peak nothing fires at all, which is no threshold to fit.
    others = [count for place in np.arange(0.25, 2.0, 0.5) if (count := mean_count(peaks, place, most))]
    assert abs(told - wanted) <= min(abs(count - wanted) for count in others) + 1e-9
