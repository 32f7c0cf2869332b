"""Runs: every question asked on this machine, to be found again, opened, exported, deleted and brought back."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from engine.catalogue.verify import Verification, verify
from engine.runs.deletion import deleted_runs, erase_run
from engine.runs.store import SHIPPED, RunSummary
from pages.shared import links, session
from pages.shared.deleted_list import Deleted, Kind, draw_deleted
from pages.shared.downloads import draw_export
from pages.shared.lasting import lasting_key
from pages.shared.pairs import listed_words, words_of
from pages.shared.resources import MOST_LISTED, desk, sentences, shown_errors, store, stored_run
from pages.shared.rows import LIST_HEIGHT, choose_rows, draw_rows
from pages.shared.run_names import asked_at, run_name, state_word
from pages.shared.texts import draw_head
from pages.shared.theme import as_text, current_theme
from pages.shared.undo import draw_deletions, leave_deletion
from pages.workspace.cache_part import draw_cache
from viz.methods.verdicts import verdict_html
from viz.parts.row_table import Column
from viz.parts.words import counted
from viz.runs import verification

TABLE, DELETED, VERIFIED = "runs.table", "microscope.deleted_run", "runs.verified"


def main() -> None:
    """Draw the list, what can be done with the run selected in it, and the way in for records from elsewhere."""
    draw_head("runs", "Runs")
    if notice := session.pop_notice():
        st.info(as_text(notice))
    draw_way_back()
    search = st.text_input(
        "Search",
        key=lasting_key("runs.search", ""),
        icon=":material/search:",
        placeholder="Suez",
    )
    with sentences():
        runs = store().listing(limit=MOST_LISTED, search=str(search or ""))
    if runs:
        draw_table(runs)
    else:
        draw_none(str(search or ""))
    draw_hidden()
    draw_import()
    draw_cache()


def draw_none(search: str) -> None:
    """Say why the list is empty."""
    if search.strip():
        st.info(f"No run holds “{as_text(search)}”.")
        return
    with sentences():
        deleted = bool(deleted_runs(store(), 1))
    none = "Every run was deleted; restore one below." if deleted else "No runs yet."
    st.info(f"{none} Ask a question, or import a record.")
    links.page_link("ask", "Ask a question", icon=":material/edit:")


def draw_table(runs: Sequence[RunSummary]) -> None:
    """Draw the runs as a table, and below it what can be done with the selected one."""
    shown = session.current_run()
    table = pd.DataFrame([table_row(run, runs) for run in runs])
    rows = choose_rows(
        table,
        [run.id for run in runs],
        key=TABLE,
        start=(shown,) if shown else (),
        columns={"What changed": Column(help="With its original, or the question's last run.")},
        height=LIST_HEIGHT,
        alt="Runs, newest first",
    )
    draw_picked(runs, rows)


def draw_picked(runs: Sequence[RunSummary], rows: Sequence[int]) -> None:
    """Draw what can be done with the selected rows: one opens, two compare; without one, how many runs there are."""
    if len(rows) == 2:
        older, newer = runs[rows[1]], runs[rows[0]]
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Compare them", type="primary", icon=":material/compare_arrows:", key="compare_runs"):
                links.go_to_pair(older.id, newer.id)
            draw_delete([runs[row] for row in rows])
            st.caption(as_text(f"{run_name(older)} and {run_name(newer)}"))
    elif len(rows) > 2:
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_delete([runs[row] for row in rows])
            st.caption(f"{len(rows)} rows: one opens, two compare.")
    elif rows:
        draw_selected(runs[rows[0]])
    else:
        cut = len(runs) == MOST_LISTED
        st.caption(f"The newest {len(runs)} runs. Search finds older ones." if cut else f"{counted(len(runs), 'run')}.")


def table_row(run: RunSummary, runs: Sequence[RunSummary]) -> dict[str, object]:
    """Return a run as a row of the table."""
    verdicts, changed = listed_words(run, runs)
    return {
        "Question": run.question,
        "Answer": run.answer,
        "Verdicts": verdicts,
        "Date": listed_time(run.created_at),
        "State": state_word(run),
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
        st.button(
            "Verify the numbers",
            icon=":material/fact_check:",
            key="check_run",
            on_click=session.set_widget,
            args=(VERIFIED, run.id),
        )
        draw_delete([run])
        parent = stored_run(run.parent) if run.parent else None
        st.caption(as_text(f"Made from {run_name(parent)}." if parent else f"Asked {asked_at(run)}."))
    st.caption(as_text(words_of(run.id, run.finished_at)))
    if whole is None:
        st.warning("This version cannot read this record.")
    elif session.widget_state(VERIFIED) == run.id and whole.diagnosis is not None:
        draw_check(run.id, verify(whole.diagnosis))


def draw_check(run_id: str, found: Verification) -> None:
    """Draw whether every derived number of a record follows from its raw part."""
    st.html(verdict_html(verification.verdict(found), current_theme()))
    with st.expander("Every recomputed number"):
        said = verification.sentence(found)
        draw_rows(verification.checks_table(found), key=f"runs.checks.{run_id}", alt=said, height=LIST_HEIGHT)
    with st.expander("Values taken as recorded"):
        alt = "Raw parts of the record"
        draw_rows(verification.unchecked_table(found), key=f"runs.raw.{run_id}", alt=alt, height=LIST_HEIGHT)


def draw_delete(runs: Sequence[RunSummary]) -> None:
    """Draw the button that deletes the selected runs, each of which can be brought back."""
    label = "Delete" if len(runs) == 1 else f"Delete {len(runs)} runs"
    if st.button(label, icon=":material/delete:", key="delete_run"):
        delete_runs(runs)


def delete_runs(runs: Sequence[RunSummary]) -> None:
    """Delete runs, which can be undone one by one, and draw the list anew; what waits or is worked on stops."""
    for run in runs:
        with sentences():
            desk().cancel(run.id)
            store().delete(run.id)
        session.forget_run(run.id)
        leave_deletion(DELETED, run.id, as_text(f"{run_name(run)} was deleted."))
    st.rerun()


def draw_way_back() -> None:
    """Offer to bring back the run that was deleted last."""
    draw_deletions(DELETED, "undo_delete", store().restore)


def draw_hidden() -> None:
    """Draw the deleted runs, each to be restored or to be deleted for good."""
    with sentences():
        hidden = deleted_runs(store(), MOST_LISTED)
    found = [Deleted(id=run.id, row=deleted_row(run), erasable=run.origin not in SHIPPED) for run in hidden]
    kind = Kind(
        one="run",
        many="runs",
        restore=store().restore,
        erase=partial(erase_run, store()),
        warning="Question, answer and record are overwritten. Labels, studies and the model cache keep their copies.",
        undo_place=DELETED,
    )
    draw_deleted(kind, found)


def deleted_row(run: RunSummary) -> dict[str, object]:
    """Return a deleted run as a row of the table."""
    return {
        "Question": run.question,
        "Answer": run.answer,
        "Date": listed_time(run.created_at),
        "Deleted": listed_time(run.deleted_at),
    }


def listed_time(moment: str) -> str:
    """Return a time of the store as a list shows it, to the minute."""
    return moment[:16].replace("T", " ")


def draw_import() -> None:
    """Draw the way in for a record that was exported here or elsewhere."""
    st.header("Import")
    file = st.file_uploader(
        "A run as HTML or JSON",
        type=["json", "html", "gz"],
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
