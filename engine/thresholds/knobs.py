"""The thresholds of a run: what each was, where its value comes from, and what it was compared with."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

from engine.core.records import ThresholdSource
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.base import source_of
from engine.methods.dense import PAPER_THRESHOLD, DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import PAPER_ALPHA, EntropyTrendResult
from engine.methods.quco_claims import CountedClaim, QucoConfig
from engine.methods.quco_rag import QucoResult
from engine.methods.sugar import PAPER_THRESHOLDS, SugarResult
from engine.methods.timing.base import Lane, TimingConfig
from engine.methods.timing.method import TimingResult
from engine.methods.timing.trace import REFERENCE

KnobWord = Literal["dse", "alpha", "rind", "flare", "entity", "cooc", "low", "high"]
KNOBS: tuple[KnobWord, ...] = ("dse", "alpha", "rind", "flare", "entity", "cooc", "low", "high")
# Which method's result holds what a threshold is compared with; the first that a run has is taken.
METHODS_OF: dict[KnobWord, tuple[str, ...]] = {
    "dse": ("dense", "dense_rag"),
    "alpha": ("entropy_trend", "timing"),
    "rind": ("timing",),
    "flare": ("timing",),
    "entity": ("quco_rag",),
    "cooc": ("quco_rag", "timing"),
    "low": ("sugar",),
    "high": ("sugar",),
}
PERCENTILE = "A corpus of one's own takes a percentile of its names; a number of occurrences cannot be handed to a run."


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One threshold of a run: its value there, where that comes from, what the paper sets.

    ``missing`` says why it cannot be moved here, "" where it can; ``not_handed_on`` why another value cannot be given
    to a new run. ``values`` are the stored numbers it is compared with.
    """

    word: KnobWord
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


def knobs(diagnosis: Diagnosis) -> tuple[Knob, ...]:
    """Return the eight thresholds as this run has them; one that cannot be moved says why in ``missing``."""
    return tuple(KNOB_MAKERS[word](diagnosis) for word in KNOBS)


def lacking(word: KnobWord, paper: float, why: str) -> Knob:
    """Return a knob that cannot be moved, at the paper's value."""
    return Knob(word=word, value=paper, source="paper", paper=paper, missing=why)


def dse_knob(diagnosis: Diagnosis) -> Knob:
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
        return lacking("dse", PAPER_THRESHOLD, "This run has no DENSE.")
    missing = "" if measured else "DENSE was not measured in this run, so nothing is compared with it."
    return Knob(word="dse", value=value, source=source, paper=PAPER_THRESHOLD, values=measured, missing=missing)


def alpha_knob(diagnosis: Diagnosis) -> Knob:
    """Return α, of ETC or else of the policies."""
    found, lane = result_of(diagnosis, "entropy_trend"), lane_of(diagnosis, REFERENCE)
    if isinstance(found, EntropyTrendResult):
        values = tuple(point.value for point in found.points if point.value is not None)
        missing = "" if values else "ETC was not measured in this run, so nothing is compared with α."
        return Knob(
            word="alpha",
            value=found.alpha,
            source=found.alpha_source,
            paper=PAPER_ALPHA,
            values=values,
            missing=missing,
        )
    if lane is None:
        return lacking("alpha", PAPER_ALPHA, "This run has neither ETC nor retrieval timing.")
    return lane_knob(diagnosis, "alpha", REFERENCE, PAPER_ALPHA)


def lane_of(diagnosis: Diagnosis, policy: str) -> Lane | None:
    """Return a policy's lane in the run, None without one."""
    found = result_of(diagnosis, "timing")
    if not isinstance(found, TimingResult):
        return None
    return next((lane for lane in found.lanes if lane.policy == policy), None)


def lane_knob(diagnosis: Diagnosis, word: KnobWord, policy: str, paper: float) -> Knob:
    """Return the threshold of one policy of retrieval timing."""
    lane = lane_of(diagnosis, policy)
    if lane is None or lane.bar.threshold is None:
        return lacking(word, paper, "This run has no retrieval timing.")
    if lane.not_measured or not lane.signals:
        reason = lane.not_measured or "It saw nothing to judge in this answer."
        return lacking(word, paper, f"Not measured in this run: {reason}")
    result = cast(TimingResult, result_of(diagnosis, "timing"))
    return Knob(
        word=word,
        value=lane.bar.threshold,
        source=source_of(lane.bar.threshold == paper, policy in result.config.fitted),
        paper=paper,
        values=tuple(signal.value for signal in lane.signals if signal.value is not None),
    )


