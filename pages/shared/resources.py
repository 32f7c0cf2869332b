"""What is held open for all sessions: the stores of runs and of labels, the job desk, the samples and examples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from engine.core.errors import MicroscopeError, RecordError
from engine.methods import CORE_METHODS
from engine.runs.corpora.indexing import Indexer
from engine.runs.jobs.desk import JobDesk, JobStatus, default_desk
from engine.runs.jobs.turns import TURNS
from engine.runs.sample_questions import SampleQuestion
from engine.runs.sample_questions import sample_questions as shipped_questions
from engine.runs.store import RunStore, RunSummary, StoredRun
from pages.shared.theme import as_text

if TYPE_CHECKING:
    from engine.annotations.store import AnnotationStore
    from engine.learning.atlas.shelf import Specimen
    from engine.learning.lessons.polls import PollStore
    from engine.learning.lessons.progress import ProgressStore

RECENT = 30
MOST_LISTED = 200
GOING = ("queued", "running")


@st.cache_resource(show_spinner=False)
def desk() -> JobDesk:
    """Return the one job desk of this process. Raises StorageError where the run store cannot be used."""
    return default_desk()


@st.cache_resource(show_spinner=False)
def indexer() -> Indexer:
    """Return the one indexer of this process, which takes up what an earlier one left, and gives way to runs."""
    made = Indexer(busy=lambda: TURNS.busy or bool(desk().active()))
    made.resume()
    return made


def store() -> RunStore:
    """Return the desk's run store."""
    return desk().store


@st.cache_resource(show_spinner=False)
def label_store() -> AnnotationStore:
    """Return the one store of labels of this process. Raises StorageError where its database cannot be used."""
    from engine.annotations.store import AnnotationStore

    return AnnotationStore()


@st.cache_resource(show_spinner=False)
def lesson_progress() -> ProgressStore:
    """Return the one store of people's places in the lessons. Raises StorageError where its file cannot be used."""
    from engine.learning.lessons.progress import ProgressStore

    return ProgressStore()


@st.cache_resource(show_spinner=False)
def class_polls() -> PollStore:
    """Return the one store of classes that vote by phone. Raises StorageError where its file cannot be used."""
    from engine.learning.lessons.polls import PollStore

    return PollStore()


def recorded_runs() -> tuple[RunSummary, ...]:
    """Return the recorded examples with all default methods, which open without any model, ordered by their ids."""
    return store().recorded()


def stored_run(run_id: str) -> StoredRun | None:
    """Return a run, None where it is unknown, deleted or cannot be read."""
    try:
        return store().get(run_id)
    except RecordError:
        return None


def why_missing(run_id: str) -> str:
    """Return in a sentence why a run cannot be shown: unknown, deleted or damaged; "" where it can."""
    try:
        store().get(run_id)
    except RecordError as exc:
        return str(exc)
    return ""


@st.cache_resource(show_spinner="Reading the recorded failures …")
def atlas() -> tuple[Specimen, ...]:
    """Return the specimens of the failure atlas. Raises RecordError where one cannot be read."""
    from engine.learning.atlas.shelf import specimens

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
    finished = [run for run in store().listing(limit=RECENT) if not is_going(run) and run.answer]
    recorded = [run for run in finished if run.origin == "sample"]
    whole = [run for run in recorded if set(CORE_METHODS) <= set(run.methods)]
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
        st.error(as_text(str(exc)), icon=":material/error:")
        st.stop()


@contextmanager
def shown_errors() -> Iterator[None]:
    """Draw what this package raises as its sentence and go on behind the block; anything else passes through."""
    try:
        yield
    except MicroscopeError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
