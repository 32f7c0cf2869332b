"""AUROC, AURAC, AUARC, rejection area and Pearson's r."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.ranking import auarc, aurac, auroc, auroc_interval, pearson, prediction_rejection_area

OUTCOMES = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["auroc_auarc_perfect5", "auroc_auarc_mixed5", "auroc_auarc_all_ties4"])
def test_four_areas_match_the_reference(reference, name):
    entry = reference(name)
    correct, uncertainty = np.array(entry["inputs"]["correct"]), entry["inputs"]["uncertainty"]
    expected = entry["expected"]
    assert auroc(1 - correct, uncertainty) == pytest.approx(expected["AUROC_incorrect_vs_u"], abs=1e-6)
    assert aurac(correct, uncertainty) == pytest.approx(expected["AURAC_semantic_uncertainty"], abs=1e-6)
    assert auarc(correct, uncertainty) == pytest.approx(expected["AUARC_lin_trapezoid"], abs=1e-6)
    area = prediction_rejection_area(correct, uncertainty)
    assert area == pytest.approx(expected["lm_polygraph_prediction_rejection_area"], abs=1e-6)
    if "lm_polygraph_rcc_auc" in expected:
        assert 1 - area == pytest.approx(expected["lm_polygraph_rcc_auc"], abs=1e-6)


def test_the_highest_aurac_is_18_of_19_where_auroc_is_undefined(reference):
    entry = reference("aurac_upper_bound")
    correct, uncertainty = entry["inputs"]["correct"], entry["inputs"]["uncertainty"]
    highest = aurac(correct, uncertainty)
    assert highest == pytest.approx(entry["expected"]["AURAC_semantic_uncertainty"], abs=1e-6)
    assert highest == pytest.approx(18 / 19, abs=1e-12)
    assert math.isnan(auroc(1 - np.array(correct), uncertainty))
    assert math.isnan(auroc(correct, uncertainty))


def test_one_class_leaves_auarc_defined():
    assert auarc([1, 1, 1], [0.1, 0.2, 0.3]) == 1.0
    assert auarc([0, 0, 0], [0.1, 0.2, 0.3]) == 0.0
    assert prediction_rejection_area([1, 1, 1], [0.1, 0.2, 0.3]) == 0.5


def test_one_answer_has_no_auarc():
    assert math.isnan(auarc([1], [0.3]))


def test_averaged_ties_forget_the_order_and_stable_ties_do_not():
    uncertainty = [0.5] * 4
    assert auarc([1, 0, 1, 0], uncertainty) != auarc([0, 1, 0, 1], uncertainty)
    for order in ([1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]):
        assert auarc(order, uncertainty, ties="averaged") == pytest.approx(0.5)
        assert prediction_rejection_area(order, uncertainty, ties="averaged") == pytest.approx(0.5)


def test_quality_of_any_scale_is_brought_to_0_to_1():
    uncertainty = [0.0, 0.1, 0.2, 0.9, 1.5]
    scaled = prediction_rejection_area([30, 30, 10, 30, 10], uncertainty)
    assert scaled == pytest.approx(prediction_rejection_area([1, 1, 0, 1, 0], uncertainty))


def test_delta_seper_against_utility_correlates_at_0_908440(reference):
    entry = reference("pearson_vs_utility_label")
    r, p = pearson(entry["inputs"]["delta_seper"], entry["inputs"]["utility_label"])
    expected = entry["expected"]
    assert (r, p) == pytest.approx((expected["r"], expected["p_two_sided"]), abs=1e-6)
    assert r * math.sqrt((4 - 2) / (1 - r * r)) == pytest.approx(expected["t"], abs=1e-6)


@pytest.mark.parametrize(
    ("one", "other"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0, 0, 0]), ([1, 2], [2, 1]), ([1], [1])]
)
def test_a_constant_or_two_points_have_no_correlation(one, other):
    assert all(math.isnan(value) for value in pearson(one, other))


def test_three_points_have_one():
    # Deviations (-1, 0, 1) and (-1, 1, 0): 1 of sqrt(2 * 2). Student's t = 1/sqrt(3) with one degree of freedom.
    assert pearson([0, 1, 2], [0, 2, 1]) == (pytest.approx(0.5), pytest.approx(2 / 3))


@given(OUTCOMES)
def test_auroc_is_the_share_of_pairs_in_the_right_order(outcomes):
    wrong = [u for incorrect, u in outcomes if incorrect]
    right = [u for incorrect, u in outcomes if not incorrect]
    measured = auroc(*zip(*outcomes, strict=True))
    if not wrong or not right:
        assert math.isnan(measured)
    else:
        pairs = [(a > b) + (a == b) / 2 for a in wrong for b in right]
        assert measured == pytest.approx(np.mean(pairs), abs=1e-12)


def newcombe_distance(found: float, bound: float, n_wrong: int, n_right: int) -> float:
    """How many standard errors an AUROC lies from a bound, by Hanley and McNeil's variance at the bound."""
    ranked = bound / (1 + bound) + (1 - bound) / (2 - bound)
    variance = bound * (1 - bound) * (1 + ((n_wrong + n_right) / 2 - 1) * ranked) / (n_wrong * n_right)
    return (found - bound) / math.sqrt(variance)


