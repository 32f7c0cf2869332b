"""Agreement between people, live: per label and per policy, with intervals, and the list of what they disagree on."""

from typing import Literal

import pandas as pd
import streamlit as st

from engine.annotations.agreement import FieldAgreement, agreement, disagreements
from engine.annotations.records import Item, Label, Project
from engine.annotations.store import AnnotationStore
from pages.annotating.adjudicating import MOST_ITEMS, nobody_disagrees, title_of
from pages.shared.resources import sentences
from pages.shared.theme import current_theme
from viz.annotation_card import value_words
from viz.annotations import agreement_figure, agreement_sentence, agreement_table

CHART = {"displaylogo": False, "displayModeBar": False}
LOOK_AGAIN = 4.0
MOST_ROWS, TABLE_HEIGHT = 12, 460


@st.fragment(run_every=LOOK_AGAIN)
def draw_agreeing(store: AnnotationStore, project: Project) -> None:
    """Draw how well people agree as it stands now; drawn anew every few seconds while it is looked at."""
    with sentences():
        items = store.items(project.id, limit=MOST_ITEMS)
        labels = store.labels(project.id)
    submitted = tuple(label for label in labels if label.state == "submitted")
    people = sorted({label.annotator for label in submitted})
    st.caption(f"{len(submitted)} submitted labels by {len(people)} people. Drafts and discarded items do not count.")
    draw_progress(store, project)
    if len(people) < 2:
        st.info("Agreement needs labels of two people. Give another name above and label.")
        return
    found = measure_agreement(project.id, label_versions(labels), items, labels)
    theme = current_theme()
    st.plotly_chart(
        agreement_figure(found, theme),
        width="stretch",
        theme=None,
        key="annotate.agreement",
        config=CHART,
        alt=agreement_sentence(found),
    )
    st.markdown(agreement_sentence(found))
    table = agreement_table(found)
    st.dataframe(table, hide_index=True, height=table_height(table), alt="Agreement per label and policy")
    draw_disagreements(items, labels)


def table_height(table: pd.DataFrame) -> int | Literal["content"]:
    """Return the height of a table on the page: all of a short one, a window on a long one."""
    return "content" if len(table) <= MOST_ROWS else TABLE_HEIGHT


def draw_progress(store: AnnotationStore, project: Project) -> None:
    """Draw how far each person is."""
    rows = [
        {
            "person": one.annotator,
            "submitted": one.submitted,
            "drafts": one.drafts,
            "discarded": one.discarded,
            "still open": one.open,
            "seconds": one.seconds,
        }
        for one in store.progress(project.id)
    ]
    if rows:
        whole = st.column_config.NumberColumn(format="%d")
        st.dataframe(rows, hide_index=True, column_config={"seconds": whole}, alt="Each person's progress, in items")


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
    st.subheader("Disagreements")
    found = disagreements(items, labels)
    if not found:
        st.caption(nobody_disagrees(labels))
        return
    by_id = {item.id: item for item in items}
    rows = [
        {
            "item": title_of(by_id[one.item]),
            "field": one.field,
            "said": "; ".join(
                f"{who}: {value_words(by_id[one.item].kind, one.field, value)}" for who, value in one.said
            ),
        }
        for one in found
    ]
    st.dataframe(rows, hide_index=True, alt="Items with disagreements: field, and each person's value")
    st.caption("Decide them in the part Adjudicate.")
