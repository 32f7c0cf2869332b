"""Entropy of next-token distributions (ETC eq. 3), and its bounds from the top k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.measures.token_entropy import entropy_bounds_from_top_k, log_softmax, token_entropy

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
    assert np.exp(log_softmax(logits)).sum() == pytest.approx(1)


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
