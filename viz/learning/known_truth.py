"""The scoreboard of planted defects: which method saw which kind, as a sentence, a figure and tables.

A cell gives the number of questions in which a method saw a defect, of those that it could measure, and below it on how
many of their unplanted twins the same rule fires: only what goes beyond these is seen, and coloured. Without twins a
cell has no colour. A dash: there is no rule, because the method looks at something else. The row "nothing planted" is
the control. It is separate, counts the questions in which a method rightly stayed calm, and has its own colour.
"""

from itertools import product

import pandas as pd
import plotly.graph_objects as go

from engine.learning.known_truth import Cell, Scoreboard
from engine.methods import method_title
from engine.runs.sample_questions import DefectKind
from viz.parts.figure_parts import empty_figure, note, write_all
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import WORDS, counted, listing

KIND_NAMES = WORDS["planted defects"]
NO_RULE, UNMEASURED, UNASKED = "—", "not measured", "not asked"
STAR = "*"
CONTROL: DefectKind = "intact"
STAR_MEANS = f"{STAR} not measured in other questions"
NO_CONTROL = {"entropy_trend": "it looks only at memory, which planting does not change"}


def scoreboard_sentence(board: Scoreboard) -> str:
    """Return in words how many planted defects each method saw, and how often it stayed calm without one."""
    planted = {
        method: [cell for cell in board.cells if cell.method == method and cell.kind != CONTROL]
        for method in board.methods
    }
    parts = [
        f"{method_title(method)} saw {sum(len(cell.saw) for cell in cells)} of {measured}"
        for method, cells in planted.items()
        if (measured := sum(cell.measured for cell in cells))
    ]
    if not parts:
        return "No planted defect is measured."
    return f"Of the planted defects {listing(parts)}.{_beyond(planted)}{_alarms(board)}"


def _beyond(planted: dict[str, list[Cell]]) -> str:
    """Return in words how much of that lies beyond the base rate: the same rule on passages with nothing planted."""
    parts = []
    for method, cells in planted.items():
        compared = sum(cell.compared for cell in cells)
        if compared:
            fired, beyond = sum(cell.alarms for cell in cells), sum(len(cell.beyond) for cell in cells)
            parts.append(f"{method_title(method)} {beyond} (fires on {fired} of {compared} twins)")
    unmeasured = [
        method_title(method)
        for method, cells in planted.items()
        if any(cell.measured for cell in cells) and not any(cell.compared for cell in cells)
    ]
    said = f" Beyond the base rate: {listing(parts)}." if parts else ""
    return said + (f" Base rate not measured: {listing(unmeasured)}." if unmeasured else "")


def _alarms(board: Scoreboard) -> str:
    """Return in words how often methods stayed calm where nothing was planted; "" where that was not measured."""
    cells = [cell for cell in board.cells if cell.kind == CONTROL and cell.measured]
    if not cells:
        return ""
    parts = [f"{method_title(cell.method)} {len(cell.saw)} of {cell.measured} times" for cell in cells]
    missing = [
        f" {method_title(method)} has no such control: {why}."
        for method, why in NO_CONTROL.items()
        if method in board.methods and board.cell(CONTROL, method) is None
    ]
    return f" Calm where nothing was planted: {listing(parts)}.{''.join(missing)}"


def scoreboard_figure(board: Scoreboard, theme: Theme) -> go.Figure:
    """Return the table as colours: a row for each kind of defect, a column for each method, the counts in the cells.

    The control, where nothing was planted, is the lowest row, below a line and in grey.
    """
    if not any(cell.measured for cell in board.cells):
        return empty_figure("No planted defect is measured", scoreboard_sentence(board), theme)
    figure = go.Figure(layout=layout(theme, board_title(board)))
    planted = tuple(kind for kind in board.kinds[::-1] if kind != CONTROL)
    if CONTROL in board.kinds:
        figure.add_trace(_rows(board, (CONTROL,), theme.unknown))
        figure.add_hline(y=0.5, line={"color": theme.muted, "width": 2})
    if planted:
        figure.add_trace(_rows(board, planted, theme.good, scale="seen beyond<br>the twins"))
    places = {place: board.cell(*place) for place in product(board.kinds, board.methods)}
    # The background stays pale enough for the text at any share.
    colours = {
        place: theme.muted if cell is None or not cell.measured else theme.text for place, cell in places.items()
    }
    write_all(
        figure,
        [
            note(cell_lines(cell), colours[kind, method], 15, x=method_title(method), y=row_name(kind))
            for (kind, method), cell in places.items()
        ],
    )
    _dress(figure, board)
    return figure


