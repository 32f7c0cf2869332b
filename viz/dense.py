"""DENSE drawn: the entailment graph of the answers, its weights, its entropy, and each chunk beside its rewording.

Follows DENSE (section 4, eq. 5-6, and section 5.2). Positions are fixed, the original answer in the middle, so that two
runs can be compared by eye; only measured chunks are on the ring. Chunks count from 1 wherever a person reads them.
"""

import math
from collections.abc import Iterable
from typing import Literal

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from engine.methods.dense import DenseChunk, DenseResult
from engine.records import Generation
from viz.empty_figure import only_text
from viz.theme import Theme, layout, plain, rgba
from viz.token_strip import scale_top
from viz.verdicts import Verdict
from viz.word_diff import word_diff_html
from viz.words import counted, listing, quoted, shown, wrapped

ORIGINAL = -1
RING_WIDTH = 1.75
OUTSIDE = 3.0
LABEL_LETTERS = 26
PAPER_THRESHOLD_NOTE = "paper's, set for 1.5B–70B models at k = 5"
EDGE_KINDS: tuple[tuple[float, str, str, int], ...] = (
    (1.0, "same answer, each follows from the other: 1", "solid", 7),
    (0.5, "one follows from the other only: 0.5", "9px,5px", 5),
    (0.0, "neither follows: 0", "dot", 2),
)
Place = tuple[float, float]


def verdict(result: DenseResult) -> Verdict:
    """Return whether the model understood the passages; with fewer than half the rewordings valid: cannot tell."""
    if result.entropy is None or result.uncertain is None or 2 * result.valid_rewrites < len(result.chunks):
        return Verdict(word="cannot tell", tone="unknown", sentence=sentence(result))
    if result.uncertain:
        return Verdict(word="not understood", tone="bad", sentence=sentence(result))
    return Verdict(word="understood", tone="good", sentence=sentence(result))


def sentence(result: DenseResult) -> str:
    """Return the result in words: the entropy against its threshold, then every chunk that is not simply certain."""
    return " ".join([entropy_sentence(result), *chunk_sentences(result)])


def entropy_sentence(result: DenseResult) -> str:
    """Return what the entropy says, with its share of the maximum and where the threshold comes from."""
    if result.entropy is None or result.share is None or result.uncertain is None:
        return f"Not measured. {result.not_measured or 'No rewording passed its checks.'}"
    value = f"DSE {_nats(result.entropy)} nats ({result.share + 0.0:.0%} of its maximum)"
    scope = f"over {result.valid_rewrites} of {counted(len(result.chunks), 'rewording')}"
    if 2 * result.valid_rewrites < len(result.chunks):
        return f"Too few rewordings passed their checks to tell: {value} {scope}."
    opening = "The model did not understand the passages" if result.uncertain else "The model understood the passages"
    side = "above" if result.uncertain else "below"
    origin = "paper's" if result.threshold_source == "paper" else "fitted"
    return f"{opening}: {value} {scope}, {side} the {origin} threshold {result.threshold:g}."


def chunk_sentences(result: DenseResult) -> list[str]:
    """Return a sentence for each necessary and unnecessary chunk, and one for those not measured."""
    lines = [chunk_sentence(chunk) for chunk in result.chunks if chunk.label in ("necessary", "unnecessary")]
    missing = [chunk.index + 1 for chunk in result.chunks if chunk.label == "not measured"]
    if missing and result.entropy is not None:
        noun, verb = ("Chunk", "was") if len(missing) == 1 else ("Chunks", "were")
        lines.append(f"{noun} {listing(missing)} {verb} not measured.")
    return lines


def chunk_sentence(chunk: DenseChunk) -> str:
    """Return in words what DENSE says of one chunk."""
    name = f"Chunk {chunk.index + 1}"
    if chunk.label == "not measured":
        return f"{name} was not measured. {chunk.reason or 'No rewording passed its checks.'}"
    if chunk.label == "certain":
        return f"{name} is certain: put in other words, it leaves the answer as it was."
    if chunk.ablation is None:
        return f"{name} is {chunk.label}."
    if chunk.label == "necessary":
        return f"{name} is necessary: without it the answer changes to {quoted(chunk.ablation.text)}."
    return f"{name} is unnecessary: put in other words it changes the answer, leaving it out does not."


