"""What is asked of a new run so that it decides by the thresholds tried."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.timing.trace import REFERENCE
from engine.thresholds.knobs import KnobWord, knobs, moved


def request_with(
    request: DiagnosisRequest, diagnosis: Diagnosis, settings: Mapping[KnobWord, float]
) -> DiagnosisRequest:
    """Return the request with every threshold set to what is tried, the untouched ones to what the run had.

    All are written out, so that fitted ones are not put in their place again; what was fitted and not moved stays
    marked so. A threshold that cannot be handed on stays as it was asked for.
    """
    own = {knob.word: knob for knob in knobs(diagnosis) if not knob.missing}
    changed = moved(diagnosis, settings)
    out = replace(request, thresholds="paper")
    for word, knob in own.items():
        if knob.not_handed_on:
            continue
        fitted = word not in changed and knob.source == "fitted"
        out = SETTERS[word](out, settings.get(word, knob.value), fitted)
    if out.sugar.low > out.sugar.high:
        out = replace(out, sugar=replace(out.sugar, high=out.sugar.low))
    return out


def with_dse(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with DSE's threshold for DENSE and DENSE-RAG."""
    return replace(
        request,
        dense=replace(request.dense, threshold=value, fitted=fitted),
        dense_rag=replace(request.dense_rag, threshold=value, fitted=fitted),
    )


def with_alpha(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with α for ETC and the policies."""
    trend = replace(request.entropy_trend, alpha=value, fitted=fitted)
    timing = replace(request.timing, alpha=value, fitted=marked(request, REFERENCE, fitted))
    return replace(request, entropy_trend=trend, timing=timing)


def with_rind(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with RIND's threshold."""
    timing = replace(request.timing, dragin_threshold=value, fitted=marked(request, "dragin", fitted))
    return replace(request, timing=timing)


def with_flare(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with FLARE's threshold, in its variant."""
    marks = marked(request, "flare", fitted)
    if request.timing.variant == "code":
        return replace(request, timing=replace(request.timing, flare_doubt=value, fitted=marks))
    return replace(request, timing=replace(request.timing, flare_probability=value, fitted=marks))


def with_entity(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with τ_entity as a number of occurrences."""
    return replace(request, quco_rag=replace(request.quco_rag, entity_threshold=round(value)))


def with_cooc(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with τ_cooc for QuCo-RAG and the policy."""
    return replace(
        request,
        quco_rag=replace(request.quco_rag, cooccurrence_threshold=round(value)),
        timing=replace(request.timing, cooccurrence_threshold=round(value)),
    )


def with_low(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with SUGAR's lower threshold."""
    return replace(request, sugar=replace(request.sugar, low=value, fitted=fitted))


def with_high(request: DiagnosisRequest, value: float, fitted: bool) -> DiagnosisRequest:
    """Return the request with SUGAR's upper threshold; it counts as fitted where both are."""
    return replace(request, sugar=replace(request.sugar, high=value, fitted=fitted and request.sugar.fitted))


def marked(request: DiagnosisRequest, policy: str, fitted: bool) -> tuple[str, ...]:
    """Return which policies' thresholds count as fitted, with one more or less."""
    others = tuple(word for word in request.timing.fitted if word != policy)
    return (*others, policy) if fitted else others


SETTERS: dict[KnobWord, Callable[[DiagnosisRequest, float, bool], DiagnosisRequest]] = {
    "dse": with_dse,
    "alpha": with_alpha,
    "rind": with_rind,
    "flare": with_flare,
    "entity": with_entity,
    "cooc": with_cooc,
    "low": with_low,
    "high": with_high,
}
