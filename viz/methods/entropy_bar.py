"""DENSE's entropy of the answers on its possible range, with the threshold and where that comes from (DENSE, eq. 6)."""

import math

import plotly.graph_objects as go

from engine.methods.dense_records import DenseResult
from viz.methods.dense import entropy_sentence, nats, verdict
from viz.methods.verdicts import tone_colour
from viz.parts.figure_parts import empty_figure, error_bars, still_axis, write
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import origin_words, percent, wrapped

PAPER_THRESHOLD_NOTE = "paper's, 1.5B–70B, k = 5"


def entropy_bar(result: DenseResult, theme: Theme) -> go.Figure:
    """Return DSE in nats on its possible range [0, ln(valid + 1)], with the threshold and where it comes from."""
    if result.entropy is None or result.share is None:
        return empty_figure("DSE: not measured", entropy_sentence(result), theme, 210)
    top, interval = math.log(result.valid_rewrites + 1), result.entropy_interval
    title = f"DSE {nats(result.entropy, result.threshold)} nats, {percent(result.share)} of its maximum"
    figure = go.Figure(layout=layout(theme, title, height=210) | _bar_layout(result, theme, top))
    # Where DSE lies with other rewordings.
    whisker = {"color": theme.text, "thickness": 2, "width": 10}
    spread = {"visible": False} if interval is None else error_bars([result.entropy], [interval], **whisker)
    figure.add_vrect(
        x0=0, x1=min(result.threshold, top), fillcolor=rgba(theme.model, 0.16), line_width=0, layer="below"
    )
    figure.add_vrect(
        x0=min(result.threshold, top), x1=top, fillcolor=rgba(theme.middle, 0.12), line_width=0, layer="below"
    )
    figure.add_bar(
        x=[result.entropy], y=["DSE"], orientation="h", width=0.42, marker=_bar_marker(result, theme), error_x=spread,
        hovertext=wrapped(entropy_sentence(result)), hoverinfo="text", showlegend=False,
    )  # fmt: skip
    if interval is None:
        figure.add_trace(_entropy_label(result, top, theme))
    else:
        # Under the bar, where the whisker leaves room.
        low, high = nats(interval.low), nats(interval.high)
        others = "the same with other rewordings" if low == high else f"with other rewordings {low} to {high}"
        left = result.threshold if result.threshold < top / 2 else 0
        text = f"<b>{nats(result.entropy, result.threshold)}</b>, {others}"
        write(figure, text, theme.text, 16, x=left, y=-0.36, xanchor="left", xshift=6)
    _mark_threshold(figure, result, top, theme)
    return figure


def entropy_latex(result: DenseResult) -> str:
    """Return eq. 6 with this run's degrees in it, as LaTeX; "" where nothing was measured."""
    if result.entropy is None:
        return ""
    size = len(result.members)
    terms = " + ".join(rf"\ln\tfrac{{{sum(row):g}}}{{{size}}}" for row in result.weights)
    return rf"\mathrm{{DSE}} = -\tfrac{{1}}{{{size}}}\left({terms}\right) = {result.entropy + 0.0:.4f}\ \text{{nats}}"


def _bar_marker(result: DenseResult, theme: Theme) -> dict[str, object]:
    """Return the bar's look: the colour of the verdict, pale and outlined where a whisker must be seen on it."""
    colour = tone_colour(verdict(result).tone, theme)
    if result.entropy_interval is None:
        return {"color": colour, "line": {"width": 0}}
    return {"color": rgba(colour, 0.35), "line": {"width": 2, "color": colour}}


def _bar_layout(result: DenseResult, theme: Theme, top: float) -> dict[str, object]:
    title = f"DSE in nats: 0 (all agree) to ln {result.valid_rewrites + 1} = {top:.2f} (none)"
    return {
        "xaxis": still_axis(theme, title, range=[0, top], showgrid=False),
        "yaxis": {"visible": False, "fixedrange": True, "range": [-0.5, 0.75]},
        "margin": {"l": 16, "r": 24, "t": 52, "b": 56},
        "dragmode": False,
    }


def _entropy_label(result: DenseResult, top: float, theme: Theme) -> go.Scatter:
    """Return the number at the end of the bar: beside it, or inside where there is no room beside it."""
    value = result.entropy or 0.0
    inside = value > 0.8 * top
    return go.Scatter(
        x=[value],
        y=["DSE"],
        mode="text",
        text=[f" <b>{nats(value, result.threshold)}</b> "],
        textposition="middle left" if inside else "middle right",
        textfont={"size": 22, "color": theme.page if inside else theme.text},
        hoverinfo="skip",
        showlegend=False,
    )


def _mark_threshold(figure: go.Figure, result: DenseResult, top: float, theme: Theme) -> None:
    """Draw the threshold with its origin written at it."""
    if result.threshold > top:
        return
    origin = origin_words(result.threshold_source, PAPER_THRESHOLD_NOTE)
    figure.add_vline(x=result.threshold, line={"color": theme.text, "width": 2, "dash": "dash"})
    side = {"xanchor": "left", "xshift": 6} if result.threshold < top / 2 else {"xanchor": "right", "xshift": -6}
    write(figure, plain(f"threshold {result.threshold:g} ({origin})"), theme.text, x=result.threshold, y=0.62, **side)
