"""What a run will cost, said beside the button that starts it."""

import streamlit as st

from engine.core.words import duration_range
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.estimate import Estimate, estimate
from engine.runs.jobs.pace import machine_is_busy, stored_pace
from pages.shared.resources import sentences, store
from pages.shared.theme import as_text


def draw_cost_of(request: DiagnosisRequest, opening: str = "Cost") -> None:
    """Draw what a request will cost, in one line after ``opening``."""
    with sentences():
        expected = estimate(request, store(), stored_pace(request.model, request.device))
    st.caption(as_text(cost_sentence(expected, opening, busy=machine_is_busy())))


def cost_sentence(expected: Estimate, opening: str, *, busy: bool) -> str:
    """Return the cost in one line: time by earlier runs, model calls, sampled answers, judged pairs.

    ``busy``: other work keeps the machine from that time now.
    """
    parts = [f"at most {expected.model_calls:,} model calls"]
    if expected.sampled_answers:
        parts.append(f"{expected.sampled_answers:,} of them sampled answers")
    if expected.judge_pairs:
        parts.append(f"{expected.judge_pairs:,} judged pairs")
    time = expected.basis
    if expected.seconds is not None:
        time = f"{duration_range(expected.seconds.low, expected.seconds.high)} ({expected.basis})"
    slower = " Longer now: the machine is busy." if busy and expected.seconds is not None else ""
    return f"{opening}: {time.rstrip('.')}. {', '.join(parts).capitalize()}.{slower}"
