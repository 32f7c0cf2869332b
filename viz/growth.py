"""How cost grows, with the corpus or with one diagnosis: curves on logarithmic axes, each with its fitted exponent.

On such axes cost = a · size^b is a straight line of slope b: 0 = as fast at every size, 1 = twice the size costs
twice as much. Where a cost was repeated the line is the median and the whisker ends at the 95th percentile.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from engine.learning.growth import CorpusGrowth, GrowthCurve
from viz.figure_parts import empty_figure, write
from viz.theme import Theme, layout
from viz.words import closed, listing

SEARCH = ("search, BM25", "search, vector", "search, hybrid", "search, hybrid, question embedded too")
ON_THE_WALL = ("search, hybrid, on the wall clock", "search, hybrid, question embedded too, on the wall clock")
DISK_AND_MEMORY = (
    "memory of its own",
    "memory mapped from disk",
    "memory of the co-occurrence counts",
    "index on disk",
)
OVER_PASSAGES = tuple(
    f"{part}, over passages" for part in ("the answer", "DENSE", "SePer", "ETC", "the four default methods")
)
OVER_SAMPLES = ("SePer, over samples",)
AXES = {"passages": "passages in the corpus", "passages read": "passages read", "samples": "samples drawn"}
UNMEASURED = "Not measured."
TARGET_MS = 50.0
# Dots and dashes tell curves apart without colour.
SHAPES = (
    ("circle", "solid"),
    ("square", "dash"),
    ("diamond", "dot"),
    ("triangle-up", "dashdot"),
    ("x", "longdash"),
    ("star", "longdashdot"),
)
UNITS = {"ms": "ms of processor time", "s": "s of processor time"}
TABLE_COLUMNS = ["cost", "passages", "unit", "median", "95th percentile", "exponent", "low", "high", "note"]


def growth_figure(growth: CorpusGrowth, names: tuple[str, ...], theme: Theme, of: str = "passages") -> go.Figure:
    """Return the curves of these names, which share a unit, over the number ``of`` things; both axes logarithmic."""
    curves = chosen(growth, names)
    if not curves:
        return empty_figure(growth_title(growth, names, of), UNMEASURED, theme, 500)
    figure = go.Figure(layout=layout(theme, growth_title(growth, names, of), height=500))
    colours = (theme.model, theme.accent, theme.good, theme.middle, theme.unknown, theme.bad)
    for curve, colour, (symbol, dash) in zip(curves, colours, SHAPES, strict=False):
        _draw(figure, curve, {"color": colour, "width": 2.5, "dash": dash}, symbol, of)
    if curves[0].unit == "ms":
        figure.add_hline(y=TARGET_MS, line={"color": theme.muted, "dash": "dot", "width": 1.5})
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1.699, "yref": "y", "yanchor": "bottom"}
        write(figure, "50 ms", theme.muted, **place)
    grid = {"type": "log", "gridcolor": theme.line, "zeroline": False, "tickformat": ",~g"}
    drawn = [point for curve in curves for point in curve.points if point.value > 0]
    unit = curves[0].unit
    clock = UNITS.get(unit, unit) if of == "passages" else unit  # of one diagnosis it is the time on the wall
    figure.update_xaxes(title_text=f"n = {AXES.get(of, of)}", **ticks([point.size for point in drawn], theme), **grid)
    figure.update_yaxes(title_text=f"cost ({clock})", **ticks([point.value for point in drawn], theme), **grid)
    figure.update_layout(legend={"y": -0.36}, margin={"b": 150})
    return figure


def ticks(values: Sequence[float], theme: Theme) -> dict[str, object]:
    """Return the ticks of a logarithmic axis: 1, 2 and 5 of each power of ten where it spans less than two of them.

    >>> from viz.theme import LIGHT
    >>> ticks([1, 20], LIGHT)["dtick"], ticks([100, 100_000], LIGHT)["dtick"]
    ('D2', 1)
    """
    short = bool(values) and max(values) < 100 * min(values)
    minor = {"ticks": "outside", "ticklen": 4, "dtick": "D1", "tickcolor": theme.muted}
    return {"dtick": "D2" if short else 1, "minor": minor}


def _draw(figure: go.Figure, curve: GrowthCurve, line: dict[str, object], symbol: str, of: str) -> None:
    """Draw one curve; a point that is not above 0 has no place on a logarithmic axis and leaves a gap."""
    shown = [point for point in curve.points if point.value > 0]
    above = [max(0.0, point.p95 - point.value) if point.p95 is not None else 0.0 for point in shown]
    figure.add_scatter(
        x=[point.size for point in shown],
        y=[point.value for point in shown],
        error_y={"type": "data", "symmetric": False, "array": above, "arrayminus": [0.0] * len(above), "thickness": 1},
        mode="lines+markers",
        name=f"{curve.name}: {exponent_words(curve)}",
        line=line,
        marker={"size": 9, "symbol": symbol},
        hovertemplate="%{x:,} " + of + ": %{y:.3g} " + curve.unit + "<extra></extra>",
    )


def growth_title(growth: CorpusGrowth, names: tuple[str, ...], of: str = "passages") -> str:
    """Return the finding in one line: the last of these curves at the largest size, and its exponent."""
    curves = chosen(growth, names)
    if not curves or not curves[-1].points:
        return "How cost grows: not measured"
    last = curves[-1].points[-1]
    start = f"{curves[-1].name[:1].upper()}{curves[-1].name[1:]}"
    growing = exponent_words(replace(curves[-1], interval=None))
    return f"{start}: {amount(last.value)} {curves[-1].unit} at {last.size:,} {of}, {growing}"


def exponent_words(curve: GrowthCurve) -> str:
    """Return a fitted exponent in words, with its interval."""
    if curve.exponent is None:
        return "no exponent fitted"
    if curve.interval is None:
        return f"grows as n^{curve.exponent:.2f}"
    low, high = (f"{value:.2f}".replace("-", "−") for value in (curve.interval.low, curve.interval.high))
    return f"grows as n^{curve.exponent:.2f} (95 % {low} to {high})"


def amount(value: float) -> str:
    """Return a cost with three digits.

    >>> amount(0.1234), amount(24.31), amount(1234.5)
    ('0.123', '24.3', '1,234')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def growth_sentence(growth: CorpusGrowth, names: tuple[str, ...], of: str = "passages") -> str:
    """Return the curves in words: each at the smallest and the largest size."""
    parts = []
    for curve in chosen(growth, names):
        first, last = curve.points[0], curve.points[-1]
        most = "" if last.p95 is None else f" (95 % of them within {amount(last.p95)})"
        span = f"{amount(first.value)} to {amount(last.value)} {curve.unit}{most}"
        parts.append(f"{curve.name} from {span}, {exponent_words(curve)}")
    if not parts:
        return UNMEASURED
    sizes = chosen(growth, names)[0].points
    return closed(f"From n = {sizes[0].size:,} to {sizes[-1].size:,} {of}: {'; '.join(parts)}")


