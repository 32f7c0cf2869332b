"""The runs shipped with the program, read from their files: no store, no model, no network, and nothing is written.

``sample_data/runs.json`` lists them, so that the list of runs does not parse 25 MB of records. A file whose length is
not the one in the list is read itself; ``write_index`` brings the list up to date.
"""

import gzip
import json
import os
import re
import zlib
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json

RECORDED = "diagnoses"
FOLDERS: dict[str, Literal["sample", "atlas"]] = {RECORDED: "sample", "policy_runs": "sample", "atlas": "atlas"}
INDEX = "runs.json"
KEPT_OPEN = 32
RECORD = re.compile(r"\.json(\.gz)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRun:
    """One line of the list: where the run is (``file``, in the folder of sample data, with its length) and what it is.

    ``started_at`` is when it was recorded, ISO 8601.
    """

    id: str
    file: str
    length: int
    origin: Literal["sample", "atlas"]
    question: str
    answer: str
    methods: tuple[str, ...]
    parent: str
    started_at: str


LINES = TypeAdapter(tuple[SampleRun, ...])


def recorded_ids() -> tuple[str, ...]:
    """Return the ids of the recorded examples, sorted; an id is its file's stem."""
    return tuple(sorted(file.stem for file in (sample_data() / RECORDED).glob("*.json")))


def recorded_run(run_id: str) -> Diagnosis:
    """Return a recorded example. Raises RecordError where it is missing or cannot be read."""
    if run_id not in recorded_ids():
        raise RecordError(f"There is no recorded run {run_id[:64]!r}.")
    return read_run(sample_data() / RECORDED / f"{run_id}.json")


def list_sample_runs(folder: Path) -> dict[str, SampleRun]:
    """Return the runs of a folder of sample data by id, without those that cannot be read."""
    index = folder / INDEX
    listed = _read_index(index, index.stat().st_mtime_ns) if index.is_file() else {}
    found: dict[str, SampleRun] = {}
    for name in FOLDERS:
        for file, length in sorted(_record_lengths(folder / name).items()):
            run = listed.get(f"{name}/{file}")
            try:
                if run is None or run.length != length:
                    run = describe_run(folder / name / file)
            except RecordError:
                continue
            found[run.id] = run
    return found


def _record_lengths(folder: Path) -> dict[str, int]:
    """Return the length of every record of a folder by its file's name; every page asks, so the folder is read once."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat().st_size for entry in entries if RECORD.search(entry.name)}
    except OSError:
        return {}


def describe_run(file: Path) -> SampleRun:
    """Return the line of the list for a file. Raises RecordError where it cannot be read."""
    diagnosis = read_run(file)
    folder, stem = file.parent.name, file.name.split(".", 1)[0]
    return SampleRun(
        id=f"atlas-{stem.replace('_', '-')}" if FOLDERS[folder] == "atlas" else stem,
        file=f"{folder}/{file.name}",
        length=file.stat().st_size,
        origin=FOLDERS[folder],
        question=diagnosis.question,
        answer=diagnosis.answer.text,
        methods=tuple(outcome.method for outcome in diagnosis.outcomes),
        parent=diagnosis.parent,
        started_at=diagnosis.provenance.started_at,
    )


def write_index(folder: Path | None = None) -> None:
    """Write the list of the runs in a folder of sample data, by default the shipped one."""
    whole = folder or sample_data()
    lines = [json.dumps(asdict(run), ensure_ascii=False) for run in list_sample_runs(whole).values()]
    (whole / INDEX).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


@lru_cache(maxsize=4)
def _read_index(file: Path, _changed: int) -> dict[str, SampleRun]:
    """Return the lines of the list by file; ``_changed``, its time of change, makes a new one read again."""
    try:
        return {run.file: run for run in LINES.validate_json(file.read_bytes())}
    except (OSError, ValueError):
        return {}


def read_run(file: Path) -> Diagnosis:
    """Return the run in a file, plain or gzipped. Raises RecordError where it cannot be read."""
    try:
        return _read_run(file, file.stat().st_mtime_ns)
    except OSError as exc:
        raise RecordError(f"The recorded run {file.name} cannot be read: {exc}.") from exc


@lru_cache(maxsize=KEPT_OPEN)
def _read_run(file: Path, _changed: int) -> Diagnosis:
    """Return the run in a file; ``_changed``, its time of change, makes one that was recorded again read again."""
    return from_json(record_text(file))


def record_text(file: Path) -> str:
    """Return a record's JSON text from a plain or gzipped file. Raises RecordError where it cannot be read."""
    try:
        content = file.read_bytes()
        return (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as exc:
        raise RecordError(f"The recorded run {file.name} cannot be read: {exc}.") from exc
