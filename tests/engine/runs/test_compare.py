"""Two runs beside each other: what was set otherwise, what noise allows to say, what goes with what."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.records import Hit, Interval, Passage, Token
from engine.diagnosis.record import Diagnosis
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.runs.compare import (
    Number,
    Side,
    align_chunks,
    align_tokens,
    generations_of,
    likeness,
    noise_between,
    number_pairs,
    setup_differences,
)
from engine.runs.store import request_of
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_timing_results import timing_full


def side(diagnosis: Diagnosis, run: str = "a", **asked: object) -> Side:
    """Return a diagnosis as one side."""
    return Side(run=run, request=replace(request_of(diagnosis), **asked), diagnosis=diagnosis)  # type: ignore[arg-type]


def number(value: float | None, low: float | None = None, high: float | None = None) -> Number:
    """Return a number, with an interval where both ends are given."""
    interval = None if low is None or high is None else Interval(low=low, high=high)
    return Number(key="n", name="n", unit="nats", value=value, interval=interval)


def tokens(*texts: str, logprob: float = -0.5, entropy: float = 1.0) -> tuple[Token, ...]:
    """Return tokens with these texts."""
    return tuple(Token(id=0, text=text, start=0, end=0, logprob=logprob, entropy=entropy) for text in texts)


def hit(text: str, rank: int = 1) -> Hit:
    """Return a passage as a hit."""
    return Hit(passage=Passage(text=text), rank=rank, score=1.0, retriever="bm25")


def test_a_run_beside_itself_differs_in_nothing() -> None:
    same = side(whole_diagnosis())
    assert setup_differences(same, same) == ()
    pairs = number_pairs(same, same)
    assert len(pairs) == 14
    assert {pair.noise for pair in pairs if pair.first.value is not None} == {"the same"}


def test_a_setting_that_was_left_open_does_not_differ_from_the_value_it_came_to() -> None:
    run = whole_diagnosis()
    samples = request_of(run).seper.samples
    assert samples is not None
    left_open = side(run, "b", seper=replace(request_of(run).seper, samples=None))
    assert setup_differences(side(run), left_open) == ()
    more = side(run, "c", seper=replace(request_of(run).seper, samples=samples + 5))
    assert [one.what for one in setup_differences(left_open, more)] == ["seper: samples"]


@pytest.mark.parametrize(("first", "second", "named"), [(1, 2, [("1", "2")]), (2, 2, []), (0, 2, []), (2, 0, [])])
def test_threads_are_named_where_both_runs_recorded_them_and_differ(
    first: int, second: int, named: list[tuple[str, str]]
) -> None:
    run = whole_diagnosis()
    a, b = (side(replace(run, provenance=replace(run.provenance, threads=count))) for count in (first, second))
    assert [(row.first, row.second) for row in setup_differences(a, b) if row.what == "threads"] == named


def test_what_was_set_otherwise_is_named_with_both_values() -> None:
    first = whole_diagnosis()
    origin = replace(first.provenance, model="larger", seed=7, libraries=(("torch", "2.14.0"), ("numpy", "2.4")))
    second = replace(first, provenance=origin, hits=first.hits[:3], golds=("1889",))
    asked = {"entropy_trend": EntropyTrendConfig(alpha=0.5)}
    found = {one.what: (one.first, one.second) for one in setup_differences(side(first), side(second, "b", **asked))}
    assert found == {
        "correct answers": ("31 March 1889", "1889"),
        "model": ("embedded (r1, bfloat16)", "larger (r1, bfloat16)"),
        "seed": ("0", "7"),
        "passages": ("5, of which 2 are not in B", "3, of which 0 are not in A"),
        "entropy_trend: alpha": ("1.0", "0.5"),
        "torch": ("2.13.0", "2.14.0"),
        "numpy": ("none", "2.4"),
    }


def test_a_part_that_the_model_does_itself_is_compared_by_its_name() -> None:
    first = whole_diagnosis()
    alone = replace(first.provenance, model="base", model_revision="r1", writer="")
    named = replace(alone, model="reader", writer="base", writer_revision="r1")
    told = {
        one.what: (one.first, one.second)
        for one in setup_differences(
            side(replace(first, provenance=alone)), side(replace(first, provenance=named), run="b")
        )
    }
    assert set(told) == {"model"}
    other = replace(named, writer_revision="r2")
    parts = setup_differences(side(replace(first, provenance=alone)), side(replace(first, provenance=other), run="b"))
    assert ("base (r1)", "base (r2)") in [(one.first, one.second) for one in parts]


def test_passages_in_another_order_are_told_from_other_passages() -> None:
    first = whole_diagnosis()
    turned = replace(first, hits=first.hits[::-1])
    (found,) = setup_differences(side(first), side(turned))
    assert (found.what, found.second) == ("passages", "the same in another order")


@pytest.mark.parametrize(
    ("first", "second", "noise"),
    [
        (number(0.1, 0.0, 0.2), number(0.9, 0.5, 1.0), "beyond noise"),
        (number(0.4, 0.2, 0.6), number(0.5, 0.3, 0.7), "within noise"),
        (number(0.1, 0.0, 0.4), number(0.6, 0.3, 0.9), "unclear"),
        (number(0.1), number(0.2), "unclear"),
        (number(0.1), number(0.1), "the same"),
        (number(0.1, 0.1, 0.1), number(0.9, 0.9, 0.9), "unclear"),
        (number(0.1, 0.1, 0.1), number(0.9, 0.5, 1.0), "beyond noise"),
        (number(0.1, 0.0, 0.2), number(0.1, 0.0, 0.2), "the same"),
        (number(None), number(0.1, 0.0, 0.2), "unclear"),
        (number(None), number(None), "unclear"),
    ],
)
def test_a_difference_is_told_against_both_intervals(first: Number, second: Number, noise: str) -> None:
    assert noise_between(first, second)[0] == noise
    assert noise_between(second, first)[0] == noise


def test_a_number_that_one_run_did_not_measure_is_not_taken_for_zero() -> None:
    noise, reason = noise_between(number(None), number(0.0))
    assert (noise, reason) == ("unclear", "not measured in one of the runs")


def test_rounding_is_no_difference() -> None:
    """An eigenvalue of one graph was 1.0000000000000004; both cells said 1.000, and the word was "unclear"."""
    assert noise_between(number(1.0), number(1.0000000000000004)) == ("the same", "equal but for rounding")
    assert noise_between(number(0.0), number(1.9e-16))[0] == "the same"
    assert noise_between(number(1.0), number(1.00001))[0] == "unclear"


def test_a_policy_that_fires_nowhere_was_measured() -> None:
    never, fired = replace(number(None), never=True), number(5.0)
    assert noise_between(never, never) == ("the same", "there is none in either run")
    assert noise_between(never, fired) == ("unclear", "there is none in one of the runs")
    assert noise_between(never, number(None)) == ("unclear", "not measured in either run")


def test_a_policy_without_a_trigger_is_known_by_its_trace() -> None:
    timing = timing_full()
    both = side(replace(whole_diagnosis(), outcomes=(done("timing", timing),)))
    pairs = {pair.first.key: pair for pair in number_pairs(both, both)}
    silent = pairs["timing.lanes.first_trigger never"]
    assert (silent.first.value, silent.first.never, silent.noise) == (None, True, "the same")
    fires = pairs["timing.lanes.first_trigger entropy_trend"].first
    assert (fires.value, fires.never, fires.unit) == (4.0, False, "tokens")


def test_tokens_are_aligned_and_their_changes_are_second_minus_first() -> None:
    first = tokens("31", " March", " 1889", logprob=-0.5, entropy=1.0)
    second = tokens("31", " May", " 1889", ".", logprob=-0.2, entropy=0.25)
    pairs = align_tokens(first, second)
    assert [pair.same for pair in pairs] == [True, False, True, False]
    assert pairs[0].logprob_change == pytest.approx(0.3)
    assert pairs[1].entropy_change == pytest.approx(-0.75)
    assert pairs[3].first is None
    assert pairs[3].logprob_change is None


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_every_token_of_both_texts_stands_in_the_alignment_once_and_in_order(a: list[str], b: list[str]) -> None:
    pairs = align_tokens(tokens(*a), tokens(*b))
    assert [pair.first.text for pair in pairs if pair.first] == a
    assert [pair.second.text for pair in pairs if pair.second] == b
    assert all(pair.first and pair.second and pair.first.text == pair.second.text for pair in pairs if pair.same)


def test_passages_stay_move_change_come_and_go() -> None:
    first = [hit("a b c d"), hit("one two three four"), hit("x y z"), hit("gone for good")]
    second = [hit("a b c d"), hit("x y z"), hit("one two three five"), hit("new and other words")]
    found = [(pair.first, pair.second, pair.how) for pair in align_chunks(first, second)]
    assert found == [
        (0, 0, "the same"),
        (1, 2, "changed"),
        (2, 1, "moved"),
        (3, None, "only in A"),
        (None, 3, "only in B"),
    ]
    assert likeness("one two three four", "one two three five") == 0.75


def test_the_same_passage_twice_is_paired_once_each() -> None:
    pairs = align_chunks([hit("a b"), hit("a b")], [hit("a b")])
    assert [(pair.first, pair.second, pair.how) for pair in pairs] == [(0, 0, "the same"), (1, None, "only in A")]


def test_the_step_by_step_answer_is_compared_where_etc_ran() -> None:
    assert list(generations_of(whole_diagnosis())) == [
        "the answer over the passages",
        "the answer from memory",
        "the step-by-step answer",
    ]
    assert len(generations_of(replace(whole_diagnosis(), outcomes=()))) == 2
