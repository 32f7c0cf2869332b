"""Semantic entropy and its relatives, as SUGAR uses them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import (
    discrete_semantic_entropy,
    equation_1,
    predictive_entropy,
    retrieval_need,
    semantic_entropy,
)
from engine.measures.semantic_perplexity import sample_weights


@pytest.mark.parametrize(
    "name",
    [
        "semantic_entropy_one_cluster",
        "semantic_entropy_50_50",
        "semantic_entropy_90_10",
        "semantic_entropy_99_1",
        "semantic_entropy_ten_singletons",
    ],
)
def test_entropy_and_equation_1_match_the_reference(reference, name):
    entry = reference(name)
    p, expected = entry["inputs"]["cluster_probs"], entry["expected"]
    assert semantic_entropy(p) == pytest.approx(expected["proper_SE_nats"], abs=1e-6)
    assert equation_1(p) == pytest.approx(expected["eq1_literal"], abs=1e-6)
    if "retrieve_at_tau_0_4_proper" in expected:
        assert (semantic_entropy(p) > 0.4) is expected["retrieve_at_tau_0_4_proper"]
        assert (equation_1(p) > 0.4) is expected["retrieve_at_tau_0_4_eq1"]


def test_one_meaning_has_no_entropy_and_no_minus_before_it():
    assert [math.copysign(1.0, value) for value in (semantic_entropy([1.0]), equation_1([1.0]))] == [1.0, 1.0]
    assert f"{discrete_semantic_entropy([3, 3, 3]):.3g}" == "0"


def test_equation_1_as_printed_rises_when_one_meaning_wins():
    assert equation_1([0.99, 0.01]) > equation_1([0.9, 0.1]) > equation_1([0.5, 0.5])
    assert semantic_entropy([0.99, 0.01]) < semantic_entropy([0.9, 0.1]) < semantic_entropy([0.5, 0.5])


def test_four_answers_in_three_meanings_give_0_882653(reference):
    entry = reference("semantic_entropy_from_loglik")
    ids, logprobs = entry["inputs"]["semantic_ids"], entry["inputs"]["mean_token_loglik"]
    expected = entry["expected"]
    p = cluster_probabilities(sample_weights(logprobs), ids)
    assert semantic_entropy(p) == pytest.approx(expected["proper_SE"], abs=1e-6)
    assert equation_1(p) == pytest.approx(expected["eq1_literal"], abs=1e-6)
    assert discrete_semantic_entropy(ids) == pytest.approx(expected["discrete_SE"], abs=1e-6)
    assert discrete_semantic_entropy(ids) == pytest.approx(expected["lm_polygraph_SE_frequency"], abs=1e-6)
    assert predictive_entropy(logprobs) == pytest.approx(expected["predictive_entropy"], abs=1e-6)


def test_lm_polygraphs_semantic_entropy_is_another_number_because_it_does_not_normalise(reference):
    entry = reference("semantic_entropy_from_loglik")
    ids, logprobs = entry["inputs"]["semantic_ids"], np.array(entry["inputs"]["mean_token_loglik"])
    mass = np.bincount(ids, weights=np.exp(logprobs))[ids]
    expected = entry["expected"]["lm_polygraph_SE_mean_unnormalised"]
    assert -np.log(mass).mean() == pytest.approx(expected, abs=1e-6)


def test_discrete_entropy_at_the_edges(reference):
    entry = reference("discrete_SE_edges")
    for ids, expected in zip(entry["inputs"]["ids"], entry["expected"]["discrete_SE"], strict=True):
        assert discrete_semantic_entropy(ids) == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=10))
def test_entropy_lies_between_0_and_ln_n_and_below_equation_1(raw):
    p = np.array(raw) / np.sum(raw)
    assert 0 <= semantic_entropy(p) <= np.log(p.size) + 1e-9 <= equation_1(p) + 2e-9


@given(st.lists(st.integers(0, 3), min_size=1, max_size=10))
def test_equal_likelihoods_reduce_it_to_the_discrete_entropy(labels):
    ids = np.unique(labels, return_inverse=True)[1]
    weights = sample_weights(np.full(ids.size, -1.3))
    entropy = semantic_entropy(cluster_probabilities(weights, ids))
    assert entropy == pytest.approx(discrete_semantic_entropy(ids), abs=1e-12)


def test_a_meaning_of_probability_0_adds_nothing_and_makes_equation_1_infinite():
    assert semantic_entropy([1.0, 0.0]) == 0.0
    with pytest.raises(ValueError, match="infinite at probability 0, that of cluster 1"):
        equation_1([1.0, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: semantic_entropy([]), "non-empty"),
        (lambda: semantic_entropy([0.5, 0.4]), "sum to 1, got 0.9"),
        (lambda: semantic_entropy([np.nan, 1.0]), "NaN at index 0"),
        (lambda: discrete_semantic_entropy([]), "non-empty"),
        (lambda: predictive_entropy([-1.0, np.nan]), "NaN at index 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("entropy", "expected"),
    [(0.0, "none"), (0.39, "none"), (0.4, "none"), (0.41, "single"), (0.9, "single"), (0.91, "multi"), (2.3, "multi")],
)
def test_sugar_chooses_between_three_ways_and_a_tie_is_the_cheaper_one(entropy, expected):
    assert retrieval_need(entropy) == expected


def test_a_nearly_settled_question_is_looked_up_by_equation_1_and_not_by_the_entropy():
    # Two meanings at 0.9 and 0.1: entropy 0.325, the printed mean 1.204.
    assert retrieval_need(semantic_entropy([0.9, 0.1])) == "none"
    assert retrieval_need(equation_1([0.9, 0.1])) == "multi"


def test_thresholds_out_of_order_and_an_entropy_that_is_none_are_refused():
    with pytest.raises(ValueError, match=r"0 <= low <= high, got 0\.9 and 0\.4"):
        retrieval_need(0.5, 0.9, 0.4)
    with pytest.raises(ValueError, match="at least 0, got nan"):
        retrieval_need(float("nan"))


def test_one_meaning_has_no_entropy_where_its_weights_do_not_quite_add_up_to_one() -> None:
    assert semantic_entropy([sum([0.1] * 10)]) == 0.0  # 0.9999999999999999
