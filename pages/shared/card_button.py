"""The button that saves an SVG as PNG. The browser draws it: no library and no font of the server is needed."""

from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).with_name("card")


@st.cache_resource(show_spinner=False)
def button_source() -> tuple[str, str]:
    """Return the button's script and its style."""
    return (FOLDER / "card.js").read_text(encoding="utf-8"), (FOLDER / "card.css").read_text(encoding="utf-8")


def draw_png_button(svg: str, name: str, label: str) -> None:
    """Draw the button that saves an SVG of its own size as a PNG of twice that, ``name``.png."""
    script, style = button_source()
    mount = st.components.v2.component("microscope.card", js=script, css=style)
    mount(key=f"png.{name}", data={"svg": svg, "name": f"{name}.png", "label": label}, width="content")
