"""Which colours the page is drawn in, and how untrusted text is put into Streamlit's Markdown."""

from pathlib import Path

import streamlit as st

from engine.core.words import shorten
from engine.learning.content import escape_markdown, render_plain
from pages.shared import session
from pages.shared.browser_part import browser_part
from viz.parts.html import style_sheet
from viz.parts.projector import page_rules
from viz.parts.theme import DARK, LIGHT, Theme

# A file of our own: Streamlit would fetch a named icon for the browser's tab from a public server.
ICON = str(Path(__file__).with_name("microscope.svg"))
CONTRAST = Path(__file__).with_name("contrast.css.j2")


def current_theme() -> Theme:
    """Return the colours of the mode the reader's browser shows: light where Streamlit does not know."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def page_style() -> None:
    """Draw the style sheet of cards, chips and marked passages, in the colours of the current mode."""
    st.html(f"<style>{page_rules_now(current_theme())}</style>")


def follow_scheme() -> None:
    """Draw the page again when the browser changes between light and dark: figures and style hold its colours.

    The same script makes figures fit on paper, and saves them as pictures.
    """
    mount = browser_part("scheme", "shared/picture.js", "shared/scheme.js")
    mount(key="scheme", data={"drawn": current_theme().mode}, on_scheme_change=lambda: None, height=0)


def page_rules_now(theme: Theme) -> str:
    """Return every rule of the page's style; in presenter mode those for the last row as well."""
    return style_sheet(theme) + contrast_rules(theme) + (page_rules(theme) if session.is_presenting() else "")


def contrast_rules(theme: Theme) -> str:
    """Return the rules for what Streamlit draws too faint: words below 4.5 : 1, edges of boxes below 3 : 1.

    What the keyboard has reached is ringed, in one way for all of Streamlit's widgets.
    """
    return render_plain(CONTRAST.read_text(encoding="utf-8"), theme=theme)


def cut_label(text: str, letters: int) -> tuple[str, str | None]:
    """Return untrusted text for a label, cut at so many letters, and whole as its help; None where nothing was cut."""
    cut = shorten(text, letters)
    return as_text(cut), None if cut == text else as_text(text)


def as_text(text: str) -> str:
    """Return untrusted text so that Streamlit's Markdown shows it letter by letter: no image, link or formula in it."""
    return escape_markdown(text)