def _rows(board: Scoreboard, kinds: tuple[DefectKind, ...], colour: str, scale: str = "") -> go.Heatmap:
    """Return the rows of these kinds in tints of one colour; ``scale`` names its colour bar, "" draws none."""
    cells = [[board.cell(kind, method) for method in board.methods] for kind in kinds]
    return go.Heatmap(
        x=[method_title(method) for method in board.methods],
        y=[row_name(kind) for kind in kinds],
        z=[[share(cell) for cell in row] for row in cells],
        customdata=[[plain(f"{cell_text(one)}; seen when {one.words}") if one else "" for one in row] for row in cells],
        hovertemplate="%{y} · %{x}<br>%{customdata}<extra></extra>",
        hoverongaps=False,
        zmin=0,
        zmax=1,
        colorscale=[[0, rgba(colour, 0.02)], [1, rgba(colour, 0.45 if scale else 0.25)]],
        showscale=bool(scale),
        colorbar={"title": scale, "tickformat": ".0%", "thickness": 14} if scale else None,
        xgap=4,
        ygap=4,
    )


def _dress(figure: go.Figure, board: Scoreboard) -> None:
    """Give the figure its height and axes, and explain its signs below it."""
    starred = any(cell.measured and cell.not_measured for cell in board.cells)
    signs = [f"{NO_RULE} no rule", *([STAR_MEANS] if starred else [])]
    order = [row_name(kind) for kind in board.kinds[::-1]]
    figure.update_layout(height=150 + 46 * len(order), margin={"l": 230, "r": 40, "t": 70, "b": 90})
    figure.update_xaxes(
        title={"text": f"method<br>{' · '.join(signs)}", "standoff": 14, "font": {"size": 14}},
        side="bottom",
        showgrid=False,
    )
    figure.update_yaxes(showgrid=False, automargin=True, categoryorder="array", categoryarray=order)


def row_name(kind: DefectKind) -> str:
    """Return the name of a row; the control's says what it counts."""
    return f"{KIND_NAMES[kind]}:<br>stayed calm" if kind == CONTROL else KIND_NAMES[kind]


def board_title(board: Scoreboard) -> str:
    """Return the finding: the cell that goes furthest beyond the unplanted twins, with its numbers."""
    cells = [cell for cell in board.cells if cell.measured and cell.kind != CONTROL]
    if not cells:
        return "Only unplanted questions were measured"
    compared = [cell for cell in cells if cell.compared]
    if not compared:
        return "No unplanted twin was measured"
    best = max(compared, key=lambda cell: (len(cell.beyond) / cell.compared, cell.compared))
    if not best.beyond:
        return "No method beats its base rate"
    seen = f"{len(best.beyond)} of {counted(best.compared, 'question')} beyond their twins"
    return f"Furthest: {KIND_NAMES[best.kind]} by {method_title(best.method)}, {seen}"


def short_text(cell: Cell | None) -> str:
    """Return a cell in a few words: a star for what was not measured, "calm" for the control, and its twins."""
    if cell is None or not cell.measured:
        return cell_text(cell)
    calm = "calm " if cell.kind == CONTROL else ""
    return f"{calm}{len(cell.saw)} of {cell.measured}{STAR if cell.not_measured else ''}"


def cell_lines(cell: Cell | None) -> str:
    """Return what is written in a cell: what was seen, and in smaller letters its twins."""
    twins = twins_text(cell)
    return plain(short_text(cell)) + (f"<br><span style='font-size:12px'>{twins}</span>" if twins else "")


def twins_text(cell: Cell | None) -> str:
    """Return on how many twins a cell's rule fires; "" for the control and where nothing was measured."""
    if cell is None or not cell.measured or cell.kind == CONTROL:
        return ""
    return f"twins {cell.alarms} of {cell.compared}" if cell.compared else "no twins"


def share(cell: Cell | None) -> float | None:
    """Return the share of questions in which a defect was seen and not on the twin, in [0, 1]; None without twins.

    Of the control it is the share of questions in which the method stayed calm.
    """
    if cell is None or not cell.measured:
        return None
    if cell.kind == CONTROL:
        return len(cell.saw) / cell.measured
    return len(cell.beyond) / cell.compared if cell.compared else None


def cell_text(cell: Cell | None) -> str:
    """Return a cell in words: "3 of 5", with what was not measured; a dash where there is no rule."""
    if cell is None:
        return NO_RULE
    if not cell.measured:
        return UNMEASURED if cell.not_measured else UNASKED
    left = f" (+{len(cell.not_measured)} not measured)" if cell.not_measured else ""
    beyond = f", {len(cell.beyond)} beyond the base rate of {cell.alarms} in {cell.compared}" if cell.compared else ""
    return f"{len(cell.saw)} of {cell.measured}{left}{beyond}"


def scoreboard_table(board: Scoreboard) -> pd.DataFrame:
    """Return the text twin of the figure: kinds by methods, counts in words."""
    return pd.DataFrame(
        {
            method_title(method): [cell_text(board.cell(kind, method)) for kind in board.kinds]
            for method in board.methods
        },
        index=pd.Index([row_name(kind).replace("<br>", " ") for kind in board.kinds], name="planted"),
    )


def rules_table(board: Scoreboard) -> pd.DataFrame:
    """Return every rule in plain words with the questions it saw, missed and could not measure."""
    return pd.DataFrame(
        [
            {
                "planted": KIND_NAMES[cell.kind],
                "method": method_title(cell.method),
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
