"""How far to trust the judge: its agreement with people beside other judges', and its reliability diagram."""

import pandas as pd
import plotly.graph_objects as go

from engine.backends.entailment.measured import JudgeQuality
from viz.theme import Theme, hatched, layout, rgba

# The legend stands at the figure's lower edge, under the title of the axis.
BELOW = {"legend": {"yref": "container", "y": 0, "yanchor": "bottom"}, "margin_b": 96}

# A judge's name in the results, and what readers know it by.
TITLES = {
    "embedded": "MiniLM judge",
    "similarity": "similarity judge",
    "llm (120 answers only)": "the language model (120 answers)",
}


def agreement_sentence(quality: JudgeQuality) -> str:
    """Return in words how often the embedded judge and lexical match agree with people, over the systems' means."""
    means = {name: sum(row) / len(row) for name, row in quality.agreement}
    return (
        f"On {quality.answers:,} answers of {len(quality.systems)} systems the judge agrees with people in "
        f"{means['embedded']:.1f} %, matching words in {means['lexical match']:.1f} %."
    )


def agreement_bars(quality: JudgeQuality, theme: Theme) -> go.Figure:
    """Return agreement with people per judge and system, one group of bars a system."""
    colours = (theme.model, theme.accent, theme.muted, theme.middle, theme.good, theme.bad)
    hatches = ("", "/", ".", "x", "-", "|")
    lowest = min(value for _, row in quality.agreement for value in row)
    figure = go.Figure(layout=layout(theme, "How often judges agree with people", 400))
    for place, (name, row) in enumerate(quality.agreement):
        figure.add_bar(
            x=list(quality.systems),
            y=list(row),
            name=TITLES.get(name, name),
            marker=hatched(colours[place % len(colours)], hatches[place % len(hatches)], theme),
            text=[f"{value:.0f}" for value in row],
            textposition="outside",
            hovertemplate="%{x}<br>%{y:.1f} %<extra>" + TITLES.get(name, name) + "</extra>",
        )
    axis = {"gridcolor": theme.line, "zeroline": False}
    figure.update_layout(barmode="group", bargap=0.25, **BELOW)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(range=[max(0, lowest - 8), 112], title="agreement in percent", **axis)
    return figure


def agreement_table(quality: JudgeQuality) -> pd.DataFrame:
    """Return the text twin of the bars: a row per judge, a column per system, and the mean."""
    rows = {
        name: {**dict(zip(quality.systems, row, strict=True)), "mean": round(sum(row) / len(row), 2)}
        for name, row in quality.agreement
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def reliability_sentence(quality: JudgeQuality) -> str:
    """Return in words how far probabilities and people are apart."""
    return f"Calibration error: {100 * quality.calibration_error:.1f} points on average."


def reliability_diagram(quality: JudgeQuality, theme: Theme) -> go.Figure:
    """Return the reliability diagram: P(entailment) against the share people call right; the diagonal is perfect.

    Dots grow with the number of answers in a bin.
    """
    most = max(part.answers for part in quality.bins)
    figure = go.Figure(layout=layout(theme, "Judge's probability against people's verdicts", 400))
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", name="perfect", line={"color": theme.muted, "dash": "dash"})
    figure.add_scatter(
        x=[part.said for part in quality.bins],
        y=[part.right for part in quality.bins],
        mode="lines+markers",
        name="MiniLM judge",
        line={"color": theme.model, "width": 2},
        marker={
            "size": [10 + 26 * (part.answers / most) ** 0.5 for part in quality.bins],
            "color": rgba(theme.model, 0.45),
            "line": {"color": theme.model, "width": 2},
        },
        customdata=[part.answers for part in quality.bins],
        hovertemplate="says %{x:.2f}, people say right %{y:.2f}<br>%{customdata} answers<extra></extra>",
    )
    axis = {"gridcolor": theme.line, "zeroline": False, "range": [-0.05, 1.1]}
    figure.update_layout(**BELOW)
    figure.update_xaxes(title="probability of entailment (bin mean)", **axis)
    figure.update_yaxes(title="share that people call right", **axis)
    return figure


def reliability_table(quality: JudgeQuality) -> pd.DataFrame:
    """Return the text twin of the diagram."""
    return pd.DataFrame(
        {
            "judge says, mean": [part.said for part in quality.bins],
            "people call right": [part.right for part in quality.bins],
            "answers": [part.answers for part in quality.bins],
        }
    )
