"""The threshold lab's figure: on a line a threshold, every stored number that it is compared with.

A number that acts at one of the run's threshold and the one tried, and not at both, stands out as passed. What follows
from that is told beside the figure, by ``engine.thresholds.replay``.
"""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from engine.thresholds.in_run import RunThreshold, passed
from engine.thresholds.table import THRESHOLDS
from viz.parts.figure_parts import ABOVE, add_key, add_marks, empty_figure, note, still_axis, write_all
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import counted, value_words
from viz.runs.threshold_lab import label, number, span

ROW_HEIGHT, FRAME_HEIGHT = 64, 88  # pixels
TITLE = "Stored values and thresholds"
NOTHING = "No threshold of this run can be moved."


def movable(found: Sequence[RunThreshold]) -> list[RunThreshold]:
    """Return the thresholds that this run has numbers for."""
    return [one for one in found if not one.missing and one.values]


def drawn_at(one: RunThreshold, value: float) -> float:
    """Return where on its line, in [0, 1], a number stands: without its sign where only its size is compared."""
    size = abs(value) if one.bar.rule.startswith("magnitude") else value
    return min(1.0, max(0.0, size / span(one)[1]))


def values_sentence(found: Sequence[RunThreshold], settings: Mapping[str, float]) -> str:
    """Return the figure in words: a threshold's name, where it stands, and how many numbers changed their side."""
    told = []
    for one in movable(found):
        tried = settings.get(one.word, one.value)
        moved = f", {len(passed(one, tried))} passed" if not math.isclose(tried, one.value, abs_tol=1e-9) else ""
        told.append(
            f"{THRESHOLDS[one.word].title} {number(one.word, tried)}: {counted(len(one.values), 'value')}{moved}"
        )
    return f"{'; '.join(told)}." if told else NOTHING


def values_figure(found: Sequence[RunThreshold], settings: Mapping[str, float], theme: Theme) -> go.Figure:
    """Return a row for each threshold that can be moved, from 0 to the largest value its slider takes.

    Dots are stored numbers, ETC's without their sign, a negative one at 0 and an infinite one at the end; the tick is
    the threshold tried, the faint one the run's own.
    """
    rows = movable(found)
    if not rows:
        return empty_figure(TITLE, NOTHING, theme, 180)
    figure = go.Figure(layout=layout(theme, TITLE, FRAME_HEIGHT + ROW_HEIGHT * len(rows)))
    figure.update_layout(margin={"l": 16, "r": 24, "t": 72, "b": 16}, legend={"orientation": "h", **ABOVE, "y": 1})
    for place, one in enumerate(rows):
        _draw_row(figure, one, settings.get(one.word, one.value), place, theme)
    add_key(figure, "stored", symbol="circle", size=10, color=rgba(theme.model, 0.6))
    add_key(figure, "passed", symbol="circle", size=12, color=theme.middle)
    add_key(figure, "threshold", symbol="line-ns", size=14, line={"width": 4, "color": theme.text})
    figure.update_traces(showlegend=False, selector={"hoverinfo": "text"})
    figure.update_xaxes(still_axis(theme, range=[-0.02, 1.02], visible=False))
    figure.update_yaxes(still_axis(theme, range=[len(rows) - 0.4, -0.7], visible=False))
    return figure


def _draw_row(figure: go.Figure, one: RunThreshold, tried: float, place: int, theme: Theme) -> None:
    """Draw one threshold: its line with its name and its ends, the stored numbers, where it stood, where it stands."""
    top, moved = span(one)[1], passed(one, tried)
    figure.add_shape(type="line", x0=0, x1=1, y0=place, y1=place, line={"color": theme.line, "width": 2}, layer="below")
    kept = [value for at, value in enumerate(one.values) if at not in moved]
    beyond = [one.values[at] for at in moved]
    for values, size, colour in ((kept, 10, rgba(theme.model, 0.6)), (beyond, 12, theme.middle)):
        told = [f"{value_words(value)} {plain(THRESHOLDS[one.word].unit)}" for value in values]
        marker, stands = {"size": size, "color": colour}, [drawn_at(one, value) for value in values]
        add_marks(figure, stands, [place] * len(values), marker=marker, hovertext=told)
    for value, colour in ((one.value, theme.muted), (tried, theme.text)):
        tick = {"symbol": "line-ns", "size": 18, "line": {"width": 4, "color": colour}}
        add_marks(figure, [value / top], [place], marker=tick, hovertext=[value_words(value)])
    named = {"x": 0, "y": place, "yshift": 20, "xanchor": "left"}
    ends = {"x": 1, "y": place, "yshift": -16, "xanchor": "right"}
    write_all(
        figure,
        [
            note(plain(label(one)), theme.text, 14, **named),
            note(f"0 to {number(one.word, top)}", theme.muted, 12, **ends),
        ],
    )
