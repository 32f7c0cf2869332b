"""A figure with nothing to draw says why, in words, instead of showing empty axes."""

import plotly.graph_objects as go

from viz.theme import Theme
from viz.words import wrapped


def only_text(text: str, theme: Theme) -> dict[str, object]:
    """Return the layout that replaces the axes by a sentence; merge it over ``viz.theme.layout``."""
    hidden = {"visible": False, "fixedrange": True}
    note = {
        "text": wrapped(text, width=90),
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "top",
        "align": "left",
        "font": {"size": 16, "color": theme.muted},
    }
    return {"xaxis": hidden, "yaxis": hidden, "annotations": [note], "margin": {"l": 16, "r": 16, "t": 64, "b": 16}}


def draw_note(figure: go.Figure, text: str, theme: Theme) -> None:
    """Draw a sentence where there is nothing to draw."""
    figure.add_annotation(
        text=wrapped(text), x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False,
        font={"size": 16, "color": theme.muted},
    )  # fmt: skip
