"""Tables in HTML: texts wrap, long ones are whole on hover and in a chosen row, long tables are drawn page by page.

``draw_rows`` only shows; ``choose_row`` and ``choose_rows`` return what was chosen. A row that is chosen once more is
chosen no more. Chosen rows are kept by what they stand for, not by their place, until the page is left. Tables that
choose on the whole page are ``linked_rows``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict, Unpack

import pandas as pd
import streamlit as st

from pages.shared import table_state
from pages.shared.grid_view import draw_grid
from viz.parts.row_table import Column, row_table_html

PAGE_ROWS, LIST_HEIGHT = 200, 460
Rows = pd.DataFrame | Sequence[Mapping[str, object]]


class TableOptions(TypedDict, total=False):
    """How a table is drawn: ``order`` names the columns to draw, none = all; ``height`` in pixels makes it scroll."""

    columns: Mapping[str, Column]
    order: Sequence[str]
    missing: str
    alt: str
    height: int | None
    tones: Mapping[str, Sequence[str]]


def draw_rows(data: Rows, *, key: str = "", **options: Unpack[TableOptions]) -> None:
    """Draw a table without a choice. Raises ValueError for one of more than ``PAGE_ROWS`` rows without a ``key``."""
    table = pd.DataFrame(data)
    if not key and len(table) > PAGE_ROWS:
        raise ValueError("a table of several pages needs a key")
    draw_page(table, (False,) * len(table), (), None, key=key, options=options)


def choose_row(
    data: Rows, ids: Sequence[str], *, key: str, start: str = "", **options: Unpack[TableOptions]
) -> int | None:
    """Draw a table of which one row can be chosen and return its number.

    ``ids`` are what the rows stand for, ``start`` is the one that is chosen before any choice.
    """
    rows = choose(data, ids, key, (start,) if start else (), options, many=False)
    return rows[0] if rows else None


def choose_rows(
    data: Rows, ids: Sequence[str], *, key: str, start: Sequence[str] = (), **options: Unpack[TableOptions]
) -> tuple[int, ...]:
    """Draw a table of which rows can be chosen and return their numbers, ascending."""
    return choose(data, ids, key, start, options, many=True)


def choose(
    data: Rows, ids: Sequence[str], key: str, start: Sequence[str], options: TableOptions, *, many: bool
) -> tuple[int, ...]:
    """Draw a table and return the chosen rows; without ``many`` a new one takes the place of the last."""
    table = pd.DataFrame(data)
    chosen = chosen_ids(key, start)
    rows = tuple(place for place, one in enumerate(ids) if one in chosen)
    draw_page(
        table,
        (True,) * len(table),
        rows,
        lambda numbers: follow_pick(key, start, ids, numbers[0], many=many),
        key=key,
        options=options,
        many=many,
    )
    return rows


def chosen_ids(key: str, start: Sequence[str]) -> tuple[str, ...]:
    """Return what is chosen in a table; ``start`` before any choice, and again when the page chooses another."""
    since, chosen = table_state.chosen_rows(key) or (tuple(start), tuple(start))
    return chosen if since == tuple(start) else tuple(start)


def follow_pick(key: str, start: Sequence[str], ids: Sequence[str], row: int, *, many: bool) -> None:
    """Choose the picked row, or choose it no more. What is chosen is read now: two picks may come before a redraw."""
    if row < len(ids):
        table_state.keep_chosen_rows(key, tuple(start), toggled(chosen_ids(key, start), ids[row], many=many))


def toggled(chosen: Sequence[str], picked: str, *, many: bool) -> tuple[str, ...]:
    """Return what is chosen after one was picked: a chosen one is chosen no more.

    >>> toggled("a", "b", many=True), toggled("a", "b", many=False), toggled("ab", "a", many=True)
    (('a', 'b'), ('b',), ('b',))
    """
    if picked in chosen:
        return tuple(one for one in chosen if one != picked)
    return (*chosen, picked) if many else (picked,)


def draw_page(
    table: pd.DataFrame,
    picks: Sequence[bool],
    chosen: Sequence[int],
    choose: Callable[[tuple[int, ...]], None] | None,
    *,
    key: str,
    options: TableOptions,
    many: bool = False,
) -> None:
    """Draw the rows of one page of a table, and where it has more than one page the way to the others."""
    columns = options.get("order") or ()
    shown = table[list(columns)] if columns else table
    first = page_start(key, len(shown), chosen)
    end = first + PAGE_ROWS
    html = row_table_html(
        shown.iloc[first:end],
        name=key or options.get("alt", ""),
        picks=picks[first:end],
        chosen=chosen,
        first=first,
        many=many,
        columns=options.get("columns"),
        missing=options.get("missing", "–"),
        alt=options.get("alt", ""),
        height=options.get("height"),
        tones={name: tones[first:end] for name, tones in options.get("tones", {}).items()},
    )
    if choose is None:
        st.html(html)
    else:
        draw_grid(html, choose, name=key)
    if len(shown) > PAGE_ROWS:
        draw_pager(key, first, len(shown))


def page_start(key: str, count: int, chosen: Sequence[int]) -> int:
    """Return the first row of the page that is shown: the page turned to, or the one of a row chosen elsewhere since.

    A choice in the table itself is on the page that is shown, so the page stays.
    """
    if count <= PAGE_ROWS:
        return 0
    start, known, seen = table_state.shown_rows(key) or (0, count, ())
    if known != count or not 0 <= start < count:
        start = 0
    new = [row for row in chosen if row not in seen]
    if new and not start <= new[-1] < start + PAGE_ROWS:
        start = new[-1] // PAGE_ROWS * PAGE_ROWS
    table_state.keep_shown_rows(key, start, count, tuple(chosen))
    return start


def draw_pager(key: str, first: int, count: int) -> None:
    """Draw which rows are shown, and the ways to those before and after them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, start in (
            ("Previous rows", ":material/chevron_left:", first - PAGE_ROWS),
            ("Next rows", ":material/chevron_right:", first + PAGE_ROWS),
        ):
            st.button(
                name,
                key=f"{key}.{name}",
                icon=icon,
                disabled=not 0 <= start < count,
                on_click=table_state.turn_rows,
                args=(key, start),
            )
        st.caption(f"Rows {first + 1:,} to {min(first + PAGE_ROWS, count):,} of {count:,}")