def graph_title(result: DenseResult) -> str:
    """Return the finding of the graph: how many rewordings leave the answer as it was."""
    measured = [chunk for chunk in result.chunks if chunk.weight is not None]
    if not measured:
        return "No rewording could be measured"
    same = sum(chunk.weight == 1 for chunk in measured)
    if len(measured) == 1:
        return f"The one rewording {'leaves' if same else 'does not leave'} the answer as it was"
    verb = "leaves" if same == 1 else "leave"
    return f"{same or 'None'} of {len(measured)} rewordings {verb} the answer as it was"


def graph_sentence(result: DenseResult) -> str:
    """Return the graph in words: the original answer and the answer each rewording leads to, with its agreement."""
    parts = [
        f"chunk {chunk.index + 1} {quoted(chunk.answer.text, 60)}, agreement {chunk.weight:g}"
        for chunk in result.chunks
        if chunk.answer is not None and chunk.weight is not None
    ]
    answers = f" With a chunk in other words: {'; '.join(parts)}." if parts else ""
    return f"{graph_title(result)}. The original answer is {quoted(result.original.text, 60)}.{answers}"


def matrix_sentence(result: DenseResult) -> str:
    """Return the weight matrix in words: how many pairs of different answers agree both ways, one way, not at all."""
    pairs = list(_pairs(result))
    if not pairs:
        return "There is only the original answer, so there is nothing to compare it with."
    agree = {weight: sum(value == weight for _, _, value in pairs) for weight in (1.0, 0.5, 0.0)}
    return (
        f"Of {counted(len(pairs), 'pair')} of answers {agree[1.0]} agree both ways, {agree[0.5]} one way only, "
        f"{agree[0.0]} not at all."
    )


def entailment_graph(result: DenseResult, theme: Theme) -> go.Figure:
    """Return the graph: the original answer in the middle, one clickable node per chunk.

    A click on a node carries the chunk's index as ``customdata[0]``, -1 for the original answer.
    """
    places = node_places(result)
    figure = go.Figure(layout=_graph_layout(result, theme))
    for trace in (*_side_edges(result, places, theme), *_spokes(result, places, theme)):
        figure.add_trace(trace)
    figure.add_trace(_chunk_nodes(result, places, theme))
    figure.add_trace(_original_node(result, theme))
    for note in _graph_notes(result, places, theme):
        figure.add_annotation(note)
    return figure


def node_places(result: DenseResult) -> dict[int, Place]:
    """Return where each answer is drawn: the original at (0, 0), measured chunks on a ring, the others in a column."""
    ring = [chunk.index for chunk in result.chunks if chunk.weight is not None]
    outside = [chunk.index for chunk in result.chunks if chunk.weight is None]
    # networkx starts at the right and goes anticlockwise; swapping the axes starts at the top and goes clockwise.
    seats = nx.circular_layout(ring) if len(ring) > 1 else dict.fromkeys(ring, (1.0, 0.0))
    places: dict[int, Place] = {ORIGINAL: (0.0, 0.0)}
    for index, (across, up) in seats.items():
        places[index] = (RING_WIDTH * float(up), float(across))
    step = min(0.9, 2.2 / max(len(outside) - 1, 1))
    for row, index in enumerate(outside):
        places[index] = (OUTSIDE, step * ((len(outside) - 1) / 2 - row))
    return places


