"""Export and import of labels in three formats."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from engine.annotations.exchange import Format, Imported, export_text, import_text, label_studio_config
from engine.annotations.records import Project
from engine.annotations.store import AnnotationStore
from engine.core.errors import MicroscopeError, RecordError
from pages.annotating.projects import open_project
from pages.shared import session
from pages.shared.theme import as_text
from viz.words import counted

FORMATS: dict[Format, tuple[str, str, str]] = {
    "jsonl": ("JSON lines: everything", "jsonl", "application/jsonl"),
    "csv": ("CSV: one column per person", "csv", "text/csv"),
    "label_studio": ("Label Studio's JSON", "json", "application/json"),
}
AS_NEW, INTO_THIS = "Into the project named in the file", "Into this project"


def draw_exchanging(store: AnnotationStore, project: Project) -> None:
    """Draw the downloads and the import."""
    st.subheader("Export")
    st.markdown("Each file has the version of the guidelines and the hashes of the runs. You can import it again.")
    with st.container(horizontal=True):
        for form, (title, ending, kind) in FORMATS.items():
            st.download_button(
                title,
                data=export_writer(store, project.id, form),
                file_name=f"labels-{project.id}.{ending}",
                mime=kind,
                on_click="ignore",
                icon=":material/download:",
                key=f"annotate.out.{form}",
            )
        st.download_button(
            "Label Studio configuration",
            data=label_studio_config,
            file_name="label-studio.xml",
            mime="application/xml",
            on_click="ignore",
            icon=":material/download:",
            key="annotate.out.config",
        )
    st.subheader("Import")
    draw_import(store, project)


def export_writer(store: AnnotationStore, project: str, form: Format) -> Callable[[], str]:
    """Return a function that writes the export when its button is pressed."""
    return partial(export_text, store, project, form)


def draw_import(store: AnnotationStore, project: Project | None) -> None:
    """Draw the import of a file that was exported here or labelled elsewhere."""
    file = st.file_uploader("Label file", type=["jsonl", "csv", "json"], key="annotate.import")
    form = st.selectbox(
        "Its format", list(FORMATS), format_func=lambda one: FORMATS[one][0], key="annotate.import.format"
    )
    target = AS_NEW
    if project is None:
        st.caption("The file goes into the project that it names.")
    else:
        target = st.radio("Import", [INTO_THIS, AS_NEW], horizontal=True, key="annotate.import.target")
    if file is None or not st.button("Import it", icon=":material/upload:", key="annotate.import.go"):
        return
    into = project.id if project is not None and target == INTO_THIS else ""
    try:
        brought = import_text(store, text_of(file.getvalue()), session.one_of(form, tuple(FORMATS), "jsonl"), into)
    except MicroscopeError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    open_project(brought.project, import_sentence(brought))


def text_of(content: bytes) -> str:
    """Return a file's text. Raises RecordError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise RecordError("This file is not an export of labels: it is not UTF-8 text.") from exc


def import_sentence(brought: Imported) -> str:
    """Return what an import brought in a sentence."""
    new = f"Imported {counted(brought.items, 'item')} and {counted(brought.labels, 'label')}"
    return f"{new}; {counted(brought.unchanged, 'label')} were already here, unchanged."
