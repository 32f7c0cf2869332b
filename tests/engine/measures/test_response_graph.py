"""DENSE: the answer graph, degree-based semantic entropy, and the labels of chunks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.graph_uncertainty import degree
from engine.measures.response_graph import (
    agreed_label,
    chunk_labels,
    degree_entropy,
    degree_entropy_share,
    degrees,
    is_uncertain,
    label_shares,
    response_weights,
    symmetrise,
)
from engine.measures.semantic_entropy import discrete_semantic_entropy

GRAPHS = [
    "DSE_all_equal_k5",
    "DSE_all_different_k5",
    "DSE_k1_agree",
    "DSE_k1_differ",
    "DSE_k1_half",
    "DSE_k5_one_outlier",
    "DSE_k5_one_half_outlier",
    "DSE_k5_one_pair_zero",
    "DSE_k5_two_clusters_3_3",
    "DSE_k5_two_clusters_4_2",
    "DSE_k3_nontransitive",
]


def one_outlier(k, weight):
    graph = np.ones((k + 1, k + 1))
    graph[0, 1:] = graph[1:, 0] = weight
    return graph


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 7))
    entails = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n))
    return response_weights(np.array(entails))


@pytest.mark.parametrize("name", GRAPHS)
def test_degrees_entropy_and_verdict_match_the_reference(reference, name):
    entry = reference(name)
    weights, expected = entry["inputs"]["W"], entry["expected"]
    np.testing.assert_allclose(degrees(weights), expected["D"], atol=1e-6)
    assert degree_entropy(weights) == pytest.approx(expected["DSE_nats"], abs=1e-6)
    assert is_uncertain(degree_entropy(weights)) is expected["uncertain_gt_0_2"]


def test_entailment_in_one_direction_weighs_one_half(reference):
    entry = reference("DSE_from_nli_k2")
    weights = response_weights(entry["inputs"]["NLI"])
    assert weights.tolist() == entry["expected"]["W"]
    assert degree_entropy(weights) == pytest.approx(entry["expected"]["DSE_nats"], abs=1e-6)


def test_two_answers_that_half_agree_have_0_415_of_the_highest_entropy():
    # Degrees 1.5 of 2: ln(4/3) of ln 2.
    assert degree_entropy_share([[1, 0.5], [0.5, 1]]) == pytest.approx(math.log2(4 / 3))


def test_one_outlier_counts_less_the_more_chunks_there_are(reference):
    entry = reference("DSE_scale_by_k")
    for k in entry["inputs"]["ks"]:
        expected = entry["expected"][str(k)]
        assert degree_entropy(one_outlier(k, 0)) == pytest.approx(expected["one_full_outlier"], abs=1e-6)
        assert degree_entropy(one_outlier(k, 0.5)) == pytest.approx(expected["one_half_outlier"], abs=1e-6)
        assert degree_entropy(np.eye(k + 1)) == pytest.approx(expected["max"], abs=1e-6)


def test_a_half_agreeing_answer_is_uncertain_up_to_3_chunks_and_certain_from_4():
    verdicts = {k: is_uncertain(degree_entropy(one_outlier(k, 0.5))) for k in range(1, 6)}
    assert verdicts == {1: True, 2: True, 3: True, 4: False, 5: False}


def test_a_missing_self_loop_of_a_lonely_answer_is_refused_not_infinite(reference):
    entry = reference("DSE_zero_degree")
    assert entry["expected"]["DSE"] == "+inf"
    with pytest.raises(ValueError, match=r"answer 0 has degree 0.*set w_ii = 1"):
        degree_entropy(entry["inputs"]["W"])


@pytest.mark.parametrize(("rule", "key"), [("algorithm3", "alg3"), ("equation10", "eq8_10")])
def test_chunk_labels_for_all_nine_pairs_of_weights(reference, rule, key):
    entry = reference("chunk_types")
    for rewritten in entry["inputs"]["w_i0"]:
        for ablated in entry["inputs"]["E_r0_ar"]:
            expected = entry["expected"][f"w_i0={rewritten},E={ablated}"][key]
            assert chunk_labels([[1, rewritten], [rewritten, 1]], [ablated], rule) == [expected]


def test_labels_come_in_chunk_order_and_a_certain_chunk_needs_no_ablation():
    weights = np.ones((4, 4))
    weights[0, 2] = weights[2, 0] = 0.5
    weights[0, 3] = weights[3, 0] = 0.0
    assert chunk_labels(weights, [np.nan, 1, 0]) == ["certain", "unnecessary", "necessary"]


def test_an_uncertain_chunk_without_its_ablation_is_named():
    weights = np.eye(3)
    weights[0, 1] = weights[1, 0] = 1
    with pytest.raises(ValueError, match=r"chunk 2 is uncertain \(weight 0.0\), its ablation was not run"):
        chunk_labels(weights, [np.nan, np.nan])


def test_an_answer_without_chunks_has_no_labels_and_no_entropy():
    assert chunk_labels([[1.0]], []) == []
    assert degree_entropy([[1.0]]) == degree_entropy_share([[1.0]]) == 0.0


@given(graphs())
def test_entropy_lies_between_0_and_ln_n_and_above_the_arithmetic_mean(weights):
    entropy = degree_entropy(weights)
    assert 0 <= entropy <= np.log(len(weights)) + 1e-12
    assert 0 <= degree_entropy_share(weights) <= 1
    assert entropy >= -np.log(1 - degree(weights)) - 1e-12


@given(graphs(), st.randoms())
def test_the_order_of_the_answers_does_not_matter(weights, random):
    order = random.sample(range(len(weights)), len(weights))
    assert degree_entropy(weights[np.ix_(order, order)]) == pytest.approx(degree_entropy(weights), abs=1e-12)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=10))
def test_on_cliques_it_equals_discrete_semantic_entropy(ids):
    weights = np.equal.outer(ids, ids).astype(float)
    assert degree_entropy(weights) == pytest.approx(discrete_semantic_entropy(ids), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: degree_entropy([[1, 0.5], [0, 1]]), "must be symmetric"),
        (lambda: degree_entropy([[1, 1.5], [1.5, 1]]), r"\[0, 1\], got 1.5"),
        (lambda: degree_entropy([]), "non-empty square"),
        (lambda: degree_entropy_share(1.0), "non-empty square"),
        (lambda: response_weights([[1, 0.7], [0.7, 1]]), "true or false, got 0.7"),
        (lambda: symmetrise([[1, 1.2], [0, 1]]), "got 1.2"),
        (lambda: is_uncertain(np.nan), "dse must be at least 0, got nan"),
        (lambda: chunk_labels(np.eye(3), [0.5]), r"2 chunks, got shape \(1,\)"),
        (lambda: chunk_labels(np.eye(2), [2.0]), r"ablation_weights must be in \[0, 1\], got 2.0"),
        (lambda: chunk_labels(np.eye(2), [0.5], "eq10"), "one of algorithm3, equation10, got 'eq10'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_label_is_a_share_of_wordings_and_unclear_where_they_disagree():
    # Three wordings of chunk 0 keep the answer, change half of it and change it; both wordings of chunk 4 change it.
    weights = np.eye(6)
    weights[0, 1:] = weights[1:, 0] = [1, 0.5, 0, 0, 0]
    shares = label_shares(weights, [-1, 0, 0, 0, 4, 4], [1, 0.5])
    assert shares == pytest.approx(np.array([[1 / 3, 0, 2 / 3], [0, 1, 0]]))
    assert [agreed_label(row) for row in shares] == ["unclear", "necessary"]
    assert label_shares(weights, [-1, 0, 0, 0, 4, 4], [1, 0.5], "equation10")[1].tolist() == [0, 0, 1]