def weight_matrix(result: DenseResult, theme: Theme) -> go.Figure:
    """Return W as a heat map with its values; an invisible scatter over it makes its cells selectable.

    A click carries ``customdata`` [row's chunk index, column's chunk index], -1 for the original answer.
    """
    names = [_member_name(member) for member in result.members]
    steps = [[0, rgba(theme.bad, 0.2)], [0.5, rgba(theme.middle, 0.34)], [1, rgba(theme.good, 0.5)]]
    figure = go.Figure(layout=_matrix_layout(result, theme))
    figure.add_trace(
        go.Heatmap(
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
    )
    figure.add_trace(_matrix_cells(result, names))
    return figure


def entropy_bar(result: DenseResult, theme: Theme) -> go.Figure:
    """Return DSE in nats on its possible range [0, ln(valid + 1)], with the threshold and where it comes from."""
    base = layout(theme, _entropy_title(result), height=210)
    if result.entropy is None or result.share is None:
        return go.Figure(layout=base | only_text(entropy_sentence(result), theme))
    top = math.log(result.valid_rewrites + 1)
    colour = theme.bad if result.uncertain else theme.good
    figure = go.Figure(layout=base | _bar_layout(result, theme, top))
    figure.add_vrect(x0=0, x1=min(result.threshold, top), fillcolor=rgba(theme.good, 0.16), line_width=0, layer="below")
    figure.add_vrect(
        x0=min(result.threshold, top), x1=top, fillcolor=rgba(theme.bad, 0.12), line_width=0, layer="below"
    )
    figure.add_trace(
        go.Bar(
            x=[result.entropy],
            y=["DSE"],
            orientation="h",
            width=0.42,
            marker={"color": colour, "line": {"width": 0}},
            hovertext=wrapped(entropy_sentence(result)),
            hoverinfo="text",
            showlegend=False,
        )
    )
    figure.add_trace(_entropy_label(result, top, theme))
    _mark_threshold(figure, result, top, theme)
    return figure


def entropy_latex(result: DenseResult) -> str:
    """Return eq. 6 with this run's degrees in it, as LaTeX; "" where nothing was measured."""
    if result.entropy is None:
        return ""
    size = len(result.members)
    terms = " + ".join(rf"\ln\tfrac{{{sum(row):g}}}{{{size}}}" for row in result.weights)
    return rf"\mathrm{{DSE}} = -\tfrac{{1}}{{{size}}}\left({terms}\right) = {result.entropy + 0.0:.4f}\ \text{{nats}}"


def chunk_table(result: DenseResult) -> pd.DataFrame:
    """Return one row per chunk: its label, answers and agreements, passage, rewording and the checks that failed.

    Agreements are in {0, 0.5, 1}, missing where they were not measured or not run.
    """
    return pd.DataFrame([_chunk_row(chunk) for chunk in result.chunks])


def rewrite_diff_html(chunk: DenseChunk, theme: Theme) -> str:
    """Return passage and rewording side by side as escaped HTML, words that differ marked.

    Where no rewording passed its checks the last attempt is shown, and said to be rejected.
    """
    attempt = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    if attempt is None:
        return f'<p style="color:{theme.muted}">Chunk {chunk.index + 1} has no rewording to compare.</p>'
    fate = "accepted" if chunk.rewrite is not None else "rejected by a check"
    heads = (f"chunk {chunk.index + 1} as retrieved", f"in other words ({SOURCES[attempt.source]}, {fate})")
    return word_diff_html(chunk.passage.text, attempt.text, heads, theme)


def checks_table(chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per check of each attempt at rewording this chunk."""
    columns = ["attempt", "made from", "check", "outcome", "what was seen"]
    rows = [
        (number, SOURCES[attempt.source], check.name, "passed" if check.passed else "failed", check.detail)
        for number, attempt in enumerate(chunk.attempts, start=1)
        for check in attempt.checks
    ]
    return pd.DataFrame(rows, columns=columns)


def most_telling(result: DenseResult) -> int:
    """Return the index of the chunk to look at first: necessary, then unnecessary, then not measured, then any."""
    order = ("necessary", "unnecessary", "not measured", "certain")
    return min(result.chunks, key=lambda chunk: (order.index(chunk.label), chunk.index)).index


def answers_of(result: DenseResult, chunk: DenseChunk) -> tuple[tuple[str, Generation | None, str], ...]:
    """Return (head, answer, why there is none) of the original answer, with the chunk reworded, and without it."""
    not_run = "not run: only a chunk whose rewording changes the answer is left out"
    if chunk.label == "not measured":
        not_run = "not run: its rewording was not measured"
    return (
        ("original answer", result.original, ""),
        (f"chunk {chunk.index + 1} in other words", chunk.answer, "not measured"),
        (f"without chunk {chunk.index + 1}", chunk.ablation, not_run),
    )


def shared_top(result: DenseResult, chunk: DenseChunk) -> float:
    """Return the entropy of the strongest tint for all answers of a chunk, so that their strips compare."""
    shown_answers = [generation for _, generation, _ in answers_of(result, chunk) if generation is not None]
    return scale_top([token.entropy for generation in shown_answers for token in generation.tokens])


def generations_of(result: DenseResult, chunk: DenseChunk) -> dict[str, Generation]:
    """Return every call of the model that concerns a chunk, under a name for a list."""
    calls = {head: generation for head, generation, _ in answers_of(result, chunk) if generation is not None}
    for number, attempt in enumerate(chunk.attempts, start=1):
        for part, generation in enumerate(attempt.generations, start=1):
            calls[f"rewording, attempt {number}, call {part}"] = generation
    return calls


SOURCES: dict[Literal["whole", "sentences", "hand"], str] = {
    "whole": "the whole passage",
    "sentences": "sentence by sentence",
    "hand": "written by hand",
}


def _chunk_row(chunk: DenseChunk) -> dict[str, object]:
    tried = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    failed = [check.name for attempt in chunk.attempts for check in attempt.checks if not check.passed]
    return {
        "chunk": chunk.index + 1,
        "label": chunk.label,
        "answer, chunk reworded": shown(chunk.answer.text) if chunk.answer else None,
        "agreement": chunk.weight,
        "answer without it": shown(chunk.ablation.text) if chunk.ablation else None,
        "agreement without it": chunk.ablation_weight,
        "passage": chunk.passage.text,
        "rewording": chunk.rewrite.text if chunk.rewrite else None,
        "made from": SOURCES[tried.source] if tried else None,
        "checks failed": ", ".join(dict.fromkeys(failed)),
        "reason": chunk.reason,
    }


def _nats(value: float) -> str:
    """Return an entropy with two decimals; adding 0.0 turns the -0.0 that a sum of logarithms may leave into 0.0."""
    return f"{value + 0.0:.2f}"


def _member_name(member: int) -> str:
    return "original" if member == ORIGINAL else f"chunk {member + 1}"


def _answer_of(result: DenseResult, member: int) -> str:
    """Return the answer of a row of W as it should be shown."""
    if member == ORIGINAL:
        return shown(result.original.text)
    answer = next(chunk.answer for chunk in result.chunks if chunk.index == member)
    return shown(answer.text) if answer is not None else "not measured"


def _pairs(result: DenseResult) -> Iterable[tuple[int, int, float]]:
    """Yield (member, member, weight) of each pair of different answers once."""
    for row, first in enumerate(result.members):
        for column in range(row + 1, len(result.members)):
            yield first, result.members[column], result.weights[row][column]


def _weight_colour(weight: float | None, theme: Theme) -> str:
    if weight is None:
        return theme.unknown
    return theme.good if weight == 1 else theme.middle if weight > 0 else theme.bad


def _graph_layout(result: DenseResult, theme: Theme) -> dict[str, object]:
    right = 3.6 if any(chunk.weight is None for chunk in result.chunks) else 2.6
    hidden = {"visible": False, "fixedrange": True}
    return layout(theme, graph_title(result), height=560) | {
        "xaxis": hidden | {"range": [-2.6, right]},
        "yaxis": hidden | {"range": [-1.5, 1.5]},
        "margin": {"l": 8, "r": 8, "t": 56, "b": 8},
        "legend": {
            "orientation": "h",
            "y": -0.02,
            "x": 0,
            "font": {"size": 15, "color": theme.text},
            "itemclick": False,
        },
        "dragmode": False,
    }


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
    for weight, _, dash, _ in EDGE_KINDS[:2]:
        ends = [(places[a], places[b]) for a, b, value in _pairs(result) if value == weight and ORIGINAL not in (a, b)]
        xs = [value for (x, _), (other, _) in ends for value in (x, other, None)]
        ys = [value for (_, y), (_, other) in ends for value in (y, other, None)]
        line = {"color": rgba(_weight_colour(weight, theme), 0.3), "width": 1.5, "dash": dash}
        if ends:
            traces.append(go.Scatter(x=xs, y=ys, mode="lines", line=line, showlegend=False, hoverinfo="skip"))
    return traces


def _chunk_nodes(result: DenseResult, places: dict[int, Place], theme: Theme) -> go.Scatter:
    """Return the nodes of all chunks; hollow and grey where nothing was measured."""
    colours = [_weight_colour(chunk.weight, theme) for chunk in result.chunks]
    fills = [
        colour if chunk.weight is not None else theme.page for chunk, colour in zip(result.chunks, colours, strict=True)
    ]
    return go.Scatter(
        x=[places[chunk.index][0] for chunk in result.chunks],
        y=[places[chunk.index][1] for chunk in result.chunks],
        mode="markers",
        marker={"size": 46, "color": fills, "line": {"width": 3, "color": colours}, "opacity": 1},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[chunk.index] for chunk in result.chunks],
        hovertext=[_chunk_hover(chunk) for chunk in result.chunks],
        hoverinfo="text",
        showlegend=False,
    )


def _original_node(result: DenseResult, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[0.0],
        y=[0.0],
        mode="markers",
        marker={"size": 84, "color": theme.model, "line": {"width": 0}, "opacity": 1},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[ORIGINAL]],
        hovertext=[f"<b>answer over the unchanged passages</b><br>{wrapped(result.original.text)}"],
        hoverinfo="text",
        showlegend=False,
    )


def _chunk_hover(chunk: DenseChunk) -> str:
    """Return all that is known of a chunk, escaped, for the label under the mouse."""
    lines = [f"<b>chunk {chunk.index + 1}: {chunk.label}</b>"]
    if chunk.answer is None:
        return "<br>".join([*lines, wrapped(chunk.reason or "no rewording passed its checks")])
    lines += ["answer with it in other words:", wrapped(chunk.answer.text)]
    lines.append(f"agreement with the original answer: {chunk.weight:g}")
    if chunk.ablation is not None:
        lines += ["answer without it:", wrapped(chunk.ablation.text)]
    return "<br>".join(lines)


def _graph_notes(result: DenseResult, places: dict[int, Place], theme: Theme) -> list[dict[str, object]]:
    """Return the labels: an answer outside each node, the weight on each spoke, the original answer in the middle."""
    notes = [_note(0, 0, -60, f"<b>{plain(shown(result.original.text, LABEL_LETTERS))}</b>", theme.text, theme)]
    # Inside the nodes too: text of a trace would fade wherever another node is selected.
    notes.append(_inside(0, 0, "original", 15, theme.page))
    for chunk in result.chunks:
        x, y = places[chunk.index]
        notes.append(_inside(x, y, str(chunk.index + 1), 20, theme.page if chunk.weight is not None else theme.muted))
        answer = f"<b>{plain(shown(chunk.answer.text, LABEL_LETTERS))}</b><br>" if chunk.answer is not None else ""
        words = f'{answer}<span style="color:{theme.muted};font-size:14px">{chunk.label}</span>'
        far = 52 if answer else 40
        notes.append(_note(x, y, far if y > -1e-6 else -far, words, theme.text, theme))
        if chunk.weight is not None:
            ink = _weight_colour(chunk.weight, theme)
            notes.append(_note(0.6 * x, 0.6 * y, 0, f"<b>{chunk.weight:g}</b>", ink, theme))
    return notes


def _note(x: float, y: float, up: int, text: str, ink: str, theme: Theme) -> dict[str, object]:
    """Return a label at a place, ``up`` pixels above it, on the colour of the page so that no line runs through it."""
    return {
        "x": x,
        "y": y,
        "yshift": up,
        "text": text,
        "showarrow": False,
        "bgcolor": rgba(theme.page, 0.9),
        "borderpad": 3,
        "font": {"size": 16, "color": ink},
    }


def _inside(x: float, y: float, text: str, size: int, ink: str) -> dict[str, object]:
    """Return a label inside a node; clicks pass through it."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": size, "color": ink}}


