"""The scoreboard of planted defects: which method saw which kind, as a sentence, a figure and tables.

A cell says in how many questions a method saw a defect, out of those in which it could say something. Grey means that
there is no rule: the method looks at something else. In the row "nothing planted" seeing means staying calm.
"""

import pandas as pd
import plotly.graph_objects as go

from engine.known_truth import Cell, Scoreboard
from engine.methods import METHODS
from engine.sample_questions import DefectKind
from viz.empty_figure import only_text
from viz.theme import Theme, layout, plain, rgba
from viz.words import counted, listing

KIND_NAMES: dict[DefectKind, str] = {
    "answer_removed": "answer removed",
    "distractor": "distractor",
    "contradiction": "contradiction",
    "duplicate": "duplicate",
    "memory_against_context": "memory against context",
    "split_answer": "answer split over two passages",
    "missing_co_occurrence": "missing co-occurrence",
    "intact": "nothing planted",
}
NO_RULE, UNMEASURED, UNASKED = "—", "not measured", "not asked"


def scoreboard_sentence(board: Scoreboard) -> str:
    """Return in words how many planted defects each method saw, and how often it rang where nothing was planted."""
    parts = [part for method in board.methods if (part := _seen_by(board, method))]
    if not parts:
        return "No planted defect has been looked at yet."
    return f"Of the planted defects {listing(parts)}.{_alarms(board)}"


def _seen_by(board: Scoreboard, method: str) -> str:
    """Return how many defects a method saw, "" where it was asked about none."""
    cells = [cell for cell in board.cells if cell.method == method and cell.kind != "intact"]
    measured = sum(cell.measured for cell in cells)
    return f"{method_name(method)} saw {sum(len(cell.saw) for cell in cells)} of {measured}" if measured else ""


def _alarms(board: Scoreboard) -> str:
    """Return in words how often methods rang where nothing was planted; "" where that was not looked at."""
    cells = [cell for cell in board.cells if cell.kind == "intact" and cell.measured]
    if not cells:
        return ""
    parts = [f"{method_name(cell.method)} {len(cell.missed)} of {cell.measured}" for cell in cells]
    return f" False alarms where nothing was planted: {listing(parts)}."


def scoreboard_figure(board: Scoreboard, theme: Theme) -> go.Figure:
    """Return the table as colours: a row for each kind of defect, a column for each method, the counts in the cells."""
    kinds = board.kinds[::-1]
    if not any(cell.measured for cell in board.cells):
        figure = go.Figure()
        figure.update_layout(
            {**layout(theme, "No planted defect has been looked at"), **only_text(scoreboard_sentence(board), theme)}
        )
        return figure
    methods = board.methods
    cells = [[board.cell(kind, method) for method in methods] for kind in kinds]
    figure = go.Figure(
        go.Heatmap(
            x=[method_name(method) for method in methods],
            y=[KIND_NAMES[kind] for kind in kinds],
            z=[[share(cell) for cell in row] for row in cells],
            customdata=[[_hover(cell) for cell in row] for row in cells],
            hovertemplate="%{y} · %{x}<br>%{customdata}<extra></extra>",
            hoverongaps=False,
            zmin=0,
            zmax=1,
            colorscale=[[0, rgba(theme.good, 0.02)], [1, rgba(theme.good, 0.45)]],
            colorbar={"title": "share seen", "tickformat": ".0%", "thickness": 14},
            xgap=4,
            ygap=4,
        )
    )
    figure.update_layout(layout(theme, board_title(board)))
    figure.update_layout(height=120 + 46 * len(kinds), margin={"l": 230, "r": 40, "t": 70, "b": 70})
    for row, kind in zip(cells, kinds, strict=True):
        for cell, method in zip(row, methods, strict=True):
            _write(figure, cell, KIND_NAMES[kind], method_name(method), theme)
    figure.update_xaxes(title={"text": "method", "standoff": 14}, side="bottom", showgrid=False)
    figure.update_yaxes(showgrid=False, automargin=True)
    return figure


def board_title(board: Scoreboard) -> str:
    """Return the finding: the cell that was seen best, with its numbers."""
    cells = [cell for cell in board.cells if cell.measured and cell.kind != "intact"]
    if not cells:
        return "Only questions with nothing planted were looked at"
    best = max(cells, key=lambda cell: (len(cell.saw) / cell.measured, cell.measured))
    seen = f"{len(best.saw)} of {counted(best.measured, 'question')}"
    return f"Seen best: {KIND_NAMES[best.kind]} by {method_name(best.method)}, {seen}"


def _write(figure: go.Figure, cell: Cell | None, kind: str, method: str, theme: Theme) -> None:
    """Write a cell's count into it; the ground stays pale enough for the text's colour at any share."""
    colour = theme.muted if share(cell) is None else theme.text
    figure.add_annotation(
        x=method, y=kind, text=plain(cell_text(cell)), showarrow=False, font={"size": 15, "color": colour}
    )


def share(cell: Cell | None) -> float | None:
    """Return the share of measured questions in which the defect was seen, in [0, 1]; None where there is none."""
    return None if cell is None or not cell.measured else len(cell.saw) / cell.measured


def cell_text(cell: Cell | None) -> str:
    """Return a cell in words: "3 of 5", with what was not measured; a dash where there is no rule."""
    if cell is None:
        return NO_RULE
    if not cell.measured:
        return UNMEASURED if cell.not_measured else UNASKED
    left = f" (+{len(cell.not_measured)} not measured)" if cell.not_measured else ""
    return f"{len(cell.saw)} of {cell.measured}{left}"


def _hover(cell: Cell | None) -> str:
    """Return what stands over a cell, escaped."""
    return plain(f"{cell_text(cell)}; seen when {cell.words}") if cell is not None else ""


def scoreboard_table(board: Scoreboard) -> pd.DataFrame:
    """Return the text twin of the figure: kinds by methods, counts in words."""
    return pd.DataFrame(
        {
            method_name(method): [cell_text(board.cell(kind, method)) for kind in board.kinds]
            for method in board.methods
        },
        index=pd.Index([KIND_NAMES[kind] for kind in board.kinds], name="planted"),
    )


def rules_table(board: Scoreboard) -> pd.DataFrame:
    """Return every rule in plain words with the questions it saw, missed and could not measure."""
    return pd.DataFrame(
        [
            {
                "planted": KIND_NAMES[cell.kind],
                "method": method_name(cell.method),
                "it saw it when": cell.words,
                "saw": ", ".join(cell.saw),
                "missed": ", ".join(cell.missed),
                "not measured": ", ".join(cell.not_measured),
            }
            for kind in board.kinds
            for cell in board.cells
            if cell.kind == kind
        ]
    )


def method_name(method: str) -> str:
    """Return a method's title, its word where it is not known here."""
    return METHODS[method].title if method in METHODS else method
