"""A figure with nothing to draw says why, in words, instead of showing empty axes."""

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
