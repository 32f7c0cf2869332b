"""A table as HTML for a page without Streamlit, and values and long texts as cells."""

import math
from numbers import Integral, Real

import numpy as np
import pandas as pd

from viz.parts.html import render
from viz.parts.words import yes_or_no

MISSING = "–"
LARGEST = 1e15  # the largest whole numbers that are written in full


def table_html(table: pd.DataFrame, caption: str = "", digits: int = 6) -> str:
    """Return the table as HTML with a header row; numbers have so many digits, "–" is missing.

    >>> table_html(pd.DataFrame({"a<b": ["<i>", None]})).count("<i>")
    0
    """
    cells = table.itertuples(index=False, name=None)
    rows = [[(cell_text(one, digits), is_number(one)) for one in row] for row in cells]
    return render("table.html.j2", names=table.columns, rows=rows, caption=caption)


def is_number(value: object) -> bool:
    """Return whether a cell holds a number; True and False are words."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_missing(value: object) -> bool:
    """Return whether a cell holds nothing."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, Real) and math.isnan(value))


def cell_text(value: object, digits: int = 6) -> str:
    """Return a value in words: whole numbers in full, others with at most so many digits, yes or no, "–" for nothing.

    >>> cell_text(0.123456789), cell_text(None), cell_text(True), cell_text(3), cell_text(2500000.0)
    ('0.123457', '–', 'yes', '3', '2500000')
    """
    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return yes_or_no(bool(value))
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        return f"{number:.0f}" if number.is_integer() and abs(number) < LARGEST else f"{number:.{digits}g}"
    return str(value)


def shorten_middle(text: str, letters: int) -> str:
    """Return the text on one line, at most so many letters long: beginning and end stay, "…" stands between.

    >>> shorten_middle("composer of the Jupiter Symphony", 16)
    'compose…Symphony'
    """
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    tail = letters // 2
    return f"{line[: letters - tail - 1].rstrip()}…{line[-tail:].lstrip()}"
