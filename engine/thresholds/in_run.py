"""The thresholds of a run: what each was, where its value comes from, and what it was compared with."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from engine.core.records import ThresholdSource
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.base import source_of
from engine.methods.dense import DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult
from engine.methods.sugar import SugarResult
from engine.methods.threshold import Threshold
from engine.methods.timing.base import PolicyTrace
from engine.methods.timing.method import TimingResult
from engine.thresholds.table import THRESHOLDS, paper_value

PERCENTILE = "A corpus of your own takes a percentile of its names; a new run cannot take a number of occurrences."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunThreshold:
    """One threshold of a run: its value there, where that comes from, what the paper sets.

    ``missing`` says why it cannot be moved here, "" where it can; ``not_handed_on`` why another value cannot be given
    to a new run. ``values`` are the stored numbers it is compared with.
    """

    word: str
    value: float
    source: ThresholdSource
    paper: float
    values: tuple[float, ...] = ()
    missing: str = ""
    not_handed_on: str = ""


def result_of(diagnosis: Diagnosis, method: str) -> MethodResult | None:
    """Return a method's result, None where the run has none."""
    outcome = diagnosis.outcome(method)
    return None if outcome is None else outcome.result


def run_thresholds(diagnosis: Diagnosis) -> tuple[RunThreshold, ...]:
    """Return every threshold as this run has it; one that cannot be moved says why in ``missing``."""
    return tuple(READERS.get(word, of_policy)(diagnosis, one) for word, one in THRESHOLDS.items())


def lacking(one: Threshold, why: str) -> RunThreshold:
    """Return a threshold that cannot be moved, at the paper's value."""
    return RunThreshold(word=one.word, value=paper_value(one), source="paper", paper=paper_value(one), missing=why)


def of_dse(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return DSE's threshold, of DENSE or else of DENSE-RAG."""
    dense, rag = result_of(diagnosis, "dense"), result_of(diagnosis, "dense_rag")
    values = [dense.entropy] if isinstance(dense, DenseResult) else []
    values += [step.entropy for step in rag.steps] if isinstance(rag, DenseRagResult) else []
    measured = tuple(value for value in values if value is not None)
    if isinstance(dense, DenseResult):
        value, source = dense.threshold, dense.threshold_source
    elif isinstance(rag, DenseRagResult):
        value, source = rag.config.threshold, rag.threshold_source
    else:
        return lacking(one, "This run has no DENSE.")
    missing = "" if measured else "DENSE was not measured in this run, so nothing is compared with it."
    return RunThreshold(
        word=one.word, value=value, source=source, paper=paper_value(one), values=measured, missing=missing
    )


def of_alpha(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return α, of ETC or else of the policy."""
    found = result_of(diagnosis, "entropy_trend")
    if not isinstance(found, EntropyTrendResult):
        return of_policy(diagnosis, one)
    values = tuple(point.value for point in found.points if point.value is not None)
    return RunThreshold(
        word=one.word,
        value=found.alpha,
        source=found.alpha_source,
        paper=paper_value(one),
        values=values,
        missing="" if values else "ETC was not measured in this run, so nothing is compared with α.",
    )


def lane_of(diagnosis: Diagnosis, policy: str) -> PolicyTrace | None:
    """Return a policy's lane in the run, None without one."""
    found = result_of(diagnosis, "timing")
    if not isinstance(found, TimingResult):
        return None
    return next((lane for lane in found.lanes if lane.policy == policy), None)


def of_policy(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return the threshold of a policy of retrieval timing."""
    lane = lane_of(diagnosis, one.policy)
    if lane is None or lane.bar.threshold is None:
        return lacking(one, "This run has no retrieval timing.")
    if lane.not_measured or not lane.signals:
        reason = lane.not_measured or "It saw nothing to judge in this answer."
        return lacking(one, f"Not measured in this run: {reason}")
    result = cast(TimingResult, result_of(diagnosis, "timing"))
    paper = paper_value(one, result.variant)
    return RunThreshold(
        word=one.word,
        value=lane.bar.threshold,
        source=source_of(lane.bar.threshold == paper, one.policy in result.config.fitted),
        paper=paper,
        values=tuple(signal.value for signal in lane.signals if signal.value is not None),
    )


def of_entity(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return τ_entity as a number of occurrences, whether it was set as one or by a percentile."""
    found = result_of(diagnosis, "quco_rag")
    if not isinstance(found, QucoResult):
        return lacking(one, "This run has no QuCo-RAG.")
    check = found.pre_check
    if check is None or check.value is None or check.threshold is None:
        why = "The check before writing was switched off." if check is None else check.reason
        return lacking(one, f"Not measured in this run: {why}")
    return RunThreshold(
        word=one.word,
        value=check.threshold,
        source=check.threshold_source,
        paper=paper_value(one),
        values=(check.value,),
        not_handed_on="" if check.percentile is None else PERCENTILE,
    )


def of_co_occurrence(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return τ_cooc, of QuCo-RAG or else of the policy."""
    found = result_of(diagnosis, "quco_rag")
    if not isinstance(found, QucoResult):
        return of_policy(diagnosis, one)
    values = tuple(float(claim.documents) for _, claim in claims_of(found) if claim.documents is not None)
    value, paper = float(found.cooccurrence_threshold), paper_value(one)
    missing = "" if values else "No claim of this run could be counted, so nothing is compared with it."
    source = source_of(value == paper, False)
    return RunThreshold(word=one.word, value=value, source=source, paper=paper, values=values, missing=missing)


def of_sugar(diagnosis: Diagnosis, one: Threshold) -> RunThreshold:
    """Return one of SUGAR's two thresholds."""
    found, paper = result_of(diagnosis, "sugar"), paper_value(one)
    if not isinstance(found, SugarResult):
        return lacking(one, "This run has no SUGAR.")
    value = float(getattr(found, one.field_of("sugar")))
    source = found.threshold_source if found.threshold_source == "fitted" else source_of(value == paper, False)
    return RunThreshold(word=one.word, value=value, source=source, paper=paper, values=(found.measured,))


def claims_of(result: QucoResult) -> Iterator[tuple[str, CountedClaim]]:
    """Yield (sentence, claim) of every claim that was checked."""
    for sentence in result.sentences:
        for claim in sentence.claims:
            yield sentence.text, claim


# Thresholds that methods compare with; all others are a policy's.
READERS: dict[str, Callable[[Diagnosis, Threshold], RunThreshold]] = {
    "dse": of_dse,
    "alpha": of_alpha,
    "tau_entity": of_entity,
    "tau_cooc": of_co_occurrence,
    "sugar_low": of_sugar,
    "sugar_high": of_sugar,
}


def moved(diagnosis: Diagnosis, settings: Mapping[str, float]) -> dict[str, float]:
    """Return the settings that are not the run's own, of the thresholds that can be moved."""
    return {
        one.word: settings[one.word]
        for one in run_thresholds(diagnosis)
        if not one.missing and not math.isclose(settings.get(one.word, one.value), one.value, abs_tol=1e-9)
    }