def _matrix_layout(result: DenseResult, theme: Theme) -> dict[str, object]:
    last = len(result.members) - 0.5
    axis = {"fixedrange": True, "showgrid": False, "zeroline": False, "ticks": ""}
    pairs = list(_pairs(result))
    same = sum(value == 1 for _, _, value in pairs)
    title = f"{same} of {counted(len(pairs), 'pair')} of answers agree both ways" if pairs else "Only one answer"
    return layout(theme, title, height=140 + 66 * max(len(result.members), 3)) | {
        "xaxis": axis | {"title": {"text": "answer with this chunk in other words"}, "range": [-0.5, last]},
        "yaxis": axis | {"range": [last, -0.5]},
        "margin": {"l": 90, "r": 16, "t": 56, "b": 64},
        "dragmode": False,
    }


def _matrix_cells(result: DenseResult, names: list[str]) -> go.Scatter:
    """Return invisible markers on every cell, which carry what a click or a hover needs."""
    cells = [(row, column) for row in range(len(names)) for column in range(len(names))]
    size = len(result.members)
    return go.Scatter(
        x=[names[column] for _, column in cells],
        y=[names[row] for row, _ in cells],
        mode="markers",
        marker={"size": 62, "symbol": "square", "opacity": 0},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=[[result.members[row], result.members[column]] for row, column in cells],
        hovertext=[_cell_hover(result, row, column) for row, column in cells],
        hoverinfo="text",
        showlegend=False,
        name=f"{size} × {size}",
    )


