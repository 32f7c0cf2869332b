"""DENSE's entropy of the answers on its possible range, with the threshold and where that comes from (DENSE, eq. 6)."""

import math

import plotly.graph_objects as go

from engine.methods.dense import DenseResult
from viz.dense import entropy_sentence, nats, verdict
from viz.empty_figure import only_text
from viz.theme import Theme, layout, plain, rgba
from viz.verdicts import tone_colour
from viz.words import origin_words, wrapped

PAPER_THRESHOLD_NOTE = "paper's, set for 1.5B–70B models at k = 5"


def entropy_bar(result: DenseResult, theme: Theme) -> go.Figure:
    """Return DSE in nats on its possible range [0, ln(valid + 1)], with the threshold and where it comes from."""
    base = layout(theme, _entropy_title(result), height=210)
    if result.entropy is None or result.share is None:
        return go.Figure(layout=base | only_text(entropy_sentence(result), theme))
    top = math.log(result.valid_rewrites + 1)
    figure = go.Figure(layout=base | _bar_layout(result, theme, top))
    figure.add_vrect(x0=0, x1=min(result.threshold, top), fillcolor=rgba(theme.good, 0.16), line_width=0, layer="below")
    figure.add_vrect(
        x0=min(result.threshold, top), x1=top, fillcolor=rgba(theme.bad, 0.12), line_width=0, layer="below"
    )
    figure.add_trace(
        go.Bar(
            x=[result.entropy],
            y=["DSE"],
            orientation="h",
            width=0.42,
            marker=_bar_marker(result, theme),
            hovertext=wrapped(entropy_sentence(result)),
            hoverinfo="text",
            showlegend=False,
            error_x=_whisker(result, theme),
        )
    )
    if result.entropy_interval is None:
        figure.add_trace(_entropy_label(result, top, theme))
    else:
        _label_with_interval(figure, result, theme)
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


def _whisker(result: DenseResult, theme: Theme) -> dict[str, object]:
    """Return where DSE lies with other rewordings, as a whisker at the bar's end; hidden where none were drawn."""
    interval, value = result.entropy_interval, result.entropy or 0.0
    if interval is None:
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(interval.high - value, 0.0)],
        "arrayminus": [max(value - interval.low, 0.0)],
        "color": theme.text,
        "thickness": 2,
        "width": 10,
    }


def _entropy_title(result: DenseResult) -> str:
    if result.entropy is None or result.share is None:
        return "Entropy of the answers: not measured"
    return f"DSE {nats(result.entropy)} nats, {result.share + 0.0:.0%} of what is possible here"


def _bar_layout(result: DenseResult, theme: Theme, top: float) -> dict[str, object]:
    title = f"DSE in nats, from 0 (all answers agree) to ln {result.valid_rewrites + 1} = {top:.2f} (none do)"
    return {
        "xaxis": {
            "range": [0, top],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "title": {"text": title},
            "tickfont": {"size": 14, "color": theme.text},
        },
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
        text=[f" <b>{nats(value)}</b> "],
        textposition="middle left" if inside else "middle right",
        textfont={"size": 22, "color": theme.page if inside else theme.text},
        hoverinfo="skip",
        showlegend=False,
    )


def _label_with_interval(figure: go.Figure, result: DenseResult, theme: Theme) -> None:
    """Write the number and what other rewordings give under the bar, where the whisker leaves room."""
    interval = result.entropy_interval
    if interval is None:
        return
    others = f"with other rewordings {nats(interval.low)} to {nats(interval.high)}"
    figure.add_annotation(
        x=result.threshold if result.threshold < math.log(result.valid_rewrites + 1) / 2 else 0,
        y=-0.36,
        text=f"<b>{nats(result.entropy or 0.0)}</b>, {others}",
        showarrow=False,
        xanchor="left",
        xshift=6,
        font={"size": 16, "color": theme.text},
    )


def _mark_threshold(figure: go.Figure, result: DenseResult, top: float, theme: Theme) -> None:
    """Draw the threshold with its origin written at it."""
    if result.threshold > top:
        return
    origin = origin_words(result.threshold_source, PAPER_THRESHOLD_NOTE)
    figure.add_vline(x=result.threshold, line={"color": theme.text, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=result.threshold,
        y=0.62,
        text=plain(f"threshold {result.threshold:g} ({origin})"),
        showarrow=False,
        xanchor="left" if result.threshold < top / 2 else "right",
        xshift=6 if result.threshold < top / 2 else -6,
        font={"size": 14, "color": theme.text},
    )
