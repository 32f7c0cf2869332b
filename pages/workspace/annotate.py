"""Annotate: people's labels of lookups, answers and passages; where they agree, and what they say of the methods."""

from collections.abc import Callable

import streamlit as st

from engine.annotations.records import Project
from engine.annotations.store import AnnotationStore
from pages.annotating.adjudicating import draw_adjudicating
from pages.annotating.agreeing import draw_agreeing, draw_progress
from pages.annotating.exchanging import draw_exchanging, draw_import
from pages.annotating.projects import (
    RECORDED_UNDO,
    VIEW,
    choose_person,
    choose_project,
    draw_new_project,
    draw_recorded,
    draw_settings,
    recorded_items,
)
from pages.annotating.results import draw_results
from pages.annotating.sitting import draw_guidelines, draw_sitting
from pages.shared import session
from pages.shared.resources import label_store, sentences
from pages.shared.settings import draw_choice
from pages.shared.texts import draw_head
from pages.shared.theme import as_text
from pages.shared.undo import draw_left_undo

VIEWS = {
    "sitting": "Label",
    "adjudicate": "Adjudicate",
    "agreement": "Agreement",
    "results": "Results",
    "exchange": "Export / import",
    "project": "Project",
}


def main() -> None:
    """Draw the project, the person, and the part of the work that is chosen."""
    draw_head("annotate", "Annotate")
    if notice := session.pop_notice():
        st.info(as_text(notice))
    with sentences():
        store = label_store()
        left, right = st.columns(2)
        with left:
            project = choose_project(store)
        if project is None:
            draw_first(store)
            return
        with right:
            person = choose_person(store)
        draw_left_undo(RECORDED_UNDO)
        draw_view(store, project, person)


def draw_first(store: AnnotationStore) -> None:
    """Draw the ways to a first project: recorded runs at once, one's own runs, a file."""
    offered = recorded_items()
    if offered:
        draw_recorded(store, offered)
    with st.expander("Create a project", icon=":material/add:", expanded=not offered):
        draw_new_project(store)
    with st.expander("Import a project", icon=":material/upload:"):
        draw_import(store, None)


def draw_view(store: AnnotationStore, project: Project, person: str) -> None:
    """Draw the choice between the parts of the work, and the chosen one."""
    asked = session.address_parameter(VIEW)
    first = asked if asked in VIEWS else "sitting"
    view = draw_choice("Part", VIEWS, "annotate.view", first, label_visibility="collapsed")
    session.set_address(VIEW, "" if view == "sitting" else view)
    if view in PARTS:
        PARTS[view](store, project)
    elif person:
        PARTS_OF_PERSON[view](store, project, person)
    else:
        st.info("Give your name above.")
        draw_progress(store, project)
        draw_guidelines(project)


def draw_project(store: AnnotationStore, project: Project) -> None:
    """Draw this project's settings and the form for another one."""
    st.header(as_text(project.name))
    draw_settings(store, project)
    with st.expander("Create another project", icon=":material/add:"):
        draw_new_project(store)


PARTS: dict[str, Callable[[AnnotationStore, Project], None]] = {
    "agreement": draw_agreeing,
    "results": draw_results,
    "exchange": draw_exchanging,
    "project": draw_project,
}
PARTS_OF_PERSON = {"sitting": draw_sitting, "adjudicate": draw_adjudicating}
main()
