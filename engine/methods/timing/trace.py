"""The trace: every policy judges the same answer, written from memory, and says where it would have looked up.

ETC's section 6.3 compares when methods fire: the delay of a policy is its first trigger minus ETC's, in tokens, where
both fire. A trigger stands on a word (ETC, DRAGIN), a token (FLARE), or the last token of the sentence that has to be
whole before it can be judged. Only the first trigger of a lane would happen; what stands behind it would be written
anew. The stored signals can be compared with another threshold afterwards (``replay``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.core.errors import CapabilityError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation
from engine.methods.timing.base import DraftView, Policy, PolicyContext, PolicyTrace, Signal, fired

REFERENCE = "entropy_trend"
NO_VALUE = "No place of this text has a value to compare."


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A lane at another threshold: what fires now, what newly does and what no longer does, as places in its signals.

    ``true_until`` is the token up to which both readings would have written the same text: the earlier of the two first
    triggers, where they differ. None where the first trigger stays, so that the text would be the same.
    """

    triggers: tuple[int, ...]
    appeared: tuple[int, ...]
    vanished: tuple[int, ...]
    true_until: int | None


def trace(policies: Sequence[Policy], generation: Generation, scene: PolicyContext) -> tuple[PolicyTrace, ...]:
    """Return a lane for each policy over one answer from memory, with its delay after ETC where both fire."""
    look = DraftView(scene, "", generation)
    lanes = []
    for done, policy in enumerate(policies):
        scene.backends.report(
            Stage(method="timing", name="each policy judges the answer from memory", done=done, total=len(policies))
        )
        lanes.append(lane_of(policy, look, scene))
    return with_delays(lanes)


def lane_of(policy: Policy, look: DraftView, scene: PolicyContext) -> PolicyTrace:
    """Return a policy's signals and triggers on one answer, or why it cannot judge it."""
    bar = policy.bar(scene.config)
    try:
        signals = (*policy.before(scene), *policy.judge(look))
    except (CapabilityError, NotMeasured) as exc:
        return PolicyTrace(policy=policy.word, bar=bar, signals=(), triggers=(), not_measured=str(exc))
    # After the last token there is nothing left that a lookup could change.
    signals = tuple(signal for signal in signals if signal.token < max(1, len(look.generation.tokens)))
    judged = PolicyTrace(policy=policy.word, bar=bar, signals=signals, triggers=fired(signals, bar))
    return replace(judged, not_measured=missing_reason(judged))


def missing_reason(lane: PolicyTrace) -> str:
    """Return why a policy judged nothing, "" where it did: its own reason, or that there was no value to compare.

    A text too short for a trend ("Paris.") has none, which is no word against a lookup. Older records do not say so.
    """
    if lane.bar.threshold is None or any(signal.value is not None for signal in lane.signals):
        return lane.not_measured
    return lane.not_measured or NO_VALUE


def with_delays(lanes: Sequence[PolicyTrace]) -> tuple[PolicyTrace, ...]:
    """Return the lanes with each one's first trigger minus ETC's, in tokens."""
    reference = next((first_trigger(lane) for lane in lanes if lane.policy == REFERENCE), None)
    return tuple(replace(lane, delay=delay(first_trigger(lane), reference)) for lane in lanes)


def first_trigger(lane: PolicyTrace) -> Signal | None:
    """Return the one trigger of a lane that would happen, None where nothing fires."""
    return lane.signals[lane.triggers[0]] if lane.triggers else None


def delay(trigger: Signal | None, reference: Signal | None) -> int | None:
    """Return how many tokens later one trigger is than another (negative = earlier), None unless both are there."""
    return None if trigger is None or reference is None else trigger.token - reference.token


def replay(lane: PolicyTrace, threshold: float) -> Replayed:
    """Return what fires in a lane at another threshold, from its stored signals; at its own, what was recorded."""
    bar = lane.bar if lane.bar.threshold is None else replace(lane.bar, threshold=threshold)
    now = fired(lane.signals, bar)
    starts = [lane.signals[places[0]].token for places in (now, lane.triggers) if places]
    return Replayed(
        triggers=now,
        appeared=tuple(place for place in now if place not in lane.triggers),
        vanished=tuple(place for place in lane.triggers if place not in now),
        true_until=min(starts) if now[:1] != lane.triggers[:1] else None,
    )
