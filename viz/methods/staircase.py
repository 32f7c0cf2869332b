"""SePer before and after every retrieval of one run, with its noise band (SePer, section 3, figure 2)."""

import plotly.graph_objects as go

from engine.methods.timing.base import BeliefStep, PolicyRun
from engine.methods.timing.staircase import agreed_steps
from viz.methods.belief_steps import belief_steps_sentence, worth_words
from viz.methods.timing import policy_title
from viz.methods.verdicts import TONES, tone_colour
from viz.parts.figure_parts import add_marks, empty_figure, write
from viz.parts.theme import Theme, layout, rgba
from viz.parts.words import counted, signed, wrapped


def staircase(run: PolicyRun, theme: Theme) -> go.Figure:
    """Return SePer in [0, 1] after each lookup as steps; the band is the 95 % interval over redraws of the samples."""
    if not run.stairs:
        return empty_figure(staircase_title(run), belief_steps_sentence(run), theme, 380)
    figure = go.Figure(layout=layout(theme, staircase_title(run), height=380))
    stairs = agreed_steps(run.stairs)
    _draw_bands(figure, stairs, theme)
    _draw_steps(figure, stairs, theme)
    for place, step in enumerate(stairs[1:], 1):
        if step.gain is not None and step.worth is not None:
            text, colour = (
                f"{signed(step.gain)}, {step.worth}",
                tone_colour(TONES["worth of a lookup"][step.worth], theme),
            )
            write(figure, text, colour, x=place, y=step.soft, yshift=22, bgcolor=rgba(theme.page, 0.75))
    names = ["before any lookup", *(f"after lookup {step.retrieval}" for step in run.stairs[1:])]
    figure.update_xaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[-0.6, len(names) - 0.4], showgrid=False,
        zeroline=False, linecolor=theme.line, fixedrange=True, title_text="Lookups of the run",
    )  # fmt: skip
    figure.update_yaxes(
        range=[-0.04, 1.14], tickvals=[0, 0.25, 0.5, 0.75, 1], gridcolor=rgba(theme.line, 0.6), zeroline=False,
        fixedrange=True, title_text="SePer",
    )  # fmt: skip
    return figure


def staircase_title(run: PolicyRun) -> str:
    """Return the finding of the belief steps in one line."""
    name = policy_title(run.policy)
    if not run.stairs:
        return f"{name}: no belief steps"
    stairs, climbs = agreed_steps(run.stairs), len(run.stairs) - 1
    if all(step.worth == "within noise" for step in stairs[1:]):
        return f"{name}: every lookup within noise"
    moved = sum(step.worth in ("helped", "harmed") for step in stairs)
    return f"{name}: {moved} of {counted(climbs, 'lookup')} moved belief beyond noise"


def _draw_bands(figure: go.Figure, steps: tuple[BeliefStep, ...], theme: Theme) -> None:
    """Draw each step's interval as a box across it; one without an interval has none."""
    for place, step in enumerate(steps):
        if step.soft_interval is not None:
            figure.add_shape(
                type="rect", x0=place - 0.5, x1=place + 0.5, y0=step.soft_interval.low, y1=step.soft_interval.high,
                fillcolor=rgba(theme.model, 0.16), line={"width": 0}, layer="below",
            )  # fmt: skip


def _draw_steps(figure: go.Figure, steps: tuple[BeliefStep, ...], theme: Theme) -> None:
    """Draw the steps and a mark on each with its numbers."""
    places = list(range(len(steps)))
    soft = [step.soft for step in steps]
    line = {"color": theme.model, "width": 3, "shape": "hvh"}
    figure.add_scatter(
        x=[-0.5, *places, len(steps) - 0.5], y=[soft[0], *soft, soft[-1]],
        mode="lines", line=line, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    marker = {"size": 12, "color": theme.model, "line": {"width": 1.5, "color": theme.page}}
    hover = [wrapped(belief_step_sentence(step)) for step in steps]
    add_marks(figure, places, soft, hovertext=hover, marker=marker, showlegend=False)


def belief_step_sentence(step: BeliefStep) -> str:
    """Return one step in words."""
    band = step.soft_interval
    noise = f", 95 % {band.low:.2f} to {band.high:.2f}" if band else ""
    over = f"over {counted(step.passages, 'passage')}" if step.passages else "without passages"
    if step.retrieval == 0:
        return f"Before any lookup, {over}: SePer {step.soft:.2f}{noise}."
    return f"After lookup {step.retrieval}, {over}: SePer {step.soft:.2f}{noise}. It {worth_words(step)}."
