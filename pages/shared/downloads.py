"""Every table of a method as CSV, and a run as one HTML page: the one place where files leave a page."""

from collections.abc import Sequence

import streamlit as st

from engine.diagnosis.record import MethodResult
from engine.runs.store import StoredRun
from pages.shared.theme import as_text
from viz.bundle import run_bundle
from viz.csv_text import csv_text
from viz.exhibit import Exhibit
from viz.views import exhibits_of


def draw_tables(run_id: str, result: MethodResult | None) -> None:
    """Draw the way to the tables behind a method's figures; nothing where it has no result."""
    if result is not None:
        draw_exhibit_tables(run_id, exhibits_of(result))


def draw_exhibit_tables(run_id: str, shown: Sequence[Exhibit]) -> None:
    """Draw a button per table that saves it as CSV; nothing where there is no table."""
    with_table = [one for one in shown if one.table is not None]
    if not with_table:
        return
    with st.popover("Tables as CSV", icon=":material/table_view:"):
        st.caption(
            "The data behind the figures, with every digit. The button at the top right of a figure saves a PNG."
        )
        for one in with_table:
            draw_csv(run_id, one)


def draw_csv(run_id: str, one: Exhibit) -> None:
    """Draw the button that saves one table, written only when it is asked for."""
    table = one.table
    if table is None:
        return
    st.download_button(
        as_text(one.heading),
        data=lambda: csv_text(table).encode(),
        file_name=f"{one.name}-{run_id}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"csv.{one.name}.{run_id}",
    )


def draw_bundle(run: StoredRun) -> None:
    """Draw the download of a run as one HTML page, written only when it is asked for; nothing before its answer."""
    diagnosis = run.diagnosis
    if diagnosis is None:
        return
    st.download_button(
        "Download as HTML",
        data=lambda: run_bundle(diagnosis, run.id).encode(),
        file_name=f"run-{run.id}.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/description:",
        key=f"bundle.{run.id}",
        help="One page with every figure, every table and the record. It needs no server and no network.",
    )
