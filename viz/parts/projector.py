"""Presenter mode: what figures and pages look like from the last row. The one place for its sizes.

Letters of a figure are at least 22 px, lines and marks half as thick again, long titles broken into lines; a page's own
type grows alike and what only one reader needs is hidden. Colours stay those of ``viz.parts.theme``.
"""

import re
import textwrap
from html import unescape
from typing import Any

import plotly.graph_objects as go

from viz.parts.html import render
from viz.parts.theme import Theme, plain

SMALLEST_LETTER = 22
LETTERS = 1.6
LINES = 1.5
TALLER = 1.35
TALLEST = 900
LOWER = 1.4
TITLE_LETTER = 28
TITLE_WIDTH = 72
MARGINS = {"l": 1.3, "r": 1.45, "t": 1.35, "b": 1.4}
LINE_HEIGHT = 1.3
SHIFTS = ("xshift", "yshift")
INLINE = re.compile(r"font-size:\s*(\d+)px")
BROKEN = re.compile(r"<br\s*/?>")
# What of a trace is sized; its data (x, y, text, customdata) stay untouched.
GROWN = (
    "line",
    "marker",
    "textfont",
    "insidetextfont",
    "outsidetextfont",
    "error_x",
    "error_y",
    "colorbar",
    "constraintext",
)


def for_last_row(figure: go.Figure) -> go.Figure:
    """Return the figure with larger letters, thicker lines and larger marks; drawn over the same data.

    ``figure`` is changed, as by Plotly's own ``update`` methods, and returned.
    """
    drawn = figure.to_plotly_json()
    shape = enlarged({key: value for key, value in drawn["layout"].items() if key != "template"})
    with_room(shape)
    figure.update_layout(shape)
    for trace, plain_trace in zip(figure.data, drawn["data"], strict=True):
        larger = enlarged(plain_trace)
        with_letters(larger)
        trace.update({name: value for name, value in larger.items() if name in GROWN})
    return figure


def enlarged(part: Any, name: str = "") -> Any:
    """Return a part of a figure with every font, line and mark in it larger; texts and numbers that place it stay."""
    if isinstance(part, dict):
        return {key: sized(key, value, name) for key, value in part.items()}
    if isinstance(part, list | tuple) and any(isinstance(one, dict) for one in part):
        return [enlarged(one, name) for one in part]
    return part


def sized(key: str, value: Any, inside: str) -> Any:
    """Return one value of a figure at its size: letters, line widths and marks grow."""
    if key == "size" and "font" in inside:
        return letters(value)
    if key in SHIFTS:
        return grown(value, LINES)
    if isinstance(value, str) and INLINE.search(value):
        return INLINE.sub(lambda found: f"font-size:{letters(int(found[1]))}px", value)
    if key == "size" and inside == "marker":
        return grown(value, LINES)
    if key == "width" and inside == "line":
        return grown(value, LINES)
    return enlarged(value, key)


def letters(size: Any) -> Any:
    """Return a font's size in px for the last row: at least 22.

    >>> letters(12), letters(16), letters([10, 20])
    (22, 26, [22, 32])
    """
    if isinstance(size, list | tuple):
        return [letters(one) for one in size]
    return max(SMALLEST_LETTER, round(size * LETTERS)) if isinstance(size, int | float) else size


def grown(size: Any, by: float) -> Any:
    """Return a number, or each of several, grown by a factor; anything else as it is."""
    if isinstance(size, list | tuple):
        return [grown(one, by) for one in size]
    return size * by if isinstance(size, int | float) and not isinstance(size, bool) else size


def with_letters(trace: dict[str, Any]) -> None:
    """Give a trace that writes text on its marks a font of its own where it has none."""
    if "text" in str(trace.get("mode", "")) or trace.get("texttemplate") or trace.get("type") in ("bar", "heatmap"):
        trace["textfont"] = {"size": SMALLEST_LETTER} | trace.get("textfont", {})
    if trace.get("type") == "bar":
        # Plotly would shrink numbers to the thickness of their bar.
        trace["constraintext"] = "none"


def with_room(layout: dict[str, Any]) -> None:
    """Make room in a layout for what has grown: height, margins, axes, title, legend."""
    height = round(layout.get("height", 450) * TALLER)
    layout["height"] = height if has_rows(layout) else min(TALLEST, height)
    margin = layout.get("margin", {})
    layout["margin"] = margin | {side: round(margin.get(side, 60) * by) for side, by in MARGINS.items()}
    layout["font"] = layout.get("font", {}) | {"size": max(SMALLEST_LETTER, layout.get("font", {}).get("size", 0))}
    for name in [key for key in layout if re.fullmatch(r"[xy]axis\d*", key)] or ["xaxis", "yaxis"]:
        axis = layout.setdefault(name, {})
        axis["automargin"] = True
        axis["tickfont"] = {"size": SMALLEST_LETTER} | axis.get("tickfont", {})
        if isinstance(axis.get("title"), dict):
            axis["title"]["font"] = {"size": SMALLEST_LETTER} | axis["title"].get("font", {})
    legend = layout.get("legend", {})
    if legend.get("y", 0) < 0 and "yref" not in legend:
        # Below the axis' words, which have grown and may stand upright.
        legend["y"] *= LOWER
    for note in layout.get("annotations", ()):
        note["font"] = {"size": SMALLEST_LETTER} | note.get("font", {})
    if isinstance(layout.get("title"), dict):
        with_title(layout)


def has_rows(layout: dict[str, Any]) -> bool:
    """Return whether a figure is of named rows: they share its height, and with less their larger names overlap."""
    return any(key.startswith("yaxis") and "ticktext" in axis for key, axis in layout.items())


def with_title(layout: dict[str, Any]) -> None:
    """Break a long title into lines and move the figure down by what that takes."""
    title = layout["title"]
    lines = [
        line
        for piece in BROKEN.split(str(title.get("text") or ""))
        for line in textwrap.wrap(unescape(piece), TITLE_WIDTH, break_long_words=False)
    ]
    marked = "<" in BROKEN.sub("", str(title.get("text") or ""))
    title["text"] = title.get("text") if marked else "<br>".join(plain(line) for line in lines)
    title["font"] = title.get("font", {}) | {"size": TITLE_LETTER}
    more = round(max(len(lines) - 1, 0) * TITLE_LETTER * LINE_HEIGHT) if not marked else 0
    layout["margin"]["t"] += more
    layout["height"] += more


def page_rules(theme: Theme) -> str:
    """Return the style of a page in presenter mode: larger type, no sidebar, nothing that only one reader needs.

    The root's letters grow and everything measured in them; the second size is for screens that are wide enough.
    """
    return str(render("projector.css.j2", theme=theme))
