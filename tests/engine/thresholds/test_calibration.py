"""Fitting: thresholds worked by hand, the reasons where there is none, and the policies at equal cost."""

from dataclasses import replace

import pytest

from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.measures.decision_threshold import mean_count
from engine.methods.timing.base import PolicyThreshold, PolicyTrace, Signal, fired
from engine.methods.timing.method import TimingConfig
from engine.methods.timing.trace import NO_VALUE, replay
from engine.thresholds.calibration import (
    Budget,
    compare_policies,
    decision,
    fitted,
    is_for_fitting,
    loops_of,
    peaks_of,
    policy_threshold,
    row_of,
    share_that_fires,
    too_few,
)
from tests.engine.thresholds.calibration_case import diagnosed, fit, loop, loop_row, peaks, row

FIT_ON = [n for n in range(2000) if is_for_fitting(f"Question {n}?")]
TEST_ON = [n for n in range(2000) if not is_for_fitting(f"Question {n}?")]
# Twenty right answers at 0.0, twenty wrong ones at 1.0: every cut between them is perfect, and 0.5 is half way.
CLEAR = [(0.0, False)] * 20 + [(1.0, True)] * 20


def asked(fitting, testing=None):
    """Return (question, uncertainty, is wrong): some of the questions that are fitted on, some that are tested on."""
    testing = fitting if testing is None else testing
    return [
        (f"Question {n}?", value, wrong)
        for numbers, pairs in ((FIT_ON, fitting), (TEST_ON, testing))
        for n, (value, wrong) in zip(numbers, pairs, strict=False)
    ]


def named(rows, name: str):
    """Return one fitted threshold by its name."""
    return next(one for one in fitted(rows, Budget()) if one.name == name)


def test_two_clear_classes_are_cut_half_way_and_hold_on_other_questions() -> None:
    found = decision("dse", asked(CLEAR))
    assert (found.value, found.questions, found.wrong) == (0.5, 40, 20)
    assert (found.balanced_accuracy, found.auroc) == (1.0, 1.0)
    assert (found.interval.low, found.interval.high) == (0.5, 0.5)
    assert (found.tested.questions, found.tested.sensitivity, found.tested.specificity) == (40, 1.0, 1.0)
    # 20 of 20: Clopper and Pearson's lower end is 0.025^(1/20); of the mean of two, 1 - (1 - 0.8316)/sqrt(2).
    assert found.tested.sensitivity_interval.low == pytest.approx(0.025 ** (1 / 20))
    low = found.tested.balanced_accuracy_interval.low
    assert low == pytest.approx(1 - (1 - 0.025 ** (1 / 20)) / 2**0.5)


def test_answers_on_the_wrong_side_cost_what_they_cost_by_hand_on_both_halves() -> None:
    # To fit on: 16 right, 2 of them at 1.0; 8 wrong, 1 of them at 0.0. To test on: twice that, 4 wrong at 0.0.
    fitting = [(0.0, False)] * 14 + [(1.0, False)] * 2 + [(1.0, True)] * 7 + [(0.0, True)]
    testing = [(0.0, False)] * 28 + [(1.0, False)] * 4 + [(1.0, True)] * 12 + [(0.0, True)] * 4
    found = decision("dse", asked(fitting, testing))
    assert (found.value, found.balanced_accuracy) == (0.5, (7 / 8 + 14 / 16) / 2)
    # A wrong one above a right one: 7 of 8 times 14 of 16; ties (7/8 · 2/16 + 1/8 · 14/16) count half.
    assert found.auroc == pytest.approx(7 / 8 * 14 / 16 + (7 / 8 * 2 / 16 + 1 / 8 * 14 / 16) / 2)
    assert (found.tested.wrong, found.tested.sensitivity, found.tested.specificity) == (16, 12 / 16, 28 / 32)
    assert found.tested.balanced_accuracy == (12 / 16 + 28 / 32) / 2