def _cell_hover(result: DenseResult, row: int, column: int) -> str:
    first, second = result.members[row], result.members[column]
    return (
        f"<b>{_member_name(first)}</b>: {wrapped(_answer_of(result, first))}<br>"
        f"<b>{_member_name(second)}</b>: {wrapped(_answer_of(result, second))}<br>"
        f"weight {result.weights[row][column]:g}"
    )


def _entropy_title(result: DenseResult) -> str:
    if result.entropy is None or result.share is None:
        return "Entropy of the answers: not measured"
    return f"DSE {_nats(result.entropy)} nats, {result.share + 0.0:.0%} of what is possible here"


def _bar_layout(result: DenseResult, theme: Theme, top: float) -> dict[str, object]:
    title = f"DSE in nats, from 0 (all answers agree) to ln {result.valid_rewrites + 1} = {top:.2f} (none do)"
    return {
        "xaxis": {
            "range": [0, top],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "title": {"text": title},
            "tickfont": {"size": 14, "color": theme.text},
        },
        "yaxis": {"visible": False, "fixedrange": True, "range": [-0.5, 0.75]},
        "margin": {"l": 16, "r": 24, "t": 52, "b": 56},
        "dragmode": False,
    }


def _entropy_label(result: DenseResult, top: float, theme: Theme) -> go.Scatter:
    """Return the number at the end of the bar: beside it, or inside where there is no room beside it."""
    value = result.entropy or 0.0
    inside = value > 0.8 * top
    return go.Scatter(
        x=[value],
        y=["DSE"],
        mode="text",
        text=[f" <b>{_nats(value)}</b> "],
        textposition="middle left" if inside else "middle right",
        textfont={"size": 22, "color": theme.page if inside else theme.text},
        hoverinfo="skip",
        showlegend=False,
    )


def _mark_threshold(figure: go.Figure, result: DenseResult, top: float, theme: Theme) -> None:
    """Draw the threshold with its origin written at it."""
    if result.threshold > top:
        return
    origin = PAPER_THRESHOLD_NOTE if result.threshold_source == "paper" else "fitted"
    figure.add_vline(x=result.threshold, line={"color": theme.text, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=result.threshold,
        y=0.62,
        text=plain(f"threshold {result.threshold:g} ({origin})"),
        showarrow=False,
        xanchor="left" if result.threshold < top / 2 else "right",
        xshift=6 if result.threshold < top / 2 else -6,
        font={"size": 14, "color": theme.text},
    )
