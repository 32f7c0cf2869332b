"""A test of a model: it is opened, answers one short question, and its pace is measured. About three seconds beside
opening it.
"""

import time
from dataclasses import replace
from datetime import UTC, datetime

from engine.backends.added_models import Trial, changed, entry_for
from engine.backends.language_models import computing_place, is_server, open_weights, probe_server
from engine.backends.language_models.base import Request
from engine.core.allowed import refuse_visitors
from engine.core.errors import ModelError
from engine.core.progress import Report, Stage, silent
from engine.core.records import Prompt
from engine.runs.jobs.pace import machine_is_busy, measure_pace

QUESTION, ANSWER_TOKENS = "What is the capital of France? Answer in a few words.", 24


def try_model(source: str, device: str = "auto", report: Report = silent) -> Trial:
    """Return what a model answered and how fast it was; kept with its entry where it is on the list.

    Raises ModelError where it cannot be opened, or gives nothing that can be used, InputError for visitors.
    """
    refuse_visitors("Testing a model")
    if is_server(source):
        probe_server(source, report)
    began = time.monotonic()
    model = open_weights(source, report, device)
    opened = time.monotonic() - began
    report(Stage(method="models", name="asking one question", total=1))
    request = Request(prompt=Prompt(text=QUESTION), max_tokens=ANSWER_TOKENS)
    (answer,) = model.generate([request], report)
    place = computing_place(source, device)
    pace = measure_pace(source, model, report, place)
    trial = Trial(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        device=place,
        dtype=model.identity.dtype,
        question=QUESTION,
        answer=answer.text.strip()[:400],
        open_seconds=opened,
        prompt_tokens=pace.prompt_tokens,
        new_tokens=pace.new_tokens,
        busy=machine_is_busy(),
    )
    if not (trial.prompt_tokens > 0 and trial.new_tokens >= 0):
        raise ModelError("The model wrote nothing that could be timed.")
    entry = entry_for(source)
    if entry is not None:
        changed(entry.id, lambda one: replace(one, trial=trial))
    return trial