def test_a_ranking_whose_interval_holds_chance_is_refused() -> None:
    # AUROC 0.5 + 0.5 · (0.5 - 0.3) = 0.6 of 40 answers: 0.42 to 0.75.
    half = [(0.0, False)] * 14 + [(1.0, False)] * 6 + [(0.0, True)] * 10 + [(1.0, True)] * 10
    found = decision("dse", asked(half))
    assert (found.value, found.tested, found.auroc) == (None, None, pytest.approx(0.6))
    assert found.auroc_interval.low < 0.5 < found.auroc_interval.high and "does not leave out 0.5" in found.reason


def test_a_cut_that_fails_on_the_other_questions_is_refused_and_what_it_achieves_there_is_kept() -> None:
    half = [(0.0, False)] * 10 + [(1.0, False)] * 10 + [(0.0, True)] * 10 + [(1.0, True)] * 10
    found = decision("dse", asked(CLEAR, half))
    assert (found.value, found.auroc, found.tested.balanced_accuracy) == (None, 1.0, 0.5)
    assert found.tested.balanced_accuracy_interval.low < 0.5 and "not clearly better than chance" in found.reason


@pytest.mark.parametrize(
    ("fitting", "testing", "reason"),
    [
        (CLEAR[:9] + CLEAR[-10:], CLEAR, "19 questions to fit on only; at least 20 are needed, about 40 in all."),
        (CLEAR, CLEAR[:9] + CLEAR[-10:], "19 questions to test on only; at least 20 are needed, about 40 in all."),
        ([(0.1, True)] * 30, CLEAR, "Only 0 of 30 answers to fit on are right; at least 5 of each kind are needed"),
        (CLEAR, CLEAR[:20] + CLEAR[-4:], "Only 4 of 24 answers to test on are wrong; at least 5 of each kind"),
        ([(1.0 - value, wrong) for value, wrong in CLEAR], CLEAR, "not clearly more uncertain than right ones here"),
        ([(0.3, wrong) for _, wrong in CLEAR], CLEAR, "AUROC 0.50"),
    ],
)
def test_what_cannot_be_fitted_has_a_reason_and_no_number(fitting, testing, reason: str) -> None:
    found = decision("dse", asked(fitting, testing))
    assert found.value is None and found.interval is None and found.balanced_accuracy is None
    assert reason in found.reason


def test_twenty_questions_with_five_of_each_kind_are_enough() -> None:
    assert too_few(20, 5) == too_few(20, 15) == ""


def test_sugars_upper_threshold_comes_from_the_questions_above_the_lower_one() -> None:
    # Certain and right from memory at 0.0. Doubtful: wrong from memory; at 1.0 one lookup was enough, at 2.0 not.
    rows = [row(n, sugar=0.0) for half in (FIT_ON, TEST_ON) for n in half[:20]]
    rows += [row(n, sugar=1.0, right_closed_book=False, right=True) for half in (FIT_ON, TEST_ON) for n in half[20:30]]
    rows += [row(n, sugar=2.0, right_closed_book=False, right=False) for half in (FIT_ON, TEST_ON) for n in half[30:40]]
    assert (named(rows, "sugar_low").value, named(rows, "sugar_high").value) == (0.5, 1.5)
    assert named(rows, "sugar_high").questions == 20


def test_without_a_lower_threshold_sugar_has_no_upper_one() -> None:
    rows = [row(n, sugar=0.1 * n) for n in range(60)]
    assert named(rows, "sugar_low").value is None
    assert named(rows, "sugar_high").reason == "It needs the lower threshold, which is not fitted."


def test_dse_is_held_against_the_answer_over_the_passages_and_not_from_memory() -> None:
    rows = [
        row(n, dense=value, right=not wrong, right_closed_book=False)
        for half in (FIT_ON, TEST_ON)
        for n, (value, wrong) in zip(half, CLEAR, strict=False)
    ]
    assert named(rows, "dse").value == 0.5


