"""SePer and ΔSePer, soft and hard, beside what the released code computes with its bugs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_perplexity import (
    delta_seper,
    draws_that_match,
    effective_samples,
    kernel,
    sample_weights,
    seper_hard,
    seper_soft,
)


def column(values):
    return np.array(values, dtype=float)[:, None]


def scrambled_as_released(table):
    """The released code stacks its table answer by answer and reads it back row by row."""
    table = np.asarray(table)
    return table.T.ravel().reshape(len(table), -1)


def test_weights_are_the_softmax_of_the_mean_log_probability(reference):
    entry = reference("likelihood_weights")
    expected = entry["expected"]
    means = [np.mean(tokens) for tokens in entry["inputs"]["token_logprobs"]]
    np.testing.assert_allclose(means, expected["mean_token_loglik"], atol=1e-6)
    np.testing.assert_allclose(sample_weights(means), expected["likelihood"], atol=1e-6)


def test_the_products_of_equation_7_do_not_sum_to_1(reference):
    entry = reference("likelihood_weights")
    products = [np.exp(np.sum(tokens)) for tokens in entry["inputs"]["token_logprobs"]]
    np.testing.assert_allclose(products, entry["expected"]["paper_eq7_unnormalised_products"], atol=1e-6)
    assert sum(products) == pytest.approx(0.832979, abs=1e-6)


def test_one_gold_soft_and_hard(reference):
    entry = reference("soft_and_hard_one_gold")
    inputs, expected = entry["inputs"], entry["expected"]
    weights = sample_weights(inputs["mean_token_loglik"])
    table = kernel(column(inputs["p_entail_r_to_a"]), column(inputs["p_entail_a_to_r"]))
    np.testing.assert_allclose(weights, expected["likelihood"], atol=1e-6)
    assert seper_soft(weights, table) == pytest.approx(expected["soft"], abs=1e-6)
    hard = seper_hard(weights, inputs["semantic_ids"], inputs["cluster_matches"])
    assert hard == pytest.approx(expected["hard"], abs=1e-6)


def test_the_direction_of_entailment_decides_between_0_515_and_0_325(reference):
    entry = reference("soft_direction_matters")
    inputs, expected = entry["inputs"], entry["expected"]
    both = column(inputs["p_entail_response_to_answer"]), column(inputs["p_entail_answer_to_response"])
    code, paper = kernel(*both), kernel(*both, direction="response_to_answer")
    by_code, by_paper = (seper_soft(inputs["likelihood"], table) for table in (code, paper))
    assert by_code == pytest.approx(expected["soft_official_max_direction"], abs=1e-6)
    assert by_paper == pytest.approx(expected["soft_paper_k_eq_E_r_a"], abs=1e-6)


def test_two_golds_give_the_intended_values_and_not_the_scrambled_ones(reference):
    entry = reference("two_golds_reshape_bug")
    weights, expected = entry["inputs"]["likelihood"], entry["expected"]
    table = np.array(entry["inputs"]["max_direction_entail_prob_rows_responses_cols_answers"])
    matches = table > 0.5
    measured = {
        "soft_intended_max_over_answers": seper_soft(weights, table),
        "soft_paper_eq10_mean_over_answers": seper_soft(weights, table, answers="mean"),
        "soft_official_released": seper_soft(weights, scrambled_as_released(table)),
        "hard_intended_any": seper_hard(weights, [0, 1, 2], matches),
        "hard_paper_mean": seper_hard(weights, [0, 1, 2], matches, answers="mean"),
        "hard_official_released": seper_hard(weights, [0, 1, 2], scrambled_as_released(matches)),
    }
    assert measured == pytest.approx(expected, abs=1e-6)


def test_the_released_scrambling_credits_cluster_2_for_the_match_of_cluster_1(reference):
    entry = reference("two_golds_hard_wrong_cluster")
    weights, ids = entry["inputs"]["likelihood"], entry["inputs"]["clusters"]
    matches = np.array([[False, False], [False, True], [False, False]])
    assert seper_hard(weights, ids, matches) == pytest.approx(entry["expected"]["hard_intended"], abs=1e-6)
    released = seper_hard(weights, ids, scrambled_as_released(matches))
    assert released == pytest.approx(entry["expected"]["hard_official_released"], abs=1e-6)


@pytest.mark.parametrize("name", ["all_equal_correct", "all_equal_wrong", "all_different_equal_lik"])
def test_equal_likelihoods_at_the_edges(reference, name):
    entry = reference(name)
    weights, k = entry["inputs"]["likelihood"], np.array(entry["inputs"]["k"])
    ids = np.unique(k > 0.5, return_inverse=True)[1]
    matches = [bool(k[ids == cluster].min() > 0.5) for cluster in range(ids.max() + 1)]
    assert seper_soft(weights, k[:, None]) == pytest.approx(entry["expected"]["soft"], abs=1e-6)
    assert seper_hard(weights, ids, matches) == pytest.approx(entry["expected"]["hard"], abs=1e-6)


def test_overwritten_clusters_lose_two_thirds_of_the_mass(reference):
    entry = reference("hard_clustering_overwrite")
    weights, expected = entry["inputs"]["likelihood"], entry["expected"]
    # Cluster 0 is seeded by a, which means the gold answer; cluster 1 by b, which does not.
    released = seper_hard(weights, expected["semantic_ids_official"], [True, False])
    assert released == pytest.approx(expected["hard_official"], abs=1e-6)
    kept = seper_hard(weights, [0, 1, 0], [True, False])
    assert kept == pytest.approx(expected["hard_without_overwrite"], abs=1e-6)


def test_cluster_masses_are_those_of_the_released_logsumexp(reference):
    entry = reference("logsumexp_by_id")
    weights = sample_weights(entry["inputs"]["log_liks"])
    mass = cluster_probabilities(weights, entry["inputs"]["semantic_ids"])
    np.testing.assert_allclose(mass, entry["expected"]["p_cluster"], atol=1e-6)


def test_an_empty_answer_with_a_stop_token_still_counts(reference):
    entry = reference("empty_generation")
    inputs, expected = entry["inputs"], entry["expected"]
    weights = sample_weights(inputs["mean_token_loglik"])
    both = column(inputs["p_entail_r_to_a"]), column(inputs["p_entail_a_to_r"])
    np.testing.assert_allclose(weights, expected["likelihood"], atol=1e-6)
    assert seper_soft(weights, kernel(*both)) == pytest.approx(expected["soft_official"], abs=1e-6)
    paper = seper_soft(weights, kernel(*both, direction="response_to_answer"))
    assert paper == pytest.approx(expected["soft_paper_r_to_a"], abs=1e-6)


def test_seven_right_answers_of_ten_instead_of_none_move_belief_by_0_679(reference):
    entry = reference("delta_seper")
    expected, right, wrong = entry["expected"], 0.99, 0.02
    even = np.full(10, 0.1)
    without = seper_soft(even, column([wrong] * 10)), seper_hard(even, [0] * 10, [False])
    with_context = (
        seper_soft(even, column([right] * 7 + [wrong] * 3)),
        seper_hard(even, [0] * 7 + [1] * 3, [True, False]),
    )
    assert without == pytest.approx((expected["base_soft"], expected["base_hard"]), abs=1e-6)
    assert with_context == pytest.approx((expected["ctx_soft"], expected["ctx_hard"]), abs=1e-6)
    assert delta_seper(with_context[0], without[0]) == pytest.approx(expected["delta_soft"], abs=1e-6)
    assert delta_seper(with_context[1], without[1]) == pytest.approx(expected["delta_hard"], abs=1e-6)


@st.composite
def hard_cases(draw):
    ids = np.unique(draw(st.lists(st.integers(0, 3), min_size=1, max_size=10)), return_inverse=True)[1]
    logprobs = draw(st.lists(st.floats(-9, 0), min_size=ids.size, max_size=ids.size))
    row = st.lists(st.booleans(), min_size=2, max_size=2)
    n = int(ids.max()) + 1
    return sample_weights(logprobs), ids, np.array(draw(st.lists(row, min_size=n, max_size=n)))


@given(hard_cases())
def test_hard_is_soft_with_a_kernel_of_0_and_1(case):
    weights, ids, matches = case
    hard = seper_hard(weights, ids, matches)
    assert 0 <= hard <= 1
    assert seper_soft(weights, draws_that_match(ids, matches)) == pytest.approx(hard, abs=1e-12)
    by_gold = seper_soft(weights, matches[ids].astype(float), answers="mean")
    assert seper_hard(weights, ids, matches, answers="mean") == pytest.approx(by_gold, abs=1e-12)


@given(st.lists(st.floats(-30, 0), min_size=1, max_size=12), st.floats(-5, 5))
def test_weights_sum_to_1_and_ignore_a_shift(logprobs, shift):
    weights = sample_weights(logprobs)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(sample_weights(np.array(logprobs) + shift), weights, atol=1e-9)


@given(st.lists(st.floats(-9, 0), min_size=20, max_size=20))
def test_twenty_draws_keep_the_odds_of_the_first_ten(logprobs):
    ten, twenty = sample_weights(logprobs[:10]), sample_weights(logprobs)[:10]
    np.testing.assert_allclose(twenty / twenty.sum(), ten, atol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_soft_lies_within_the_kernel_and_the_mean_over_golds_below_the_maximum(values):
    weights = np.full(len(values), 1 / len(values))
    table = np.stack([values, np.array(values) / 2], axis=1)
    best = seper_soft(weights, table)
    assert min(values) - 1e-9 <= best <= max(values) + 1e-9
    assert seper_soft(weights, table, answers="mean") <= best + 1e-12


def test_a_draw_of_probability_0_weighs_nothing():
    assert sample_weights([-np.inf, -1.0]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_weights([]), "non-empty"),
        (lambda: sample_weights([-1.0, np.nan]), "NaN at index 1"),
        (lambda: sample_weights([-np.inf]), "finite maximum, got -inf"),
        (lambda: kernel([[0.5]], [0.5]), r"one shape, got \(1, 1\) and \(1,\)"),
        (lambda: kernel([[1.5]], [[0.5]]), r"response_to_answer must be in \[0, 1\], got 1.5"),
        (lambda: kernel([[0.5]], [[0.5]], "both"), "direction must be one of .*, got 'both'"),
        (lambda: seper_soft([0.5, 0.5], [[0.5]]), "2 weights, 1 rows"),
        (lambda: seper_soft([0.5, 0.4], [[0.5], [0.5]]), "sum to 1, got 0.9"),
        (lambda: seper_soft([1.0], [[np.nan]]), "kernel must be in"),
        (lambda: seper_soft([1.0], np.empty((1, 0))), r"got shape \(1, 0\)"),
        (lambda: seper_soft([1.0], [[0.5]], "any"), "answers must be one of max, mean, got 'any'"),
        (lambda: seper_hard([1.0], [0], [True, False]), "per cluster, 1, got 2"),
        (lambda: seper_hard([1.0], [0], [0.7]), "true or false, got 0.7"),
        (lambda: seper_hard([1.0], [0], [True], "max"), "answers must be one of any, mean, got 'max'"),
        (lambda: draws_that_match([0, 1], [True]), "per cluster, 2, got 1"),
        (lambda: delta_seper(np.nan, 0.5), "SePer must be in"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_heavy_draw_of_ten_counts_as_three_draws_and_equal_ones_as_ten():
    # 1 / (0.56^2 + 9 (0.44 / 9)^2) = 1 / (0.3136 + 0.021511).
    assert effective_samples([0.56] + [0.44 / 9] * 9) == pytest.approx(1 / (0.3136 + 0.44**2 / 9))
    assert effective_samples([0.1] * 10) == pytest.approx(10)
