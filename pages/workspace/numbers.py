"""All numbers of a run: searchable, each with its formula, its inputs and whether it follows from what is stored.

``?run=ID&number=dense.entropy`` opens one number.
"""

import pandas as pd
import streamlit as st

from engine.catalogue.names import title_of
from engine.catalogue.walk import number_at
from engine.diagnosis.record import Diagnosis
from engine.runs.store import StoredRun
from pages.shared import session
from pages.shared.downloads import save_button
from pages.shared.lasting import lasting_key
from pages.shared.linked import draw_chosen
from pages.shared.method_page import open_page
from pages.shared.number_view import draw_number
from pages.shared.resources import is_going, stored_run
from pages.shared.rows import LIST_HEIGHT
from pages.shared.rows import draw_page as draw_rows_page
from pages.shared.selection import prefixes_of
from pages.shared.theme import as_text
from viz.parts.csv_text import csv_text
from viz.runs import numbers as drawn
from viz.runs import summary

NUMBER = "number"
FOLLOWED = "numbers.followed"


def draw_page() -> None:
    """Draw the page from top to bottom."""
    run, diagnosis = open_page("numbers", "All numbers of this run", "This run has no numbers yet.")
    prefixes = prefixes_of(draw_chosen(diagnosis, hint=False), diagnosis)
    followed = session.widget_state(FOLLOWED) == st.query_params.get(NUMBER, "")
    if not followed:
        draw_addressed_number(run)
    draw_list(run, prefixes)
    draw_absent(diagnosis, summary.at_work_in(diagnosis) if is_going(run) else None)
    if followed:
        draw_addressed_number(run)


def draw_addressed_number(run: StoredRun) -> None:
    """Draw the number that the address names, or say that this run has none there."""
    address = st.query_params.get(NUMBER, "")
    if not address or run.diagnosis is None:
        return
    place = number_at(run.diagnosis, address)
    if place is None:
        st.warning(as_text(f"This run has no number at “{address[:120]}”."))
        return
    with st.container(border=True):
        st.header(as_text(title_of(place)))
        draw_number(place)


def draw_list(run: StoredRun, prefixes: tuple[str, ...]) -> None:
    """Draw the list with its search; the selected row is put into the address.

    ``prefixes`` are where the numbers of what is chosen stand; the list opens at them.
    """
    raw = st.checkbox("Also tokens and judgements", key=lasting_key("numbers.raw", False))
    search = st.text_input(
        "Search the numbers",
        key=lasting_key("numbers.search", ""),
        icon=":material/search:",
        placeholder="entropy · eq. 6 · differs · seper without",
    )
    table = cached_numbers(run.id, as_far_as(run), bool(raw))
    st.markdown(as_text(drawn.list_sentence(table)))
    found = drawn.matching(table, str(search or ""))
    own = drawn.beneath(found, prefixes)
    if prefixes and own.empty:
        st.caption("The selection has none: all are shown.")
    elif prefixes and st.checkbox(
        f"Only the {len(own)} of the selection", key=session.widget_key(f"numbers.own.{prefixes[0]}", True)
    ):
        found = own
    if found.empty:
        st.info(as_text(f"No number of this run matches “{search}”."))
        return
    key = f"numbers.table.{run.id}.{search}.{raw}.{len(found)}"
    addresses = tuple(found["address"])
    asked = st.query_params.get(NUMBER, "")
    shown = (addresses.index(asked),) if asked in addresses else ()
    draw_rows_page(
        found,
        (True,) * len(found),
        shown,
        lambda numbers: open_number(addresses, numbers[0]),
        key=key,
        options={"height": LIST_HEIGHT, "alt": "Every number of this run"},
    )
    save_button("Download the list as CSV", lambda: csv_text(found), f"numbers-{run.id}.csv")


def draw_absent(diagnosis: Diagnosis, at_work: str | None) -> None:
    """Draw which methods of the run have no number in the list, and why; nothing where all have some."""
    if lines := summary.without_result(diagnosis, at_work):
        st.markdown("\n".join(["Methods without a number:", "", *(f"- {as_text(line)}" for line in lines)]))


@st.cache_data(show_spinner="Recomputing every number", max_entries=20)
def cached_numbers(run_id: str, far: str, raw: bool) -> pd.DataFrame:
    """Return all numbers of a stored run; ``far`` tells a run from itself before it was finished."""
    run = stored_run(run_id)
    diagnosis = None if run is None else run.diagnosis
    return pd.DataFrame(columns=drawn.LIST_COLUMNS) if diagnosis is None else drawn.all_numbers(diagnosis, raw=raw)


def as_far_as(run: StoredRun) -> str:
    """Return how far a run has come: when it was finished, and what has become of its methods."""
    outcomes = run.diagnosis.outcomes if run.diagnosis is not None else ()
    return f"{run.finished_at} {' '.join(outcome.status for outcome in outcomes)}"


def open_number(addresses: tuple[str, ...], row: int) -> None:
    """Put the number of a row into the address, or take it away; it is drawn below the list, where it was asked for."""
    if row < len(addresses) and st.query_params.get(NUMBER) == addresses[row]:
        del st.query_params[NUMBER]
    elif row < len(addresses):
        st.query_params[NUMBER] = addresses[row]
        session.set_widget(FOLLOWED, addresses[row])


draw_page()
