"""How far reading moved belief in the correct answer: SePer before and after, soft and hard, with intervals (eq. 9-11).

A change whose interval includes 0, that is tiny, or that only one kernel finds does not count as one.
"""

import plotly.graph_objects as go

from engine.methods.seper import belief_change
from engine.methods.seper_records import Belief, SeperResult
from viz.methods.seper import (
    WITH,
    WITHOUT,
    change_digits,
    direction,
    hardly_moved,
    interval_words,
    none_right,
    number,
    samples_words,
    sentence,
)
from viz.methods.verdicts import Tone, tone_colour
from viz.parts.figure_parts import add_key, add_marks, empty_figure, error_bars, still_axis, write
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import signed


def delta_title(result: SeperResult) -> str:
    """Return the finding of the dumbbell: whether belief in the correct answer rose, and by how much."""
    if result.delta_soft is None:
        return "Needs a correct answer"
    digits, way = change_digits(result), direction(result)
    amount = f"{signed(result.delta_soft, digits)}{interval_words(result.delta_soft_interval, True, digits)}"
    if way == "disagree":
        return f"Soft and hard disagree: {amount} and {signed(result.delta_hard or 0.0, digits)}"
    if way == "up" or way == "down":
        return f"Reading {'raised' if way == 'up' else 'lowered'} belief in the correct answer: {amount}"
    little = "Hardly any change" if hardly_moved(result) else "No change beyond noise"
    if none_right(result):
        return f"No sample is right. {little} among wrong answers: {amount}"
    return f"{little}: {amount}"


def delta_figure(result: SeperResult, theme: Theme) -> go.Figure:
    """Return SePer soft and hard, without → with passages, each with its interval, on the range [0, 1]."""
    if result.delta_soft is None:
        return empty_figure(delta_title(result), sentence(result), theme, 330)
    figure = go.Figure(layout=layout(theme, delta_title(result), height=350) | _delta_layout(result, theme))
    variants = (
        (1, "soft", result.without.soft, result.with_passages.soft, result.delta_soft),
        (0, "hard", result.without.hard, result.with_passages.hard, result.delta_hard),
    )
    for row, name, before, after, delta in variants:
        if before is not None and after is not None and delta is not None:
            _draw_arrow(figure, row, before, after, _delta_colour(result, name, theme))
            middle, text = (before + after) / 2, plain(signed(delta, change_digits(result)))
            # A move at an end of the scale would put half of its label outside.
            anchor = "left" if middle < 0.06 else "right" if middle > 0.94 else "center"
            write(figure, f"<b>Δ {text}</b>", theme.text, 18, x=middle, y=row, yshift=24, xanchor=anchor)
    conditions = ((result.without, WITHOUT, "circle-open", 0.24), (result.with_passages, WITH, "circle", 0.36))
    for belief, name, symbol, drop in conditions:
        _draw_condition(figure, belief, name, symbol, drop, theme)
    return figure


def delta_latex(result: SeperResult) -> str:
    """Return eq. 11 with this run's values in it, as LaTeX; "" without a correct answer."""
    before, after, delta = result.without.soft, result.with_passages.soft, result.delta_soft
    if before is None or after is None or delta is None:
        return ""
    return rf"\Delta\mathrm{{SePer}}_S = {after:.4f} - {before:.4f} = {delta:+.4f}"


def _delta_layout(result: SeperResult, theme: Theme) -> dict[str, object]:
    intervals = f"bars: 95% intervals; {samples_words(result)}"
    across = f"SePer: belief in the correct answer<br>{intervals}"
    rows = {"range": [-0.6, 1.7], "tickvals": [0, 1], "ticktext": ["hard<br>(meanings)", "soft<br>(entailment)"]}
    return {
        "xaxis": still_axis(theme, across, range=[-0.04, 1.04], tickvals=[0, 0.25, 0.5, 0.75, 1], gridcolor=theme.line),
        "yaxis": still_axis(theme, "", 15, showgrid=False, automargin=True, ticklabelstandoff=8, **rows),
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "itemclick": False, "font": {"size": 14}},
        "margin": {"l": 16, "r": 24, "t": 84, "b": 76},
        "dragmode": False,
    }


def _delta_colour(result: SeperResult, name: str, theme: Theme) -> str:
    """Return the colour of one variant's move, from its own interval."""
    interval = result.delta_soft_interval if name == "soft" else result.delta_hard_interval
    delta = result.delta_soft if name == "soft" else result.delta_hard
    tones: dict[str, Tone] = {"up": "good", "down": "bad", "noise": "middle"}
    return tone_colour(tones[belief_change(delta or 0.0, interval)], theme)


def _draw_arrow(figure: go.Figure, row: int, before: float, after: float, colour: str) -> None:
    """Draw the move from before to after; none where they are too close for an arrow head."""
    if abs(after - before) < 0.06:
        return
    places = {"x": after, "y": row, "ax": before, "ay": row, "xref": "x", "yref": "y", "axref": "x", "ayref": "y"}
    head = {"arrowhead": 2, "arrowsize": 1, "arrowwidth": 5, "arrowcolor": colour, "standoff": 10, "startstandoff": 10}
    figure.add_annotation(text="", **places, **head)


def _draw_condition(figure: go.Figure, belief: Belief, name: str, symbol: str, drop: float, theme: Theme) -> None:
    """Draw one condition's two points, soft above hard, and their intervals ``drop`` below, so that none is hidden."""
    pairs = ((belief.soft, belief.soft_interval, 1), (belief.hard, belief.hard_interval, 0))
    known = [(value, span, row) for value, span, row in pairs if value is not None and span is not None]
    values = [value for value, _, _ in known]
    whisker = {"color": rgba(theme.model, 0.75), "thickness": 1.5, "width": 5}
    figure.add_scatter(
        x=values,
        y=[row - drop for _, _, row in known],
        mode="markers",
        marker={"symbol": symbol, "size": 8, "color": theme.model, "line": {"width": 1.5, "color": theme.model}},
        error_x=error_bars(values, [span for _, span, _ in known], **whisker),
        hoverinfo="skip",
        showlegend=False,
    )
    marker = {"symbol": symbol, "size": 20, "color": theme.model, "line": {"width": 3, "color": theme.model}}
    hover = [f"{name}: {number(value)}{interval_words(interval)}" for value, interval, _ in pairs]
    add_marks(
        figure,
        [value for value, _, _ in pairs],
        [1, 0],
        hovertext=hover,
        marker=marker,
        cliponaxis=False,
        showlegend=False,
    )
    # A key of its own: a legend cuts off marks as large as these.
    add_key(figure, name, symbol=symbol, size=10, color=theme.model, line={"width": 2, "color": theme.model})
