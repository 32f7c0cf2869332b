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
from viz.parts.words import counted

FORMATS: dict[Format, tuple[str, str]] = {
    "jsonl": ("JSON lines: everything", "jsonl"),
    "csv": ("CSV: one column per person", "csv"),
    "label_studio": ("Label Studio's JSON", "json"),
}
AS_NEW, INTO_THIS = "As a new project", "Into this project"


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
    usual = form_of(file.name) if file is not None else "jsonl"
    picked = st.selectbox(
        "Its format",
        list(FORMATS),
        index=list(FORMATS).index(usual),
        format_func=lambda one: FORMATS[one][0],
        key=f"annotate.import.format.{usual}",
    )
    form = one_of(picked, tuple(FORMATS), usual)
    target = AS_NEW if project is None else INTO_THIS
    if project is None:
        st.caption("It becomes a project under the name in the file.")
    elif form != "csv":  # which holds labels without their items
        target = st.radio("Import", [INTO_THIS, AS_NEW], horizontal=True, key="annotate.import.target")
    if file is None or not st.button("Import it", icon=":material/upload:", key="annotate.import.go"):
        return
    into = project.id if project is not None and target == INTO_THIS else ""
    with shown_errors():
        brought = import_text(store, text_of(file.getvalue()), form, into)
        new = f"Imported {counted(brought.items, 'item')} and {counted(brought.labels, 'label')}"
        open_project(brought.project, f"{new}; {counted(brought.unchanged, 'label')} already here.")


def form_of(name: str) -> Format:
    """Return the format that a file's name ends in, JSON lines where it is none of them.

    >>> form_of("labels.CSV"), form_of("labels.json"), form_of("labels")
    ('csv', 'label_studio', 'jsonl')
    """
    ending = name.rpartition(".")[2].lower()
    return next((form for form, (_, usual) in FORMATS.items() if usual == ending), "jsonl")


def text_of(content: bytes) -> str:
    """Return a file's text. Raises RecordError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise RecordError("This file is not UTF-8 text. Save it in a spreadsheet as “CSV UTF-8”.") from exc
