"""What many figures share: a sentence where there is nothing to draw, marks, error bars, words, rows, legend entries.

Keyword arguments beyond those named go to Plotly unchanged.
"""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.core.records import Interval
from viz.parts.html import render
from viz.parts.theme import Theme, layout
from viz.parts.words import wrapped

# The height of a small figure, in pixels.
COMPACT = 172
# The legend at the right end of the title's line, where it meets no axis.
ABOVE = {"y": 1.02, "x": 1, "xanchor": "right", "yanchor": "bottom"}
# A clicked mark grows or keeps its look; Plotly would fade all others.
UNFADED = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
INVISIBLE = {"selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}}}


def empty_figure(title: str, text: str, theme: Theme, height: int = 420) -> go.Figure:
    """Return a figure with its title and a sentence instead of axes."""
    hidden = {"visible": False, "fixedrange": True}
    figure = go.Figure(layout=layout(theme, title, height))
    figure.update_layout(xaxis=hidden, yaxis=hidden, margin={"l": 16, "r": 16, "t": 64, "b": 16})
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "top", "align": "left"}
    write(figure, wrapped(text, width=90), theme.muted, 16, **place)
    return figure


def compact_layout(theme: Theme) -> dict[str, object]:
    """Return the layout of a small figure: no title and no legend, which stand in words beside it; narrow margins."""
    base = layout(theme, "", COMPACT)
    return base | {
        "title": None,
        "font": {**base["font"], "size": 13},  # type: ignore[dict-item]
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "showlegend": False,
        "dragmode": False,
    }


def figure_title_html(title: str, subtitle: str) -> str:
    """Return a figure's title as HTML, for a screen too narrow for it; both are escaped already, as Plotly needs it."""
    return render("figure_title.html.j2", title=title, subtitle=subtitle)


def draw_note(figure: go.Figure, text: str, theme: Theme) -> None:
    """Draw a sentence in the middle, where there is nothing to draw."""
    write(figure, wrapped(text), theme.muted, 16, x=0.5, y=0.5, xref="paper", yref="paper")


def write(figure: go.Figure, text: str, colour: str, size: int = 14, /, **place: object) -> None:
    """Write on a figure, without an arrow; ``text`` is escaped already."""
    write_all(figure, [note(text, colour, size, **place)])


def note(text: str, colour: str, size: int = 14, /, **place: object) -> dict[str, object]:
    """Return a text without an arrow, to be written with others; it is escaped already."""
    return {"text": text, "showarrow": False, "font": {"size": size, "color": colour}, **place}


def write_all(figure: go.Figure, notes: Sequence[Mapping[str, object]]) -> None:
    """Write many texts at once: Plotly checks all earlier ones for each that is added; 90 take 0.6 s one by one."""
    figure.layout.annotations = (*figure.layout.annotations, *notes)


def add_marks(figure: go.Figure, x: Sequence[object], y: Sequence[object], **look: object) -> None:
    """Draw marks with their ``hovertext``, which is escaped already."""
    figure.add_scatter(x=x, y=y, mode="markers", hoverinfo="text", **look)


def add_key(figure: go.Figure, name: str, **marker: object) -> None:
    """Draw a legend entry for a mark, without a point of its own."""
    figure.add_scatter(x=[None], y=[None], mode="markers", marker=marker, name=name)


def error_bars(
    values: Sequence[float], intervals: Sequence[Interval | None], missing: float = 0.0, /, **look: object
) -> dict[str, object]:
    """Return Plotly's error bars from each value to the ends of its interval; ``missing`` long without one."""
    ends = [(None, None) if one is None else (one.low, one.high) for one in intervals]
    return bars_between(values, ends, missing, **look)


def bars_between(
    values: Sequence[float], ends: Sequence[tuple[float | None, float | None]], missing: float = 0.0, /, **look: object
) -> dict[str, object]:
    """Return Plotly's error bars from each value to its ends, (low, high); ``missing`` long where one is None.

    >>> bars = bars_between([1.0, 2.0], [(0.5, 3.0), (None, 2.5)])
    >>> bars["arrayminus"], bars["array"]
    ([0.5, 0.0], [2.0, 0.5])
    """
    pairs = list(zip(values, ends, strict=True))
    above = [missing if high is None else max(high - value, 0.0) for value, (_, high) in pairs]
    below = [missing if low is None else max(value - low, 0.0) for value, (low, _) in pairs]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def still_axis(theme: Theme, title: str = "", size: int = 14, /, **look: object) -> dict[str, object]:
    """Return an axis that cannot be zoomed, without a line at zero, with its ticks in the text's colour."""
    titled = {"title": {"text": title, "font": {"size": 14}}} if title else {}
    return {"fixedrange": True, "zeroline": False, "tickfont": {"size": size, "color": theme.text}, **titled, **look}


def rows_axis(labels: Sequence[str], **look: object) -> dict[str, object]:
    """Return the y axis of named rows at 0, 1, 2 …, the first on top; labels are escaped already."""
    return {"tickvals": list(range(len(labels))), "ticktext": list(labels), "range": [len(labels) - 0.5, -0.5], **look}


def panels(sizes: Sequence[int], gap: float) -> go.Figure:
    """Return an empty figure of panels below each other, each as high as its number of rows."""
    heights = [size / sum(sizes) for size in sizes]
    return make_subplots(rows=len(sizes), cols=1, row_heights=heights, vertical_spacing=gap)


def write_beside(figure: go.Figure, text: str, colour: str, y: float, row: int) -> None:
    """Write at the right of a panel, at a height of its y axis."""
    x_domain, y_axis = ("x domain", "y") if row == 1 else (f"x{row} domain", f"y{row}")
    write(figure, text, colour, x=1.0, xref=x_domain, y=y, yref=y_axis, xanchor="left", xshift=8)
