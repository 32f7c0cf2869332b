"""A table as escaped HTML: the text twin of a figure where no page draws it."""

import math

import pandas as pd

from viz.theme import plain

MISSING = "–"


def table_html(table: pd.DataFrame, caption: str = "") -> str:
    """Return the table as HTML with a header row; untrusted text is escaped, numbers have six digits, "–" is missing.

    >>> table_html(pd.DataFrame({"a<b": ["<i>", None]})).count("<i>")
    0
    """
    head = "".join(f'<th scope="col">{plain(str(name))}</th>' for name in table.columns)
    body = "".join(f"<tr>{row_html(row)}</tr>" for row in table.itertuples(index=False, name=None))
    named = f"<caption>{plain(caption)}</caption>" if caption else ""
    return f'<div class="rm-table"><table>{named}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def row_html(row: tuple[object, ...]) -> str:
    """Return one row's cells as HTML, numbers to the right."""
    return "".join(
        f'<td class="rm-number">{plain(cell_text(value))}</td>' if is_number(value) else f"<td>{in_cell(value)}</td>"
        for value in row
    )


def in_cell(value: object) -> str:
    """Return a cell's words as HTML."""
    return plain(cell_text(value))


def is_number(value: object) -> bool:
    """Return whether a value is drawn as a number; a yes or no is a word."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def cell_text(value: object) -> str:
    """Return a value in words: numbers with at most six digits, yes or no, "–" for what is missing.

    >>> cell_text(0.123456789), cell_text(None), cell_text(True), cell_text(3)
    ('0.123457', '–', 'yes', '3')
    """
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
