"""The traces that came by themselves: one file each in the data folder, listed newest first, deleted with a way back.

``microscope listen`` writes them, and so do listeners inside a program that are given ``engine.traces.keep_trace``. A
deleted trace stays for a day under another name, so that it can be brought back; after that the next start or deletion
removes it.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.core.errors import MicroscopeError, RecordError, StorageError
from engine.core.folders import data_folder, make_folder
from engine.diagnosis.traces.schema import LARGEST_TRACE, read_trace
from engine.runs.listening.diagnosing import ANNOTATIONS, write_trace

SHOWN = 200
DELETED = ".deleted"
KEPT_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A trace that came in. ``name`` is its file's; ``problem`` says why it cannot be read, "" where it can."""

    name: str
    at: datetime
    question: str = ""
    answer: str = ""
    pipeline: str = ""
    written_by: str = ""
    passages: int = 0
    problem: str = ""


def received_folder() -> Path:
    """Return the folder of the data folder that traces come into. It may not exist yet."""
    return data_folder() / "traces"


def received_files() -> tuple[tuple[str, int], ...]:
    """Return (name, time of the last change in ns) of every trace's file, newest first.

    Raises StorageError where they cannot be listed.
    """
    found = []
    try:
        for file in received_folder().glob("*.json"):
            if not file.name.endswith(ANNOTATIONS):
                with suppress(FileNotFoundError):  # it was deleted just now
                    found.append((file.name, file.stat().st_mtime_ns))
    except OSError as exc:
        raise StorageError(f"The traces that came in cannot be listed: {exc.strerror}.") from exc
    return tuple(sorted(found, key=lambda one: (one[1], one[0]), reverse=True))


def read_received(name: str, changed: int) -> Received:
    """Return what a file holds in short; ``changed`` is when it was written last, in ns."""
    at = datetime.fromtimestamp(changed / 1e9, UTC)
    try:
        trace = read_trace(received_bytes(name))
    except MicroscopeError as exc:
        return Received(name=name, at=at, problem=str(exc))
    return Received(
        name=name,
        at=at,
        question=trace.question,
        answer=trace.answer.text,
        pipeline=trace.pipeline,
        written_by=trace.answer.written_by,
        passages=len(trace.passages),
    )


def received_bytes(name: str) -> bytes:
    """Return what a trace's file holds. Raises RecordError where there is none of this name, or it is too large."""
    file = received_folder() / Path(name).name
    try:
        if file.stat().st_size > LARGEST_TRACE:
            raise RecordError(f"The trace {file.name} is larger than {LARGEST_TRACE:,} bytes.")
        return file.read_bytes()
    except OSError as exc:
        raise RecordError(f"There is no trace {file.name} any more.") from exc


def keep_received(trace: dict[str, Any]) -> None:
    """Keep a trace in the folder. Raises RecordError where it is none, StorageError where it cannot be written."""
    write_trace(make_folder(received_folder()), read_trace(json.dumps(trace)))


def delete_received(name: str) -> None:
    """Hide a trace and its scores for a day, then they are gone. Raises RecordError, StorageError."""
    folder = received_folder()
    sweep_deletions()
    for file in files_of(folder, name):
        moved(file, file.with_name(file.name + DELETED))


def restore_received(name: str) -> None:
    """Bring a deleted trace back with its scores. Raises RecordError where it is gone for good."""
    for file in files_of(received_folder(), name):
        moved(file.with_name(file.name + DELETED), file)


def files_of(folder: Path, name: str) -> tuple[Path, Path]:
    """Return the file of a trace and that of its scores, which may not be there."""
    file = folder / Path(name).name
    return file, file.with_suffix(ANNOTATIONS)


def moved(source: Path, target: Path) -> None:
    """Rename a file; scores that were never made are none to move. Raises RecordError, StorageError."""
    try:
        source.rename(target)
    except FileNotFoundError as exc:
        if not target.name.removesuffix(DELETED).endswith(ANNOTATIONS):
            raise RecordError(f"The trace {source.name.removesuffix(DELETED)} is not there any more.") from exc
    except OSError as exc:
        raise StorageError(f"The trace {source.name} cannot be renamed: {exc.strerror}.") from exc


def sweep_deletions() -> None:
    """Remove for good what was deleted more than a day ago."""
    for file in received_folder().glob(f"*{DELETED}"):
        with suppress(OSError):
            # Renaming changes when a file's entry was changed, not when it was written.
            if time.time() - file.stat().st_ctime > KEPT_SECONDS:
                file.unlink()
