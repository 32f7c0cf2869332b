"""A variant beside its original: beyond noise, within it, or not to be told, by the draws that the records keep."""

import math
from dataclasses import replace

import pytest

from engine.core.records import Interval, Passage
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.dense_records import DenseResult, RewordedAnswer
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper_records import SeperConfig
from engine.runs.compare import Side
from engine.runs.store import request_of
from engine.runs.variant_noise import Beside, Line, beside, noise_of
from tests.engine.catalogue.scripted_run import PASSAGES, scripted_run
from tests.pages.page_fixtures import answered, done, unmeasured_diagnosis, whole_diagnosis, with_outcome
from tests.viz import sample_results as samples
from tests.viz.sample_results import attempt, generation
from tests.viz.sample_timing_results import timing_full


def side(diagnosis: Diagnosis, run: str = "a") -> Side:
    """Return a diagnosis as a side."""
    return Side(run=run, request=request_of(diagnosis), diagnosis=diagnosis)


def held(first: Diagnosis, second: Diagnosis, *redraws: Diagnosis) -> Beside:
    """Return two diagnoses beside each other."""
    return beside(side(first), side(second, "b"), redraws)


def line(found: Beside, name: str) -> Line:
    """Return the first line whose name begins so."""
    return next(one for one in found.all_lines if one.name.startswith(name))


def with_result(diagnosis: Diagnosis, method: str, result: MethodResult) -> Diagnosis:
    """Return the diagnosis with another result of one method."""
    return with_outcome(diagnosis, done(method, result))


def drawn_again(first: DenseResult, keeps: tuple[bool, ...], times: int = 1) -> DenseResult:
    """Return the result with so many more rewordings of every chunk; ``keeps`` says which of them keep the answer."""
    places, keeps = list(range(len(keeps))) * times, keeps * times
    further = tuple(
        RewordedAnswer(index=place, rewrite=attempt(f"Again {place}."), answer=generation(f"answer {place}"))
        for place in places
    )
    size = len(first.weights)
    rows = [list(row) + [float(keep) if at == 0 else 0.0 for keep in keeps] for at, row in enumerate(first.weights)]
    for place, keep in enumerate(keeps):
        rows.append([float(keep), *[0.0] * (size - 1), *(1.0 if at == place else 0.0 for at in range(len(keeps)))])
    weights = tuple(tuple(row) for row in rows)
    return replace(first, further=further, further_weights=weights, entropy_interval=Interval(low=0.0, high=1.0))


def test_a_run_beside_itself_is_the_same_everywhere() -> None:
    found = held(whole_diagnosis(), whole_diagnosis())
    assert {one.noise for one in found.all_lines} <= {"the same", "unclear"}
    assert {one.noise for one in found.lines} == {"the same"}
    assert line(found, "DSE").difference == 0.0


def test_belief_that_falls_from_seven_to_two_of_ten_is_beyond_noise() -> None:
    first = with_result(whole_diagnosis(), "seper", samples.seper_helped())
    low = samples.seper_helped()
    second = with_result(whole_diagnosis(), "seper", replace(low, with_passages=low.without, delta_soft=0.0))
    found = held(first, second)
    with_passages, delta = line(found, "SePer, with passages"), line(found, "ΔSePer, soft")
    assert (with_passages.noise, with_passages.source) == ("beyond noise", "stored samples")
    assert with_passages.difference == pytest.approx(0.21 - 0.70)
    assert with_passages.interval is not None and with_passages.interval.high < 0
    # Closed-book draws are the very same in both runs, so they fall out of the difference of differences.
    assert delta.interval is not None
    assert delta.interval.high - delta.interval.low == pytest.approx(
        with_passages.interval.high - with_passages.interval.low, abs=0.1
    )
    assert line(found, "SePer, without passages").noise == "the same"


def test_belief_that_moves_by_one_sample_in_ten_is_within_noise() -> None:
    first = with_result(whole_diagnosis(), "seper", samples.seper_noise())
    moved = samples.seper_noise()
    second = with_result(whole_diagnosis(), "seper", replace(moved, with_passages=moved.without))
    assert line(held(first, second), "SePer, with passages").noise == "within noise"


def test_ten_right_draws_against_ten_wrong_ones_are_beyond_noise_although_no_draw_shows_any() -> None:
    right = samples.belief((("31 March 1889", 10, True),), samples.GOLD_KERNEL, 0.99, (0.99, 0.99))
    wrong = samples.belief((("1887", 10, False),), samples.GOLD_KERNEL, 0.02, (0.02, 0.02))
    results = [samples.seper_result(wrong, after, 0.0, (0.0, 0.0)) for after in (right, wrong)]
    first, second = (with_result(whole_diagnosis(), "seper", one) for one in results)
    found = line(held(first, second), "SePer, with passages")
    assert (found.noise, found.interval.low < -0.97 < found.interval.high < -0.3) == ("beyond noise", True)


