"""Agreement between people, live: per label and per policy, with intervals, and the list of what they disagree on."""

from dataclasses import asdict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.annotations.agreement import FieldAgreement, agreement, disagreements
from engine.annotations.fields import field_of
from engine.annotations.records import Item, Label, Project
from engine.annotations.store import AnnotationStore
from pages.annotating.adjudicating import MOST_ITEMS, nobody_disagrees, title_of
from pages.shared.figures import draw_figure
from pages.shared.resources import sentences
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.theme import as_text, current_theme
from viz.annotating.annotation_card import value_words
from viz.annotating.annotations import agreement_figure, agreement_sentence, agreement_table
from viz.parts.row_table import Column
from viz.parts.words import counted

LOOK_AGAIN = 4.0
Mark = tuple[int, int]


def draw_agreeing(store: AnnotationStore, project: Project) -> None:
    """Draw how well people agree as it stands now; drawn anew where somebody has labelled more."""
    with sentences():
        shown = mark_of(store, project.id)
        items = store.items(project.id, limit=MOST_ITEMS)
        labels = store.labels(project.id)
    submitted = tuple(label for label in labels if label.state == "submitted")
    people = sorted({label.annotator for label in submitted})
    by = counted(len(people), "person", "people")
    st.caption(f"{counted(len(submitted), 'submitted label')} by {by}.")
    draw_progress(store, project)
    follow_labels(store, project.id, shown)
    if len(people) < 2:
        st.info("Agreement needs labels of two people.")
        return
    found = measure_agreement(project.id, label_versions(labels), items, labels)
    figure, sentence = agreement_figure(found, current_theme()), agreement_sentence(found)
    draw_result(figure, sentence, agreement_table(found), "agreement")
    draw_disagreements(items, labels)


def mark_of(store: AnnotationStore, project: str) -> Mark:
    """Return what tells the labels of a project from what they were: the number of its last event, and of its items."""
    last = store.history(project, limit=1)
    return (last[0].number if last else 0), store.count(project)


@st.fragment(run_every=LOOK_AGAIN)
def follow_labels(store: AnnotationStore, project: str, shown: Mark) -> None:
    """Draw the page again once there is more than what it shows; what has not changed is not drawn again and fades."""
    with sentences():
        changed = mark_of(store, project) != shown
    if changed:
        st.rerun()


def draw_result(figure: go.Figure, sentence: str, table: pd.DataFrame, word: str) -> None:
    """Draw a figure with its sentence and its table; the sentence alone where there is nothing to show."""
    if not table.empty:
        draw_figure(figure, key=f"annotate.{word}", name=f"labels-{word}", alt=sentence)
    st.markdown(as_text(sentence))
    if not table.empty:
        draw_rows(table, key=f"annotate.{word}.rows", alt=sentence, height=LIST_HEIGHT)


def draw_progress(store: AnnotationStore, project: Project) -> None:
    """Draw how far each person is."""
    table = pd.DataFrame([asdict(one) for one in store.progress(project.id)])
    if table.empty:
        return
    draw_rows(
        table.rename(columns={"annotator": "person", "open": "still open"}),
        key="annotate.progress",
        order=["person", "submitted", "drafts", "discarded", "still open", "seconds"],
        columns={"seconds": Column(form=".0f")},
        alt="Progress",
    )


def label_versions(labels: tuple[Label, ...]) -> tuple[tuple[str, str, int], ...]:
    """Return what tells labels from themselves after a change."""
    return tuple((label.item, label.annotator, label.version) for label in labels)


@st.cache_data(show_spinner="Computing agreement …", max_entries=50)
def measure_agreement(
    project: str, changed: tuple[tuple[str, str, int], ...], _items: tuple[Item, ...], _labels: tuple[Label, ...]
) -> tuple[FieldAgreement, ...]:
    """Return the agreement of these labels; counted again only when a label has changed."""
    return agreement(_items, _labels)


def draw_disagreements(items: tuple[Item, ...], labels: tuple[Label, ...]) -> None:
    """Draw every field of an item on which two people differ."""
    st.header("Disagreements")
    found = disagreements(items, labels)
    if not found:
        st.caption(nobody_disagrees(labels))
        return
    by_id = {item.id: item for item in items}
    rows = [
        {
            "item": title_of(by_id[one.item]),
            "asked": field_of(by_id[one.item].kind, one.field).title,
            "said": "; ".join(
                f"{who}: {value_words(by_id[one.item].kind, one.field, value)}" for who, value in one.said
            ),
        }
        for one in found
    ]
    draw_rows(rows, key="annotate.disagreements", alt="Items with disagreements", height=LIST_HEIGHT)
