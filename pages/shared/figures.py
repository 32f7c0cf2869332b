"""How every figure is drawn on a page: one button, which saves it as a picture under a name that says what it is."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.shared import session
from pages.shared.theme import current_theme
from viz.methods.views import HEADINGS
from viz.parts.figure_parts import figure_title_html
from viz.parts.projector import for_last_row

PNG_SCALE = 2


def draw_figure(
    figure: go.Figure,
    *,
    key: str,
    name: str,
    alt: str,
    on_click: Callable[[], None] | None = None,
    fill: bool = False,
    told: bool = False,
    panels: bool = False,
) -> None:
    """Draw a figure that saves a picture as ``name``; ``alt`` says what it shows, ``on_click`` follows its points.

    ``fill``: as high as the box it stands in. ``told``: the page says its finding, so the title says what it is.
    ``panels``: its parts need more room than a narrow screen has, so there it scrolls in a box of its own.
    """
    options: dict[str, Any] = {} if on_click is None else {"on_select": on_click, "selection_mode": "points"}
    drawn = on_ground(figure)
    if told:
        drawn.layout.title.text = HEADINGS[name]
    # The height is told beforehand, so that nothing below jumps when the figure comes.
    if fill:
        drawn.layout.height = None
    options["height"] = "stretch" if fill else int(drawn.layout.height) if drawn.layout.height else "content"
    with st.container(key=f"wide-panels-{key}") if panels else nullcontext():
        if drawn.layout.title.text:
            # Plotly breaks no line: on a phone the title stands above the figure instead, where it can wrap.
            st.html(figure_title_html(drawn.layout.title.text, drawn.layout.title.subtitle.text or ""))
        st.plotly_chart(drawn, key=key, width="stretch", theme=None, config=figure_config(name), alt=alt, **options)


def figure_config(name: str) -> dict[str, object]:
    """Return Plotly's settings for a figure: its only button saves a PNG of twice the size, named ``name``."""
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": PNG_SCALE},
    }


def on_ground(figure: go.Figure) -> go.Figure:
    """Return the figure on the page's own colour: a picture on no ground cannot be read on every slide.

    In presenter mode its letters, lines and marks are those for the last row.
    """
    theme = current_theme()
    bar = {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.text}
    figure.update_layout(paper_bgcolor=theme.page, modebar=bar)
    return for_last_row(figure) if session.is_presenting() else figure
