"""Numbers of a study: how one is distributed among right and wrong answers, and any one against any other."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from engine.measures.ranking import auroc, pearson
from engine.runs.studies.records import Number
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import decimals
from viz.parts.figure_parts import ABOVE, UNFADED, empty_figure
from viz.parts.theme import Theme, hatched, layout, plain
from viz.parts.words import wrapped
from viz.studies.views import LEGEND_ROOM

HEIGHT = 440
FEW = 6  # at most so many answers: Plotly would mark halves of one
GROUPS = (("wrong", 0.0), ("right", 1.0))
MARKS = {"right": "circle", "wrong": "x", "not judged": "square-open"}
# Bars tell right from wrong by a hatch as well: green and red are close to each other for many readers.
HATCHES = {"right": "", "wrong": "/", "not judged": "."}


def axis_title(number: Number) -> str:
    """Return a number's title with its unit."""
    return plain(f"{number.title} ({number.unit})" if number.unit else number.title)


def group_colours(theme: Theme) -> dict[str, str]:
    """Return the colours of right and wrong answers and of those that are not judged."""
    return {"right": theme.good, "wrong": theme.bad, "not judged": theme.unknown}


def groups_of(frame: pd.DataFrame) -> pd.Series:
    """Return right, wrong or not judged for each row."""
    if "answer.right" not in frame:
        return pd.Series("not judged", index=frame.index)
    return frame["answer.right"].map({1.0: "right", 0.0: "wrong"}).fillna("not judged")


def distribution_figure(table: StudyTable, frame: pd.DataFrame, address: str, theme: Theme) -> go.Figure:
    """Return how a number is distributed, right and wrong answers above each other."""
    number = table.number(address)
    known = frame[np.isfinite(frame[address])] if address in frame else frame.iloc[:0]
    if known.empty:
        return empty_figure(number.title, "No point of this study has this number.", theme, 200)
    figure = go.Figure(layout=layout(theme, distribution_sentence(table, frame, address), HEIGHT))
    groups = groups_of(known)
    low, high = float(known[address].min()), float(known[address].max())
    size = (high - low) / 24 or 1.0
    for name, colour in group_colours(theme).items():
        values = known[address][groups == name]
        if len(values):
            figure.add_histogram(
                x=values,
                name=f"{name} (n = {len(values)})",
                xbins={"start": low, "end": high + size, "size": size},
                marker=hatched(colour, HATCHES[name], theme),
                hovertemplate="%{y} answers<extra></extra>",
            )
    figure.update_layout(barmode="stack", bargap=0.04, legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.update_xaxes(title_text=axis_title(number), showgrid=False)
    figure.update_yaxes(title_text="Answers", gridcolor=theme.line)
    if len(known) <= FEW:
        figure.update_yaxes(dtick=1)
    return figure


def distribution_sentence(table: StudyTable, frame: pd.DataFrame, address: str) -> str:
    """Return a distribution in words: median of right and of wrong answers, and how well it parts them."""
    groups, number = groups_of(frame), table.number(address)
    told = []
    for name, _ in GROUPS:
        values = frame[address][groups == name].dropna()
        if len(values):
            told.append(f"{name} {values.median():.3g} (n = {len(values)})")
    if not told:
        values = frame[address].dropna()
        return f"{number.title}: median {values.median():.3g} (n = {len(values)})"
    return f"{number.title}, median: {', '.join(told)}{parting(frame, address)}"


def parting(frame: pd.DataFrame, address: str) -> str:
    """Return how well a number parts wrong from right answers, "" where there is one class only.

    Whether an answer is right parts them by itself, so nothing is said of that.
    """
    if address == "answer.right":
        return ""
    both = frame[["answer.right", address]].replace([np.inf, -np.inf], np.nan).dropna()
    if both["answer.right"].nunique() < 2:
        return ""
    found = auroc(1 - both["answer.right"].to_numpy(), both[address].to_numpy())
    # Below 0.5 it is right answers that are higher: a number such as belief parts them as well as an uncertainty.
    higher = "" if found == 0.5 else f"higher if {'wrong' if found > 0.5 else 'right'}, "
    return f"; {higher}AUROC {max(found, 1 - found):.2f}"


def scatter_figure(table: StudyTable, frame: pd.DataFrame, x: str, y: str, theme: Theme) -> go.Figure:
    """Return one number against another, a point each that carries its row's place in ``frame``."""
    across, up = table.number(x), table.number(y)
    known = frame[np.isfinite(frame[x]) & np.isfinite(frame[y])]
    if known.empty:
        return empty_figure(f"{up.title} against {across.title}", "No point has both numbers.", theme, 200)
    figure = go.Figure(layout=layout(theme, scatter_sentence(table, frame, x, y), HEIGHT + 60))
    groups = groups_of(known)
    places = pd.Series(range(len(frame)), index=frame.index)
    for name, colour in group_colours(theme).items():
        rows = known[groups == name]
        if rows.empty:
            continue
        figure.add_scattergl(
            x=rows[x],
            y=rows[y],
            customdata=[[int(places[at])] for at in rows.index],
            mode="markers",
            name=f"{name} (n = {len(rows)})",
            marker={"size": 9, "opacity": 0.72, "color": colour, "symbol": MARKS[name]},
            hovertext=point_words(rows, across, up, x, y),
            hoverinfo="text",
            **UNFADED,
        )
    figure.update_layout(legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.update_xaxes(title_text=axis_title(across), gridcolor=theme.line, zerolinecolor=theme.edge)
    figure.update_yaxes(title_text=axis_title(up), gridcolor=theme.line, zerolinecolor=theme.edge)
    return figure


def point_words(rows: pd.DataFrame, across: Number, up: Number, x: str, y: str) -> list[str]:
    """Return what each point says when it is pointed at; escaped."""
    columns: Sequence[str] = ("question", "answer", x, y)
    return [
        f"<b>{wrapped(question)}</b><br>{wrapped(answer)}"
        f"<br>{plain(across.title)}: {left:.4g}<br>{plain(up.title)}: {right:.4g}"
        for question, answer, left, right in rows[list(columns)].itertuples(index=False, name=None)
    ]


def scatter_sentence(table: StudyTable, frame: pd.DataFrame, x: str, y: str) -> str:
    """Return two numbers in words: Pearson's r and the number of points that have both."""
    across, up = table.number(x), table.number(y)
    known = frame[[x]].assign(other=frame[y]).replace([np.inf, -np.inf], np.nan).dropna()
    if known.empty:
        return f"{up.title} against {across.title}: no point has both."
    r, _ = pearson(known[x].to_numpy(), known["other"].to_numpy())
    said = "not defined" if np.isnan(r) else decimals(r)
    return f"{up.title} against {across.title}: r = {said} (n = {len(known)})"
