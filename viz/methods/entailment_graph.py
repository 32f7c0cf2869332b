"""DENSE's entailment graph: the original answer in the middle, the answer to each reworded chunk on a ring around it.

Follows DENSE (section 4, eq. 5). Positions are fixed, so that two runs can be compared by eye; only measured chunks
are on the ring, the others stand in a row above it. A node has the colour of its chunk's label, a line that of the
agreement. Chunks count from 1 wherever a person reads them.
"""

import math
from dataclasses import replace
from itertools import takewhile

import networkx as nx
import plotly.graph_objects as go

from engine.core.words import shorten, shown
from engine.methods.dense_records import DenseChunk, DenseResult
from viz.methods.agreement_matrix import answer_pairs
from viz.methods.dense import LABEL_TONES, ORIGINAL, change_words
from viz.methods.verdicts import tone_colour
from viz.parts.chosen import faded, inks, outlines
from viz.parts.figure_parts import UNFADED, add_marks, compact_layout, note, write, write_all
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import closed, counted, quoted, wrapped

RING_WIDTH = 1.75
# Chunks that were not measured stand in a row that begins here, above the ring's left end: x, y, step.
CORNER, SMALL_CORNER = (-2.2, 1.5, 0.75), (-3.6, 1.12, 0.6)
LONGEST_ROW = 3.4
# More of them have no room in the small graph: they are counted there.
MOST_SMALL = 3
# Beyond so many measured chunks the small graph has no room for a word at each: those that stand out have one.
MOST_SAME = 6
# Beyond so many they would touch on its ring.
MOST_ROUND = 14
TOP = 1.8
SHARED_WORDS = 3
LABEL_LETTERS = 24
LABEL_LINES = 3
SHORT_LETTERS = 16
# Beyond so many chunks nodes shrink and say their label only: answers would lie over the nodes beside them.
MOST_WORDY = 8
TITLE_LETTERS = 44
EDGE_KINDS: tuple[tuple[float, str, str, int], ...] = (
    (1.0, "each follows from the other: 1", "solid", 7),
    (0.5, "one way only: 0.5", "9px,5px", 5),
    (0.0, "neither follows: 0", "dot", 2),
)
# A line closer to the middle than CLEAR would lie under the original answer: it goes round at the distance ROUND.
CLEAR, ROUND = 0.4, 0.76
Place = tuple[float, float]


def graph_title(result: DenseResult) -> str:
    """Return the finding of the graph: how many rewordings leave the meaning of the answer as it was."""
    measured = [chunk for chunk in result.chunks if chunk.weight is not None]
    if not measured:
        return "No rewording could be measured"
    if result.states_nothing:
        return f"No answer to compare over {counted(len(measured), 'rewording')}"
    same = sum(chunk.weight == 1 for chunk in measured)
    if len(measured) == 1:
        return f"The one rewording {'keeps' if same else 'changes'} the answer"
    verb = "keeps" if same == 1 else "keep"
    return f"{same or 'None'} of {len(measured)} rewordings {verb} the answer"


def graph_sentence(result: DenseResult) -> str:
    """Return the graph in words: the original answer and the answer each rewording leads to, with its agreement."""
    parts = [
        f"passage {chunk.index + 1} {quoted(chunk.answer.text, 60)}, agreement {chunk.weight:g}"
        for chunk in result.chunks
        if chunk.answer is not None and chunk.weight is not None
    ]
    answers = f" Reworded: {'; '.join(parts)}." if parts else ""
    original = closed(f"The original answer is {quoted(result.original.text, 60)}")
    return f"{graph_title(result)}. {original}{answers}"