def rind_knob(diagnosis: Diagnosis) -> Knob:
    """Return RIND's threshold."""
    return lane_knob(diagnosis, "rind", "dragin", TimingConfig().dragin_threshold)


def flare_knob(diagnosis: Diagnosis) -> Knob:
    """Return FLARE's θ, or in variant "code" the mean doubt of DRAGIN's re-implementation."""
    found = result_of(diagnosis, "timing")
    code = isinstance(found, TimingResult) and found.variant == "code"
    return lane_knob(
        diagnosis, "flare", "flare", TimingConfig().flare_doubt if code else TimingConfig().flare_probability
    )


def entity_knob(diagnosis: Diagnosis) -> Knob:
    """Return τ_entity as a number of occurrences, whether it was set as one or by a percentile."""
    found, paper = result_of(diagnosis, "quco_rag"), float(QucoConfig().entity_threshold)
    if not isinstance(found, QucoResult):
        return lacking("entity", paper, "This run has no QuCo-RAG.")
    check = found.pre_check
    if check is None or check.value is None or check.threshold is None:
        why = "The check before writing was switched off." if check is None else check.reason
        return lacking("entity", paper, f"Not measured in this run: {why}")
    return Knob(
        word="entity",
        value=check.threshold,
        source=check.threshold_source,
        paper=paper,
        values=(check.value,),
        not_handed_on="" if check.percentile is None else PERCENTILE,
    )


def cooc_knob(diagnosis: Diagnosis) -> Knob:
    """Return τ_cooc, of QuCo-RAG or else of the policy."""
    found, paper = result_of(diagnosis, "quco_rag"), float(QucoConfig().cooccurrence_threshold)
    if not isinstance(found, QucoResult):
        return replace(lane_knob(diagnosis, "cooc", "quco_rag", paper), word="cooc")
    values = tuple(float(claim.documents) for _, claim in claims_of(found) if claim.documents is not None)
    value = float(found.cooccurrence_threshold)
    missing = "" if values else "No claim of this run could be counted, so nothing is compared with it."
    return Knob(
        word="cooc", value=value, source=source_of(value == paper, False), paper=paper, values=values, missing=missing
    )


def sugar_knob(word: Literal["low", "high"], diagnosis: Diagnosis) -> Knob:
    """Return one of SUGAR's two thresholds."""
    paper, found = PAPER_THRESHOLDS[word == "high"], result_of(diagnosis, "sugar")
    if not isinstance(found, SugarResult):
        return lacking(word, paper, "This run has no SUGAR.")
    value = found.low if word == "low" else found.high
    source = found.threshold_source if found.threshold_source == "fitted" else source_of(value == paper, False)
    return Knob(word=word, value=value, source=source, paper=paper, values=(found.measured,))


def claims_of(result: QucoResult) -> Iterator[tuple[str, CountedClaim]]:
    """Yield (sentence, claim) of every claim that was checked."""
    for sentence in result.sentences:
        for claim in sentence.claims:
            yield sentence.text, claim


KNOB_MAKERS: dict[KnobWord, Callable[[Diagnosis], Knob]] = {
    "dse": dse_knob,
    "alpha": alpha_knob,
    "rind": rind_knob,
    "flare": flare_knob,
    "entity": entity_knob,
    "cooc": cooc_knob,
    "low": lambda diagnosis: sugar_knob("low", diagnosis),
    "high": lambda diagnosis: sugar_knob("high", diagnosis),
}


def moved(diagnosis: Diagnosis, settings: Mapping[KnobWord, float]) -> dict[KnobWord, float]:
    """Return the settings that are not the run's own, of the thresholds that can be moved."""
    return {
        knob.word: settings[knob.word]
        for knob in knobs(diagnosis)
        if not knob.missing and not math.isclose(settings.get(knob.word, knob.value), knob.value, abs_tol=1e-9)
    }
