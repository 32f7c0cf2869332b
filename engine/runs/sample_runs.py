"""The recorded runs shipped with the program, read from their files: no store, no model, no network."""

from functools import lru_cache
from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json

RECORDED = "diagnoses"
KEPT_OPEN = 32


def recorded_ids() -> tuple[str, ...]:
    """Return the ids of the recorded runs, in the order of their names; an id is its file's stem."""
    return tuple(sorted(file.stem for file in (sample_data() / RECORDED).glob("*.json")))


def recorded_run(run_id: str) -> Diagnosis:
    """Return a recorded run. Raises RecordError where there is none of that id or it cannot be read."""
    if run_id not in recorded_ids():
        raise RecordError(f"There is no recorded run {run_id[:64]!r}.")
    file = sample_data() / RECORDED / f"{run_id}.json"
    return read_run(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=KEPT_OPEN)
def read_run(file: Path, changed: int) -> Diagnosis:
    """Return the run in a file; ``changed``, its time of change, makes one that was recorded anew read again."""
    try:
        return from_json(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise RecordError(f"The recorded run {file.stem} cannot be read: {exc}.") from exc
