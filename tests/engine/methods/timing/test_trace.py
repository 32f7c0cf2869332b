"""The trace: delays against ETC, replay at its own thresholds and at others, and what the model cannot give."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.methods.timing.base import PolicyThreshold, PolicyTrace, Signal, TimingConfig, fired
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import (
    NO_VALUE,
    delay,
    first_trigger,
    lane_of,
    missing_reason,
    replay,
    trace,
    with_delays,
)
from tests.engine.methods.test_entropy_trend import SPOKEN
from tests.engine.methods.timing.timing_case import look

# Two sentences: ETC's trend turns in the first, a claim stands in the second.
ANSWER = [*SPOKEN, (" She", -0.1, 0.2), (" died", -3.0, 0.4), (" in", -0.1, 0.1), (" Rome", -0.1, 2.0), (".", 0.0, 0.0)]


def signal(token: int, value: float | None, cut: int = 0) -> Signal:
    """Return a signal with this value at a token."""
    return Signal(token=token, start=cut, end=cut + 1, cut=cut, text=f"w{token}", value=value, query="q")


def lane(
    values: list[float | None], threshold: float | None = 1.0, rule="above", policy: str = "dragin"
) -> PolicyTrace:
    """Return a lane with a value per token, triggered at its own threshold."""
    bar = PolicyThreshold(rule=rule, threshold=threshold, unit="")
    signals = tuple(signal(token, value) for token, value in enumerate(values))
    return PolicyTrace(policy=policy, bar=bar, signals=signals, triggers=fired(signals, bar))


def traced(spoken=ANSWER, config: TimingConfig | None = None, **model: object) -> dict[str, PolicyTrace]:
    """Return every policy's lane on a scripted answer, by its word."""
    seen = look(spoken, config, **model)
    return {lane.policy: lane for lane in trace(tuple(POLICIES.values()), seen.generation, seen.scene)}


def test_every_policy_has_a_lane_and_a_schedule_starts_before_the_first_token() -> None:
    lanes = traced()
    assert list(lanes) == list(POLICIES)
    assert [lanes[word].signals[0].token for word in ("once", "fixed_length", "every_sentence")] == [0, 0, 0]
    assert lanes["never"].signals == ()
    assert [s.token for s in lanes["every_sentence"].signals] == [0, 13], "after the first sentence, not the last"


def test_the_delay_is_the_first_trigger_minus_etcs_in_tokens_where_both_fire() -> None:
    lanes = traced(config=TimingConfig(alpha=0.5, flare_probability=0.5))
    etc = first_trigger(lanes["entropy_trend"])
    assert etc is not None and (etc.text, etc.token, lanes["entropy_trend"].delay) == ("rebuilt", 7, 0)
    flare = first_trigger(lanes["flare"])
    assert flare is not None and flare.text == " died"
    assert lanes["flare"].delay == flare.token - etc.token == 7
    assert lanes["once"].delay == -7
    assert lanes["never"].delay is None


def test_a_text_too_short_for_a_policy_is_not_measured_and_no_word_against_a_lookup() -> None:
    lanes = traced([("Paris", -0.1, 0.2), (".", 0.0, 0.0)])
    assert [lanes[word].not_measured for word in ("entropy_trend", "quco_rag")] == [NO_VALUE] * 2
    assert [lanes[word].not_measured for word in ("flare", "dragin", "once", "never")] == [""] * 4


def test_a_lane_of_an_older_record_without_a_value_says_why_it_is_missing() -> None:
    assert missing_reason(lane([])) == missing_reason(lane([None, None])) == NO_VALUE
    assert missing_reason(lane([None, 0.0])) == missing_reason(lane([], threshold=None, rule="always")) == ""
    assert missing_reason(replace(lane([]), not_measured="Not served.")) == "Not served."


def test_no_delay_where_etc_does_not_fire() -> None:
    assert {lane.delay for lane in traced(config=TimingConfig(alpha=99.0)).values()} == {None}
    assert delay(None, signal(3, 1.0)) is None


def test_delays_are_taken_from_etc_wherever_it_stands_in_the_list() -> None:
    first = lane([0.0, 2.0], policy="dragin")
    etc = lane([0.0, 0.0, 0.0, 2.0], policy="entropy_trend")
    assert [each.delay for each in with_delays([first, etc])] == [-2, 0]


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_a_trace_replayed_at_its_own_thresholds_is_the_trace(variant) -> None:
    for found in traced(config=TimingConfig(variant=variant)).values():
        again = replay(found, found.bar.threshold if found.bar.threshold is not None else 0.0)
        assert again.triggers == found.triggers, found.policy
        assert (again.appeared, again.vanished, again.true_until) == ((), (), None)


values = st.lists(st.one_of(st.none(), st.floats(-5, 5)), max_size=12)


# Generating examples may be slow on a busy machine; that says nothing of the code.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values, st.floats(0, 5), st.floats(0, 5), st.sampled_from(["magnitude at least", "above", "below"]))
def test_what_appears_and_vanishes_is_the_difference_of_the_two_readings(found, own, other, rule) -> None:
    recorded = lane(found, own, rule)
    changed = replay(recorded, other)
    assert set(changed.triggers) == (set(recorded.triggers) - set(changed.vanished)) | set(changed.appeared)
    assert changed.triggers == lane(found, other, rule).triggers


def test_a_replay_is_true_up_to_the_earlier_of_the_two_first_triggers() -> None:
    recorded = lane([0.2, 0.9, 1.5, 3.0])
    lower, higher, same = replay(recorded, 0.5), replay(recorded, 2.0), replay(recorded, 1.2)
    assert (lower.appeared, lower.vanished, lower.true_until) == ((1,), (), 1)
    assert (higher.appeared, higher.vanished, higher.true_until) == ((), (2,), 2)
    assert same.true_until is None
    silenced = replay(recorded, 9.0)
    assert (silenced.triggers, silenced.true_until) == ((), 2)


def test_a_schedule_has_no_threshold_to_move() -> None:
    recorded = lane([None, None], threshold=None, rule="always", policy="every_sentence")
    assert replay(recorded, 3.0).triggers == recorded.triggers == (0, 1)


def test_a_model_without_attention_leaves_dragin_unmeasured_and_judges_the_rest() -> None:
    lanes = traced(config=TimingConfig(alpha=0.5), attentions=False)
    assert "attention" in lanes["dragin"].not_measured
    assert lanes["dragin"].delay is None
    assert lanes["entropy_trend"].triggers
    code = traced(config=TimingConfig(variant="code"), attentions=False)
    assert "ETC as released" in code["entropy_trend"].not_measured


def test_an_empty_answer_leaves_only_what_looks_before_it() -> None:
    lanes = traced("")
    assert {word for word, found in lanes.items() if found.signals} == {
        "predictive_entropy", "fixed_length", "every_sentence", "once",
    }  # fmt: skip


def test_a_lookup_after_the_last_token_is_no_lookup() -> None:
    seen = look(" a b c d", TimingConfig(fixed_length=2))
    cut = replace(seen.generation, stop_reason="length")
    found = lane_of(POLICIES["fixed_length"], type(seen)(seen.scene, "", cut), seen.scene)
    assert [each.token for each in found.signals] == [0, 2]
