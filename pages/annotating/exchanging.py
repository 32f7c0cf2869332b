"""Export and import of labels in three formats."""

from functools import partial

import streamlit as st

from engine.annotations.exchange import Format, export_text, import_text, label_studio_config
from engine.annotations.records import Project
from engine.annotations.store import AnnotationStore
from engine.core.errors import RecordError
from pages.annotating.projects import open_project
from pages.shared.downloads import save_button
from pages.shared.resources import shown_errors
from pages.shared.sent_values import one_of
from viz.words import counted

FORMATS: dict[Format, tuple[str, str]] = {
    "jsonl": ("JSON lines: everything", "jsonl"),
    "csv": ("CSV: one column per person", "csv"),
    "label_studio": ("Label Studio's JSON", "json"),
}
AS_NEW, INTO_THIS = "Into the file's project", "Into this project"


def draw_exchanging(store: AnnotationStore, project: Project) -> None:
    """Draw the downloads and the import."""
    st.header("Export")
    with st.container(horizontal=True):
        for form, (title, ending) in FORMATS.items():
            written, file_name = partial(export_text, store, project.id, form), f"labels-{project.id}.{ending}"
            save_button(title, written, file_name, key=f"annotate.out.{form}")
        save_button("Label Studio configuration", label_studio_config, "label-studio.xml", key="annotate.out.config")
    st.header("Import")
    draw_import(store, project)


def draw_import(store: AnnotationStore, project: Project | None) -> None:
    """Draw the import of a file that was exported here or labelled elsewhere."""
    file = st.file_uploader("Label file", type=["jsonl", "csv", "json"], key="annotate.import")
    form = st.selectbox(
        "Its format", list(FORMATS), format_func=lambda one: FORMATS[one][0], key="annotate.import.format"
    )
    target = AS_NEW
    if project is None:
        st.caption("It goes into the project it names.")
    else:
        target = st.radio("Import", [INTO_THIS, AS_NEW], horizontal=True, key="annotate.import.target")
    if file is None or not st.button("Import it", icon=":material/upload:", key="annotate.import.go"):
        return
    into = project.id if project is not None and target == INTO_THIS else ""
    with shown_errors():
        brought = import_text(store, text_of(file.getvalue()), one_of(form, tuple(FORMATS), "jsonl"), into)
        new = f"Imported {counted(brought.items, 'item')} and {counted(brought.labels, 'label')}"
        open_project(brought.project, f"{new}; {counted(brought.unchanged, 'label')} already here.")


def text_of(content: bytes) -> str:
    """Return a file's text. Raises RecordError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise RecordError("This is not a label file: it is not UTF-8 text.") from exc
