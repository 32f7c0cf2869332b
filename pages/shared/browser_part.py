"""Parts of a page that run in the browser: scripts and a style sheet below ``pages``, and what they send."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from pages.shared import session

PAGES = Path(__file__).resolve().parents[1]


@cache
def browser_text(file: str) -> str:
    """Return the text of a script or style sheet below ``pages``."""
    return (PAGES / file).read_text(encoding="utf-8")


def browser_part(name: str, *files: str) -> ComponentRenderer:
    """Return what puts a part into the page: its scripts, joined in this order, and its style sheet if it has one."""
    scripts, styles = ("\n".join(browser_text(file) for file in files if file.endswith(end)) for end in (".js", ".css"))
    return st.components.v2.component(f"microscope.{name}", js=scripts, css=styles or None)


def sent_value(key: str, name: str) -> object:
    """Return what the part under a key sent last by a name, None for nothing. A browser may send anything."""
    held = session.widget_state(key)
    return held.get(name) if isinstance(held, Mapping) else None
