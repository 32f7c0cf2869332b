"""What the Studies page holds open for all sessions: the store of studies, and each study's table as it stands."""

import streamlit as st

from engine.core.errors import RecordError
from engine.runs.studies.records import Study, StudyPlan
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import StudyTable, read_table
from pages.shared import session

STUDY_PARAMETER = "study"


@st.cache_resource(show_spinner=False)
def study_store() -> StudyStore:
    """Return the one store of studies of this process. Raises StorageError where its file cannot be used."""
    return StudyStore()


def going_twin(plan: StudyPlan) -> str | None:
    """Return the study at work that was begun for just this, which a second click finds; None where there is none."""
    return next((one.id for one in study_store().listing() if one.state == "running" and one.plan == plan), None)


def study_table(study: Study) -> StudyTable:
    """Return a study's table, read anew when something in it has changed."""
    return cached_table(study.id, study.changed_at)


@st.cache_resource(show_spinner="Reading the study …", max_entries=6)
def cached_table(study_id: str, changed_at: str) -> StudyTable:
    """Return a study's table; ``changed_at`` tells it from itself before its last change."""
    return read_table(study_id, study_store())


def chosen_study() -> Study | None:
    """Return the study that the address names, None where it names none or one that is not there."""
    named = session.address_parameter(STUDY_PARAMETER)
    return study_named(named) if named else None


def study_named(study_id: str) -> Study | None:
    """Return a study by its id, None where there is none."""
    try:
        return study_store().get(study_id)
    except RecordError:
        return None
