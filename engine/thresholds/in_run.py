"""The thresholds of a run: what each was, where its value comes from, and what it was compared with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.catalogue.base import Place
from engine.catalogue.walk import entry_of, number_at, numbers_like
from engine.core.records import ThresholdSource
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS
from engine.methods.entropy_trend import TrendPoint
from engine.methods.quco_precheck import PreCheck
from engine.methods.threshold import Threshold
from engine.methods.timing.base import PolicyThreshold, PolicyTrace, reaches
from engine.methods.timing.method import TimingResult
from engine.methods.timing.policies import POLICIES
from engine.thresholds.table import THRESHOLDS, methods_of, paper_value

PERCENTILE = "A corpus of your own takes a percentile of its names; a new run cannot take a number of occurrences."

ALWAYS = PolicyThreshold(rule="always", threshold=None, unit="")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunThreshold:
    """One threshold of a run: its value there, where that comes from, what the paper sets.

    ``missing`` says why it cannot be moved here, "" where it can; ``not_handed_on`` why another value cannot be given
    to a new run. ``values`` are the stored numbers it is compared with, by the ``bar`` that holds its own value; where
    a number is known within bounds, the end that acts last.
    """

    word: str
    value: float
    source: ThresholdSource
    paper: float
    values: tuple[float, ...] = ()
    bar: PolicyThreshold = ALWAYS
    missing: str = ""
    not_handed_on: str = ""


def run_thresholds(diagnosis: Diagnosis) -> tuple[RunThreshold, ...]:
    """Return every threshold as this run has it; one that cannot be moved says why in ``missing``."""
    return tuple(run_threshold(diagnosis, one) for one in THRESHOLDS.values())


def run_threshold(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return one threshold by the catalogue's numbers: from a method's result, or else from the policy's lane."""
    homes = [(address, one.compared) for address in one.stored]
    homes += [
        (f"timing.lanes.{number}.bar.threshold", (f"timing.lanes.{number}.signals.*.value",))
        for number, lane in enumerate(lanes_of(diagnosis))
        if lane.policy == one.policy
    ]
    places = ((number_at(diagnosis, address), compared) for address, compared in homes)
    place, compared = next(((place, compared) for place, compared in places if place is not None), (None, ()))
    if place is None or place.value is None:
        return lacking(one, why_missing(diagnosis, one, place))
    lane, check = place.find(PolicyTrace), place.find(PreCheck)
    if lane is not None and (lane.not_measured or not lane.signals):
        reason = lane.not_measured or "It saw nothing to judge in this answer."
        return lacking(one, f"Not measured in this run: {reason}")
    bar = lane.bar if lane is not None else bar_of(diagnosis, one, float(place.value))
    found = (acting_value(number, bar) for pattern in compared for number in numbers_like(diagnosis, pattern))
    values = tuple(float(value) for value in found if value is not None)
    return RunThreshold(
        word=one.word,
        value=float(place.value),
        source=entry_of(place).threshold(place) or "chosen",
        paper=paper_value(one, place.the(TimingResult).variant if lane is not None else "paper"),
        values=values,
        bar=bar,
        missing="" if values or lane is not None else why_missing(diagnosis, one, place),
        not_handed_on="" if check is None or check.percentile is None else PERCENTILE,
    )


def bar_of(diagnosis: Diagnosis, one: Threshold, value: float) -> PolicyThreshold:
    """Return how a threshold's numbers are compared with it: by its policy's rule in the run's variant, or its own."""
    policy = next((policy for policy in POLICIES.values() if policy.threshold is one), None)
    if policy is None:
        return PolicyThreshold(rule="below" if one.below else "above", threshold=value, unit=one.unit)
    code = getattr(diagnosis.result_of(methods_of(one)[0]), "variant", "paper") == "code"
    rule = policy.rule_code if code and policy.rule_code else policy.rule
    return PolicyThreshold(rule=rule, threshold=value, unit=one.unit)


def acting_value(place: Place, bar: PolicyThreshold) -> float | None:
    """Return what a stored number counts as at a threshold: of ETC's bounds the end that reaches it last."""
    if not isinstance(place.owner, TrendPoint):
        return place.value
    return place.owner.nearest_value("abs" if bar.rule.startswith("magnitude") else "signed")


def passed(one: RunThreshold, tried: float) -> tuple[int, ...]:
    """Return the places of the stored numbers that act at one of a run's threshold and the one tried, not at both."""
    then = replace(one.bar, threshold=tried)
    return tuple(place for place, value in enumerate(one.values) if reaches(value, one.bar) != reaches(value, then))


def lacking(one: Threshold, why: str) -> RunThreshold:
    """Return a threshold that cannot be moved, at the paper's value."""
    return RunThreshold(word=one.word, value=paper_value(one), source="paper", paper=paper_value(one), missing=why)


def why_missing(diagnosis: Diagnosis, one: Threshold, place: Place | None) -> str:
    """Return why nothing can be compared with a threshold in this run."""
    if place is not None and (check := place.find(PreCheck)) is not None:
        return f"Not measured in this run: {check.reason}"
    method = methods_of(one)[0]
    if place is None and (one.policy or diagnosis.result_of(method) is None):
        return f"This run has no {'retrieval timing' if one.policy else METHODS[method].title}."
    return one.unmeasured


def lanes_of(diagnosis: Diagnosis) -> tuple[PolicyTrace, ...]:
    """Return the policies' lanes in the run; () without retrieval timing."""
    found = diagnosis.result(TimingResult, measured=False)
    return () if found is None else found.lanes


def moved(diagnosis: Diagnosis, settings: Mapping[str, float]) -> dict[str, float]:
    """Return the settings that are not the run's own, of the thresholds that can be moved."""
    return {
        one.word: settings[one.word]
        for one in run_thresholds(diagnosis)
        if not one.missing and not math.isclose(settings.get(one.word, one.value), one.value, abs_tol=1e-9)
    }
