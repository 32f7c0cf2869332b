"""QuCo-RAG: decisions from corpus counts, where "not measured" is its own answer."""

import math

import pytest

from engine.measures.co_occurrence import (
    aggregate_count,
    is_unsupported,
    mean_entity_count,
    needs_initial_retrieval,
    percentile_count,
)


@pytest.mark.parametrize(
    "name",
    [
        "question_avg_below",
        "question_avg_above",
        "question_avg_equal_threshold",
        "question_dup_entities",
        "question_no_entities",
        "question_api_failure_one",
        "question_api_failure_all",
        "question_zero_freq",
    ],
)
def test_mean_count_and_decision_match_the_reference(reference, name):
    entry = reference(name)
    counts, threshold = list(entry["inputs"]["counts"].values()), entry["inputs"]["threshold"]
    expected = entry["expected"]["avg_count"]
    measured = mean_entity_count(counts)
    assert measured == pytest.approx(math.nan if expected is None else expected, abs=1e-6, nan_ok=True)
    assert needs_initial_retrieval(counts, threshold) is entry["expected"]["needs_retrieval"]


@pytest.mark.parametrize(
    ("count", "threshold", "verdict"), [(0, 1, True), (1, 1, False), (19, 20, True), (20, 20, False)]
)
def test_a_claim_is_unsupported_strictly_below_the_threshold(count, threshold, verdict):
    assert is_unsupported(count, threshold) is verdict


def test_a_failed_look_up_is_neither_support_nor_its_absence():
    assert is_unsupported(None) is None


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="a corpus count must be at least 0, got -1"):
        mean_entity_count([3, -1])
    with pytest.raises(ValueError, match="got -1"):
        is_unsupported(-1)


@pytest.mark.parametrize(
    ("how", "value", "retrieves"), [("min", 10.0, True), ("mean", 755.0, True), ("max", 1500.0, False)]
)
def test_the_counts_are_summed_up_by_mean_min_or_max(how, value, retrieves):
    assert aggregate_count([10, None, 1500], how) == value
    assert needs_initial_retrieval([10, None, 1500], 1000, how) is retrieves


def test_a_percentile_is_the_smallest_count_that_this_share_of_the_names_reach_at_most():
    assert [percentile_count([1, 1, 2, 9], share) for share in (1, 50, 51, 75, 76, 100)] == [1, 1, 2, 2, 9, 9]
    assert math.isnan(percentile_count([], 75))
    for strange in (0, -5, 101):
        with pytest.raises(ValueError, match="a percentile must be in"):
            percentile_count([1], strange)


def test_a_fractional_percentile_counts_as_it_is_printed():
    # 16.1 % of 1,000 names are 161, although the product in binary is 161.00000000000003.
    ranked = range(1, 1001)
    assert [percentile_count(ranked, share) for share in (1.1, 16.1, 16.11, 32.7, 64.4)] == [11, 161, 162, 327, 644]
