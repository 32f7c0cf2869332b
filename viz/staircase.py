"""SePer before and after every retrieval of one run, with its noise band (SePer, section 3, figure 2)."""

import plotly.graph_objects as go

from engine.methods.timing.base import BeliefStep, PolicyRun
from viz.empty_figure import only_text
from viz.theme import Theme, layout, rgba
from viz.timing import belief_steps_sentence, policy_title, worth_words
from viz.verdicts import Tone, tone_colour
from viz.words import counted, signed, wrapped

TONES: dict[str, Tone] = {"helped": "good", "harmed": "bad", "within noise": "unknown"}


def staircase(run: PolicyRun, theme: Theme) -> go.Figure:
    """Return SePer in [0, 1] after each lookup as steps; the band is the 95 % interval over redraws of the samples."""
    base = layout(theme, staircase_title(run), height=380)
    if not run.stairs:
        return go.Figure(layout=base | only_text(belief_steps_sentence(run), theme))
    figure = go.Figure(layout=base)
    _draw_band(figure, run.stairs, theme)
    _draw_steps(figure, run.stairs, theme)
    for place, stair in enumerate(run.stairs[1:], 1):
        if stair.gain is not None and stair.worth is not None:
            figure.add_annotation(
                x=place, y=stair.soft, yshift=22, showarrow=False, text=f"{signed(stair.gain)}, {stair.worth}",
                font={"size": 14, "color": tone_colour(TONES[stair.worth], theme)}, bgcolor=rgba(theme.page, 0.75),
            )  # fmt: skip
    names = ["before any lookup", *(f"after lookup {stair.retrieval}" for stair in run.stairs[1:])]
    figure.update_xaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[-0.6, len(names) - 0.4], showgrid=False,
        zeroline=False, linecolor=theme.line, fixedrange=True, title_text="Lookups of the run",
    )  # fmt: skip
    figure.update_yaxes(
        range=[-0.04, 1.14], tickvals=[0, 0.25, 0.5, 0.75, 1], gridcolor=rgba(theme.line, 0.6), zeroline=False,
        fixedrange=True, title_text="SePer: probability of the right answer",
    )  # fmt: skip
    return figure


def staircase_title(run: PolicyRun) -> str:
    """Return the finding of the belief steps in one line."""
    name = policy_title(run.policy)
    if not run.stairs:
        return f"{name}: no belief steps"
    noise = sum(stair.worth == "within noise" for stair in run.stairs)
    climbs = len(run.stairs) - 1
    if noise == climbs:
        return f"{name}: no lookup moved belief beyond noise"
    return f"{name}: {climbs - noise} of {counted(climbs, 'lookup')} moved belief beyond noise"


def _draw_band(figure: go.Figure, stairs: tuple[BeliefStep, ...], theme: Theme) -> None:
    """Draw each stair's interval as a box across its step; one without an interval has none."""
    for place, stair in enumerate(stairs):
        if stair.soft_interval is not None:
            figure.add_shape(
                type="rect", x0=place - 0.5, x1=place + 0.5, y0=stair.soft_interval.low, y1=stair.soft_interval.high,
                fillcolor=rgba(theme.model, 0.16), line={"width": 0}, layer="below",
            )  # fmt: skip


def _draw_steps(figure: go.Figure, stairs: tuple[BeliefStep, ...], theme: Theme) -> None:
    """Draw the steps and a mark on each with its numbers."""
    places = list(range(len(stairs)))
    figure.add_trace(
        go.Scatter(
            x=[-0.5, *places, len(stairs) - 0.5],
            y=[stairs[0].soft, *(stair.soft for stair in stairs), stairs[-1].soft],
            mode="lines",
            line={"color": theme.model, "width": 3, "shape": "hvh"},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=places,
            y=[stair.soft for stair in stairs],
            mode="markers",
            marker={"size": 12, "color": theme.model, "line": {"width": 1.5, "color": theme.page}},
            hovertext=[wrapped(stair_sentence(stair)) for stair in stairs],
            hoverinfo="text",
            showlegend=False,
        )
    )


def stair_sentence(stair: BeliefStep) -> str:
    """Return one stair in words."""
    band = stair.soft_interval
    noise = f", 95 % {band.low:.2f} to {band.high:.2f}" if band else ""
    over = f"over {counted(stair.passages, 'passage')}" if stair.passages else "without passages"
    if stair.retrieval == 0:
        return f"Before any lookup, {over}: SePer {stair.soft:.2f}{noise}."
    return f"After lookup {stair.retrieval}, {over}: SePer {stair.soft:.2f}{noise}. It {worth_words(stair)}."
