"""The data folder as a figure: what takes how much of it, on a logarithmic axis, since models outweigh all else."""

import math
from collections.abc import Mapping

import plotly.graph_objects as go

from engine.core.words import listing
from viz.parts.figure_parts import empty_figure
from viz.parts.theme import Theme, layout, plain, rgba
from viz.workspace.corpora import size_text

LEAST, ROW, FRAME = 1_000, 44, 120
TICKS = (10**3, 10**6, 10**9, 10**12)


def places_title(sizes: Mapping[str, int]) -> str:
    """Return what takes most of the folder.

    >>> places_title({"Models": 3_000_000, "Runs": 1_000_000})
    'Models: 3.0 MB of 4.0 MB'
    """
    largest = next(iter(sizes), "")
    return f"{largest}: {size_text(sizes[largest])} of {size_text(sum(sizes.values()))}" if largest else "Empty"


def places_sentence(sizes: Mapping[str, int]) -> str:
    """Return every size in words."""
    return f"{listing([f'{title} {size_text(size)}' for title, size in sizes.items()])}." if sizes else "Empty."


def places_figure(sizes: Mapping[str, int], theme: Theme) -> go.Figure:
    """Return a bar for each kind, in bytes, the largest above."""
    if not sizes:
        return empty_figure(places_title(sizes), places_sentence(sizes), theme, 160)
    titles = [plain(title) for title in reversed(list(sizes))]
    values = [sizes[title] for title in reversed(list(sizes))]
    figure = go.Figure(layout=layout(theme, plain(places_title(sizes)), FRAME + ROW * len(values)))
    figure.add_bar(
        x=[max(value, LEAST) for value in values],
        y=titles,
        orientation="h",
        width=0.55,
        marker={"color": rgba(theme.model, 0.5)},
        text=[f" {size_text(value)} " for value in values],
        textposition="outside",
        textfont={"size": 15, "color": theme.text},
        cliponaxis=False,
        hoverinfo="skip",
    )
    top = math.log10(max(max(values), LEAST * 10))
    figure.update_xaxes(
        type="log", range=[math.log10(LEAST) - 0.02, top + 0.2 * (top - 3) + 0.4], tickvals=TICKS,
        ticktext=[size_text(tick) for tick in TICKS], gridcolor=rgba(theme.line, 0.6), title_text="bytes (log scale)",
    )  # fmt: skip
    figure.update_yaxes(automargin=True, showgrid=False, tickfont={"size": 16})
    return figure
