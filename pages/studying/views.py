"""The papers' tables and figures, made from a study: one click each, with intervals, n, and the paper's values."""

import streamlit as st

from engine.runs.studies.table import StudyTable
from engine.runs.studies.views import VIEWS, view_named
from engine.runs.studies.views.base import Measured
from pages.shared.clicks import clicked_numbers
from pages.shared.downloads import save_button
from pages.shared.figures import draw_figure
from pages.shared.lasting import lasting_key
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.sent_values import one_of
from pages.shared.study_store import study_table
from pages.shared.theme import as_text, current_theme
from pages.studying.numbers import nothing
from pages.studying.table import draw_point
from viz.parts.csv_text import csv_text
from viz.studies.views import below_figure, has_panels, view_figure, view_sentence, view_table

NAMES = tuple(view.name for view in VIEWS)
TITLES = {view.name: view.title for view in VIEWS}


def draw_views(table: StudyTable) -> None:
    """Draw the choice of a view, its figure, its sentence and its table."""
    ready = ready_views(table)
    key = f"studies.view.{table.study.id}"
    first = next(iter(ready), NAMES[0])
    left, right = st.columns([3, 1]) if len(table.study.plan.variants) > 1 else (st.container(), st.container())
    picked = left.selectbox(
        "View",
        (*ready, *(name for name in NAMES if name not in ready)),
        format_func=lambda name: (
            f"{TITLES[name]} ({view_named(name).paper}){'' if name in ready else ' – more needed'}"
        ),
        key=lasting_key(key, first, NAMES),
    )
    name = one_of(picked, NAMES, first)
    with right:
        place = draw_settings(table, name, key)
    found = measured_view(table.study.id, table.study.changed_at, name, place)
    chart = f"{key}.{name}.{place}"
    said = view_sentence(found)
    if found.missing:
        st.info(as_text(found.missing))
        return
    figure = view_figure(found, current_theme())
    follow = nothing if found.kind == "points" else None
    draw_figure(figure, key=chart, name=f"study-{name}", alt=said, on_click=follow, panels=has_panels(found))
    draw_clicked(table, found, chart)
    st.caption(as_text(below_figure(found)))
    rows = view_table(found)
    with st.expander("Table", icon=":material/table:"):
        draw_rows(rows, key=f"{chart}.rows", alt=said, height=LIST_HEIGHT)
        save_button("Save as CSV", lambda: csv_text(rows), f"study-{name}.csv", key=f"{chart}.csv")


def draw_settings(table: StudyTable, name: str, key: str) -> int:
    """Draw which of the settings that vary a view is of, and return its place; a view across them asks nothing."""
    variants = table.study.plan.variants
    if view_named(name).across or len(variants) < 2:
        return 0
    places = tuple(range(len(variants)))
    lasting = lasting_key(f"{key}.settings", 0, places)
    picked = st.selectbox("Settings", places, format_func=lambda at: variants[at].label, key=lasting)
    return int(one_of(picked, places, 0))


def draw_clicked(table: StudyTable, found: Measured, chart: str) -> None:
    """Draw the run of the point that was clicked."""
    if found.kind != "points":
        return
    places = [place for place in clicked_numbers(chart) if 0 <= place < len(found.marks)]
    if places:
        draw_point(table, table.frame.index[table.frame["run"] == found.marks[places[0]].run][0])


def ready_views(table: StudyTable) -> tuple[str, ...]:
    """Return the views that the study has the numbers for."""
    return tuple(view.name for view in VIEWS if view.ready(table))


@st.cache_data(show_spinner="Drawing the intervals …", max_entries=60)
def measured_view(study_id: str, changed_at: str, name: str, place: int) -> Measured:
    """Return a view of a study under one choice of settings; ``changed_at`` tells it from what it was before."""
    from pages.shared.study_store import study_store

    return view_named(name).measure(study_table(study_store().get(study_id)), place)
