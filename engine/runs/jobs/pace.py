"""How fast a language model reads and writes on this machine, from a measurement of about two seconds.

It is the pace of the fastest of several short pieces: other work on the machine slows most of them, rarely all. It
stands in for past runs until there are some (``engine.runs.jobs.estimate``). It is made once for each model and kept in
the data folder beside the cache, with the weights, the number type and the threads it holds for.
"""

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.backends.devices import Device, DeviceChoice
from engine.backends.fingerprints import threads
from engine.backends.language_models import computing_place
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.number_types import number_type
from engine.core.errors import InputError, ModelError
from engine.core.folders import data_folder, write_whole
from engine.core.locks import locked
from engine.core.progress import Report, Stage, silent
from engine.core.records import Prompt

READING_SECONDS, WRITING_SECONDS = 1.0, 1.0
READ_WORDS, WRITTEN_TOKENS, ROWS = 240, 8, 8
LEAST_PIECES, FEWEST_WORDS = 3, 15
# 2: the fastest piece; before, it was all of them together, which a busy moment spoiled.
FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Tokens a second: of prompts read one after another, and written in a batch of eight. Higher = faster."""

    prompt_tokens: float
    new_tokens: float
    dtype: str
    threads: str
    device: str = "cpu"


def measure_pace(name: str, model: LanguageModel, report: Report = silent, device: str = "cpu") -> Pace:
    """Return the pace of an open model that remembers nothing, after keeping it under ``name``.

    Each measurement goes on for at least a second and three calls. ``report`` may raise to stop.
    """
    report(Stage(method="models", name="measuring this machine's pace", total=2))
    read = reading_speed(model, READ_WORDS, report)
    report(Stage(method="models", name="measuring this machine's pace", done=1, total=2))
    written = tokens_per_second(model, 1, ROWS, WRITTEN_TOKENS, WRITING_SECONDS, report)
    pace = Pace(
        prompt_tokens=read,
        new_tokens=written,
        dtype=model.identity.dtype,
        threads=repr(threads()),
        device=device,
    )
    keep_pace(name, pace)
    report(Stage(method="models", name="measuring this machine's pace", done=2, total=2))
    return pace


def reading_speed(model: LanguageModel, words: int, report: Report) -> float:
    """Return the prompt tokens a second over prompts of so many words, of half as many where it reads no such text."""
    try:
        return tokens_per_second(model, words, 1, 1, READING_SECONDS, report)
    except InputError:
        if words <= FEWEST_WORDS:
            raise
    return reading_speed(model, words // 2, report)


def tokens_per_second(
    model: LanguageModel, words: int, rows: int, most_tokens: int, seconds: float, report: Report
) -> float:
    """Return the tokens a second of the fastest call; draws, so that no row ends alike.

    Tokens read where one is written per call, else tokens written.
    """
    fastest, began, call = 0.0, time.monotonic(), 0
    while (start := time.monotonic()) - began < seconds or call < LEAST_PIECES:
        prompt = Prompt(text=f"{call} " + "word " * words, chat=False)
        requests = [
            Request(prompt=prompt, max_tokens=most_tokens, temperature=1.0, seed=seed + rows * call)
            for seed in range(rows)
        ]
        made = model.generate(requests, report)
        tokens = made[0].prompt_tokens if rows == 1 else sum(len(one.tokens) for one in made)
        fastest = max(fastest, tokens / max(time.monotonic() - start, 1e-9))
        call += 1
    return fastest


def machine_is_busy() -> bool:
    """Return whether more work waits for processors than there are, over the last minute; False where none tells."""
    try:
        return os.getloadavg()[0] > (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return False


def stored_pace(name: str, device: DeviceChoice = "auto") -> Pace | None:
    """Return what was measured of a model where it would compute now: on its server, or on the device chosen for it.

    None where nothing was, or on another device, with another number type or other threads.
    """
    try:
        pace = TypeAdapter(Pace).validate_python(stored_paces().get(name))
        place = computing_place(name, device)
    except (ValidationError, ModelError):
        return None
    same = pace.device == place and (place == "server" or is_as_measured(pace, place))
    return pace if same and all(0 < number < float("inf") for number in (pace.prompt_tokens, pace.new_tokens)) else None


def is_as_measured(pace: Pace, device: Device) -> bool:
    """Return whether a model would compute now as it did when its pace was measured."""
    return pace.dtype == number_type(device) and pace.threads == repr(threads())


def stored_paces() -> dict[str, Any]:
    """Return what the file holds of each model, {} where it cannot be read or has another format."""
    try:
        found = json.loads(pace_file().read_text(encoding="utf-8"))
        return dict(found["models"]) if found["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def keep_pace(name: str, pace: Pace) -> None:
    """Keep a measurement beside those of other models, whole or not at all. Raises StorageError."""
    file = pace_file()
    with locked(file.with_name(f".{file.name}.lock")):
        kept = {"format": FORMAT, "models": {**stored_paces(), name: asdict(pace)}}
        write_whole(file, json.dumps(kept), "The pace of this machine")


def pace_file() -> Path:
    """Return the file that holds what was measured."""
    return data_folder() / "pace.json"
