"""The table of a study: filtered, ordered, its columns chosen, each row the way to its run."""

import streamlit as st

from engine.runs.studies.table import StudyTable
from pages.shared import links, session
from pages.shared.lasting import lasting_key
from pages.shared.rows import LIST_HEIGHT, choose_row
from pages.shared.sent_values import one_of, some_of
from pages.shared.theme import as_text
from viz.studies import table as drawn

SHOWS: dict[drawn.Show, str] = {
    "all": "All",
    "right": "Right",
    "wrong": "Wrong",
    "failed": "Failed",
    "waiting": "Waiting",
}
ORDERS = {drawn.WORST: "Worst first: wrong and sure", drawn.IN_FILE: "As in the file"}


def draw_table(table: StudyTable) -> None:
    """Draw what is shown and how, the table, and the selected row."""
    key = f"studies.table.{table.study.id}"
    titles = {one.address: one.title for one in table.numbers}
    search, order, numbers = draw_filters(table, key, titles)
    with st.container(horizontal=True, vertical_alignment="center"):
        show = draw_shows(key)
        said = st.container(width="content")
    frame = drawn.ordered(drawn.filtered(table, search, show), order, down=order not in ORDERS)
    said.caption(as_text(drawn.table_sentence(frame, table)))
    if failures := drawn.failure_sentence(table):
        st.warning(as_text(failures), icon=":material/error:")
    if frame.empty:
        st.info("No row is left. Change the search, or show all rows.")
        return
    shown = drawn.shown_table(table, frame, numbers)
    row = choose_row(
        shown,
        [str(one) for one in frame.index],
        key=key,
        columns=drawn.number_columns(table, numbers),
        tones=drawn.cell_tones(table, frame, shown),
        missing="not measured",
        height=LIST_HEIGHT,
        alt=drawn.table_sentence(frame, table),
    )
    if row is not None:
        draw_point(table, frame.index[row])


def draw_filters(table: StudyTable, key: str, titles: dict[str, str]) -> tuple[str, str, tuple[str, ...]]:
    """Draw the search, the order and the columns in one line; return all three."""
    with st.container(key="narrow-filters"):
        left, middle, right = st.columns([5, 5, 2], vertical_alignment="bottom")
    search = left.text_input("Search", key=lasting_key(f"{key}.search", ""), icon=":material/search:")
    orders = (*ORDERS, *titles)
    order = middle.selectbox(
        "Order",
        orders,
        format_func=lambda name: ORDERS.get(name) or f"{titles[name]}, largest first",
        key=lasting_key(f"{key}.order", drawn.WORST, orders),
    )
    with right.popover("Columns", icon=":material/view_column:", width="stretch"):
        picked = st.multiselect(
            "Columns of numbers",
            list(titles),
            default=list(drawn.usual_columns(table)),
            format_func=lambda address: titles.get(address, address),
            key=f"{key}.columns",
        )
    return str(search or ""), one_of(order, orders, drawn.WORST), some_of(picked, tuple(titles))


def draw_shows(key: str) -> drawn.Show:
    """Draw which rows are shown and return it."""
    shows: tuple[drawn.Show, ...] = tuple(SHOWS)
    picked = st.segmented_control(
        "Rows",
        shows,
        format_func=SHOWS.__getitem__,
        key=lasting_key(f"{key}.show", "all"),
        required=True,
        label_visibility="collapsed",
        width="content",
    )
    return one_of(picked, shows, "all")


def draw_point(table: StudyTable, at: object) -> None:
    """Draw one point: its question, its answers and the way to its run."""
    row = table.frame.loc[at]  # type: ignore[call-overload]
    with st.container(border=True):
        st.markdown(f"**{as_text(row['question'])}**")
        correct = f" · correct: {as_text(row['correct_answers'])}" if row["correct_answers"] else ""
        if row["state"] == "waiting" and not row["reason"]:
            st.markdown(f"Not asked yet{correct}")
            return
        nothing = "(empty)" if row["state"] == "done" else "no answer"
        st.markdown(f"{as_text(row['answer']) or nothing}{correct} · from memory: {as_text(row['memory']) or nothing}")
        if row["reason"]:
            st.warning(as_text(row["reason"]))
        if row["state"] == "waiting":
            st.caption("It waits to be asked again.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Open this run", type="primary", icon=":material/open_in_full:", key=f"open.{row['run']}"):
                session.open_run(str(row["run"]))
                links.go_to("ask", str(row["run"]))
            st.caption(f"Run {as_text(str(row['run']))}")