@pytest.mark.parametrize(
    ("difference", "interval", "word"),
    [(0.5, (0.2, 0.8), "beyond noise"), (-0.5, (-0.8, -0.2), "beyond noise"), (0.2, (-0.1, 0.5), "within noise"),
     (0.05, (0.03, 0.07), "within noise"), (0.5, (0.5, 0.5), "unclear")],
)  # fmt: skip
def test_the_word_follows_from_the_interval_and_the_least_change(
    difference: float, interval: tuple[float, float], word: str
) -> None:
    low, high = interval
    assert noise_of(difference, Interval(low=low, high=high), 0.1, "stored samples", 0)[0] == word


def test_dse_of_one_rewording_each_has_no_noise_until_more_are_drawn() -> None:
    first = with_result(whole_diagnosis(), "dense", samples.dense_full())
    second = with_result(whole_diagnosis(), "dense", samples.dense_understood())
    found = line(held(first, second), "DSE")
    assert (found.noise, found.source) == ("unclear", "none")
    assert "ask for more of them" in found.reason


def test_dse_is_held_against_every_way_of_taking_one_rewording() -> None:
    one = with_result(whole_diagnosis(), "dense", drawn_again(samples.dense_full(), (True,) * 5))
    other = with_result(whole_diagnosis(), "dense", drawn_again(samples.dense_understood(), (False,) * 5))
    found = line(held(one, other), "DSE")
    assert found.source == "other rewordings"
    assert found.interval is not None and found.interval.low < found.interval.high


@pytest.mark.parametrize(("times", "word"), [(1, "within noise"), (2, "within noise"), (3, "beyond noise")])
def test_a_label_is_beyond_noise_where_enough_rewordings_of_both_runs_say_so(times: int, word: str) -> None:
    keeps = (True, False, True, True, True)
    one = with_result(whole_diagnosis(), "dense", drawn_again(samples.dense_full(), keeps, times))
    other = with_result(whole_diagnosis(), "dense", drawn_again(samples.dense_all_certain(), (True,) * 5, times))
    found = held(one, other)
    assert (line(found, "passage 1").noise, line(found, "passage 1").first) == ("the same", "certain")
    # Chunk 2: none keeps the answer before, all do after. Fisher: of 2 each p = 1/3, of 3 each 1/10, of 4 each 1/35.
    assert (line(found, "passage 2").noise, line(found, "passage 2").second) == (word, "certain")
    assert line(found, "passage 3").noise == "within noise"


def test_necessary_against_unnecessary_hangs_on_one_answer() -> None:
    chunks = tuple(replace(c, label="unnecessary") if c.index == 1 else c for c in samples.dense_full().chunks)
    other = with_result(whole_diagnosis(), "dense", replace(samples.dense_full(), chunks=chunks))
    found = line(held(whole_diagnosis(), other), "passage 2")
    assert (found.noise, "one greedy answer" in found.reason) == ("unclear", True)


def test_labels_are_matched_by_text_and_a_passage_left_out_has_none() -> None:
    first = whole_diagnosis()
    kept = samples.dense_full()
    chunks = tuple(replace(c, index=c.index - 1) for c in kept.chunks[1:])
    second = with_result(replace(first, hits=first.hits[1:]), "dense", replace(kept, chunks=chunks))
    found = held(first, second)
    assert (line(found, "passage 1").first, line(found, "passage 1").second) == ("certain", "not read")
    assert (line(found, "passage 2 → 1").first, line(found, "passage 2 → 1").second) == ("necessary", "necessary")


def test_what_was_not_measured_is_never_subtracted() -> None:
    found = line(held(whole_diagnosis(), unmeasured_diagnosis()), "DSE")
    assert (found.second, found.difference, found.noise) == (None, None, "unclear")
    assert found.reason == "not measured in the variant"


def test_a_policy_that_fires_nowhere_in_one_run_has_no_trigger_there_and_was_measured() -> None:
    firing = timing_full()
    silent = replace(firing, lanes=(replace(firing.lanes[0], triggers=(), delay=None), *firing.lanes[1:]))
    runs = [replace(whole_diagnosis(), outcomes=(done("timing", one),)) for one in (firing, silent)]
    found = line(held(*runs), "tokens before the first trigger, ETC")
    assert (found.first, found.second, found.difference) == (4.0, "none", None)
    assert (found.noise, found.reason) == ("unclear", "none in the variant")


