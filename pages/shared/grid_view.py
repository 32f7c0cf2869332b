"""Grids in HTML whose marks choose: a click, or arrow keys and Enter, does what the mark stands for."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from pages.shared import session

SCRIPT = Path(__file__).with_name("grid") / "grid.js"
NUMBERS = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


@st.cache_resource(show_spinner=False)
def grid_script() -> str:
    """Return the script that says which mark was chosen."""
    return SCRIPT.read_text(encoding="utf-8")


def draw_grid(html: str, choose: Callable[[tuple[int, ...]], None], *, name: str) -> None:
    """Draw a grid; ``choose`` does what a chosen mark asks for, given its numbers."""
    st.html(html)
    mount = st.components.v2.component("microscope.grid", js=grid_script())
    mount(key=name, data={"name": name}, on_pick_change=lambda: follow_mark(name, choose), height=0)


def follow_mark(name: str, choose: Callable[[tuple[int, ...]], None]) -> None:
    """Do what the mark asks for that was chosen last. A browser may send anything: what is no mark is none."""
    held = session.widget_state(name)
    if found := numbers_of(held.get("pick") if isinstance(held, Mapping) else None):
        choose(found)


def numbers_of(sent: object) -> tuple[int, ...]:
    """Return the numbers of a mark; () for anything else.

    >>> numbers_of("3.12"), numbers_of("-1"), numbers_of(None)
    ((3, 12), (), ())
    """
    return tuple(map(int, sent.split("."))) if isinstance(sent, str) and NUMBERS.fullmatch(sent) else ()