def entailment_graph(
    result: DenseResult, theme: Theme, chosen: int | None = None, *, compact: bool = False
) -> go.Figure:
    """Return the graph: the original answer in the middle, one clickable node per chunk.

    A click on a node carries the chunk's index as ``customdata[0]``, -1 for the original answer. The ``chosen`` chunk
    is ringed, the others are fainter. ``compact`` is small, without title, legend and weights: an answer that differs
    stands at its node, and so does a label other than certain.
    """
    left_out = unmeasured(result) if compact and len(unmeasured(result)) > MOST_SMALL else ()
    if left_out:
        result = replace(result, chunks=tuple(chunk for chunk in result.chunks if chunk not in left_out))
    places = node_places(result, SMALL_CORNER if compact else CORNER)
    figure = go.Figure(layout=_compact_layout(places, theme) if compact else _graph_layout(result, theme))
    for trace in (*_side_edges(result, places, theme), *_spokes(result, places, theme)):
        figure.add_trace(trace)
    _draw_chunks(
        figure, result, places, theme, chosen, small_node(result) if compact else 30 if crowded(result) else 46
    )
    original = {"size": 56 if compact else 84, "color": theme.model, "line": {"width": 0}, "opacity": 1}
    hover = [f"<b>answer over the unchanged passages</b><br>{wrapped(result.original.text)}"]
    look = {"marker": original, "customdata": [[ORIGINAL]], "hovertext": hover, "showlegend": False} | UNFADED
    add_marks(figure, [0.0], [0.0], **look)
    if compact:
        _write_short_labels(figure, result, places, theme)
        _write_count(figure, len(left_out), theme)
    else:
        _write_labels(figure, result, places, theme, chosen)
    return figure


def small_node(result: DenseResult) -> int:
    """Return the diameter of a node of the small graph in pixels: many would run into each other."""
    return 26 if len(result.chunks) - len(unmeasured(result)) <= MOST_ROUND else 18


def _compact_layout(places: dict[int, Place], theme: Theme) -> dict[str, object]:
    """Return the layout of the small graph: nothing but the ring, with room for one line at each node."""
    hidden = {"visible": False, "fixedrange": True}
    bottom = min(y for _, y in places.values())
    axes = {"xaxis": hidden | {"range": [-3.9, 3.9]}, "yaxis": hidden | {"range": [bottom - 0.5, 1.45]}}
    return compact_layout(theme) | axes


def _write_short_labels(figure: go.Figure, result: DenseResult, places: dict[int, Place], theme: Theme) -> None:
    """Write a chunk's number in its node, and beside it the answer or label that stands out.

    Of many chunks those that keep the answer say nothing: the finding above says how many there are.
    """
    same = "same answer" if len(result.chunks) - len(unmeasured(result)) <= MOST_SAME else ""
    notes = [note("original", theme.page, 13, x=0, y=0)]
    labels = result.labels
    for chunk in result.chunks:
        x, y = places[chunk.index]
        label = labels[chunk.index]
        ink = theme.page if chunk.weight is not None else theme.muted
        notes.append(note(str(chunk.index + 1), ink, 13 if small_node(result) > 20 else 11, x=x, y=y))
        if chunk.weight is None:
            continue
        said = "" if chunk.answer is None or chunk.weight == 1 else shorten(chunk.answer.text, SHORT_LETTERS)
        words = [f"<b>{plain(said)}</b>"] if said else []
        if label != "certain":
            words.append(f'<span style="color:{_label_colour(label, theme)}">{label_words(result, chunk)}</span>')
        side = (
            {"xanchor": "left", "xshift": 17, "align": "left"}
            if x > -1e-6
            else {"xanchor": "right", "xshift": -17, "align": "right"}
        )
        if words or same:
            ink = theme.text if words else theme.muted
            notes.append(note("<br>".join(words) or same, ink, 13, x=x, y=y, **side))
    write_all(figure, [*notes, *_beside_row(result, places, "not measured", theme, 13)])


def _write_count(figure: go.Figure, count: int, theme: Theme) -> None:
    """Write in the small graph's corner how many chunks were not measured; nothing of none."""
    if count:
        text = f"{count} not measured"
        write(figure, text, theme.muted, 13, x=SMALL_CORNER[0], y=SMALL_CORNER[1], xanchor="left", xshift=-13)