def test_a_policys_threshold_gives_the_lookups_asked_for() -> None:
    # 20 answers of two sentences: peaks 2.0 and 1.0. One lookup each: above 1.5. Two each: half of the lowest, 0.5.
    rows = [row(n, policies=(peaks("entropy_trend", (2.0, 1.0)),)) for n in range(20)]
    one = policy_threshold("entropy_trend", rows, Budget(wanted=1.0))
    two = policy_threshold("entropy_trend", rows, Budget(wanted=2.0))
    assert (one.value, one.retrievals, one.interval.low, one.interval.high) == (1.5, 1.0, 1.5, 1.5)
    assert (two.value, two.retrievals) == (0.5, 2.0)


def test_flares_threshold_is_a_probability_below_which_it_fires() -> None:
    rows = [row(n, policies=(peaks("flare", (0.2, 0.6)),)) for n in range(20)]
    assert policy_threshold("flare", rows, Budget(wanted=1.0)).value == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("signals", "n", "reason"),
    [
        (peaks("dragin", (1.0,)), 19, "Measured on 19 questions only; at least 20 are needed."),
        (peaks("dragin", (), "It reads attention."), 20, "Measured on 0 questions only; at least 20 are needed. It r"),
        (peaks("dragin", ()), 20, "It has no value in any answer."),
        (peaks("dragin", (1.0, 1.0)), 20, "No threshold gives 1.00 lookups a question; the nearest gives 2.00."),
    ],
)
def test_a_policy_that_cannot_give_that_many_lookups_has_no_threshold(signals, n: int, reason: str) -> None:
    found = policy_threshold("dragin", [row(number, policies=(signals,)) for number in range(n)], Budget(wanted=1.0))
    assert found.value is None and found.reason.startswith(reason)


def test_rows_of_two_models_are_not_mixed() -> None:
    other = replace(row(2), origin=replace(row(2).origin, model_revision="other"))
    with pytest.raises(InputError, match="different models"):
        fitted([row(1), other], Budget())


@pytest.mark.parametrize("budget", [Budget(wanted=0.0), Budget(wanted=float("nan")), Budget(most=0)])
def test_a_budget_of_nothing_is_refused(budget: Budget) -> None:
    with pytest.raises(InputError, match="more than 0 lookups"):
        fitted([row(1)], budget)


def etc_lane(values: dict[int, float | None], rule="magnitude at least") -> PolicyTrace:
    """Return a lane with values at character places; its bar is 1."""
    bar = PolicyThreshold(rule=rule, threshold=1.0, unit="nats")
    signals = tuple(
        Signal(token=place, start=place, end=place + 1, cut=place, text="w", value=value, query="q")
        for place, value in values.items()
    )
    return PolicyTrace(policy="entropy_trend", bar=bar, signals=signals, triggers=fired(signals, bar))


def test_a_sentence_counts_once_with_its_strongest_value_and_what_was_not_measured_not_at_all() -> None:
    # Sentences begin at 0, 10 and 20: -3 is the strongest of the first, None leaves the second without one.
    found = peaks_of(etc_lane({2: 1.0, 5: -3.0, 12: None, 20: 0.5}), starts=[0, 10, 20])
    assert (found.peaks, found.below, found.reason) == ((3.0, 0.5), False, "")
    low = peaks_of(etc_lane({2: 0.9, 5: 0.2, 20: 0.5}, rule="below"), starts=[0, 10, 20])
    assert (low.peaks, low.below) == ((0.2, 0.5), True)
    short = peaks_of(replace(etc_lane({}), not_measured=NO_VALUE), starts=[0])
    assert (short.peaks, short.reason) == ((), ""), "a text too short for a trend costs no lookup"


@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.75, 1.5, 2.5, 9.0])
def test_counting_peaks_is_replaying_the_lane_and_counting_sentences(threshold: float) -> None:
    lane, starts = etc_lane({2: 1.0, 5: -2.0, 12: 0.5, 14: -0.25, 20: 3.0}), [0, 10, 20]
    places = replay(lane, threshold).triggers
    sentences = {sum(lane.signals[place].start >= start for start in starts) for place in places}
    assert mean_count([peaks_of(lane, starts).peaks], threshold, most=3) == len(sentences)


