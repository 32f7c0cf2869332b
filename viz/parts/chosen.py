"""How the chosen thing is drawn, the same in every figure and text: an outline and weight, never colour alone.

What is not chosen is drawn fainter and stays where it is: nothing is hidden, and nothing is computed anew. In running
text only the chosen part is outlined; fainter words would no longer be readable.
"""

from collections.abc import Iterable

import plotly.graph_objects as go
from markupsafe import Markup

from viz.parts.html import render
from viz.parts.theme import Theme, rgba

FAINT = 0.35
RING = 4.5
BAND = 0.16


def fade_points(figure: go.Figure, chosen: int | None) -> None:
    """Make the marks of a figure faint that carry another number than the chosen one as ``customdata[0]``."""
    if chosen is None:
        return
    for trace in figure.data:
        carried = trace.customdata
        if carried is not None and trace.type in ("scatter", "bar") and trace.marker.opacity != 0:
            trace.marker.opacity = [1.0 if one[0] == chosen else FAINT for one in carried]


def faded(colour: str, theme: Theme) -> str:
    """Return a hex colour mixed into the page's, opaque: what a thing that is not chosen is filled with.

    >>> from viz.parts.theme import LIGHT
    >>> faded("#000000", LIGHT)
    '#a6a6a6'
    """
    pairs = zip(_channels(colour), _channels(theme.page), strict=True)
    return "#" + "".join(f"{round(FAINT * ink + (1 - FAINT) * page):02x}" for ink, page in pairs)


def _channels(colour: str) -> list[int]:
    """Return red, green and blue of a hex colour, 0 to 255."""
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def outlines(ids: Iterable[object], chosen: object | None, usual: float) -> list[float]:
    """Return a line width per thing: the ring's for the chosen one, ``usual`` for the others.

    >>> outlines([0, 1], 1, 2.0)
    [2.0, 4.5]
    """
    return [RING if chosen is not None and one == chosen else usual for one in ids]


def inks(ids: Iterable[object], chosen: object | None, usual: Iterable[str], theme: Theme) -> list[str]:
    """Return a line colour per thing: the text's for the chosen one, its ``usual`` colour for the others."""
    pairs = zip(ids, usual, strict=True)
    return [theme.text if chosen is not None and one == chosen else colour for one, colour in pairs]


def draw_band(figure: go.Figure, low: float, high: float, theme: Theme) -> None:
    """Draw an outlined band through all panels of a figure from ``low`` to ``high`` on its x axis."""
    figure.add_shape(
        type="rect", xref="x", yref="paper", x0=low, x1=high, y0=0, y1=1, layer="below",
        fillcolor=rgba(theme.accent, BAND), line={"width": 2.5, "color": theme.text},
    )  # fmt: skip


def draw_row(figure: go.Figure, low: float, high: float, theme: Theme) -> None:
    """Draw an outlined band across a figure from ``low`` to ``high`` on its y axis."""
    figure.add_shape(
        type="rect", xref="paper", yref="y", x0=0, x1=1, y0=low, y1=high, layer="below",
        fillcolor=rgba(theme.accent, BAND), line={"width": 2.5, "color": theme.text},
    )  # fmt: skip


def framed_html(html: str, what: str, theme: Theme) -> str:
    """Return a block of HTML as the chosen one: outlined, and named in words. ``html`` is not escaped again."""
    return render("framed.html.j2", html=Markup(html), what=what, theme=theme)
