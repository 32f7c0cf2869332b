"""Entropy of next-token distributions (ETC eq. 3), and its bounds from the top k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax

from engine.measures.token_entropy import entropy_bounds_from_top_k, token_entropy

LOGITS = arrays(np.float64, st.integers(1, 30), elements=st.floats(-50, 50))


def test_uniform_logits_over_8_tokens_give_ln_8():
    assert token_entropy(np.full(8, 3.0)) == pytest.approx(np.log(8), abs=1e-12)


def test_three_to_one_gives_0_562335():
    assert token_entropy(np.log([3.0, 1.0])) == pytest.approx(0.562335, abs=1e-6)


def test_shape_batch_by_position_by_vocab_gives_batch_by_position():
    assert token_entropy(np.zeros((2, 5, 7))).shape == (2, 5)


def test_forbidden_tokens_add_nothing():
    assert token_entropy([0.0, 0.0, -np.inf]) == pytest.approx(np.log(2), abs=1e-12)
    assert str(token_entropy([0.0, -np.inf])) == "0.0"


def test_logits_of_1e4_do_not_overflow():
    assert token_entropy([1e4, 1e4 - 1000.0]) == 0.0


@given(LOGITS)
def test_entropy_lies_between_0_and_ln_vocab_and_ignores_a_shift(logits):
    entropy = float(token_entropy(logits))
    assert 0 <= entropy <= np.log(logits.size) + 1e-9
    assert float(token_entropy(logits + 17.0)) == pytest.approx(entropy, abs=1e-9)


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        ([], r"vocab >= 1, got shape \(0,\)"),
        (1.0, r"got shape \(\)"),
        ([0.0, np.nan], "1 NaN or \\+inf of 2"),
        ([0.0, np.inf], "1 NaN or \\+inf of 2"),
        ([[0.0, 0.0], [-np.inf, -np.inf]], "1 have none"),
    ],
)
def test_logits_without_a_distribution_are_refused(logits, message):
    with pytest.raises(ValueError, match=message):
        token_entropy(logits)


def test_top_2_of_4_leave_between_one_and_two_equal_tokens():
    low, high = entropy_bounds_from_top_k(np.log([0.5, 0.25]), vocab_size=4)
    assert low == pytest.approx(1.5 * np.log(2), abs=1e-9)
    assert high == pytest.approx(1.75 * np.log(2), abs=1e-9)


@given(LOGITS, st.integers(1, 30))
def test_the_true_entropy_lies_within_the_bounds_of_its_top_k(logits, k):
    logprobs = np.sort(log_softmax(logits))[::-1]
    low, high = entropy_bounds_from_top_k(logprobs[:k], vocab_size=logits.size)
    assert low - 1e-9 <= float(token_entropy(logits)) <= high + 1e-9
    assert high <= np.log(logits.size) + 1e-9


def power_law(exponent=1.5, size=50_000):
    """The log-probabilities of a vocabulary whose n-th likeliest token has a probability proportional to n^-1.5."""
    return log_softmax(-exponent * np.log(np.arange(1.0, size + 1)))


@pytest.mark.parametrize(("rank", "low", "high"), [(400, 2.67978, 3.90874), (49_000, 2.67952, 3.90882)])
def test_a_drawn_token_in_the_place_of_the_last_is_no_ceiling_for_the_unseen(rank, low, high):
    logprobs = power_law()
    drawn = logprobs[rank]
    bounds = entropy_bounds_from_top_k([drawn, *logprobs[:19]], logprobs.size, drawn=drawn)
    assert bounds == pytest.approx((low, high), abs=1e-5)
    true = float(token_entropy(logprobs))
    assert true == pytest.approx(3.15638, abs=1e-5)
    assert bounds[0] < true < bounds[1]


def test_a_drawn_token_that_is_the_last_of_the_likeliest_only_widens_the_bounds_below():
    logprobs = power_law()
    low, high = entropy_bounds_from_top_k(logprobs[:20], logprobs.size)
    lower, same = entropy_bounds_from_top_k(logprobs[:20], logprobs.size, drawn=logprobs[19])
    assert (lower, low) == pytest.approx((2.67958, 2.69275), abs=1e-5)
    assert same == high == pytest.approx(3.88241, abs=1e-5)
    assert low < float(token_entropy(logprobs)) < high


def test_the_only_token_told_is_no_ceiling_where_it_was_drawn():
    assert entropy_bounds_from_top_k([np.log(0.1)], 3, drawn=np.log(0.1)) == pytest.approx((0.32508, 0.94891), abs=1e-5)


def test_a_drawn_token_above_the_last_changes_nothing():
    logprobs = power_law()
    for drawn in (logprobs[0], logprobs[18], logprobs[400]):
        assert entropy_bounds_from_top_k(logprobs[:20], 50_000, drawn) == entropy_bounds_from_top_k(
            logprobs[:20], 50_000
        )


@given(LOGITS, st.integers(1, 30), st.integers(0, 29))
def test_the_true_entropy_lies_within_the_bounds_whichever_token_was_drawn(logits, k, rank):
    logprobs = np.sort(log_softmax(logits))[::-1]
    drawn = float(logprobs[min(rank, logits.size - 1)])
    shown = logprobs[:k] if drawn in logprobs[:k] else [drawn, *logprobs[: k - 1]]
    low, high = entropy_bounds_from_top_k(shown, logits.size, drawn)
    assert low - 1e-9 <= float(token_entropy(logits)) <= high + 1e-9
    assert high <= np.log(logits.size) + 1e-9


def test_all_of_the_vocabulary_leaves_no_interval():
    low, high = entropy_bounds_from_top_k(np.log([0.5, 0.3, 0.2]), vocab_size=3)
    assert low == pytest.approx(high, abs=1e-12)


def test_server_rounding_of_a_thousandth_above_1_is_forgiven():
    assert entropy_bounds_from_top_k([0.0004], vocab_size=10) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("logprobs", "vocab_size", "message"),
    [
        (np.log([0.5, 0.25]), 1, "top 2 log-probabilities of a vocabulary of 1"),
        ([0.5], 10, r"\[-inf, 0.001\], got 0.5|got 0.5"),
        (np.log([0.8, 0.01]), 3, "0.190000 of the mass is left for 1 tokens of at most 0.010000"),
        (np.log([0.8, 0.8]), 3, "not the top 2 of one distribution"),
        ([], 3, "non-empty"),
    ],
)
def test_what_cannot_be_a_top_k_is_refused(logprobs, vocab_size, message):
    with pytest.raises(ValueError, match=message):
        entropy_bounds_from_top_k(logprobs, vocab_size)
