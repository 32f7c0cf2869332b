"""A run that somebody names: by a file with its record, or by the id of a stored one."""

from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import read_at_most
from engine.diagnosis.record import Diagnosis
from engine.runs.bundle import LARGEST_BUNDLE, Seal, read_export
from engine.runs.store import RUN_ID, default_store

LARGEST_FILE = 4 * LARGEST_BUNDLE  # bytes; a character has at most four


def named_run(run: str) -> Diagnosis:
    """Return a run from a file (a JSON record or a run bundle), else a stored run by its id. Raises RecordError."""
    return run_with_seal(run)[0]


def run_with_seal(run: str) -> tuple[Diagnosis, Seal | None]:
    """Return a run as ``named_run`` does, with what its file's content hash says; None for a stored run."""
    content = record_bytes(run)
    if content is not None:
        export = read_export(content)
        return export.diagnosis, export.seal
    found = default_store().get(run).diagnosis
    if found is None:
        raise RecordError(f"The run {run[:64]!r} has no answer yet.")
    return found, None


def record_bytes(run: str) -> bytes | None:
    """Return what the file of this name holds, None where there is none but the name may be an id.

    A pipe is a file too. Raises InputError where it cannot be read, and for a name that is neither.
    """
    try:
        file = Path(run)
        if file.is_file() or file.is_fifo():
            return read_at_most(file, LARGEST_FILE)
    except OSError as exc:
        raise RecordError(f"{run[:64]!r} could not be read: {exc.strerror or exc}.") from exc
    if not RUN_ID.fullmatch(run):
        raise RecordError(f"{run[:64]!r} could not be read: it is neither a file nor a run's id.")
    return None