def unmeasured(result: DenseResult) -> tuple[DenseChunk, ...]:
    """Return the chunks of which no rewording counted."""
    return tuple(chunk for chunk in result.chunks if chunk.weight is None)


def _beside_row(
    result: DenseResult, places: dict[int, Place], text: str, theme: Theme, size: int
) -> list[dict[str, object]]:
    """Return what is written at the end of the row of chunks that were not measured; nothing without one."""
    outside = [places[chunk.index] for chunk in unmeasured(result)]
    if not outside:
        return []
    x, y = max(outside)
    return [note(text, theme.muted, size, x=x, y=y, xanchor="left", xshift=2 * size - 6, align="left")]


def node_places(result: DenseResult, corner: tuple[float, float, float] = CORNER) -> dict[int, Place]:
    """Return where each answer is drawn: the original at (0, 0), measured chunks on a ring, the others in a row."""
    ring = [chunk.index for chunk in result.chunks if chunk.weight is not None]
    outside = [chunk.index for chunk in result.chunks if chunk.weight is None]
    # networkx starts at the right and goes anticlockwise; swapping the axes starts at the top and goes clockwise.
    seats = nx.circular_layout(ring) if len(ring) > 1 else dict.fromkeys(ring, (1.0, 0.0))
    places: dict[int, Place] = {ORIGINAL: (0.0, 0.0)}
    for index, (across, up) in seats.items():
        places[index] = (RING_WIDTH * float(up), float(across))
    left, up, step = corner
    step = min(step, LONGEST_ROW / max(len(outside) - 1, 1))
    for place, index in enumerate(outside):
        places[index] = (left + step * place, up)
    return places


def _weight_colour(weight: float | None, theme: Theme) -> str:
    if weight is None:
        return theme.unknown
    return theme.model if weight == 1 else theme.middle if weight > 0 else theme.bad


def _label_colour(label: str, theme: Theme) -> str:
    return tone_colour(LABEL_TONES[label], theme)


def _graph_layout(result: DenseResult, theme: Theme) -> dict[str, object]:
    hidden = {"visible": False, "fixedrange": True}
    # The lowest node of a small ring stands well above -1: the room below it would stay empty.
    bottom = min(y for _, y in node_places(result).values()) - 0.75
    room = (TOP - bottom) / 3.35
    base = layout(theme, graph_title(result), height=round(80 + 560 * room))
    return base | {
        "title": base["title"] | _subtitle(result, theme),  # type: ignore[operator]
        "xaxis": hidden | {"range": [-2.6, 2.6]},
        "yaxis": hidden | {"range": [bottom, TOP]},
        "margin": {"l": 8, "r": 8, "t": 80, "b": 8},
        "legend": {
            "orientation": "h",
            "y": -0.02,
            "x": 0,
            "font": {"size": 15, "color": theme.text},
            "itemclick": False,
        },
        "dragmode": False,
    }


def _subtitle(result: DenseResult, theme: Theme) -> dict[str, object]:
    """Return the original answer as the title's second line: beneath its node it would hide the edges."""
    text = f"original answer: {quoted(result.original.text, TITLE_LETTERS)}; numbers: passages reworded"
    return {"subtitle": {"text": plain(text), "font": {"size": 15, "color": theme.muted}}, "y": 0.97, "yanchor": "top"}


def _spokes(result: DenseResult, places: dict[int, Place], theme: Theme) -> list[go.Scatter]:
    """Return the edges from the original answer, one trace per kind of agreement so that the legend is true."""
    traces = []
    for weight, name, dash, width in EDGE_KINDS:
        ends = [places[chunk.index] for chunk in result.chunks if chunk.weight == weight]
        line = {"color": _weight_colour(weight, theme), "width": width, "dash": dash}
        xs = [value for x, _ in ends for value in (0.0, x, None)]
        ys = [value for _, y in ends for value in (0.0, y, None)]
        if ends:
            traces.append(go.Scatter(x=xs, y=ys, mode="lines", line=line, name=name, hoverinfo="skip"))
    return traces


