"""A table as CSV for a spreadsheet: numbers exact, text as text.

Passages and answers are untrusted, and a spreadsheet runs a cell that begins with =, +, - or @ as a formula: such text
gets an apostrophe before it (OWASP, CSV injection). Numbers stay numbers. What is missing stays empty.
"""

import pandas as pd

FORMULA_LETTERS = ("=", "+", "-", "@", "\t", "\r")
# Without it a spreadsheet guesses another encoding and spoils every letter beyond ASCII.
BYTE_ORDER_MARK = "\ufeff"


def csv_text(table: pd.DataFrame) -> str:
    """Return the table as CSV with its header, in UTF-8 with a byte-order mark.

    Lines end as RFC 4180 has it. With a line feed alone a carriage return within a text would end its line as well.

    >>> csv_text(pd.DataFrame({"answer": ["=1+1", "Paris"], "nats": [0.5, None]})).splitlines()[1:]
    ["'=1+1,0.5", 'Paris,']
    """
    safe = table.map(as_cell)
    safe.columns = [as_cell(str(name)) for name in table.columns]
    return BYTE_ORDER_MARK + safe.to_csv(index=False, lineterminator="\r\n")


def as_cell(value: object) -> object:
    """Return a cell's value; text that a spreadsheet would run is made text.

    >>> as_cell("@SUM(A1)"), as_cell(-1.5)
    ("'@SUM(A1)", -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_LETTERS) else value
