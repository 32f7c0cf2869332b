"""SUGAR drawn (section II.C): the meanings of the sampled answers, and their entropy against the two thresholds.

Above stands the entropy from memory and after each round, on a ruler of the three decisions; below, what was sampled
from memory, meaning by meaning: many small bars are a high entropy.
"""

import math

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.methods.sugar import EntropyForm, Need, SugarResult
from viz.methods.sugar import DECISIONS, FORMS, decided, nats, number_of, shown_meanings, steps, threshold_range
from viz.methods.verdicts import TONES
from viz.parts.figure_parts import note, still_axis, write, write_all
from viz.parts.tables import shorten_middle
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import counted, wrapped

FLOOR = -0.03  # of the entropy axis, for its highest value: a dot at 0 stands within its zone
STEP_HEIGHT, MEANING_HEIGHT, FRAME_HEIGHT = 62, 44, 180  # pixels
MOST_MEANINGS, MEANING_LETTERS = 5, 26
LEAST_NAMED = 0.13  # of the entropy axis: the name of a narrower zone would lie on its neighbour's


def title(result: SugarResult, form: EntropyForm, low: float, high: float) -> str:
    """Return the finding of the figure in one line."""
    measured = number_of(result.closed_book, form)
    finding = f"{nats(measured, low, high)} from memory: {decided(result, measured, low, high)}"
    measured_steps = steps(result)
    if len(measured_steps) == 1:
        return finding
    return f"{finding}; {nats(number_of(measured_steps[-1][1], form))} {measured_steps[-1][0]}"


def entropy_figure(
    result: SugarResult,
    theme: Theme,
    form: EntropyForm | None = None,
    low: float | None = None,
    high: float | None = None,
) -> go.Figure:
    """Return the entropy in nats from memory and after each round, over the zones of the three decisions.

    ``form`` and thresholds None = the run's own. A number that is infinite is drawn as a note at the right end.
    """
    form = form or result.form
    cuts = (result.low if low is None else low, result.high if high is None else high)
    heights = panel_heights(result)
    figure = make_subplots(rows=2, cols=1, row_heights=heights, vertical_spacing=72 / (sum(heights) + 72))
    figure.update_layout(layout(theme, title(result, form, *cuts), height=figure_height(result)), overwrite=True)
    # Axes are fixed: there is nothing to zoom into.
    figure.update_layout(margin={"l": 16, "r": 24, "t": 92, "b": 16}, dragmode=False)
    _draw_ruler(figure, result, form, cuts, theme)
    _draw_meanings(figure, result, theme)
    return figure


def panel_heights(result: SugarResult) -> tuple[int, int]:
    """Return the heights of both panels in pixels."""
    return STEP_HEIGHT * len(steps(result)), MEANING_HEIGHT * len(drawn_meanings(result))


def figure_height(result: SugarResult) -> int:
    """Return the height of the whole figure in pixels, for its place to be kept before it is drawn."""
    return FRAME_HEIGHT + sum(panel_heights(result))


def _draw_ruler(
    figure: go.Figure, result: SugarResult, form: EntropyForm, cuts: tuple[float, float], theme: Theme
) -> None:
    """Draw a row for each step on an axis of nats: its dot with its number, over the zones of the three decisions."""
    values = [number_of(found, form) for _, found, _ in steps(result)]
    top = max([threshold_range(result)[1], *(value for value in values if math.isfinite(value))]) * 1.08
    rows = list(range(len(values)))
    figure.add_scatter(
        x=[value if math.isfinite(value) else None for value in values],
        y=rows,
        mode="markers+text",
        marker={"size": 16, "color": theme.model},
        text=[f"<b>{nats(value, *cuts)}</b> {name}" for value, (name, _, _) in zip(values, steps(result), strict=True)],
        textposition=["middle left" if value > 0.6 * top else "middle right" for value in values],
        textfont={"size": 15, "color": theme.text},
        hovertext=[f"{name}<br>answer: {wrapped(text)}" for name, _, text in steps(result)],
        hoverinfo="text",
        showlegend=False,
        row=1,
        col=1,
    )
    _draw_zones(figure, cuts, top, theme)  # after the dots: Plotly draws no zone on a panel that holds nothing yet
    for row, value in zip(rows, values, strict=True):
        if not math.isfinite(value):
            said = f"<b>{nats(value)}</b> {steps(result)[row][0]}"
            write(figure, said, theme.text, 15, x=top, y=row, xref="x", yref="y", xanchor="right")
    named = {"text": f"{FORMS[form]} (nats)", "font": {"size": 14}, "standoff": 4}
    figure.update_xaxes(still_axis(theme, range=[FLOOR * top, top], showgrid=False, title=named), row=1, col=1)
    figure.update_yaxes(visible=False, fixedrange=True, range=[len(rows) - 0.5, -0.5], row=1, col=1)


