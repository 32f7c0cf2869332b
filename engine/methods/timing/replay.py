"""What another threshold leaves true of a policy's own run, lookup by lookup.

Up to the first lookup that would not happen, or that would come earlier, both thresholds write the same text; what
stands behind it was written after another decision, and is *not known*. A continuation keeps the signals that are
stronger than all before them, so the first that fires at any threshold is known. The first loop stored none: there a
stricter threshold is known as long as every lookup's own value reaches it, since what did not fire cannot fire, and a
laxer one only for the answer from memory, whose signals the trace holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.methods.timing.base import (
    PolicyRun,
    PolicyThreshold,
    PolicyTrace,
    Signal,
    fired,
    ladder,
    reaches,
)

Fate = Literal["stays", "would not happen", "not known"]
STAYS: tuple[Fate, ...] = ("stays",)
UNKNOWN: tuple[Fate, ...] = ("not known",)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedRun:
    """A run at another threshold: the fate of each of its lookups, and up to where its text is the same.

    ``same``: True where the whole run would be the same, False where it would not, None where that is not known.
    ``true_until`` is the characters of the run's text that both write, None where all is the same. ``instead`` is the
    signal that would fire in the place of the first that differs, where that is known.
    """

    fates: tuple[Fate, ...]
    same: bool | None
    true_until: int | None = None
    instead: Signal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One place at which a run decided, behind ``characters`` of its text: whether lookup number ``made`` follows.

    ``signals`` are what could have fired there, None where they were not stored; ``spent``: no lookup was left.
    """

    characters: int
    made: int
    looks_up: bool
    signals: tuple[Signal, ...] | None
    spent: bool = False


def replay_run(
    run: PolicyRun, bar: PolicyThreshold, threshold: float, most: int, lane: PolicyTrace | None = None
) -> ReplayedRun:
    """Return what a run's lookups become at another threshold. ``most`` lookups were allowed.

    ``lane`` is the policy's trace over the answer from memory, which the first loop needs.
    """
    now = bar if bar.threshold is None else replace(bar, threshold=threshold)
    for decision in decisions(run, most, lane):
        changed = change_at(decision, run, bar, now)
        if changed is not None:
            return behind(decision, run, changed[0], changed[1])
    return ReplayedRun(fates=STAYS * len(run.retrievals), same=True)


def decisions(run: PolicyRun, most: int, lane: PolicyTrace | None) -> Iterator[Decision]:
    """Yield the places at which a run decided whether to look something up, in order."""
    if run.loop_version == 1:
        yield from first_loop(run, lane)
        return
    led = {one.lookup for one in run.written if one.lookup is not None}
    text, made = 0, sum(place not in led for place in range(len(run.retrievals)))
    yield Decision(characters=0, made=0, looks_up=made > 0, signals=run.opening, spent=most < 1)
    for one in run.written:
        looks_up = one.lookup is not None
        yield Decision(characters=text, made=made, looks_up=looks_up, signals=one.judged, spent=made >= most)
        text, made = len(run.text[: text + one.kept].rstrip()), made + looks_up


def first_loop(run: PolicyRun, lane: PolicyTrace | None) -> Iterator[Decision]:
    """Yield the decisions of a run of the first loop: the answer from memory by the trace, then its lookups alone."""
    traced = ladder(lane.signals, lane.bar) if lane is not None and not lane.not_measured else None
    starts = [0, *(lookup.characters for lookup in run.retrievals)]
    for place in range(len(run.retrievals)):
        signals = traced if place == 0 else None
        yield Decision(characters=starts[place], made=place, looks_up=True, signals=signals)
    signals = None if run.retrievals else traced
    made = len(run.retrievals)
    yield Decision(characters=starts[-1], made=made, looks_up=False, signals=signals, spent=run.used_up)


def change_at(
    decision: Decision, run: PolicyRun, was: PolicyThreshold, now: PolicyThreshold
) -> tuple[Fate, Signal | None] | None:
    """Return what becomes of the next lookup where the decision is another or not known, None where it stays."""
    if decision.spent or now.threshold == was.threshold:
        return None
    if decision.signals is None:
        if decision.looks_up and not reaches(run.retrievals[decision.made].value, now):
            return "would not happen", None
        return None if is_stricter(now, was) else ("not known", None)
    first, own = first_of(decision.signals, now), first_of(decision.signals, was)
    if first == own:
        return None
    later = first is None or (own is not None and first.start > own.start)
    return ("would not happen", first) if later else ("not known", first)


def first_of(signals: Sequence[Signal], bar: PolicyThreshold) -> Signal | None:
    """Return the first signal that reaches a bar, None without one."""
    places = fired(signals, bar)
    return signals[places[0]] if places else None


def is_stricter(now: PolicyThreshold, was: PolicyThreshold) -> bool:
    """Return whether whatever fires at one threshold fires at the other too."""
    if now.threshold is None or was.threshold is None:
        return True
    return now.threshold <= was.threshold if now.rule == "below" else now.threshold >= was.threshold


def behind(decision: Decision, run: PolicyRun, fate: Fate, instead: Signal | None) -> ReplayedRun:
    """Return a run that is the same up to a decision, and what its next lookup becomes."""
    rest = len(run.retrievals) - decision.made
    fates = (*STAYS * decision.made, fate, *UNKNOWN * (rest - 1)) if rest else STAYS * decision.made
    gone = fate == "would not happen"
    until = decision.characters
    if gone and rest:
        until = run.retrievals[decision.made].characters
    elif instead is not None:
        until += instead.cut
    same = False if gone or instead is not None else None
    return ReplayedRun(fates=fates, same=same, true_until=until, instead=instead)