def test_both_ends_of_an_interval_lie_1_96_standard_errors_from_the_auroc():
    # Of 3 wrong and 7 right answers the wrong ones beat 7, 6 and 2 right ones: 15 of 21 pairs.
    wrong, scores = [0, 0, 1, 0, 0, 0, 0, 1, 0, 1], list(range(10))
    low, high = auroc_interval(wrong, scores)
    assert 0 < low < 15 / 21 < high < 1
    assert newcombe_distance(15 / 21, low, 3, 7) == pytest.approx(1.959964, abs=1e-5)
    assert newcombe_distance(15 / 21, high, 3, 7) == pytest.approx(-1.959964, abs=1e-5)


def test_a_perfect_ranking_turned_round_has_the_mirrored_interval():
    wrong, scores = [0] * 10 + [1] * 10, [0.0] * 10 + [1.0] * 10
    low, high = auroc_interval(wrong, scores)
    assert newcombe_distance(1.0, low, 10, 10) == pytest.approx(1.959964, abs=1e-5) and high == 1.0
    assert auroc_interval(wrong, scores[::-1]) == (0.0, pytest.approx(1 - low, abs=1e-9))


def test_right_answers_only_have_no_interval():
    assert all(math.isnan(end) for end in auroc_interval([0, 0], [0.1, 0.2]))


@given(OUTCOMES)
def test_turning_the_score_round_mirrors_auroc(outcomes):
    incorrect, uncertainty = zip(*outcomes, strict=True)
    there, back = auroc(incorrect, uncertainty), auroc(incorrect, -np.array(uncertainty))
    assert there == pytest.approx(1 - back, nan_ok=True)


@given(OUTCOMES)
def test_areas_stay_in_their_range_and_averaged_ties_ignore_the_order(outcomes):
    correct, uncertainty = zip(*outcomes, strict=True)
    assert 0 <= aurac(correct, uncertainty) <= 18 / 19 + 1e-12
    backwards = correct[::-1], uncertainty[::-1]
    there, back = (auarc(*pair, ties="averaged") for pair in ((correct, uncertainty), backwards))
    assert there == pytest.approx(back, nan_ok=True)
    if len(outcomes) > 1:
        assert 0 <= there <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auroc([], []), "non-empty"),
        (lambda: auroc([1, 0], [0.5]), "2 incorrect, 1 uncertainties"),
        (lambda: auroc([0.5, 1], [1, 2]), "true or false, got 0.5"),
        (lambda: auroc([1, 0], [np.nan, 1]), "NaN at index 0"),
        (lambda: aurac([1, 0], [np.inf, 1]), "must be finite, got inf"),
        (lambda: aurac([1, 2], [0, 1]), r"correct must be in \[0, 1\], got 2.0"),
        (lambda: auarc([1, 0], [0, 1], "random"), "ties must be one of stable, averaged, got 'random'"),
        (lambda: prediction_rejection_area([np.inf, 0], [0, 1]), "quality must be finite"),
        (lambda: pearson([1, 2, 3], [1, 2]), "got 3 and 2 values"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