def test_without_the_sentences_nothing_is_counted_and_the_reason_is_kept() -> None:
    found = peaks_of(etc_lane({2: 1.0}), starts=[])
    assert (found.peaks, found.reason) == ((), "The sentences of the answer are not known.")


def test_a_diagnosis_gives_its_row_with_labels_from_its_own_answers() -> None:
    request = DiagnosisRequest(
        question="When?", golds=("1889",), methods=("dense", "sugar", "timing"), timing=TimingConfig(policies=())
    )
    found = row_of(diagnosed(request, right=True, etc=2.0), "abc")
    assert (found.right, found.right_closed_book, found.right_step_by_step) == (True, False, True)
    assert found.dense == pytest.approx(diagnosed(request).outcome("dense").result.entropy)
    assert found.sugar == pytest.approx(diagnosed(request).outcome("sugar").result.closed_book.entropy)
    assert {one.policy: one.peaks for one in found.policies} == {"entropy_trend": (2.0, 1.0), "flare": (0.3, 0.6)}
    assert (found.settings, found.origin.passages) == ("abc", len(diagnosed(request).hits))


def test_an_answer_that_is_denied_or_another_number_is_no_right_one_to_fit_on() -> None:
    found = diagnosed(DiagnosisRequest(question="When?", golds=("1889",), methods=()))
    denied = replace(found, answer=replace(found.answer, text="not 1889"))
    other = replace(found, golds=("18.89",))
    assert (row_of(found).right, row_of(denied).right, row_of(other).right) == (True, False, False)


def test_a_question_without_a_right_answer_gives_no_row() -> None:
    with pytest.raises(InputError, match="needs a correct answer"):
        row_of(replace(diagnosed(DiagnosisRequest(question="When?", golds=("x",))), golds=()))


def test_a_method_that_was_not_measured_leaves_none_and_not_zero() -> None:
    found = row_of(diagnosed(DiagnosisRequest(question="When?", golds=("1889",), methods=())))
    assert (found.dense, found.sugar, found.right_step_by_step, found.policies) == (None, None, None, ())


def test_the_comparison_is_means_and_counts_over_the_questions_a_policy_ran_on() -> None:
    loops = [
        loop_row(1, loop("never", False, 0), loop("entropy_trend", True, 2)),
        loop_row(2, loop("never", True, 0), loop("entropy_trend", True, 1)),
        loop_row(3, loop("never", False, 0), loop("entropy_trend", None, 0, "No attention.")),
    ]
    rows = [
        row(1, policies=(peaks("entropy_trend", (2.0,)),), right_step_by_step=False),
        row(2, policies=(peaks("entropy_trend", (0.5,)),), right_step_by_step=True),
        row(3, policies=(peaks("entropy_trend", (0.5,)),), right_step_by_step=False),
    ]
    never, etc = compare_policies(rows, loops, fit(alpha=1.0).thresholds)
    assert (never.policy, never.right, never.questions, never.retrievals, never.on_wrong) == ("never", 1, 3, 0.0, None)
    assert (etc.right, etc.questions, etc.retrievals, etc.tokens_written) == (2, 2, 1.5, 25.0)
    assert (etc.on_wrong, etc.on_right) == (0.5, 0.0)
    assert (etc.right_interval.low, etc.right_interval.high) == (pytest.approx(0.025**0.5), 1.0)


def test_a_policy_without_a_threshold_has_no_share_that_fires() -> None:
    assert share_that_fires([row(1)], "entropy_trend", None) == (None, None)


def test_loops_without_timing_name_the_question_and_the_reason() -> None:
    with pytest.raises(InputError, match=r"could not be run on 'When\?'"):
        loops_of(diagnosed(DiagnosisRequest(question="When?", golds=("1889",), methods=())), (), 3)