def _side_edges(result: DenseResult, places: dict[int, Place], theme: Theme) -> list[go.Scatter]:
    """Return the edges among the rewordings, thin; pairs that do not agree have none."""
    traces = []
    for weight, name, dash, _ in EDGE_KINDS[:2]:
        ways = [
            side_way(places[a], places[b])
            for a, b, value in answer_pairs(result)
            if value == weight and ORIGINAL not in (a, b) and {a, b} <= places.keys()
        ]
        xs = [x for way in ways for x in (*(place[0] for place in way), None)]
        ys = [y for way in ways for y in (*(place[1] for place in way), None)]
        width = 1 if crowded(result) else 2
        line = {"color": rgba(_weight_colour(weight, theme), 0.75), "width": width, "dash": dash, "shape": "spline"}
        # The legend names a line once: where no line from the middle is of this kind, here.
        alone = not any(chunk.weight == weight for chunk in result.chunks)
        if ways:
            look = {
                "mode": "lines",
                "line": line,
                "hoverinfo": "skip",
                "name": name if alone else None,
                "showlegend": alone,
            }
            traces.append(go.Scatter(x=xs, y=ys, **look))
    return traces


def side_way(start: Place, end: Place) -> tuple[Place, ...]:
    """Return the places a line between two rewordings runs through: round the original where it would lie under it.

    >>> side_way((0.0, 1.0), (0.0, -1.0)), side_way((0.0, 1.0), (1.75, 0.0))
    (((0.0, 1.0), (0.76, 0.0), (0.0, -1.0)), ((0.0, 1.0), (1.75, 0.0)))
    """
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if math.hypot(*middle) >= CLEAR:
        return start, end
    along = (end[0] - start[0], end[1] - start[1])
    length = math.hypot(*along)
    # Adding 0.0 turns -0.0 into 0.0.
    across = (-along[1] / length * ROUND + 0.0, along[0] / length * ROUND + 0.0)
    return start, (middle[0] + across[0], middle[1] + across[1]), end


def _draw_chunks(
    figure: go.Figure, result: DenseResult, places: dict[int, Place], theme: Theme, chosen: int | None, size: int
) -> None:
    """Draw the nodes of all chunks in the colours of their labels; hollow where not measured, ringed where chosen."""
    indices = [chunk.index for chunk in result.chunks]
    colours = [_label_colour(result.labels[index], theme) for index in indices]
    fills = [
        colour if chunk.weight is not None else theme.page for chunk, colour in zip(result.chunks, colours, strict=True)
    ]
    shown_fills = zip(indices, fills, strict=True)
    marker = {
        "size": [size + 10 if index == chosen else size for index in indices],
        "color": [fill if chosen in (None, index) else faded(fill, theme) for index, fill in shown_fills],
        "line": {"width": outlines(indices, chosen, 3), "color": inks(indices, chosen, colours, theme)},
        "opacity": 1,
    }
    hover = [_chunk_hover(result, chunk) for chunk in result.chunks]
    look = {"marker": marker, "customdata": [[index] for index in indices], "hovertext": hover} | UNFADED
    xs, ys = ([places[index][axis] for index in indices] for axis in (0, 1))
    add_marks(figure, xs, ys, showlegend=False, **look)


def _chunk_hover(result: DenseResult, chunk: DenseChunk) -> str:
    """Return all that is known of a chunk, escaped, for the label under the mouse."""
    lines = [f"<b>passage {chunk.index + 1}: {result.labels[chunk.index]}</b>"]
    if chunk.answer is None:
        return "<br>".join([*lines, wrapped(chunk.reason or "no rewording passed its checks")])
    lines += ["answer once reworded:", wrapped(chunk.answer.text)]
    lines += [f"agreement with original: {chunk.weight:g}", f"the answer {change_words(result, chunk)}"]
    if chunk.ablation is not None:
        lines += ["answer without it:", wrapped(chunk.ablation.text)]
    return "<br>".join(lines)


