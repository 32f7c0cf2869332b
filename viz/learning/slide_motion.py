"""How a figure comes into view on a slide: which mark appears when, as CSS over Plotly's own elements.

Nothing of the figure changes: at the end every mark stands as it was drawn. Times are in seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from viz.parts.html import render

Place = tuple[float, float]
NEAR = 1e-6
# One answer joins the graph, then the next; the words of a trend come faster.
ANSWER, WORD = 0.9, 0.22
FIRST = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move: the marks it is about (a CSS selector inside the figure), when it begins, how long it takes.

    "fade" makes marks appear; "write" uncovers them from left to right in so many ``steps``.
    """

    select: str
    begins: float
    kind: str = "fade"
    lasts: float = 0.5
    steps: int = 1


def moves_css(key: str, moves: Sequence[Move]) -> str:
    """Return the style element of these moves in the box whose class is ``st-key-`` and this key."""
    return str(render("slide_motion.css.j2", key=key, moves=moves))


def growing_graph(figure: go.Figure, places: Mapping[int, Place], measured: Sequence[bool]) -> tuple[Move, ...]:
    """Return the moves by which an entailment graph grows: each answer comes with its lines to those before it.

    Lines are parted, a trace for each, so that each has a time of its own. ``places`` are the answers' by chunk, -1 the
    original; ``measured`` says for each chunk in turn whether it has an answer.
    """
    part_lines(figure)
    turns = {place: index + 1 for index, place in places.items()}
    moves = [
        Move(select=f".scatterlayer > .trace:nth-child({number})", begins=time_of(max(turn_at(turns, trace)) + 0.5))
        for number, trace in enumerate(figure.data, 1)
        if trace.mode == "lines" and trace.x is not None and len(trace.x)
    ]
    nodes = next(number for number, trace in enumerate(figure.data, 1) if is_nodes(trace, len(measured)))
    for chunk in range(len(measured)):
        select = f".scatterlayer > .trace:nth-child({nodes}) .point:nth-child({chunk + 1})"
        moves.append(Move(select=select, begins=time_of(chunk + 1)))
    return (*moves, *note_moves(measured))


def note_moves(measured: Sequence[bool]) -> tuple[Move, ...]:
    """Return when each text of the graph appears: number and label with their node, a weight with its line.

    Texts are written in this order: the original's, then number, label and, where measured, weight of each chunk.
    """
    moves, written = [], 1
    for chunk, has_weight in enumerate(measured):
        for late in (0.0, 0.0, 0.5)[: 3 if has_weight else 2]:
            moves.append(Move(select=f'.annotation[data-index="{written}"]', begins=time_of(chunk + 1 + late)))
            written += 1
    return tuple(moves)


def time_of(turn: float) -> float:
    """Return when the answer of this turn appears; the original, turn 0, stands from the beginning."""
    return round(FIRST + (turn - 1) * ANSWER, 2)


def turn_at(turns: Mapping[Place, int], trace: go.Scatter) -> tuple[int, ...]:
    """Return the turns of the answers that a line ends at."""
    ends = [(trace.x[0], trace.y[0]), (trace.x[-1], trace.y[-1])]
    return tuple(
        turn for place, turn in turns.items() for end in ends if abs(place[0] - end[0]) + abs(place[1] - end[1]) < NEAR
    ) or (0,)


def is_nodes(trace: go.Scatter, count: int) -> bool:
    """Return whether a trace is the ring of so many nodes."""
    return trace.mode == "markers" and trace.customdata is not None and len(trace.x) == count


def part_lines(figure: go.Figure) -> None:
    """Part each trace of lines at its gaps: one trace for each line, of which the first stands in the legend."""
    parted: list[go.Scatter] = []
    for trace in figure.data:
        if trace.mode != "lines":
            parted.append(trace)
            continue
        for number, (xs, ys) in enumerate(pieces(trace.x, trace.y)):
            line = go.Scatter(trace)
            line.update(x=xs, y=ys, showlegend=bool(trace.showlegend is not False and not number))
            parted.append(line)
    figure.data = ()
    figure.add_traces(parted)


def pieces(xs: Sequence[float | None], ys: Sequence[float | None]) -> list[tuple[list[float], list[float]]]:
    """Return the lines between the gaps of two rows of coordinates.

    >>> pieces([0, 1, None, 2, 3], [0, 1, None, 0, 1])
    [([0, 1], [0, 1]), ([2, 3], [0, 1])]
    """
    found: list[tuple[list[float], list[float]]] = []
    row: list[tuple[float, float]] = []
    for x, y in (*zip(xs, ys, strict=True), (None, None)):
        if x is not None and y is not None:
            row.append((x, y))
        elif row:
            found.append(([one for one, _ in row], [one for _, one in row]))
            row = []
    return found


def written_trend(figure: go.Figure, words: int) -> tuple[Move, ...]:
    """Return the moves by which a trend over so many words is written, and its triggers told at the end."""
    lasts = round(max(words, 2) * WORD, 2)
    done = round(FIRST + lasts, 2)
    fired = [number for number, trace in enumerate(figure.data, 1) if trace.mode == "markers"]
    told = [place for place, shape in enumerate(figure.layout.shapes) if shape.yref == "paper"]
    select = [f".scatterlayer > .trace:nth-child({number})" for number in fired]
    select += [f'.shapelayer path[data-index="{place}"]' for place in told]
    select.append('.annotation[data-index="1"]')
    write = Move(select=".scatterlayer > .trace:first-child", begins=FIRST, kind="write", lasts=lasts, steps=words)
    return (write, *(Move(select=one, begins=done) for one in select))


def written_words(before: int, behind: int) -> tuple[Move, ...]:
    """Return the moves by which a text comes word by word: those before its first trigger, then those behind it."""
    first = [f'[dir="auto"] > span:nth-child({number})' for number in range(1, before + 1)]
    then = [f'[dir="auto"] > span > span[title]:nth-of-type({number})' for number in range(1, behind + 1)]
    return tuple(
        Move(select=one, begins=round(FIRST + place * WORD, 2), lasts=0.3) for place, one in enumerate(first + then)
    )
