"""What files of results say of where they come from, and how long a piece of work takes."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from engine.backends.language_models.base import ModelIdentity
from engine.core.provenance import library_versions, machine

Found = TypeVar("Found")


def origin() -> dict[str, Any]:
    """Return the machine, and the version of each library that can change a number."""
    return {"machine": machine(), "libraries": dict(library_versions())}


def timed(work: Callable[[], Found], clock: Callable[[], float] = time.process_time) -> tuple[float, Found]:
    """Return the processor's seconds, or those of another clock, and what the work returned."""
    began = clock()
    found = work()
    return clock() - began, found


def model_words(identity: ModelIdentity) -> str:
    """Return which weights answer: name, revision and number type."""
    return f"{identity.name} {identity.revision} {identity.dtype}"


def refuse_other_settings(into: Path, settings: Mapping[str, Any]) -> None:
    """Exit where a file of results holds rows of other settings, or does not say that they are of these."""
    if not into.is_file():
        return
    stored, here = json.loads(into.read_text(encoding="utf-8")), json.loads(json.dumps(settings))
    if other := ", ".join(name for name, value in here.items() if stored.get(name) != value):
        raise SystemExit(f"{into} holds rows of other settings ({other}): name another file, or move it away.")
