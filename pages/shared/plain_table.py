"""A short table whose cells are text: Streamlit's own static table reads its cells and headings as Markdown."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared.theme import as_text


def draw_table(data: Mapping[str, object] | pd.DataFrame, **options: Any) -> None:
    """Draw a table letter by letter: rows of name and value, or a frame with its headings; numbers stay numbers."""
    if isinstance(data, pd.DataFrame):
        st.table(plain_frame(data), **options)
    else:
        st.table({plain_cell(name): plain_cell(value) for name, value in data.items()}, **options)


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose texts, headings and row names Streamlit's Markdown shows letter by letter.

    >>> plain_frame(pd.DataFrame({"a*": ["![x](y)", 2]})).to_dict("list")
    {'a\\\\*': ['\\\\!\\\\[x\\\\]\\\\(y\\\\)', 2]}
    """
    plain = frame.map(plain_cell).rename(index=plain_cell, columns=plain_cell)
    plain.index.name = None if frame.index.name is None else as_text(str(frame.index.name))
    return plain


def plain_cell(value: object) -> object:
    """Return a cell's value; a text so that it stays one."""
    return as_text(value) if isinstance(value, str) else value
