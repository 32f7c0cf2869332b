"""Graph baselines: Lin et al. 2023 and kernel language entropy (Nikitin et al. 2024)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.graph_uncertainty import (
    degree,
    eccentricity,
    eigenvalue,
    kernel_language_entropy,
    relation_weights,
)
from engine.measures.response_graph import degree_entropy, symmetrise

LIN = [
    "lin_all_equal_4",
    "lin_all_different_4",
    "lin_two_clusters_2_2",
    "lin_two_clusters_3_1",
    "lin_two_clusters_5_1",
    "lin_single_response",
    "lin_fractional_3",
]
KLE = ["kle_all_equal_3", "kle_all_neutral_3", "kle_all_contradiction_3", "kle_pair_and_one_3"]


def kernels(weights):
    return {
        "heat_t0_1_raw_nats": kernel_language_entropy(weights, scale=False),
        "heat_t0_1_scaled": kernel_language_entropy(weights),
        "heat_t0_3_scaled": kernel_language_entropy(weights, t=0.3),
        "matern_k3_nu3_raw": kernel_language_entropy(weights, "matern", scale=False),
        "matern_k3_nu3_scaled": kernel_language_entropy(weights, "matern"),
    }


@st.composite
def weight_graphs(draw):
    n = draw(st.integers(1, 6))
    row = st.lists(st.floats(0, 1), min_size=n, max_size=n)
    return symmetrise(draw(st.lists(row, min_size=n, max_size=n)))


@pytest.mark.parametrize("name", LIN)
def test_lin_scores_and_dense_on_the_same_graph_match_the_reference(reference, name):
    entry = reference(name)
    weights, expected = symmetrise(entry["inputs"]["W_directional"]), entry["expected"]
    assert degree(weights) == pytest.approx(expected["U_deg"], abs=1e-6)
    assert eigenvalue(weights) == pytest.approx(expected["U_eigv"], abs=1e-6)
    assert eccentricity(weights) == pytest.approx(expected["U_ecc_thr0_9"], abs=1e-6)
    assert degree_entropy(weights) == pytest.approx(expected["DSE_same_W"], abs=1e-6)


# A graph whose normalised Laplacian has the eigenvalue 9/10, the limit itself, and the same with its answers reordered:
# NumPy finds 9/10 + 1e-16 in one and 9/10 - 4e-16 in the other.
ON_THE_LIMIT = ["1001111", "0101111", "0011010", "1111011", "1100101", "1111010", "1101101"]
REORDERED = ["1101101", "1111011", "0111101", "1111010", "1010101", "0101010", "1110101"]


@pytest.mark.parametrize("rows", [ON_THE_LIMIT, REORDERED])
def test_an_eigenvalue_at_the_limit_is_no_meaning_whatever_side_rounding_puts_it_on(rows):
    weights = [[int(cell) for cell in row] for row in rows]
    # λ = 9/10 is an eigenvalue of I - D^(-1) W, exactly: D^(-1) W - I/10 has no inverse. Those below are far from it.
    assert determinant([[Fraction(w, sum(row)) - Fraction(i == j, 10) for j, w in enumerate(row)]
                        for i, row in enumerate(weights)]) == 0  # fmt: skip
    assert eccentricity(weights) == pytest.approx(eccentricity(weights, limit=0.8985), abs=1e-9)
    assert eccentricity(weights) == pytest.approx(1.7345955341668704, abs=1e-9)
    assert eccentricity(weights, limit=0.9 + 1e-6) > 1.9


def determinant(rows):
    """Return the determinant of a matrix of fractions, exactly, by its first row."""
    if not rows:
        return Fraction(1)
    smaller = [[row[:column] + row[column + 1 :] for row in rows[1:]] for column in range(len(rows))]
    terms = [(-1) ** column * rows[0][column] * determinant(smaller[column]) for column in range(len(rows))]
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("name", ["lin_all_equal_4", "lin_two_clusters_2_2", "lin_fractional_3"])
def test_laplacian_spectrum_behind_them_matches_the_reference(reference, name):
    entry = reference(name)
    spectrum = np.array(entry["expected"]["laplacian_eigenvalues"])
    soft_count = eigenvalue(symmetrise(entry["inputs"]["W_directional"]))
    assert np.maximum(0, 1 - spectrum).sum() == pytest.approx(soft_count, abs=1e-6)


@pytest.mark.parametrize("name", KLE)
def test_kernel_language_entropy_matches_the_reference(reference, name):
    entry = reference(name)
    measured = kernels(entry["inputs"]["W_sum_both_directions"])
    for key, expected in entry["expected"].items():
        assert measured[key] == pytest.approx(expected, abs=1e-6), key


def test_equal_answers_do_not_reach_0():
    assert kernel_language_entropy(np.full((3, 3), 2.0)) == pytest.approx(0.96009, abs=1e-6)


def test_relation_weights_sum_both_directions():
    entails = [[2, 2, 0], [1, 2, 1], [0, 1, 2]]
    assert relation_weights(entails).tolist() == [[0, 1.5, 0], [1.5, 0, 1], [0, 1, 0]]
    assert relation_weights([[2, 2], [2, 2]])[0, 1] == 2


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_on_cliques_the_soft_number_of_meanings_is_their_number(labels):
    weights = np.equal.outer(labels, labels).astype(float)
    meanings = len(set(labels))
    assert eigenvalue(weights) == pytest.approx(meanings, abs=1e-9)
    assert eccentricity(weights) == pytest.approx(np.sqrt(meanings - 1), abs=1e-6)


@given(weight_graphs())
def test_every_score_stays_in_its_range(weights):
    n = len(weights)
    assert -1e-12 <= degree(weights) <= 1 - 1 / n + 1e-9
    assert 1 - 1e-9 <= eigenvalue(weights) <= n + 1e-9
    assert 0 <= eccentricity(weights) <= np.sqrt(n) + 1e-9
    for kernel in ("heat", "matern"):
        assert 0 <= kernel_language_entropy(2 * weights, kernel) <= 1 + 1e-9


@given(weight_graphs())
def test_self_loops_do_not_change_the_kernel(weights):
    without = weights - np.diag(np.diag(weights))
    assert kernel_language_entropy(weights) == pytest.approx(kernel_language_entropy(without), abs=1e-12)


def test_the_heat_kernel_agrees_with_scipys_matrix_exponential():
    from scipy.linalg import expm

    weights = np.array([[0, 1.5, 0.2], [1.5, 0, 1.0], [0.2, 1.0, 0]])
    heat = expm(-0.1 * (np.diag(weights.sum(1)) - weights))
    spectrum = np.linalg.eigvalsh(heat / np.sqrt(np.outer(heat.diagonal(), heat.diagonal())) / 3)
    expected = -(spectrum * np.log(spectrum)).sum()
    assert kernel_language_entropy(weights, scale=False) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: degree([[1, 0.9], [0.7, 1]]), "must be symmetric"),
        (lambda: eigenvalue(np.zeros((2, 2))), "answer 0 has degree 0"),
        (lambda: eccentricity([[1, 2], [2, 1]]), "got 2.0"),
        (lambda: kernel_language_entropy([[0, 3], [3, 0]]), r"\[0, 2\], got 3.0"),
        (lambda: kernel_language_entropy(np.eye(2), "rbf"), "kernel must be one of heat, matern, got 'rbf'"),
        (lambda: kernel_language_entropy(np.eye(2), t=0), "must be positive, got 0"),
        (lambda: relation_weights([[2, 3], [2, 2]]), "got 3.0"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