def _write_labels(
    figure: go.Figure, result: DenseResult, places: dict[int, Place], theme: Theme, chosen: int | None
) -> None:
    """Write what each node says outside it, the weight on each spoke, numbers inside the nodes."""
    # On the colour of the page, so that no line runs through a label.
    ground = {"bgcolor": rgba(theme.page, 0.9), "borderpad": 2}
    # Inside the nodes too: text of a trace would fade wherever another node is selected.
    notes = [note("original", theme.page, 15, x=0, y=0)]
    for chunk in result.chunks:
        x, y = places[chunk.index]
        filled = chunk.weight is not None and chosen in (None, chunk.index)
        ink = theme.page if filled else theme.muted if chunk.weight is None else theme.text
        notes.append(note(str(chunk.index + 1), ink, 16 if crowded(result) else 20, x=x, y=y))
        if chunk.weight is None:
            continue
        label, place = _chunk_label(result, chunk, theme, chosen), {"x": x, "y": y} | _outwards(result, x, y)
        notes.append(note(label, theme.text, 16, **place, **ground))
        ink = _weight_colour(chunk.weight, theme)
        notes.append(note(f"<b>{chunk.weight:g}</b>", ink, 16, x=0.6 * x, y=0.6 * y, **ground))
    picked = any(chunk.index == chosen and chunk.weight is None for chunk in result.chunks)
    beside = _beside_row(result, places, f"not measured{'<br><b>◆ chosen</b>' if picked else ''}", theme, 16)
    write_all(figure, [*notes, *beside])


def crowded(result: DenseResult) -> bool:
    """Return whether there are too many chunks for their answers to stand at their nodes."""
    return len(result.chunks) > MOST_WORDY


def _outwards(result: DenseResult, x: float, y: float) -> dict[str, object]:
    """Return on which side of its node a label stands: above or below, beside it where nodes stand close."""
    above = y > -1e-6
    if crowded(result) and abs(x) > RING_WIDTH / 2:
        return {"xanchor": "left", "xshift": 20} if x > 0 else {"xanchor": "right", "xshift": -20}
    away = 19 if crowded(result) else 28
    return {"yanchor": "bottom" if above else "top", "yshift": away if above else -away}


def _chunk_label(result: DenseResult, chunk: DenseChunk, theme: Theme, chosen: int | None) -> str:
    """Return what stands at a node: the answer where it differs from the original, the chunk's label, its choice."""
    word = result.labels[chunk.index]
    label = f'<span style="color:{_label_colour(word, theme)};font-size:14px">{label_words(result, chunk)}</span>'
    if chunk.index == chosen:
        label += "<br><b>◆ chosen</b>"
    if chunk.answer is None or crowded(result):
        return label
    if shown(chunk.answer.text) == shown(result.original.text):
        return f'<span style="font-size:15px">the same words</span><br>{label}'
    words = from_where_they_differ(chunk.answer.text, result.original.text)
    return f"<b>{wrapped(words, LABEL_LETTERS, LABEL_LINES)}</b><br>{label}"


def label_words(result: DenseResult, chunk: DenseChunk) -> str:
    """Return a chunk's label; an unclear one with the wordings that change the answer: "unclear, 1 of 3"."""
    label = result.labels[chunk.index]
    changing, wordings = result.changes.get(chunk.index, (0, 0))
    return f"{label}, {changing} of {wordings}" if label == "unclear" else label


def from_where_they_differ(answer: str, original: str) -> str:
    """Return an answer without the words it begins with like the original: a node has room for little.

    >>> from_where_they_differ("The largest planet is Saturn.", "The largest planet is Jupiter.")
    '… is Saturn.'
    """
    words = answer.split()
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(words, original.split(), strict=False))))
    # One shared word stays, so that the rest is read in its place.
    return answer if same <= SHARED_WORDS or same == len(words) else f"… {' '.join(words[same - 1 :])}"
