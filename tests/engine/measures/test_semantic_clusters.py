"""Clusters of answers with one meaning, as Kuhn et al. form them and as released code overwrites them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.semantic_clusters import cluster, cluster_probabilities, equivalent, first_members
from engine.measures.semantic_perplexity import sample_weights

# a means c and b means c, but a does not mean b.
NOT_TRANSITIVE = [[2, 1, 2], [1, 2, 2], [2, 2, 2]]


@st.composite
def entailments(draw):
    n = draw(st.integers(1, 7))
    row = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    return draw(st.lists(row, min_size=n, max_size=n))


def test_entailment_one_way_and_neutral_back_is_strictly_different_and_loosely_the_same(reference):
    entry = reference("clustering_modes")
    forward, backward = entry["inputs"]["implication_a_to_b"], entry["inputs"]["implication_b_to_a"]
    ids = {rule: cluster([[2, forward], [backward, 2]], rule).tolist() for rule in ("strict", "loose")}
    assert (ids["strict"] == [0, 0]) is entry["expected"]["strict_bidirectional_same_cluster"]
    assert (ids["loose"] == [0, 0]) is entry["expected"]["loose_same_cluster"]


@pytest.mark.parametrize(
    ("forward", "backward", "strict", "loose"),
    [
        (2, 2, True, True),
        (2, 1, False, True),
        (1, 2, False, True),
        (1, 1, False, False),
        (2, 0, False, False),
        (0, 1, False, False),
        (0, 0, False, False),
    ],
)
def test_loose_wants_no_contradiction_and_one_entailment(forward, backward, strict, loose):
    assert bool(equivalent(forward, backward)) is strict
    assert bool(equivalent(forward, backward, "loose")) is loose


def test_released_code_lets_the_later_seed_take_the_shared_answer(reference):
    entry = reference("hard_clustering_overwrite")
    assert cluster(NOT_TRANSITIVE, overwrite=True).tolist() == entry["expected"]["semantic_ids_official"]
    assert cluster(NOT_TRANSITIVE).tolist() == [0, 1, 0]


def test_cluster_mass_is_the_sum_of_the_softmax_weights(reference):
    for name, ids, logprobs in [
        ("logsumexp_by_id", "semantic_ids", "log_liks"),
        ("semantic_entropy_from_loglik", "semantic_ids", "mean_token_loglik"),
    ]:
        entry = reference(name)
        weights = sample_weights(entry["inputs"][logprobs])
        mass = cluster_probabilities(weights, entry["inputs"][ids])
        np.testing.assert_allclose(mass, entry["expected"]["p_cluster"], atol=1e-6)
    log_mass = reference("logsumexp_by_id")["expected"]["log_p_cluster"]
    np.testing.assert_allclose(np.log(mass), log_mass, atol=1e-6)


@given(entailments(), st.sampled_from(["strict", "loose"]), st.booleans())
def test_ids_start_at_0_without_a_gap_in_order_of_first_appearance(entails, rule, overwrite):
    ids = cluster(entails, rule, overwrite)
    assert ids[0] == 0
    members = first_members(ids)
    assert list(members) == sorted(members)
    assert ids[members].tolist() == list(range(ids.max() + 1))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=10), st.booleans())
def test_a_transitive_relation_gives_its_classes_either_way(labels, overwrite):
    entails = np.where(np.equal.outer(labels, labels), 2, 0)
    ids = cluster(entails, overwrite=overwrite)
    np.testing.assert_array_equal(np.equal.outer(ids, ids), np.equal.outer(labels, labels))


@given(entailments(), st.integers(1, 7), st.sampled_from(["strict", "loose"]))
def test_more_samples_leave_the_clusters_of_the_first_ones(entails, first, rule):
    part = [row[:first] for row in entails[:first]]
    np.testing.assert_array_equal(cluster(entails, rule)[:first], cluster(part, rule))


def test_the_diagonal_is_not_asked():
    assert cluster([[-1, 2], [2, -1]]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster([[2, 4], [2, 2]]), "got 4.0"),
        (lambda: cluster([[2]], "bi"), "rule must be one of strict, loose, got 'bi'"),
        (lambda: cluster([]), "non-empty square"),
        (lambda: cluster_probabilities([0.5, 0.5], [0]), "2 weights, 1 ids"),
        (lambda: cluster_probabilities([0.5, 0.4], [0, 1]), "sum to 1, got 0.9"),
        (lambda: cluster_probabilities([0.5, 0.5], [0, 2]), "without a gap"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