def notes_sentence(growth: CorpusGrowth) -> str:
    """Return how it was measured, in words."""
    threads = f"{growth.threads} thread{'' if growth.threads == 1 else 's'} of {growth.processors} processors"
    return f"Measured on {growth.machine}, {threads}, {growth.queries} questions. {' '.join(growth.notes)}"


def growth_table(growth: CorpusGrowth, names: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return the text twin: a row per cost and size; no names = all."""
    rows = [
        (
            curve.name,
            point.size,
            curve.unit,
            point.value,
            point.p95,
            curve.exponent,
            curve.interval.low if curve.interval else None,
            curve.interval.high if curve.interval else None,
            curve.note,
        )
        for curve in (chosen(growth, names) if names else growth.curves)
        for point in curve.points
    ]
    return pd.DataFrame(rows, columns=TABLE_COLUMNS)


def within_target(growth: CorpusGrowth) -> str:
    """Return in words at which sizes the median hybrid search, question embedded too, stays under 50 ms.

    Processor time decides; the time on the wall clock, with other programs running, follows it.
    """
    curve = growth.curve(SEARCH[-1])
    if curve is None or not curve.points:
        return "Not measured: search under 50 ms."
    slow = [f"{point.size:,}" for point in curve.points if point.value >= TARGET_MS]
    bound = (
        f"{TARGET_MS:.0f} ms or more at {listing(slow)} passages" if slow else f"under {TARGET_MS:.0f} ms at every size"
    )
    last = curve.points[-1]
    said = (
        f"A hybrid search with embedding: {amount(last.value)} ms of processor time at {last.size:,} passages, {bound}."
    )
    wall = growth.curve(ON_THE_WALL[-1])
    if wall is None or not wall.points:
        return said
    return f"{said} On the wall clock, beside other programs: {amount(wall.points[-1].value)} ms."


def chosen(growth: CorpusGrowth, names: tuple[str, ...]) -> tuple[GrowthCurve, ...]:
    """Return the curves of these names that have a point, in the order of the names."""
    found = (growth.curve(name) for name in names)
    return tuple(curve for curve in found if curve is not None and curve.points)
