"""The request for a new run that decides by the thresholds tried."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.thresholds.in_run import moved, run_thresholds
from engine.thresholds.table import THRESHOLDS


def request_with(request: DiagnosisRequest, diagnosis: Diagnosis, settings: Mapping[str, float]) -> DiagnosisRequest:
    """Return the request with every threshold set to what is tried, the untouched ones to what the run had.

    All are written out, so that fitted ones do not take their place again; what was fitted and not moved stays marked
    so, a method's settings where all its thresholds are. A threshold that cannot be handed on keeps its request.
    """
    changed, changes = moved(diagnosis, settings), dict[str, dict[str, Any]]()
    policies = list(request.timing.fitted)
    for found in run_thresholds(diagnosis):
        if found.missing or found.not_handed_on:
            continue
        one, value = THRESHOLDS[found.word], settings.get(found.word, found.value)
        fitted = found.word not in changed and found.source == "fitted"
        for method, _ in one.fields:
            mine = changes.setdefault(method, {})
            mine[one.field_of(method, request.timing.variant)] = round(value) if one.whole else value
            if method == "timing":
                policies = [word for word in policies if word != one.policy] + [one.policy] * fitted
                mine["fitted"] = tuple(policies)
            elif one.fitted:
                mine["fitted"] = fitted and mine.get("fitted", True)
    configs = {method: replace(getattr(request, method), **fields) for method, fields in changes.items()}
    out = replace(request, thresholds="paper", **configs)
    if out.sugar.low > out.sugar.high:
        out = replace(out, sugar=replace(out.sugar, high=out.sugar.low))
    return out
