"""ETC: differences, smoothing and triggers of the entropy sequence, by the paper and by the released code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.entropy_trend import (
    attention_weighted,
    first_differences,
    normalise_attention,
    second_difference_bounds,
    second_differences,
    smooth,
    smoothed_bounds,
    smoothing_weights,
    triggers,
)

SEQUENCES = [
    "differences_basic_5_content_words",
    "differences_all_entropies_equal",
    "differences_linear_entropies",
    "differences_two_content_words",
    "differences_one_content_word",
    "differences_spike_then_back",
    "differences_rising_uncertainty",
    "differences_leading_function_words",
    "differences_function_words_skipped",
    "differences_constant_second_difference",
    "differences_tie_in_first_difference",
]
SERIES = st.lists(st.floats(-10, 10), max_size=12)


def numbers(values):
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def words_of(entry):
    entropies = entry["inputs"]["entropies"]
    return entropies, [i not in entry["inputs"]["function_word_indices"] for i in range(len(entropies))]


def on_words(placed, n):
    """The layout of the released code: one value per word, 0 where there is none."""
    row = np.zeros(n)
    for index, value in placed:
        row[index] = value
    return row


@pytest.mark.parametrize("name", SEQUENCES)
def test_paper_differences_and_every_smoothing_match_the_reference(reference, name):
    entry = reference(name)
    entropies, is_content = words_of(entry)
    expected = entry["expected"]
    first = [value for _, value in first_differences(entropies, is_content)]
    second = [value for _, value in second_differences(entropies, is_content)]
    np.testing.assert_allclose(first, expected["paper_d1"], atol=1e-6)
    np.testing.assert_allclose(second, expected["paper_d2"], atol=1e-6)
    np.testing.assert_allclose(smooth(second), expected["paper_smoothed_convex"], atol=1e-6)
    np.testing.assert_allclose(smooth(second, "literal"), expected["paper_smoothed_literal_eq12"], atol=1e-6)


@pytest.mark.parametrize("name", SEQUENCES)
def test_weights_match_equation_10_and_are_nan_where_it_is_undefined(reference, name):
    entry = reference(name)
    second = [value for _, value in second_differences(*words_of(entry))]
    np.testing.assert_allclose(smoothing_weights(second), numbers(entry["expected"]["paper_w"]), atol=1e-6)


@pytest.mark.parametrize("name", SEQUENCES)
def test_code_variant_matches_the_released_loop_word_by_word(reference, name):
    entry = reference(name)
    entropies, is_content = words_of(entry)
    expected, n = entry["expected"], len(entropies)
    placed = second_differences(entropies, is_content, variant="code")
    smoothed = smooth([value for _, value in placed], "code")
    released_first = on_words(first_differences(entropies, is_content), n)
    np.testing.assert_allclose(released_first, expected["official_s1"], atol=1e-6)
    np.testing.assert_allclose(on_words(placed, n), expected["official_s2"], atol=1e-6)
    released = on_words([(i, value) for (i, _), value in zip(placed, smoothed, strict=True)], n)
    np.testing.assert_allclose(released, numbers(expected["official_smoothed"]), atol=1e-6)


@pytest.mark.parametrize("name", SEQUENCES)
def test_code_smoothing_also_takes_the_released_layout_with_a_0_per_missing_word(reference, name):
    expected = reference(name)["expected"]
    np.testing.assert_allclose(
        smooth(expected["official_s2"], "code"), numbers(expected["official_smoothed"]), atol=1e-6
    )


def test_values_stand_at_the_last_of_the_three_content_words():
    is_content = [True, False, True, False, True, True, False, True]
    placed = second_differences([1, 9, 2, 9, 4, 3, 9, 3.5], is_content)
    assert placed == [(4, 1.0), (5, -3.0), (7, 1.5)]


def test_second_weight_is_always_one_half():
    # d = (0, 4): the running mean lies halfway between the first two values, so both are equally far.
    assert [smoothing_weights([0, 4, x])[1] for x in (1, 2.4, 3, 10)] == [0.5] * 4


@pytest.mark.parametrize(("last", "weight"), [(1, 0.778), (2.4, 0.875), (3, 0.714), (10, 0.111)])
def test_third_weight_depends_on_the_distance_from_the_trend(last, weight):
    assert smoothing_weights([0, 4, last])[2] == pytest.approx(weight, abs=5e-4)


def test_a_value_farther_from_the_running_mean_can_weigh_more():
    # d = (0, 4, x), E = (4 + x) / 3: for 7, |4 − 11/3| = 1/3 against 10/3; for 20, 4 against 12; for 1000, near 1/3.
    assert [smoothing_weights([0, 4, x])[2] for x in (7, 20, 1000)] == pytest.approx([1 / 11, 1 / 4, 0.332], abs=5e-4)


def test_fixed_smoothing_takes_nine_tenths_of_the_current_value():
    np.testing.assert_allclose(smooth([1.0, -3.0, 1.5], "fixed"), [1.0, -2.6, 1.05])


def test_no_smoothing_gives_a_copy():
    values = np.array([1.0, -3.0])
    smoothed = smooth(values, "none")
    smoothed[0] = 9
    assert values[0] == 1.0


@given(SERIES)
def test_paper_smoothing_stays_between_the_value_and_its_predecessor(values):
    smoothed = smooth(values)
    assert list(smoothed[:1]) == values[:1]
    for t in range(1, len(values)):
        low, high = sorted(values[t - 1 : t + 1])
        assert low - 1e-9 <= smoothed[t] <= high + 1e-9


@given(SERIES)
def test_a_later_word_never_changes_an_earlier_value(values):
    for variant in ("paper", "code", "literal", "fixed"):
        np.testing.assert_array_equal(smooth(values, variant)[:3], smooth(values[:3], variant))


@given(st.lists(st.floats(0, 12), min_size=3, max_size=12), st.floats(-5, 5))
def test_second_differences_ignore_a_constant_and_vanish_on_a_line(entropies, slope):
    every = [True] * len(entropies)
    line = slope * np.arange(len(entropies))
    before, after = second_differences(entropies, every), second_differences(np.add(entropies, line), every)
    np.testing.assert_allclose([v for _, v in before], [v for _, v in after], atol=1e-9)


def test_attention_times_smoothed_value_fires_signed_at_word_2_and_absolute_at_2_and_3(reference):
    entry = reference("trigger_signed_vs_abs")
    inputs, expected = entry["inputs"], entry["expected"]
    attention, alpha = inputs["max_attention"], inputs["threshold"]
    value = attention_weighted(inputs["smoothed"], range(5), attention)
    np.testing.assert_allclose(normalise_attention(attention), expected["attention_normalised"], atol=1e-6)
    np.testing.assert_allclose(value, expected["value"], atol=1e-6)
    signed = triggers(value, alpha, mode="signed", strict=True)
    assert signed.tolist() == expected["trigger_signed"]
    assert triggers(value, alpha, strict=True).tolist() == expected["trigger_abs"]
    assert int(np.flatnonzero(signed)[0]) == expected["first_trigger_index"]


def test_a_value_of_exactly_alpha_fires_in_the_paper_and_not_in_the_code(reference):
    entry = reference("trigger_uniform_attention_abs")
    inputs, expected = entry["inputs"], entry["expected"]
    value = attention_weighted(inputs["smoothed"], range(5), inputs["max_attention"])
    assert triggers(value, inputs["threshold"], strict=True).tolist() == expected["trigger_abs_code_gt"]
    paper = triggers(expected["paper_smoothed_convex"], inputs["threshold"])
    assert paper.tolist() == expected["paper_ge_alpha_convex"]


def test_attention_is_relative_to_the_words_own_sentence(reference):
    entry = reference("trigger_sentence_order")
    inputs, expected = entry["inputs"], entry["expected"]
    sentences = [0, 0, 0, 1, 1, 1, 1]
    value = attention_weighted(inputs["smoothed"], range(7), inputs["max_attention"], sentences)
    fired = triggers(value, inputs["threshold"], mode="signed", strict=True)
    assert int(np.flatnonzero(fired)[0]) == expected["curr_st"]
    assert fired[expected["curr_st"] : expected["curr_en"]].tolist() == expected["curr_thres"]
    np.testing.assert_allclose(normalise_attention([1, 3, 2], [7, 7, 4]), [0.5, 1.5, 1.0], atol=1e-9)


def test_whole_road_of_the_code_variant_on_function_words():
    entropies, is_content = [1, 9, 2, 9, 4, 3, 9, 3.5], [1, 0, 1, 0, 1, 1, 0, 1]
    placed = second_differences(entropies, is_content, "code")
    smoothed = smooth([value for _, value in placed], "code")
    words = [index for index, _ in placed]
    value = attention_weighted(smoothed, words, np.full(8, 0.2))
    fired = triggers(value, 1.2, mode="signed", strict=True)
    assert [word for word, hit in zip(words, fired, strict=True) if hit] == [7]


def test_nan_never_triggers_and_silent_attention_weighs_nothing():
    assert triggers([np.nan, 2.0], 1.0).tolist() == [False, True]
    assert attention_weighted([5.0], [0], [0.0, 0.0]).tolist() == [0.0]
    assert triggers([], 1.0).tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: second_differences([1.0, 2.0], [True]), "2 entropies"),
        (lambda: second_differences([1.0, np.nan], [True, True]), "NaN at index 1"),
        (lambda: second_differences([1.0, np.inf], [True, True]), "must be finite"),
        (lambda: second_differences([1.0], [0.5]), "true or false, got 0.5"),
        (lambda: second_differences([1.0], [True], "literal"), "one of paper, code, got 'literal'"),
        (lambda: smooth([1.0], "convex"), "variant must be one of paper, code, literal, fixed, none"),
        (lambda: smooth([np.nan]), "NaN at index 0"),
        (lambda: triggers([1.0], 1.0, mode="both"), "mode must be one of abs, signed, got 'both'"),
        (lambda: triggers([1.0], np.nan), "alpha must be a number"),
        (lambda: normalise_attention([0.1, -0.1]), "not negative"),
        (lambda: normalise_attention([0.1, 0.1], [0]), "2 words"),
        (lambda: attention_weighted([1.0], [0, 1], [0.1, 0.1]), "1 values, 2 indices"),
        (lambda: attention_weighted([1.0], [2], [0.1, 0.1]), r"in \[0, 2\), got \[2\]"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_words_at_all_give_no_differences():
    assert second_differences([], []) == [] and smooth([]).size == 0


def test_the_code_variant_leaves_out_a_difference_of_nothing():
    assert first_differences([1.0, 2.0, 2.0, 5.0], [True] * 4, variant="code") == [(1, 1.0), (3, 3.0)]
    # First differences 1, 1 and 2: the released loop cannot tell 1 - 1 from a value that is missing.
    assert second_differences([1.0, 2.0, 3.0, 5.0], [True] * 4, variant="code") == [(3, 1.0)]
    assert second_differences([1.0, 2.0, 3.0, 5.0], [True] * 4) == [(2, 0.0), (3, 1.0)]


def test_smoothed_bounds_reach_back_by_one_value_only():
    assert smoothed_bounds([3.0, -1.0, 0.5, 7.0], [4.0, 0.0, 2.0, 8.0]) == [(3, 4), (-1, 4), (-1, 2), (0.5, 8)]


def test_bounds_of_second_differences_hold_every_value_the_entropies_allow():
    rng = np.random.default_rng(0)
    content = [True, True, False, True, True, True, False, True]
    low = rng.uniform(0, 3, len(content))
    high = low + rng.uniform(0, 1, len(content))
    bounds = second_difference_bounds(low, high, content)
    smoothed = smoothed_bounds([least for _, least, _ in bounds], [most for _, _, most in bounds])
    for _ in range(200):
        placed = second_differences(rng.uniform(low, high), content)
        assert [index for index, _ in placed] == [index for index, _, _ in bounds]
        for (_, value), (_, least, most) in zip(placed, bounds, strict=True):
            assert least - 1e-12 <= value <= most + 1e-12
        for value, (least, most) in zip(smooth([value for _, value in placed]), smoothed, strict=True):
            assert least - 1e-12 <= value <= most + 1e-12


def test_bounds_of_exact_entropies_are_the_values_and_bounds_upside_down_are_refused():
    entropies = [1.0, 2.0, 4.0, 3.0]
    placed = second_differences(entropies, [True] * 4)
    assert second_difference_bounds(entropies, entropies, [True] * 4) == [(i, v, v) for i, v in placed]
    with pytest.raises(ValueError, match="above its upper bound"):
        second_difference_bounds([2.0], [1.0], [True])
    with pytest.raises(ValueError, match="1 lower bounds and 2 upper bounds"):
        smoothed_bounds([1.0], [1.0, 2.0])
