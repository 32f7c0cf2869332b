"""A study as files: one HTML page, CSV, JSON, Parquet, and the three lines that read it in a notebook."""

import streamlit as st

from engine.runs.studies.table import StudyTable, json_lines, parquet_bytes, setting_frame, without_texts
from pages.shared.downloads import save_button
from pages.shared.theme import as_text
from viz.parts.csv_text import csv_text
from viz.studies.report import study_report


def draw_export(table: StudyTable) -> None:
    """Draw the downloads of a study."""
    study = table.study.id
    texts = not st.checkbox(
        "Leave questions and answers out",
        key=f"studies.export.{study}",
        help="Numbers, verdicts and states stay.",
    )
    frame = setting_frame(table) if texts else without_texts(setting_frame(table))
    with st.container(horizontal=True):
        save_button(
            "Report as HTML",
            lambda: study_report(table, texts=texts),
            f"study-{study}.html",
            icon="description",
            help="One page with every view and the table.",
        )
        save_button("Table as CSV", lambda: csv_text(frame), f"study-{study}.csv", icon="table_view")
        save_button("Table as JSON", lambda: json_lines(frame), f"study-{study}.json", icon="data_object")
        save_button("Table as Parquet", lambda: parquet_bytes(frame), f"study-{study}.parquet", icon="dataset")
    st.markdown("In a notebook:")
    st.code(
        "from engine.runs.studies.table import read_table\n"
        f'study = read_table("{as_text(study)}")\n'
        'study.frame[["question", "answer", "answer.right"]].head()',
        language=None,
        wrap_lines=True,
    )
    st.caption("Elsewhere: pandas.read_parquet.")