def _draw_zones(figure: go.Figure, cuts: tuple[float, float], top: float, theme: Theme) -> None:
    """Draw the three decisions as bands of the entropy axis, in the tones of their verdicts, named above it."""
    low, high = cuts
    zones: tuple[tuple[Need, float, float, float], ...] = (
        ("none", FLOOR * top, low, 0.12),
        ("single", low, high, 0.12),
        ("multi", high, max(top, high), 0.26),
    )
    names = []
    for need, start, end, strength in zones:
        if end <= start:
            continue
        colour = getattr(theme, TONES["lookup needs"][need])
        figure.add_vrect(x0=start, x1=end, fillcolor=rgba(colour, strength), line_width=0, layer="below", row=1, col=1)
        if end - start < LEAST_NAMED * top:
            continue
        place = {"x": (start + end) / 2, "xref": "x", "y": 1, "yref": "y domain", "yanchor": "bottom"}
        # Words as long as a zone is narrow break at their space.
        text = plain(DECISIONS[need])
        names.append(note(text.replace(" ", "<br>") if end - start < 0.25 * top else text, theme.text, 14, **place))
    write_all(figure, names)
    for cut in cuts:
        figure.add_vline(x=cut, line={"color": theme.muted, "width": 1.5, "dash": "dash"}, row=1, col=1)


def drawn_meanings(result: SugarResult) -> list[tuple[str, float, int]]:
    """Return (meaning, probability, samples) of the answers from memory, most probable first; shares sum to 1."""
    table = shown_meanings(result.closed_book)
    return folded([(str(name), float(share), int(number)) for name, share, number in table.to_numpy()])


def folded(rows: list[tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    """Return the rows, those beyond the fourth as one where there are more than five."""
    if len(rows) <= MOST_MEANINGS:
        return rows
    kept, rest = rows[: MOST_MEANINGS - 1], rows[MOST_MEANINGS - 1 :]
    return [*kept, ("others", sum(share for _, share, _ in rest), sum(number for _, _, number in rest))]


def _draw_meanings(figure: go.Figure, result: SugarResult, theme: Theme) -> None:
    """Draw a bar for each meaning sampled from memory, as long as its probability, its words above it."""
    rows = drawn_meanings(result)
    places = list(range(len(rows)))
    told = [f"{wrapped(name)}<br>probability {share:.2f}, {counted(number, 'sample')}" for name, share, number in rows]
    figure.add_bar(
        x=[share for _, share, _ in rows],
        y=places,
        orientation="h",
        width=0.34,
        marker={"color": [rgba(theme.model, 0.35 if name.startswith("other") else 0.8) for name, _, _ in rows]},
        hovertext=told,
        hoverinfo="text",
        showlegend=False,
        row=2,
        col=1,
    )
    figure.update_xaxes(visible=False, fixedrange=True, range=[FLOOR, 1], row=2, col=1)
    figure.update_yaxes(visible=False, fixedrange=True, range=[len(rows) - 0.6, -1.1], row=2, col=1)
    at = {"x": 0, "xref": "x2", "yref": "y2", "xanchor": "left", "yanchor": "middle"}
    notes = [note("Sampled from memory, weighted by likelihood", theme.muted, 14, y=-0.95, **at)]
    for place, (name, share, number) in zip(places, rows, strict=True):
        short = plain(shorten_middle(name, MEANING_LETTERS))
        notes.append(
            note(f"{share:.2f} <b>{short}</b> ({counted(number, 'sample')})", theme.text, 14, y=place - 0.4, **at)
        )
    write_all(figure, notes)
