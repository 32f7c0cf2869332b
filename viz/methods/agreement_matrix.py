"""DENSE's weight matrix W as a heat map: how far every two answers agree (DENSE, eq. 5), 0, 0.5 or 1."""

from collections.abc import Iterable
from itertools import combinations, product

import plotly.graph_objects as go

from engine.core.words import shown
from engine.methods.dense_records import DenseResult
from viz.methods.dense import ORIGINAL
from viz.parts.chosen import RING
from viz.parts.figure_parts import INVISIBLE, add_marks
from viz.parts.theme import Theme, layout, rgba
from viz.parts.words import wrapped

VALUES = "1: each follows from the other,<br>0.5: one way only, 0: neither"
ONE_PAIR = {1.0: "agrees both ways", 0.5: "agrees one way only", 0.0: "does not agree"}


def matrix_sentence(result: DenseResult) -> str:
    """Return the weight matrix in words: how many pairs of different answers agree both ways, one way, not at all."""
    pairs = list(answer_pairs(result))
    if not pairs:
        return "Only the original answer: nothing to compare."
    if len(pairs) == 1:
        return f"The one pair of answers {ONE_PAIR[pairs[0][2]]}."
    agree = {weight: sum(value == weight for _, _, value in pairs) for weight in (1.0, 0.5, 0.0)}
    return (
        f"Of {len(pairs)} pairs of answers {agree[1.0]} agree both ways, {agree[0.5]} one way only, "
        f"{agree[0.0]} not at all."
    )


def weight_matrix(result: DenseResult, theme: Theme, chosen: int | None = None) -> go.Figure:
    """Return W as a heat map with its values; an invisible scatter over it makes its cells selectable.

    A click carries ``customdata`` [row's chunk index, column's chunk index], -1 for the original answer. Row and
    column of the ``chosen`` chunk are outlined, its names bold.
    """
    names = [_member_name(member) for member in result.members]
    if chosen in result.members:
        place = result.members.index(chosen)
        names[place] = f"<b>◆ {names[place]}</b>"
    steps = [[0, rgba(theme.bad, 0.2)], [0.5, rgba(theme.middle, 0.34)], [1, rgba(theme.model, 0.5)]]
    figure = go.Figure(layout=_matrix_layout(result, theme))
    figure.add_heatmap(
        x=names,
        y=names,
        z=result.weights,
        zmin=0,
        zmax=1,
        colorscale=steps,
        showscale=False,
        xgap=4,
        ygap=4,
        text=[[f"{value:g}" for value in row] for row in result.weights],
        texttemplate="%{text}",
        textfont={"size": 20, "color": theme.text},
        hoverinfo="skip",
    )
    _draw_targets(figure, result, names)
    if chosen in result.members:
        _draw_chosen(figure, result.members.index(chosen), len(names), theme)
    return figure


def _draw_chosen(figure: go.Figure, place: int, size: int, theme: Theme) -> None:
    """Outline the row and the column of one member."""
    line = {"width": RING, "color": theme.text}
    low, high, last = place - 0.5, place + 0.5, size - 0.5
    figure.add_shape(type="rect", x0=-0.5, x1=last, y0=low, y1=high, line=line, fillcolor="rgba(0,0,0,0)")
    figure.add_shape(type="rect", x0=low, x1=high, y0=-0.5, y1=last, line=line, fillcolor="rgba(0,0,0,0)")


def _member_name(member: int) -> str:
    return "original" if member == ORIGINAL else f"passage {member + 1}"


def _answer_of(result: DenseResult, member: int) -> str:
    """Return the answer of a row of W as it should be shown."""
    if member == ORIGINAL:
        return shown(result.original.text)
    answer = next(chunk.answer for chunk in result.chunks if chunk.index == member)
    return shown(answer.text) if answer is not None else "not measured"


def answer_pairs(result: DenseResult) -> Iterable[tuple[int, int, float]]:
    """Yield (member, member, weight) of each pair of different answers once."""
    for (row, first), (column, second) in combinations(enumerate(result.members), 2):
        yield first, second, result.weights[row][column]


def _matrix_layout(result: DenseResult, theme: Theme) -> dict[str, object]:
    last = len(result.members) - 0.5
    axis = {"fixedrange": True, "showgrid": False, "zeroline": False, "ticks": ""}
    pairs = list(answer_pairs(result))
    same = sum(value == 1 for _, _, value in pairs)
    title = f"{same} of {len(pairs)} pairs of answers agree{'s' if same == 1 else ''} both ways"
    if len(pairs) < 2:
        title = matrix_sentence(result).rstrip(".") if pairs else "Only one answer"
    across = "answer with this passage reworded<br>" + VALUES
    return layout(theme, title, height=180 + 66 * max(len(result.members), 3)) | {
        "xaxis": axis | {"title": {"text": across, "font": {"size": 14}}, "range": [-0.5, last]},
        "yaxis": axis | {"range": [last, -0.5]},
        "margin": {"l": 90, "r": 16, "t": 56, "b": 104},
        "dragmode": False,
    }


def _draw_targets(figure: go.Figure, result: DenseResult, names: list[str]) -> None:
    """Draw invisible marks on every cell, which carry what a click or a hover needs."""
    size = len(names)
    cells = list(product(range(size), repeat=2))
    look = {
        "marker": {"size": 62, "symbol": "square", "opacity": 0},
        "customdata": [[result.members[row], result.members[column]] for row, column in cells],
        "hovertext": [_cell_hover(result, row, column) for row, column in cells],
        "name": f"{size} × {size}",
        "showlegend": False,
    } | INVISIBLE
    add_marks(figure, [names[column] for _, column in cells], [names[row] for row, _ in cells], **look)


def _cell_hover(result: DenseResult, row: int, column: int) -> str:
    first, second = result.members[row], result.members[column]
    return (
        f"<b>{_member_name(first)}</b>: {wrapped(_answer_of(result, first))}<br>"
        f"<b>{_member_name(second)}</b>: {wrapped(_answer_of(result, second))}<br>"
        f"weight {result.weights[row][column]:g}"
    )
