"""The figure of DENSE-RAG: DSE of every context that was read, against the threshold (DENSE, section 5)."""

import plotly.graph_objects as go

from engine.methods.dense_rag_records import DenseRagResult, RefinementStep
from viz.methods.dense_rag import KINDS, lower_within_range, nats, sentence, step_sentence
from viz.parts.chosen import draw_band
from viz.parts.figure_parts import UNFADED, add_marks, empty_figure, write
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import origin_words, wrapped

HEIGHT = 340
SUFFICES, LACKS, UNASKED = "the model calls it sufficient", "not sufficient", "sufficiency not asked"
UNMEASURED = "DSE not measured"


def refinement_figure(result: DenseRagResult, theme: Theme, holding: tuple[int, ...] = ()) -> go.Figure:
    """Return DSE in nats over the contexts in the order they were read, the final one ringed.

    Filled dots: the model says that the context suffices; hollow: that it does not; squares: it was not asked. A click
    carries the context's index as ``customdata[0]``. A context whose DSE was not measured is a cross on the base line.
    Whiskers: the range over the wordings. Contexts that read the chosen passage, ``holding``, stand in outlined bands.
    """
    if result.not_measured or not result.steps:
        return empty_figure(title(result), sentence(result), theme, HEIGHT)
    figure = go.Figure(layout=layout(theme, title(result), HEIGHT) | _axes(result, theme))
    _draw_threshold(figure, result, theme)
    # A context that was not measured leaves a gap.
    figure.add_scatter(
        x=list(range(len(result.steps))), y=[step.entropy for step in result.steps], mode="lines",
        line={"color": rgba(theme.model, 0.8), "width": 2}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    _draw_intervals(figure, result, theme)
    _draw_final(figure, result, theme)
    looks = {
        SUFFICES: {"symbol": "circle", "size": 14, "color": theme.model, "line": {"width": 2, "color": theme.model}},
        LACKS: {"symbol": "circle", "size": 14, "color": theme.page, "line": {"width": 2, "color": theme.model}},
        UNASKED: {"symbol": "square", "size": 14, "color": theme.unknown, "line": {"width": 2, "color": theme.unknown}},
        UNMEASURED: {"symbol": "x", "size": 13, "color": theme.unknown},
    }
    for name, marker in looks.items():
        places = [place for place, step in enumerate(result.steps) if standing(step) == name]
        if places:
            values, ids = [result.steps[place].entropy or 0 for place in places], [[place] for place in places]
            hover = [wrapped(step_sentence(result, place)) for place in places]
            look = {"name": name, "marker": marker, "customdata": ids, "cliponaxis": False} | UNFADED
            add_marks(figure, places, values, hovertext=hover, **look)
    for place in holding:
        draw_band(figure, place - 0.42, place + 0.42, theme)
    return figure


def title(result: DenseRagResult) -> str:
    """Return the finding of the figure in one line."""
    if result.not_measured or not result.steps:
        return "DSE per context: not measured"
    first, final = result.steps[0].entropy, result.steps[result.final].entropy
    if result.final == 0:
        return f"{first_words(result)}: DSE {nats(first)}"
    if first is None or final is None:
        return f"Final answer from context {result.final + 1}: DSE {nats(final)}"
    verb = "falls" if final < first else "stays" if final == first else "rises"
    return f"DSE {verb} from {nats(first)} to {nats(final)} in context {result.final + 1}"


def first_words(result: DenseRagResult) -> str:
    """Return why the first context's answer is the final one, in a few words."""
    if result.ended in ("certain", "unclear"):
        if result.steps[0].has_too_few:
            return "Too few rewordings"
        return "The first context is stable" if result.ended == "certain" else "Stable with some wordings only"
    if len(result.steps) == 1:
        return "One context read"
    if all(step.entropy is None for step in result.steps[1:]):
        return "Only the first context is measured"
    return "No context clearly beats the first" if lower_within_range(result) else "No context beats the first"


def standing(step: RefinementStep) -> str:
    """Return which kind of mark a context has: what the model says of whether it suffices, or that DSE is missing."""
    if step.entropy is None:
        return UNMEASURED
    if step.evaluation is None:
        return UNASKED
    return SUFFICES if step.evaluation.sufficient else LACKS


def _axes(result: DenseRagResult, theme: Theme) -> dict[str, object]:
    """Return the axes: contexts by number and kind, DSE in nats from 0 to above everything drawn."""
    places = list(range(len(result.steps)))
    highest = [step.entropy_interval.high for step in result.steps if step.entropy_interval is not None]
    highest += [step.entropy for step in result.steps if step.entropy]
    top = max([result.config.threshold * 1.6, *(value * 1.15 for value in highest)])
    grid = {"gridcolor": rgba(theme.line, 0.6), "linecolor": theme.line, "fixedrange": True, "layer": "below traces"}
    return {
        "xaxis": {
            **grid,
            "showgrid": False,
            "zeroline": False,
            "range": [-0.5, len(places) - 0.5],
            "tickvals": places,
            "ticktext": [f"context {place + 1}<br>{plain(KINDS[result.steps[place].kind])}" for place in places],
        },
        "yaxis": {**grid, "range": [-0.08 * top, top], "title": {"text": "DSE (nats)"}, "zeroline": True, "nticks": 6},
        "margin": {"l": 64, "r": 24, "t": 64, "b": 96},
        "legend": {"orientation": "h", "y": -0.32, "x": 0, "font": {"color": theme.text}},
        "dragmode": False,
    }


def _draw_threshold(figure: go.Figure, result: DenseRagResult, theme: Theme) -> None:
    """Draw the threshold with its origin written at it, and tint what lies below."""
    bound = result.config.threshold
    figure.add_hrect(y0=0, y1=bound, fillcolor=rgba(theme.model, 0.12), line_width=0, layer="below")
    figure.add_hline(y=bound, line={"color": theme.text, "width": 2, "dash": "dash"})
    origin = origin_words(result.threshold_source, "paper's, 1.5B–70B, k = 5")
    # The whisker of a single context stands in the left half.
    side = "right" if len(result.steps) == 1 else "left"
    place = {"x": int(side == "right"), "xref": "paper", "xanchor": side, "align": side}
    words = f"threshold {bound:g}<br>({plain(origin)})"  # on a phone one line would end outside
    shift = {"xshift": 6 if side == "left" else -6, "yshift": 2, "bgcolor": theme.page}
    write(figure, words, theme.text, y=bound, yanchor="bottom", **shift, **place)


def _draw_intervals(figure: go.Figure, result: DenseRagResult, theme: Theme) -> None:
    """Draw the range of each context's DSE over the wordings as a whisker, in one legend entry."""
    spans = [(place, step.entropy_interval) for place, step in enumerate(result.steps)]
    ends = [(place, one.low, one.high) for place, one in spans if one is not None and one.low < one.high]
    if ends:
        figure.add_scatter(
            x=[x for place, _, _ in ends for x in (place, place, None)],
            y=[y for _, low, high in ends for y in (low, high, None)], mode="lines",
            line={"color": theme.model, "width": 3}, hoverinfo="skip", name="with other wordings",
        )  # fmt: skip


def _draw_final(figure: go.Figure, result: DenseRagResult, theme: Theme) -> None:
    """Draw the ring around the context whose answer is the final one."""
    entropy = result.steps[result.final].entropy
    if entropy is None:
        return
    figure.add_scatter(
        x=[result.final], y=[entropy], mode="markers", name="final answer", hoverinfo="skip", cliponaxis=False,
        marker={"symbol": "circle-open", "size": 26, "color": theme.gold, "line": {"width": 3, "color": theme.gold}},
    )  # fmt: skip
