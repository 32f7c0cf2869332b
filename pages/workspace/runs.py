"""Runs: every question asked on this machine, to be found again, opened, exported, deleted and brought back."""

from collections.abc import Sequence
from datetime import datetime

import pandas as pd
import streamlit as st

from engine.catalogue.verify import Verification, verify
from engine.core.words import shorten
from engine.runs.store import RunSummary
from pages.shared import links, session
from pages.shared.cache_part import draw_cache
from pages.shared.downloads import draw_export
from pages.shared.linked import draw_shortened, table_height, text_columns
from pages.shared.pairs import listed_words
from pages.shared.resources import MOST_LISTED, sentences, shown_errors, store, stored_run
from pages.shared.run_names import ORIGINS, asked_at, run_name
from pages.shared.texts import draw_head
from pages.shared.theme import as_text, current_theme
from pages.shared.undo import draw_undo
from viz import verification
from viz.tables import fit_cells
from viz.verdicts import verdict_html

# How many letters fit into the widths of the columns.
LETTERS = {"Question": 40, "Answer": 15, "Verdicts": 37, "What changed": 44}
TABLE, DELETED = "runs.table", "microscope.deleted_run"


def main() -> None:
    """Draw the list, what can be done with the run selected in it, and the way in for records from elsewhere."""
    draw_head("runs", "Runs")
    if notice := session.pop_notice():
        st.info(as_text(notice))
    draw_way_back()
    search = st.text_input(
        "Search",
        key=session.widget_key("runs.search", ""),
        icon=":material/search:",
        placeholder="Suez",
    )
    with sentences():
        runs = store().listing(limit=MOST_LISTED, search=str(search or ""))
    if runs:
        draw_table(runs)
    else:
        draw_none(str(search or ""))
    draw_import()
    draw_cache()


def draw_none(search: str) -> None:
    """Say why the list is empty."""
    if search.strip():
        st.info(f"No run holds “{as_text(search)}”.")
        return
    st.info("No runs yet. Ask a question, or import a record.")
    links.page_link("ask", "Ask a question", icon=":material/edit:")


def draw_table(runs: Sequence[RunSummary]) -> None:
    """Draw the runs as a table, and below it what can be done with the selected one."""
    shown = session.current_run()
    place = next((place for place, run in enumerate(runs) if run.id == shown), None)
    table = pd.DataFrame([table_row(run, runs) for run in runs])
    # The first verdicts tell most: cut at the end, unlike a question.
    brief = table.assign(Verdicts=[shorten(str(one), LETTERS["Verdicts"]) for one in table["Verdicts"]])
    selection = st.dataframe(
        fit_cells(brief, LETTERS),
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=table_height(len(runs)),
        selection_default={"selection": {"rows": [] if place is None else [place]}},
        key=f"{TABLE}.{runs[0].id}.{len(runs)}",
        column_config={
            "Date": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=122),
            **text_columns(Question=290, Answer=118, State=122, Verdicts=265),
            "What changed": st.column_config.TextColumn(
                width=320, help="With its original, or the question's last run."
            ),
        },
        alt="Runs, newest first",
    )
    draw_picked(runs, session.selected_rows(selection, len(runs)), table)


def draw_picked(runs: Sequence[RunSummary], rows: Sequence[int], table: pd.DataFrame) -> None:
    """Draw what can be done with the selected rows: one opens, two compare; without one, how many runs there are."""
    if len(rows) == 2:
        older, newer = runs[rows[1]], runs[rows[0]]
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Compare them", type="primary", icon=":material/compare_arrows:", key="compare_runs"):
                links.go_to_pair(older.id, newer.id)
            st.caption(as_text(f"{run_name(older)} and {run_name(newer)}"))
    elif len(rows) > 2:
        st.caption(f"{len(rows)} rows: one opens, two compare.")
    elif rows:
        draw_selected(runs[rows[0]])
        draw_shortened(table, LETTERS, rows[0])
    else:
        st.caption(f"{len(runs)} run{'s' if len(runs) != 1 else ''}.")


def table_row(run: RunSummary, runs: Sequence[RunSummary]) -> dict[str, object]:
    """Return a run as a row of the table."""
    verdicts, changed = listed_words(run, runs)
    return {
        "Question": run.question,
        "Answer": run.answer,
        "Verdicts": verdicts,
        "Date": datetime.fromisoformat(run.created_at),
        "State": ORIGINS.get(run.origin, run.state),
        "What changed": changed,
    }


def draw_selected(run: RunSummary) -> None:
    """Draw what can be done with the selected run."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open", type="primary", icon=":material/open_in_full:", key="open_run"):
            session.open_run(run.id)
            links.go_to("ask", run.id)
        with sentences():
            whole = stored_run(run.id)
        if whole is not None:
            draw_export(whole)
        checked = st.button("Verify the numbers", icon=":material/fact_check:", key="check_run")
        if st.button("Delete", icon=":material/delete:", key="delete_run"):
            delete_run(run)
        parent = stored_run(run.parent) if run.parent else None
        st.caption(as_text(f"Made from {run_name(parent)}." if parent else f"Asked {asked_at(run)}."))
    if whole is None:
        st.warning("This version cannot read this record.")
    elif checked and whole.diagnosis is not None:
        draw_check(verify(whole.diagnosis))


def draw_check(found: Verification) -> None:
    """Draw whether every derived number of a record follows from its raw part."""
    st.html(verdict_html(verification.verdict(found), current_theme()))
    with st.expander("Every recomputed number"):
        st.dataframe(verification.checks_table(found), hide_index=True, alt=verification.sentence(found))
    with st.expander("Values taken as recorded"):
        st.dataframe(verification.unchecked_table(found), hide_index=True, alt="Raw parts of the record")


def delete_run(run: RunSummary) -> None:
    """Delete a run, which can be undone, and draw the list anew."""
    with sentences():
        store().delete(run.id)
    session.forget_run(run.id)
    session.set_widget(DELETED, (run.id, run_name(run)))
    st.rerun()


def draw_way_back() -> None:
    """Offer to bring back the run that was deleted last."""
    held = session.widget_state(DELETED)
    if isinstance(held, tuple):
        run_id, name = held
        draw_undo(DELETED, as_text(f"{name} was deleted."), "undo_delete", lambda: store().restore(run_id))


def draw_import() -> None:
    """Draw the way in for a record that was exported here or elsewhere."""
    st.header("Import")
    file = st.file_uploader(
        "A run as HTML or JSON",
        type=["json", "html"],
        key="runs.import",
        help="From Download. Nothing in it runs.",
    )
    if file is None or not st.button("Import it", icon=":material/upload:", key="import_run"):
        return
    with shown_errors():
        run_id = store().import_json(file.getvalue())
        session.open_run(run_id)
        session.leave_notice("Imported, and selected in the list.")
        st.rerun()


main()
