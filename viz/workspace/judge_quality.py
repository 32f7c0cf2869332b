"""How far to trust the judge: its agreement with people beside other judges', and its reliability diagram."""

import pandas as pd
import plotly.graph_objects as go

from engine.backends.entailment.measured import JudgeQuality
from viz.parts.theme import Theme, layout, rgba
from viz.parts.words import wrapped

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
    """Return agreement with people: a bar a judge, its mean over the systems, with a dot for each system."""
    means = [sum(row) / len(row) for _, row in quality.agreement]
    names = [
        f"{wrapped(TITLES.get(name, name), 20)}<br><b>{mean:.0f} %</b>"
        for (name, _), mean in zip(quality.agreement, means, strict=True)
    ]
    figure = go.Figure(layout=layout(theme, "How often judges agree with people", 132 + 56 * len(names)))
    figure.add_bar(
        x=means,
        y=names,
        orientation="h",
        marker={"color": rgba(theme.model, 0.45), "line": {"color": theme.model, "width": 1.5}},
        hovertemplate="%{y}<br>mean %{x:.1f} %<extra></extra>",
        showlegend=False,
    )
    figure.add_scatter(
        x=[value for _, row in quality.agreement for value in row],
        y=[name for name, (_, row) in zip(names, quality.agreement, strict=True) for _ in row],
        mode="markers",
        marker={"color": theme.text, "size": 8, "line": {"color": theme.page, "width": 1.5}},
        customdata=list(quality.systems) * len(names),
        hovertemplate="%{customdata}<br>%{x:.1f} %<extra></extra>",
        showlegend=False,
    )
    figure.update_layout(bargap=0.35, margin_b=56)
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(range=[0, 102], title="percent; a dot is one system", gridcolor=theme.line, zeroline=False)
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