def test_an_answer_that_the_samples_turn_to_is_beyond_noise() -> None:
    first = answered(with_result(whole_diagnosis(), "seper", all_saying("1887")), generation("1887"))
    second = answered(with_result(whole_diagnosis(), "seper", all_saying("31 March 1889")), generation("31 March 1889"))
    found = line(held(first, second), "answer")
    # 10 of 10 against 0 of 10: 2 / 184756.
    assert (found.noise, "10 of 10 samples before, 0 of 10 after" in found.reason) == ("beyond noise", True)
    assert found.reason.endswith("chance alone parts them so far in under 0.1% of cases")


def all_saying(text: str):  # type: ignore[no-untyped-def]
    """Return SePer whose ten samples over the passages all say one thing."""
    after = samples.belief(((text, 10, None),), {}, None, None)
    return samples.seper_result(samples.belief((("x", 10, None),), {}, None, None), after, None, None)


def test_an_answer_that_half_the_samples_gave_anyway_is_within_noise() -> None:
    first = whole_diagnosis()
    second = answered(first, generation("15 May 1889"))
    assert line(held(first, second), "answer").noise == "within noise"


def test_an_answer_without_samples_cannot_be_told() -> None:
    bare = replace(whole_diagnosis(), outcomes=())
    found = held(bare, answered(bare, generation("May")))
    assert [(one.name, one.noise) for one in found.lines] == [("answer over the passages", "unclear")]


def test_the_triggers_of_a_greedy_answer_do_not_move_with_the_seed_and_that_is_said() -> None:
    first = whole_diagnosis()
    trend = first.outcome("entropy_trend")
    assert trend is not None and isinstance(trend.result, EntropyTrendResult)
    second = with_result(first, "entropy_trend", replace(trend.result, triggers=()))
    assert "draw the original again" in line(held(first, second), "ETC triggers").reason
    found = line(held(first, second, first, first), "ETC triggers")
    assert (found.noise, found.source) == ("unclear", "repeated draws")
    assert "all 3 draws of the original give the same" in found.reason


def test_what_has_no_kept_draws_is_held_against_repeats() -> None:
    runs = [with_result(whole_diagnosis(), "seper", entropy_of(value)) for value in (1.0, 2.0, 3.0, 9.0, 4.0)]
    first, *redraws = runs[:3]
    far, near = held(first, runs[3], *redraws), held(first, runs[4], *redraws)
    # One more draw after 1, 2, 3 lies in 2 ± 4.968: 9 does not, 4 does.
    name = "semantic entropy, with passages"
    assert (line(far, name).noise, line(far, name).source) == ("beyond noise", "repeated draws")
    assert line(near, name).noise == "within noise"
    interval = line(far, name).interval
    assert interval is not None and (interval.low, interval.high) == pytest.approx((9 - 6.968, 9 + 2.968), abs=1e-2)
    unmeasured = replace(first, outcomes=())
    assert "by 3 of them" in line(held(first, runs[3], *redraws, unmeasured), name).reason, "only what measured it"


def test_drawn_samples_that_were_alike_are_not_called_undrawn() -> None:
    runs = [with_result(whole_diagnosis(), "seper", entropy_of(value)) for value in (0.0, 0.0, 0.0, 0.8)]
    first, *redraws, variant = runs
    found = line(held(first, variant, *redraws), "semantic entropy, with passages")
    assert (found.noise, found.source) == ("unclear", "repeated draws")
    assert found.reason == "all 3 draws of the original were alike: that shows no noise, which is not certainty"


def entropy_of(value: float):  # type: ignore[no-untyped-def]
    """Return SePer with this semantic entropy over the passages."""
    found = samples.seper_helped()
    return replace(found, with_passages=replace(found.with_passages, entropy=value))


def test_impossible_samples_are_not_resampled() -> None:
    found = samples.seper_helped()
    never = (generation("31 March 1889", -math.inf, 1.0), *found.with_passages.samples[1:])
    second = replace(found, delta_soft=0.1, with_passages=replace(found.with_passages, samples=never, soft=0.5))
    first = with_result(whole_diagnosis(), "seper", found)
    assert line(held(first, with_result(first, "seper", second)), "SePer, with passages").noise == "unclear"


def test_scripted_runs_stand_beside_each_other_whatever_is_changed() -> None:
    asked = {"seper": SeperConfig(samples=3), "methods": ("dense", "seper")}
    first, again = scripted_run(**asked), scripted_run(**asked)
    assert {one.noise for one in held(first, again).lines} == {"the same"}
    for passages in ((), (PASSAGES[0], PASSAGES[0]), (Passage(text=samples.HOSTILE),)):
        found = held(first, scripted_run(**asked, passages=passages))
        assert any(one.noise != "the same" for one in found.lines)
        assert all(one.difference is None for one in found.all_lines if one.first is None or one.second is None)
