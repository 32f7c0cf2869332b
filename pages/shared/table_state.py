"""What is chosen in each table, and which of its pages is shown, until the page that draws the table is left."""

from typing import cast

from pages.shared import session
from pages.shared.session import PICKED_ROWS, TABLE_PAGES

Picked = tuple[tuple[str, ...], tuple[str, ...]]
Shown = tuple[int, int, tuple[int, ...]]


def chosen_rows(table: str) -> Picked | None:
    """Return (what a page chose in a table, what is chosen since), None before any choice."""
    return picked().get(table)


def keep_chosen_rows(table: str, start: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    """Keep what is chosen in a table until its page is left; ``start`` is what the page itself chose."""
    session.set_widget(PICKED_ROWS, {**picked(), table: (start, chosen)})


def shown_rows(table: str) -> Shown | None:
    """Return (first row shown, number of rows, rows that were chosen then) of a table of several pages."""
    return shown().get(table)


def keep_shown_rows(table: str, first: int, count: int, chosen: tuple[int, ...]) -> None:
    """Keep which page of a table is shown until the table's page is left."""
    session.set_widget(TABLE_PAGES, {**shown(), table: (first, count, chosen)})


def turn_rows(table: str, first: int) -> None:
    """Show another page of a table."""
    if held := shown_rows(table):
        keep_shown_rows(table, first, *held[1:])


def picked() -> dict[str, Picked]:
    """Return what is kept of the choices in every table."""
    return cast("dict[str, Picked]", session.widget_state(PICKED_ROWS) or {})


def shown() -> dict[str, Shown]:
    """Return what is kept of the pages of every table."""
    return cast("dict[str, Shown]", session.widget_state(TABLE_PAGES) or {})
