"""Fitted thresholds in the place of the papers' values."""

from dataclasses import replace

from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.base import Backends
from engine.methods.dense import DenseConfig
from engine.methods.dense_rag import DenseRagConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.thresholds.fitted import fit_of
from engine.thresholds.fitted.records import FittedThresholds


def no_fit(model: str, request: DiagnosisRequest) -> InputError:
    """Return the error that says there are no fitted thresholds for this model."""
    return InputError(
        f"No thresholds were fitted to {model} with judge {request.judge} and profile {request.profile}. "
        "Run microscope calibrate, or use the papers' thresholds."
    )


def fit_wanted(request: DiagnosisRequest, backends: Backends) -> FittedThresholds | None:
    """Return the fit for the very weights that were opened, None where the papers' thresholds are asked for.

    Raises InputError where a fit is asked for and these weights have none.
    """
    if request.thresholds == "paper":
        return None
    model, writer = backends.model.identity, backends.writer.identity
    other = writer.revision if backends.writer is not backends.model else ""
    fit = fit_of(model.name, model.revision, other, backends.judge.name, request.profile)
    if fit is None:
        raise no_fit(f"{model.name} in revision {model.revision}", request)
    return fit


def with_fit(request: DiagnosisRequest, fit: FittedThresholds) -> DiagnosisRequest:
    """Return the request with fitted thresholds where it has the papers'; what has no fit keeps the paper's.

    They were fitted to the papers' readings: α, RIND's and FLARE's are not those of variant "code", and SUGAR's are of
    semantic entropy, whose two thresholds belong together.
    """
    dse, low, high, alpha = (fit.value(name) for name in ("dense", "sugar_low", "sugar_high", "entropy_trend"))
    dense, rag, trend, sugar = request.dense, request.dense_rag, request.entropy_trend, request.sugar
    if dse is not None and dense.threshold in (DenseConfig().threshold, dse):
        dense = replace(dense, threshold=dse, fitted=True)
    if dse is not None and rag.threshold in (DenseRagConfig().threshold, dse):
        rag = replace(rag, threshold=dse, fitted=True)
    if alpha is not None and trend.variant == "paper" and trend.alpha in (EntropyTrendConfig().alpha, alpha):
        trend = replace(trend, alpha=alpha, fitted=True)
    papers = (SugarConfig().low, SugarConfig().high)
    replaceable = sugar.form == "entropy" and (sugar.low, sugar.high) in (papers, (low, high))
    if low is not None and high is not None and replaceable:
        sugar = replace(sugar, low=low, high=high, fitted=True)
    timing = timing_with_fit(request.timing, fit) if request.timing.variant == "paper" else request.timing
    return replace(request, dense=dense, dense_rag=rag, entropy_trend=trend, sugar=sugar, timing=timing)


def timing_with_fit(config: TimingConfig, fit: FittedThresholds) -> TimingConfig:
    """Return the policies' settings with fitted thresholds where they have the papers'."""
    fields = {"entropy_trend": "alpha", "dragin": "dragin_threshold", "flare": "flare_probability"}
    changed: dict[str, float] = {}
    words: list[str] = []
    for threshold in fit.thresholds:
        field = fields.get(threshold.name)
        if field is None or threshold.value is None:
            continue
        if getattr(config, field) in (getattr(TimingConfig(), field), threshold.value):
            changed[field] = threshold.value
            words.append(threshold.name)
    return replace(config, fitted=tuple(words), **changed)  # type: ignore[arg-type]
