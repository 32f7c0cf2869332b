"""What views say of their numbers: shares with Wilson's interval, worked by hand, and thresholds that do as told."""

import numpy as np
import pytest

from engine.runs.studies.views.replay import roundest
from tests.engine.runs.studies.test_views import made_table, values, view_named

# Wilson's interval at the ends: of 0 in n it reaches up to z² / (n + z²), with z² = 3.8415.
NONE_OF_FIVE, ALL_OF_FIVE = "0.00 (0.00 to 0.43, n = 5)", "1.00 (0.57 to 1.00, n = 5)"


def test_a_threshold_that_is_printed_looks_up_what_its_point_says() -> None:
    # Of four samples: all alike, two and two (ln 2), all apart (ln 4). At 0.69 the eight at ln 2 and above look up.
    entropy = np.repeat([0.0, np.log(2), np.log(4)], 4)
    table = made_table(
        sugar__closed_book__entropy=entropy.tolist(),
        memory__right=[1] * 8 + [0] * 4,
        answer__right=[0] * 8 + [1] * 4,
        sugar__answer__right=[1] * 12,
        sugar__steps=[0] * 12,
    )
    marks = view_named("sugar_steps").measure(table).marks
    told = [(float(one.label[4:]), one.x) for one in marks if one.label.startswith("τ")]
    assert told and all(np.mean(entropy > threshold) == pytest.approx(x) for threshold, x in told)
    assert "τ = 0.69" not in {one.label for one in marks} and "τ = 0.70" in {one.label for one in marks}


def test_a_threshold_of_large_counts_is_printed_whole() -> None:
    counts = [12_001, 12_344, 12_346, 250_000, 1_234_567, 3_000_000_000] * 2
    table = made_table(quco_rag__mean_count=counts, memory__right=[0] * 12, answer__right=[1] * 12)
    marks = view_named("quco_thresholds").measure(table).marks
    told = {one.label: one.x for one in marks if one.label.startswith("τ")}
    assert not any("e+" in label for label in told)
    for label, x in told.items():
        threshold = float(label[4:].replace(",", ""))
        assert np.mean([count < threshold for count in counts]) == pytest.approx(x), label
    assert told["τ = 3,000,000,000"] == pytest.approx(10 / 12)


def test_a_threshold_has_no_more_decimals_than_part_the_values() -> None:
    assert roundest(np.array([0.0, 0.775, 1.2]), 0.775) == 0.78
    assert roundest(np.array([0.7751, 0.7752]), 0.7751) == 0.7751
    assert roundest(np.array([-0.5, -0.25]), -0.375) == -0.37


def test_the_finding_on_rare_names_tells_the_rarest_and_the_most_frequent_bin() -> None:
    columns = {"quco_rag__mean_count": [float(at) for at in range(1, 26)], "memory__right": [0] * 25}
    found = view_named("quco_frequency").measure(made_table(answer__right=[0] * 20 + [1] * 5, **columns))
    assert found.finding == f"Over the passages: rarest names {NONE_OF_FIVE}, most frequent {ALL_OF_FIVE}."
    looped = made_table(answer__right=[0] * 25, timing__runs__quco_rag__right=[1] * 25, **columns)
    assert set(values(view_named("quco_frequency").measure(looped), "QuCo-RAG's loop").values()) == {1.0}
    one = made_table(quco_rag__mean_count=[7.0] * 5, memory__right=[0] * 5, answer__right=[1] * 5)
    assert view_named("quco_frequency").measure(one).finding == (
        f"Every mean count is within 7; right over the passages: {ALL_OF_FIVE}."
    )


def test_the_finding_on_a_threshold_tells_always_and_the_best_with_fewest_lookups() -> None:
    table = made_table(
        quco_rag__mean_count=[1, 10, 100, 1000] * 5,
        memory__right=[0, 0, 1, 1] * 5,
        answer__right=[1, 1, 0, 0] * 5,
    )
    said = view_named("quco_thresholds").measure(table).finding
    # Wilson of 10 in 20: 0.5 ± 1.96 · sqrt(0.25 / 20 + 3.8415 / 1600) / (1 + 3.8415 / 20) = 0.5 ± 0.2007.
    assert said.startswith("Always one lookup: 0.50 (0.30 to 0.70, n = 20). Best threshold: τ = ")
    assert said.endswith(", 1.00 (0.84 to 1.00, n = 20) at 0.50 lookups.")


def test_the_finding_on_evidence_tells_wrong_answers_and_right_ones() -> None:
    table = made_table(
        quco_rag__stepwise__unsupported=[1] * 5 + [0] * 5,
        quco_rag__stepwise__supported=[0] * 5 + [1] * 5,
        quco_rag__stepwise__right=[0] * 5 + [1] * 5,
    )
    found = view_named("quco_evidence").measure(table)
    assert found.finding == (
        f"A claim has no evidence: of wrong answers {ALL_OF_FIVE}, of right answers {NONE_OF_FIVE}."
    )
    assert values(found, "every claim has evidence") == {"wrong answers": 0.0, "right answers": 1.0}
    assert values(found, "no claim could be checked") == {"wrong answers": 0.0, "right answers": 0.0}
    right_only = made_table(
        quco_rag__stepwise__unsupported=[0] * 5,
        quco_rag__stepwise__supported=[1] * 5,
        quco_rag__stepwise__right=[1] * 5,
    )
    assert view_named("quco_evidence").measure(right_only).finding == (
        f"A claim has no evidence: of right answers {NONE_OF_FIVE}."
    )


def test_passages_of_known_utility_without_a_seper_make_no_finding() -> None:
    nan = np.nan
    apart = {"seper__delta_soft": [0.1, nan], "passages__hold": [1, nan], "passages__utility": [nan, 1]}
    found = view_named("seper_change").measure(made_table(**apart))
    assert (found.finding, found.marks) == ("", ()) and found.missing.startswith("These settings have too few")
