"""Fitted thresholds in the place of the papers' values."""

from dataclasses import replace
from typing import Any

from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS
from engine.methods.base import Backends
from engine.methods.threshold import Threshold
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
    model = backends.model.identity
    writer, rewriter = (
        other.identity.revision if other is not backends.model else "" for other in (backends.writer, backends.rewriter)
    )
    fit = fit_of(model.name, (model.revision, writer, rewriter), backends.judge.name, request.profile)
    if fit is None:
        raise no_fit(f"{model.name} in revision {model.revision}", request)
    return fit


def fit_words(fit: FittedThresholds, dtype: str) -> str:
    """Return what fitted thresholds were fitted on, and that the run has another number type where it does."""
    other = f"; fitted in {fit.origin.model_dtype}, used in {dtype}" if fit.origin.model_dtype != dtype else ""
    return f"{fit.words}{other}"


def papers_kept(asked: DiagnosisRequest, used: DiagnosisRequest, fit: FittedThresholds) -> tuple[tuple[str, str], ...]:
    """Return (method, why) for each threshold that stays the paper's although fitted ones were asked for.

    ``asked`` is the request as it came, ``used`` the one with fitted thresholds. A value set by hand is no paper's.
    """
    kept = []
    for word in asked.methods:
        mine, papers = getattr(used, word), METHODS[word].config()
        for one in METHODS[word].thresholds:
            field = one.field_of(word)
            value = getattr(mine, field)
            if value != getattr(papers, field) or is_fitted(mine, one):
                continue
            reason = next((found.reason for found in fit.thresholds if found.name == one.word), "")
            kept.append((word, f"{one.title} stays the paper's {value:g}. {reason or why_unfitted(one, fit)}"))
    return tuple(kept)


def is_fitted(config: Any, one: Threshold) -> bool:
    """Return whether a method's settings mark a threshold as fitted."""
    marked = getattr(config, "fitted", False)
    return one.policy in marked if isinstance(marked, tuple) else bool(marked)


def why_unfitted(one: Threshold, fit: FittedThresholds) -> str:
    """Return why a threshold has no fitted value, where the fit names no reason."""
    if not one.fitted:
        return "Calibration does not fit it."
    if fit.value(one.word) is not None:
        return "Its fit is for another variant, or belongs to a threshold that was not fitted."
    return "It was not fitted."


def with_fit(request: DiagnosisRequest, fit: FittedThresholds) -> DiagnosisRequest:
    """Return the request with fitted thresholds where it has the papers'; what has no fit keeps the paper's.

    They were fitted to the papers' readings: not to variant "code", and SUGAR's to semantic entropy.
    """
    configs = {word: fitted_config(word, getattr(request, word), fit) for word in METHODS}
    return replace(request, **configs)


def fitted_config(word: str, config: Any, fit: FittedThresholds) -> Any:
    """Return one method's settings with fitted thresholds in the place of the papers'.

    The policies' thresholds stand each for itself; those of another method belong together: all are put in, or none.
    """
    fields = {one.field_of(word): one for one in METHODS[word].thresholds if one.fitted}
    values = {field: value for field, one in fields.items() if (value := fit.value(one.word)) is not None}
    if getattr(config, "variant", "paper") != "paper" or getattr(config, "form", "entropy") != "entropy":
        return config
    papers = METHODS[word].config()
    if word == "timing":
        usable = {field: v for field, v in values.items() if getattr(config, field) in (getattr(papers, field), v)}
        return replace(config, **usable, fitted=tuple(fields[field].policy for field in usable))
    now = [getattr(config, field) for field in fields]
    if (
        not fields
        or len(values) < len(fields)
        or now
        not in (
            [getattr(papers, field) for field in fields],
            list(values.values()),
        )
    ):
        return config
    return replace(config, **values, fitted=True)
