"""How every figure is drawn on a page: one button, which saves it as a picture under a name that says what it is."""

import plotly.graph_objects as go

from pages.shared import session
from pages.shared.theme import current_theme
from viz.projector import for_last_row

PNG_SCALE = 2


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
