"""A run that somebody names: by a file with its record, or by the id of a stored one."""

from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import read_at_most
from engine.diagnosis.record import Diagnosis
from engine.runs.bundle import LARGEST_BUNDLE, read_export
from engine.runs.store import default_store

LARGEST_FILE = 4 * LARGEST_BUNDLE  # bytes; a character has at most four


def named_run(run: str) -> Diagnosis:
    """Return a run from a file (a JSON record or a run bundle), else a stored run by its id. Raises RecordError."""
    content = record_bytes(run)
    found = default_store().get(run).diagnosis if content is None else read_export(content).diagnosis
    if found is None:
        raise RecordError(f"The run {run[:64]!r} has no answer yet.")
    return found


def record_bytes(run: str) -> bytes | None:
    """Return what the file of this name holds, None where there is none. Raises InputError where it cannot be read."""
    try:
        file = Path(run)
        return read_at_most(file, LARGEST_FILE) if file.is_file() else None
    except OSError as exc:
        raise RecordError(f"{run[:64]!r} could not be read: {exc.strerror or exc}.") from exc
