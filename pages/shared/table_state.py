"""What is chosen in each table, and which of its pages is shown, until the page that draws the table is left."""

import streamlit as st

_PICKED, _PAGES = "microscope.picked_rows", "microscope.table_pages"


def chosen_rows(table: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return (what a page chose in a table, what is chosen since), None before any choice."""
    held: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = st.session_state.get(_PICKED, {})
    return held.get(table)


def keep_chosen_rows(table: str, start: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    """Keep what is chosen in a table until its page is left; ``start`` is what the page itself chose."""
    st.session_state[_PICKED] = {**st.session_state.get(_PICKED, {}), table: (start, chosen)}


def shown_rows(table: str) -> tuple[int, int, tuple[int, ...]] | None:
    """Return (first row shown, number of rows, rows that were chosen then) of a table of several pages."""
    held: dict[str, tuple[int, int, tuple[int, ...]]] = st.session_state.get(_PAGES, {})
    return held.get(table)


def keep_shown_rows(table: str, first: int, count: int, chosen: tuple[int, ...]) -> None:
    """Keep which page of a table is shown until the table's page is left."""
    st.session_state[_PAGES] = {**st.session_state.get(_PAGES, {}), table: (first, count, chosen)}


def turn_rows(table: str, first: int) -> None:
    """Show another page of a table."""
    if held := shown_rows(table):
        keep_shown_rows(table, first, *held[1:])


def forget_rows() -> None:
    """Forget what was chosen in tables, and which of their pages was shown."""
    st.session_state.pop(_PICKED, None)
    st.session_state.pop(_PAGES, None)
