"""Tables in HTML: texts wrap, long ones are whole on hover and in a chosen row, long tables are drawn page by page.

``draw_rows`` only shows; ``choose_row`` and ``choose_rows`` return what was chosen. A row that is chosen once more is
chosen no more. Tables that choose on the whole page are ``linked_rows``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict, Unpack

import pandas as pd
import streamlit as st

from pages.shared import session
from pages.shared.grid_view import draw_grid
from viz.row_table import Column, row_table_html

PAGE_ROWS, LIST_HEIGHT = 200, 460
Rows = pd.DataFrame | Sequence[Mapping[str, object]]


class Look(TypedDict, total=False):
    """How a table is drawn: ``order`` names the columns to draw, none = all; ``height`` in pixels makes it scroll."""

    columns: Mapping[str, Column]
    order: Sequence[str]
    missing: str
    alt: str
    height: int | None
    tones: Mapping[str, Sequence[str]]


def draw_rows(data: Rows, *, key: str = "", **look: Unpack[Look]) -> None:
    """Draw a table without a choice. One of more than ``PAGE_ROWS`` rows needs a ``key``."""
    table = pd.DataFrame(data)
    draw_page(table, (False,) * len(table), (), None, key=key, look=look)


def choose_row(data: Rows, *, key: str, start: int | None = None, **look: Unpack[Look]) -> int | None:
    """Draw a table of which one row can be chosen and return its number; ``start`` is chosen before any choice."""
    rows = choose(data, key, () if start is None else (start,), look, most=1)
    return rows[0] if rows else None


def choose_rows(data: Rows, *, key: str, start: Sequence[int] = (), **look: Unpack[Look]) -> tuple[int, ...]:
    """Draw a table of which rows can be chosen and return their numbers, ascending."""
    return choose(data, key, start, look, most=0)


def choose(data: Rows, key: str, start: Sequence[int], look: Look, *, most: int) -> tuple[int, ...]:
    """Draw a table and return the chosen rows: with ``most`` = 1 a new one takes the place of the last; 0 = any."""
    table = pd.DataFrame(data)
    chosen = chosen_rows(key, start, len(table))
    draw_page(
        table,
        (True,) * len(table),
        chosen,
        lambda numbers: session.set_widget(state_key(key), (tuple(start), toggled(chosen, numbers[0], most))),
        key=key,
        look=look,
        many=most == 0,
    )
    return chosen


def state_key(key: str) -> str:
    """Return the name under which a table's rows are kept: (those chosen at first, those chosen since)."""
    return f"{key}.rows"


def chosen_rows(key: str, start: Sequence[int], count: int) -> tuple[int, ...]:
    """Return the rows chosen in a table of so many rows; ``start`` before any choice, and again when it changes."""
    held = session.widget_state(state_key(key))
    since, rows = held if isinstance(held, tuple) and len(held) == 2 else (start, start)
    rows = rows if tuple(since) == tuple(start) else start
    return tuple(sorted(row for row in rows if isinstance(row, int) and 0 <= row < count))


def toggled(chosen: Sequence[int], picked: int, most: int = 0) -> tuple[int, ...]:
    """Return the chosen rows after one was picked: a chosen one is chosen no more.

    >>> toggled((1,), 2), toggled((1,), 2, most=1), toggled((1, 2), 1)
    ((1, 2), (2,), (2,))
    """
    if picked in chosen:
        return tuple(row for row in chosen if row != picked)
    return (picked,) if most == 1 else tuple(sorted((*chosen, picked)))


def draw_page(
    table: pd.DataFrame,
    picks: Sequence[bool],
    chosen: Sequence[int],
    choose: Callable[[tuple[int, ...]], None] | None,
    *,
    key: str,
    look: Look,
    many: bool = False,
) -> None:
    """Draw the rows of one page of a table, and where it has more than one page the way to the others."""
    columns = look.get("order") or ()
    shown = table[list(columns)] if columns else table
    first = page_start(key, len(shown), chosen)
    end = first + PAGE_ROWS
    html = row_table_html(
        shown.iloc[first:end],
        name=key or look.get("alt", ""),
        picks=picks[first:end],
        chosen=chosen,
        first=first,
        many=many,
        columns=look.get("columns"),
        missing=look.get("missing", "–"),
        alt=look.get("alt", ""),
        height=look.get("height"),
        tones={name: tones[first:end] for name, tones in look.get("tones", {}).items()},
    )
    if choose is None:
        st.html(html)
    else:
        draw_grid(html, choose, name=key)
    if len(shown) > PAGE_ROWS:
        draw_pager(key, first, len(shown), chosen)


def page_start(key: str, count: int, chosen: Sequence[int]) -> int:
    """Return the first row of the page that is shown: the page turned to, or the one of a row chosen since."""
    if count <= PAGE_ROWS:
        return 0
    held = session.widget_state(f"{key}.page")
    start, seen = held if isinstance(held, tuple) and len(held) == 2 else (0, ())
    if chosen and tuple(chosen) != seen:
        start = chosen[-1] // PAGE_ROWS * PAGE_ROWS
    return int(start) if 0 <= int(start) < count else 0


def draw_pager(key: str, first: int, count: int, chosen: Sequence[int]) -> None:
    """Draw which rows are shown, and the ways to those before and after them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, start in (
            ("Previous rows", ":material/chevron_left:", first - PAGE_ROWS),
            ("Next rows", ":material/chevron_right:", first + PAGE_ROWS),
        ):
            st.button(
                name,
                key=f"{key}.{icon}",
                icon=icon,
                disabled=not 0 <= start < count,
                on_click=session.set_widget,
                args=(f"{key}.page", (start, tuple(chosen))),
            )
        st.caption(f"Rows {first + 1:,} to {min(first + PAGE_ROWS, count):,} of {count:,}")
