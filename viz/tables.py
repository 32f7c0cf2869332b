"""A table as HTML, for a page without Streamlit."""

import math

import pandas as pd

from viz.html import render
from viz.words import yes_or_no

MISSING = "–"


def table_html(table: pd.DataFrame, caption: str = "") -> str:
    """Return the table as HTML with a header row; numbers have six digits, "–" is missing.

    >>> table_html(pd.DataFrame({"a<b": ["<i>", None]})).count("<i>")
    0
    """
    rows = [[(cell_text(one), is_number(one)) for one in row] for row in table.itertuples(index=False, name=None)]
    return render("table.html.j2", names=table.columns, rows=rows, caption=caption)


def is_number(value: object) -> bool:
    """Return whether a cell holds a number; True and False are words."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def cell_text(value: object) -> str:
    """Return a value in words: numbers with at most six digits, yes or no, "–" for what is missing.

    >>> cell_text(0.123456789), cell_text(None), cell_text(True), cell_text(3)
    ('0.123457', '–', 'yes', '3')
    """
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool):
        return yes_or_no(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
