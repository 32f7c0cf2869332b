"""Intervals of SePer and ΔSePer over the draws: those that cover, and the percentile bootstrap of older records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from engine.measures.draw_intervals import (
    AGAINST,
    covering_change,
    covering_interval,
    delta_interval,
    joined_interval,
    percentile_interval,
    resampled_seper,
    seper_interval,
)
from engine.measures.semantic_perplexity import draws_that_match, sample_weights, seper_soft

LOGPROBS = np.linspace(-2.0, -0.2, 10)
KERNEL = np.stack([np.linspace(0, 1, 10), np.linspace(1, 0.5, 10)], axis=1)


@pytest.mark.parametrize("right", [0, 3, 10])
def test_with_equal_weights_and_right_or_wrong_draws_the_ends_are_quantiles_of_beta(right):
    low, high = covering_interval([0.0] * 10, [1.0] * right + [0.0] * (10 - right), rng=0, repeats=40000)
    wrong = 10 - right
    expected = stats.beta.ppf(0.025, right + 1 - AGAINST, wrong + AGAINST) if right else 0.0
    assert low == pytest.approx(expected, abs=0.01)
    expected = stats.beta.ppf(0.975, right + AGAINST, wrong + 1 - AGAINST) if wrong else 1.0
    assert high == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("share", "draws"), [(0.05, 10), (0.1, 10), (0.3, 10), (0.9, 10), (0.1, 20)])
def test_the_interval_holds_the_true_share_in_93_of_a_hundred_where_the_percentile_bootstrap_does_not(share, draws):
    # All numbers of right draws with their binomial probabilities: the coverage itself, not a simulation of it.
    chances = stats.binom.pmf(np.arange(draws + 1), draws, share)
    kernels = [[1.0] * right + [0.0] * (draws - right) for right in range(draws + 1)]
    for make, least, most in ((covering_interval, 0.93, 1.0), (seper_interval, 0.0, 0.94)):
        bounds = [make([0.0] * draws, kernel, 0, repeats=4000) for kernel in kernels]
        held = [chance for chance, (low, high) in zip(chances, bounds, strict=True) if low <= share <= high]
        assert least <= sum(held) <= most


def test_a_right_draw_that_was_not_seen_may_weigh_e_times_what_wrong_draws_of_minus_one_weigh():
    # An end with imagined weight 1 against ten draws of e^-1 each, and one where all weigh the same.
    heavy, even = (covering_interval([m] * 10, [0.0] * 10, rng=0, repeats=20000)[1] for m in (-1.0, 0.0))
    odds = even / (1 - even) * np.e
    assert heavy == pytest.approx(odds / (1 + odds), abs=0.02)


def test_a_joined_interval_adds_squared_distances_and_turns_round_with_the_sign():
    # 0.7 (0.4 to 0.9) less 0.2 (0.1 to 0.6): 0.5 - 0.5 below, 0.5 + sqrt(0.2^2 + 0.1^2) above.
    parts = [(1.0, 0.7, (0.4, 0.9)), (-1.0, 0.2, (0.1, 0.6))]
    low, high = joined_interval(parts)
    assert (low, high) == pytest.approx((0.0, 0.5 + 0.05**0.5))
    assert joined_interval([(-factor, *rest) for factor, *rest in parts]) == pytest.approx((-high, -low))
    with pytest.raises(ValueError, match="inside their intervals"):
        joined_interval([(1.0, 0.95, (0.4, 0.9))])


def test_nine_right_instead_of_none_is_clearly_help_and_six_instead_of_five_is_not():
    low, high = covering_change(([0.0] * 10, [1.0] * 9 + [0.0]), ([0.0] * 10, [0.0] * 10), rng=0)
    assert 0.3 < low < 0.9 < high <= 1.0
    low, high = covering_change(([0.0] * 10, [1.0] * 6 + [0.0] * 4), ([0.0] * 10, [1.0] * 5 + [0.0] * 5), rng=0)
    assert low < 0 < high


def test_a_resample_is_the_soft_seper_of_the_draws_it_holds():
    drawn = np.random.default_rng(3).integers(0, 10, size=(5, 10))
    for answers in ("max", "mean"):
        expected = [seper_soft(sample_weights(LOGPROBS[row]), KERNEL[row], answers) for row in drawn]
        resampled = resampled_seper(LOGPROBS, KERNEL, 3, answers, repeats=5)
        np.testing.assert_allclose(resampled, expected, atol=1e-12)


def test_seven_right_of_ten_equal_draws_spread_as_a_binomial_share():
    resampled = resampled_seper(np.full(10, -1.0), [1.0] * 7 + [0.0] * 3, rng=0, repeats=20000)
    assert resampled.mean() == pytest.approx(0.7, abs=0.005)
    assert resampled.std() == pytest.approx(np.sqrt(0.7 * 0.3 / 10), abs=0.005)


def test_seven_right_instead_of_none_is_clearly_help():
    low, high = delta_interval([-1.0] * 10, [0.99] * 7 + [0.02] * 3, [-1.0] * 10, [0.02] * 10, rng=0)
    assert 0 < low < 0.679 < high <= 0.97 + 1e-12


def test_six_right_instead_of_five_cannot_be_told_from_chance():
    low, high = delta_interval([-1.0] * 10, [1.0] * 6 + [0.0] * 4, [-1.0] * 10, [1.0] * 5 + [0.0] * 5, rng=0)
    assert low < 0 < high


def test_equal_draws_give_an_interval_of_width_0():
    assert seper_interval([-1.0] * 10, [0.25] * 10, rng=0) == pytest.approx((0.25, 0.25), abs=1e-12)


def test_hard_seper_uses_the_draws_that_match_as_its_kernel():
    matching = draws_that_match([0] * 7 + [1] * 3, [True, False])
    low, high = seper_interval([-1.0] * 10, matching, rng=0)
    assert (round(low, 6), round(high, 6)) == (0.4, 1.0)


def test_a_seed_repeats_and_a_generator_moves_on():
    assert seper_interval(LOGPROBS, KERNEL, 7) == seper_interval(LOGPROBS, KERNEL, 7)
    generator = np.random.default_rng(7)
    first = resampled_seper(LOGPROBS, KERNEL, generator)
    assert not np.array_equal(first, resampled_seper(LOGPROBS, KERNEL, generator))


def test_swapping_the_conditions_mirrors_the_interval_up_to_noise():
    there = delta_interval(LOGPROBS, KERNEL, LOGPROBS[::-1], KERNEL / 2, 0, repeats=20000)
    back = delta_interval(LOGPROBS[::-1], KERNEL / 2, LOGPROBS, KERNEL, 1, repeats=20000)
    assert there == pytest.approx((-back[1], -back[0]), abs=0.01)


def test_a_draw_1000_nats_below_the_best_does_not_break_a_resample_of_it_alone():
    resampled = resampled_seper([-1000.0, 0.0], [0.5, 1.0], rng=0, repeats=200)
    assert set(resampled.round(6)) == {0.5, 1.0}


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(-9, 0), st.floats(0, 1)), min_size=1, max_size=10), st.integers(0, 99))
def test_bounds_are_ordered_and_lie_within_the_kernel(draws, seed):
    logprobs, values = zip(*draws, strict=True)
    low, high = seper_interval(logprobs, values, seed)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_a_wider_level_gives_a_wider_interval():
    narrow, wide = (seper_interval(LOGPROBS, KERNEL, 0, level=level) for level in (0.5, 0.95))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resampled_seper([], [], 0), "non-empty"),
        (lambda: resampled_seper([-np.inf, -1.0], [0.5, 0.5], 0), "finite to resample"),
        (lambda: resampled_seper([-1.0], [0.5, 0.5], 0), "1 draws, 2 rows"),
        (lambda: resampled_seper([-1.0], [0.5], 0, repeats=0), "got 0 and 'max'"),
        (lambda: resampled_seper([-1.0], [0.5], 0, "any"), "'any'"),
        (lambda: percentile_interval([0.5], level=95), r"level must be in \(0, 1\), got 95"),
        (lambda: percentile_interval([]), "non-empty"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
