"""A table as HTML whose rows choose: long texts wrap, the whole text shows on hover, and in a row that is chosen alone.

Streamlit's own table cuts a text off and hides columns on a phone.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from viz.parts.html import render
from viz.parts.tables import cell_text, is_missing, is_number

# A text of at most SHORT letters stays on one line; one of more than LONG gets a wide column, and where rows choose at
# most three lines, unless its row alone is chosen. A heading of more than WIDEST letters still takes two lines.
SHORT, LONG, WIDEST = 16, 48, 32
FULL = 3  # so many columns of long texts are each narrower


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How a column is drawn: its heading, Python's format of its numbers, and what stands on hover of the heading."""

    title: str = ""
    form: str = ""
    help: str = ""


PLAIN = Column()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, and its kind: "number", "missing", or by its length "short", "plain" or "long"."""

    text: str
    kind: str


def row_table_html(
    table: pd.DataFrame,
    *,
    name: str,
    picks: Sequence[bool] = (),
    chosen: Collection[int] = (),
    first: int = 0,
    many: bool = False,
    columns: Mapping[str, Column] | None = None,
    missing: str = "–",
    alt: str = "",
    height: int | None = None,
    tones: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the table as HTML; the first named cell of a row that ``picks`` says chooses is a button with its number.

    ``name`` is the grid's; ``picks`` may be left out where no row chooses. ``chosen`` are the chosen rows' numbers,
    counted from ``first``, the number of the first row here; ``many`` draws a box to tick before each row. ``missing``
    stands for what is not there; ``height`` in pixels makes it scroll; ``tones`` colours the cells of a column by what
    they say: "good", "middle", "bad", "model", "unknown", or "" for none.
    """
    shown = columns or {}
    heads = [shown.get(name, PLAIN) for name in map(str, table.columns)]
    rows = [
        [row_cell(value, head.form, missing) for value, head in zip(values, heads, strict=True)]
        for values in table.itertuples(index=False, name=None)
    ]
    titles = [head.title or name for name, head in zip(map(str, table.columns), heads, strict=True)]
    lead = next((place for place, title in enumerate(titles) if title.strip()), 0)
    return render(
        "row_table.html.j2",
        grid=name,
        heads=[
            (title, head.help, any(row[place].kind == "number" for row in rows))
            for place, (title, head) in enumerate(zip(titles, heads, strict=True))
        ],
        rows=rows,
        picks=picks or (False,) * len(rows),
        chosen=chosen,
        first=first,
        many=many,
        chooses=any(picks),
        full=sum(any(row[place].kind == "long" for row in rows) for place in range(len(titles))) >= FULL,
        wide=SHORT,
        widest=WIDEST,
        tones=[(tones or {}).get(name, ()) for name in map(str, table.columns)],
        lead=lead,
        alt=alt,
        height=height,
    )


def row_cell(value: object, form: str, missing: str) -> Cell:
    """Return a value as a cell.

    >>> row_cell(0.12345, ".2f", "–"), row_cell(None, ".2f", "not run")
    (Cell(text='0.12', kind='number'), Cell(text='not run', kind='missing'))
    """
    if is_missing(value):
        return Cell(missing, "missing")
    text = cell_text(value)
    if is_number(value):
        return Cell(signed(format(value, form) if form else text), "number")
    return Cell(text, "long" if len(text) > LONG else "short" if len(text) <= SHORT else "plain")


def signed(number: str) -> str:
    """Return a number's text with the sign that a reader expects: none before a zero.

    >>> signed("-0.50"), signed("-0.000"), signed("-1e-07")
    ('−0.50', '0.000', '−1e−07')
    """
    plain = number.lstrip("-") if not re.search("[1-9]", number) else number
    return plain.replace("-", "−")
