"""Grids in HTML whose marks choose: a click, or arrow keys and Enter, does what the mark stands for."""

import re
from collections.abc import Callable

import streamlit as st

from pages.shared.browser_part import browser_part, sent_value

NUMBERS = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


def draw_grid(html: str, choose: Callable[[tuple[int, ...]], None], *, name: str) -> None:
    """Draw a grid; ``choose`` does what a chosen mark asks for, given its numbers."""
    st.html(html)
    mount = browser_part("grid", "shared/grid/grid.js")
    mount(key=name, data={"name": name}, on_pick_change=lambda: follow_mark(name, choose), height=0)


def follow_mark(name: str, choose: Callable[[tuple[int, ...]], None]) -> None:
    """Do what the mark asks for that was chosen last. A browser may send anything: what is no mark is none."""
    if found := numbers_of(sent_value(name, "pick")):
        choose(found)


def numbers_of(sent: object) -> tuple[int, ...]:
    """Return the numbers of a mark; () for anything else.

    >>> numbers_of("3.12"), numbers_of("-1"), numbers_of(None)
    ((3, 12), (), ())
    """
    return tuple(map(int, sent.split("."))) if isinstance(sent, str) and NUMBERS.fullmatch(sent) else ()
