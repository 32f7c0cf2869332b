"""What the labels say: Table 6 of the ETC paper, the methods' own labels against people's, and where lookups fall."""

from collections.abc import Sequence

import streamlit as st

from engine.annotations.records import Item, Project
from engine.annotations.results import (
    MethodScore,
    SettledItem,
    TimingRow,
    score_methods,
    settled_items,
    table_six,
    trigger_places,
)
from engine.annotations.store import AnnotationStore
from engine.annotations.suggestions import suggestions
from engine.core.allowed import owner_name
from pages.annotating.adjudicating import MOST_ITEMS
from pages.annotating.agreeing import draw_result, label_versions
from pages.annotating.sitting import run_behind
from pages.shared.theme import current_theme
from viz.annotating import annotations as drawn
from viz.parts.words import counted


def draw_results(store: AnnotationStore, project: Project) -> None:
    """Draw Table 6, the scores of the methods, and the plot of triggers, each with its sentence and its table."""
    items = store.items(project.id, limit=MOST_ITEMS)
    labels = store.labels(project.id)
    adjudicated = store.adjudications(project.id)
    ruled = settled_items(items, labels, adjudicated)
    if not items:
        st.info("No items yet. Add runs under Project.")
        return
    done = [one for one in ruled if one.values]
    st.caption(f"{counted(len(items), 'item')}, {counted(len(done), 'item')} decided by adjudication or majority.")
    changed = (label_versions(labels), tuple((one.item, one.version) for one in adjudicated), len(items))
    if not done:
        st.info("Nothing is decided yet: label items, and adjudicate where people disagree.")
        draw_places(items, ruled)
        return
    draw_table_six(timing_rows(project.id, changed, items, ruled))
    draw_places(items, ruled)
    st.header("Methods against people")
    (scores, lost), theme = method_scores(project.id, owner_name(), changed, items, ruled), current_theme()
    if lost:
        st.caption(f"{counted(lost, 'labelled item')} left out: the run behind is gone or was changed.")
    draw_result(
        drawn.methods_figure(scores, theme), drawn.methods_sentence(scores), drawn.methods_table(scores), "methods"
    )


def draw_table_six(rows: tuple[TimingRow, ...]) -> None:
    """Draw how often each policy's lookups are delayed or redundant, as Table 6 of the ETC paper."""
    st.header("Delayed and redundant retrievals")
    st.caption("ETC, table 6, from these labels; lower is better.")
    figure = drawn.table_six_figure(rows, current_theme())
    draw_result(figure, drawn.table_six_sentence(rows), drawn.table_six_table(rows), "table_six")


def draw_places(items: Sequence[Item], ruled: Sequence[SettledItem]) -> None:
    """Draw where in the answers the policies look something up; this needs no label."""
    st.header("Where retrievals fall")
    places = trigger_places(items, ruled)
    figure = drawn.triggers_figure(places, current_theme())
    draw_result(figure, drawn.triggers_sentence(places), drawn.triggers_table(places), "triggers")


@st.cache_data(show_spinner="Counting …", max_entries=50)
def timing_rows(
    project: str, changed: object, _items: Sequence[Item], _ruled: Sequence[SettledItem]
) -> tuple[TimingRow, ...]:
    """Return the lines of Table 6; counted again only when a label has changed."""
    return table_six(_items, _ruled)


@st.cache_data(show_spinner="Reading the methods' labels …", max_entries=50)
def method_scores(
    project: str, person: str, changed: object, _items: Sequence[Item], _ruled: Sequence[SettledItem]
) -> tuple[tuple[MethodScore, ...], int]:
    """Return each method's score by the runs that a person may see, and how many labelled items have none such.

    Read again only when a label has changed.
    """
    labelled = {one.item for one in _ruled}
    runs = [(item, run_behind(item.run_id, item.run_hash)) for item in _items if item.id in labelled]
    suggested = {item.id: suggestions(item, run) for item, run in runs if run is not None}
    return score_methods(_items, _ruled, suggested), sum(run is None for _, run in runs)
