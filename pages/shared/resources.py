"""What is held open for all sessions: the stores of runs and of labels, the job desk, the samples and examples."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from engine.backends.call_cache import CallCache, default_cache
from engine.core.errors import MicroscopeError, RecordError
from engine.core.folders import sample_data
from engine.diagnosis.serialize import from_json
from engine.learning.atlas.shelf import Specimen, record_text, recorded_kinds, specimens
from engine.learning.lessons.progress import ProgressStore
from engine.methods import DEFAULT_METHODS
from engine.runs.jobs.desk import JobDesk, JobStatus, default_desk
from engine.runs.sample_questions import SampleQuestion
from engine.runs.sample_questions import sample_questions as shipped_questions
from engine.runs.store import Origin, RunStore, RunSummary, StoredRun

if TYPE_CHECKING:
    from engine.annotations.store import AnnotationStore

RECORDED, POLICY_RUNS = "diagnoses", "policy_runs"
RECENT = 30
# 2: a record stands at its own time; those noted before are read once more, to be dated.
NOTES = b"2"
GOING = ("queued", "running")
log = logging.getLogger(__name__)


@st.cache_resource(show_spinner=False)
def desk() -> JobDesk:
    """Return the one job desk of this process. Raises StorageError where the run store cannot be used."""
    return default_desk()


def cache() -> CallCache:
    """Return the cache of model calls of this process. Raises StorageError where its bound is no number."""
    return default_cache()


@st.cache_resource(show_spinner=False)
def store() -> RunStore:
    """Return the desk's run store, with the recorded examples in it."""
    opened = desk().store
    import_recorded(opened, sample_data() / RECORDED)
    import_recorded(opened, sample_data() / POLICY_RUNS)
    return opened


@st.cache_resource(show_spinner=False)
def annotations() -> AnnotationStore:
    """Return the one store of labels of this process. Raises StorageError where its database cannot be used."""
    from engine.annotations.store import AnnotationStore

    return AnnotationStore()


@st.cache_resource(show_spinner=False)
def lesson_progress() -> ProgressStore:
    """Return the one store of people's places in the lessons. Raises StorageError where its file cannot be used."""
    return ProgressStore()


def import_recorded(target: RunStore, folder: Path) -> tuple[str, ...]:
    """Return the ids of the recorded examples after bringing each file of the folder into the store once.

    A file's stem is its run's id, so links to examples stay good. An example that was deleted stays deleted; one that
    was recorded anew replaces the older record. What was brought in is noted by its hash: reading two dozen records
    takes longer than everything else in the start of the program.
    """
    ids = []
    known = {run.id for run in target.listing(limit=100_000)}
    noted = noted_records(target)
    for file in sorted(folder.glob("*.json"), reverse=True):
        content = file.read_bytes()
        digest = sha256(NOTES + content).hexdigest()
        if noted.get(file.stem) != digest or file.stem not in known:
            try:
                bring_in(target, file.stem, content.decode("utf-8"), file.stem in known)
            except RecordError:
                # Deleted by the user, or written by another version: the other examples still open.
                continue
            noted[file.stem] = digest
        ids.append(file.stem)
    note_records(target, noted)
    return tuple(ids)


def bring_in(target: RunStore, run_id: str, text: str, known: bool, origin: Origin = "sample") -> None:
    """Put a recorded example into the store, in place of an older record. Raises RecordError where it cannot be."""
    if not known:
        target.import_json(text, run_id=run_id, origin=origin)
        return
    if target.get(run_id).diagnosis != (fresh := from_json(text)):
        target.save(run_id, fresh)
    target.date(run_id, fresh)


def noted_records(target: RunStore) -> dict[str, str]:
    """Return example -> hash of the record that was brought into this store; {} where nothing is noted."""
    try:
        noted = json.loads(note_of(target).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def note_records(target: RunStore, noted: dict[str, str]) -> None:
    """Note what was brought in. Where that cannot be written the next start reads the examples again."""
    try:
        if noted != noted_records(target):
            note_of(target).write_text(json.dumps(noted), encoding="utf-8")
    except OSError as exc:
        log.info("the recorded examples are not noted: %s", exc)


def note_of(target: RunStore) -> Path:
    """Return the file beside a store that notes its recorded examples."""
    return target.path.with_name(f"{target.path.stem}.recorded.json")


def recorded_runs() -> tuple[RunSummary, ...]:
    """Return the recorded examples with all default methods, which open without any model, ordered by their ids."""
    shown = {file.stem for file in (sample_data() / RECORDED).glob("*.json")}
    found = [run for run in store().listing(limit=1000) if run.origin == "sample" and run.id in shown]
    return tuple(sorted(found, key=lambda run: run.id))


def recent_runs(limit: int = RECENT) -> tuple[RunSummary, ...]:
    """Return the runs to choose from, newest first."""
    return store().listing(limit=limit)


def stored_run(run_id: str) -> StoredRun | None:
    """Return a run, None where it is unknown, deleted or cannot be read; one of the atlas is brought in first."""
    try:
        bring_in_specimen(run_id)
        return store().get(run_id)
    except RecordError:
        return None


def bring_in_specimen(run_id: str) -> None:
    """Put the atlas's run of that id into the store, where there is one and the store has none or an older one.

    Raises RecordError where its file is damaged, or where the user deleted it: then it stays deleted.
    """
    kind = next((kind for kind in recorded_kinds() if kind.run_id == run_id), None)
    if kind is None or run_id in _brought():
        return
    known = any(run.id == run_id for run in store().listing(limit=100_000))
    bring_in(store(), run_id, record_text(kind), known, "atlas")
    _brought().add(run_id)


@st.cache_resource(show_spinner=False)
def _brought() -> set[str]:
    """Return the ids of the atlas's runs that this process has brought into its store."""
    return set()


@st.cache_resource(show_spinner="Reading the recorded failures …")
def atlas() -> tuple[Specimen, ...]:
    """Return the specimens of the failure atlas. Raises RecordError where one cannot be read."""
    return specimens()


def is_going(run: StoredRun | RunSummary) -> bool:
    """Return whether a run is still waiting or being computed.

    The store's word is not enough: where the disk is full the desk knows of an end that the store could not keep.
    """
    if run.state not in GOING:
        return False
    status = standing(run.id)
    return status is not None and not status.over


def standing(run_id: str) -> JobStatus | None:
    """Return where a run stands by the desk's word, None where there is no such run."""
    return desk().status(run_id)


def opening_run() -> str | None:
    """Return the run a page opens with where none was chosen: the newest recorded example, else the newest run.

    An example with all default methods goes before one that holds fewer.
    """
    finished = [run for run in recent_runs() if not is_going(run) and run.answer]
    recorded = [run for run in finished if run.origin == "sample"]
    whole = [run for run in recorded if set(DEFAULT_METHODS) <= set(run.methods)]
    return next((run.id for run in (*whole, *recorded, *finished)), None)


@st.cache_data(show_spinner=False)
def sample_questions() -> tuple[SampleQuestion, ...]:
    """Return the questions shipped with the sample encyclopaedia, in the order of their file."""
    return shipped_questions()


@contextmanager
def sentences() -> Iterator[None]:
    """Draw what this package raises as its sentence and end the page there; anything else passes through."""
    try:
        yield
    except MicroscopeError as exc:
        st.error(str(exc).replace("$", "\\$"), icon=":material/error:")
        st.stop()
