"""The utility of single chunks: what each does among the others and alone, with its noise bands.

Two dots and two bands a chunk on one axis of ΔSePer (SePer, eq. 11), each in the colour of its own effect. A band that
includes 0 and is wider than the margin leaves the effect unclear. A verdict that rests on the chunk alone says so.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, get_args

import pandas as pd
import plotly.graph_objects as go

from engine.core.passage_names import passage_name
from engine.core.records import Generation
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, agreed
from viz.methods.seper import interval_words
from viz.methods.verdicts import BRIEF_WORDS, TONES, Tone, Verdict, tone_colour
from viz.parts.chosen import draw_row, fade_points
from viz.parts.figure_parts import add_marks, empty_figure, error_bars, rows_axis, still_axis
from viz.parts.tables import shorten_middle
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import WORDS, closed, counted, numbered, signed, wrapped

Kind = Literal["useful", "helpful alone", "useless", "harmful", "misleading alone", "pulling both ways", "cannot tell"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# What the run is called by, the first of these that was found.
HEADLINES: tuple[tuple[Kind, Tone, str, str], ...] = (
    ("harmful", "bad", "harmful passage", "harmful passages"),
    ("misleading alone", "middle", "passage misleads alone", "passages mislead alone"),
    ("useful", "good", "useful passage", "useful passages"),
    ("helpful alone", "good", "passage helps alone", "passages help alone"),
    ("pulling both ways", "middle", "passage pulls both ways", "passages pull both ways"),
)
EFFECT_TONES = TONES["chunk effects"]
DOES = {"up": "helps", "down": "misleads", "none": "no effect", "unclear": "no clear effect"}
EFFECTS = WORDS["chunk effects"]
MOST_NUMBERED = 3  # passages of a kind, where their list is too long for a line
LEFT_OUT, ALONE = "among the others", "alone"
LEFT_OUT_BELIEF, ALONE_BELIEF = "without this passage", "over this passage alone"
NO_LABEL = "not in this run"
TICK_LETTERS = 18  # of a line of a label: a phone keeps room for the marks
NAME_LETTERS = 32  # of a passage's name, on two lines
ROW_HEIGHT, LINE_HEIGHT = 84, 18  # pixels
LABEL_COLUMN = "DENSE's label"
TABLE_COLUMNS = [
    *("passage", "title", "verdict", LABEL_COLUMN, "ΔSePer among the others", "from", "to"),
    *("ΔSePer alone", "alone from", "alone to"),
]


def verdict(result: ChunkUtilityResult) -> Verdict:
    """Return the word of the run: harmful chunks first, then those that mislead alone, then useful ones."""
    found, said = by_kind(result), kinds_sentence(result)
    # A list of numbers that is cut would name its last passages without their kind.
    brief = "" if len(said.split()) <= BRIEF_WORDS else kinds_sentence(result, most=MOST_NUMBERED)
    detail = sentence(result) if brief else sentence(result).removeprefix(said).strip()
    told = Verdict(word="no passage stands out", tone="middle", sentence=said, detail=detail, brief=brief)
    for kind, tone, one, many in HEADLINES:
        if found[kind]:
            return replace(told, word=counted(len(found[kind]), one, many), tone=tone)
    if len(found["cannot tell"]) == len(result.chunks):
        return replace(told, word="unclear", tone="unknown")
    return told


def kind_of(chunk: ChunkUse) -> Kind:
    """Return the stored verdict, or more closely what it rests on: the chunk alone only, or two opposite effects."""
    if {chunk.left_out.effect, chunk.alone.effect} == {"up", "down"}:
        return "pulling both ways"
    if chunk.verdict == "harmful" and chunk.left_out.effect != "down":
        return "misleading alone"
    if chunk.verdict == "useful" and chunk.left_out.effect != "up":
        return "helpful alone"
    return chunk.verdict


def verdict_words(chunk: ChunkUse) -> str:
    """Return a chunk's verdict in words; where its two effects differ both are given, the clear one first."""
    among, alone = chunk.left_out.effect, chunk.alone.effect
    if among == alone or not {"up", "down"} & {among, alone}:
        return shown_kind(chunk.verdict)
    both = [(among, LEFT_OUT), (alone, ALONE)] if among in ("up", "down") else [(alone, ALONE), (among, LEFT_OUT)]
    return ", ".join(f"{DOES[effect]} {where}" for effect, where in both)


def by_kind(result: ChunkUtilityResult) -> dict[Kind, list[int]]:
    """Return the chunks' numbers, from 1, by kind; all kinds are there."""
    found: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for chunk in agreed(result).chunks:
        found[kind_of(chunk)].append(chunk.index + 1)
    return found


def kinds_sentence(result: ChunkUtilityResult, most: int = 0) -> str:
    """Return the chunks of each kind by their numbers; of more than ``most``, 0 = all, only how many there are."""
    if result.not_measured:
        return result.not_measured
    found = by_kind(result)
    parts = [
        f"{counted(len(numbers), 'passage') if 0 < most < len(numbers) else numbered('passage', numbers)} "
        f"{shown_kind(kind)}"
        for kind, numbers in found.items()
        if numbers
    ]
    return closed("; ".join(parts).capitalize())


def shown_kind(kind: Kind) -> str:
    """Return a kind as it is shown."""
    return "unclear" if kind == "cannot tell" else kind


def sentence(result: ChunkUtilityResult) -> str:
    """Return the verdicts in words, with how many samples and which bands they rest on."""
    if result.not_measured:
        return result.not_measured
    samples = counted(len(result.without.samples), "sample")
    old = any(one.left_out.interval.method == "percentile" for one in result.chunks)
    kind = "an earlier version's bands, too narrow" if old else f"bands of {result.level:.0%} together"
    bands = f"{kind}, changes within ±{result.margin:.2f} count as none"
    return f"{kinds_sentence(result)} {samples} per condition, {bands}.{contradicted_words(result)}"


def contradicted_words(result: ChunkUtilityResult) -> str:
    """Return the chunks whose clear soft effect the samples' meanings contradict, with a space before; "" for none."""
    pairs = zip(result.chunks, agreed(result).chunks, strict=True)
    apart = [own.index + 1 for own, told in pairs if own != told]
    return f" Soft and hard SePer disagree: {numbered('passage', apart)}." if apart else ""


def chunk_sentence(chunk: ChunkUse, label: str = "") -> str:
    """Return one chunk in words: both differences with their bands, the verdict, and DENSE's label where given."""
    beside = f" DENSE's label: {label}." if label else ""
    changes = f"{change_words(chunk.left_out, LEFT_OUT)}; {change_words(chunk.alone, ALONE)}"
    return f"Passage {chunk.index + 1} is {shown_kind(kind_of(chunk))}: {changes}.{beside}"


def change_words(change: ChunkChange, name: str) -> str:
    """Return one difference in words, with its band."""
    delta = f"{signed(change.delta)}{interval_words(change.interval, short=True)}"
    return f"{name} ΔSePer {delta}, {EFFECTS[change.effect]}"


def effective_sentence(chunk: ChunkUse) -> str:
    """Return how many samples decide the beliefs drawn for a chunk, by their weights; "" in an older record."""
    beliefs = ((LEFT_OUT_BELIEF, chunk.left_out.belief), (ALONE_BELIEF, chunk.alone.belief))
    told = [f"{one.effective:.1f} of {len(one.samples)} {name}" for name, one in beliefs if one.effective is not None]
    return f"Effective sample size: {', '.join(told)}." if told else ""


def against_dense(result: ChunkUtilityResult, labels: Mapping[int, str]) -> tuple[str, ...]:
    """Return a sentence for each contradiction between DENSE's labels and the utility, naming its chunks."""
    found: dict[tuple[str, Kind], list[int]] = {}
    for chunk in agreed(result).chunks:
        found.setdefault((labels.get(chunk.index, ""), kind_of(chunk)), []).append(chunk.index + 1)
    return tuple(
        f"{numbered('passage', numbers).capitalize()}: DENSE's label is {label}, yet {words}."
        for (label, kind), numbers in found.items()
        if (words := WORDS["contradictions of DENSE's label"].get(f"{label}, {kind}"))
    )


def title(result: ChunkUtilityResult) -> str:
    """Return the finding of the figure in one line."""
    parts = [f"{len(numbers)} {shown_kind(kind)}" for kind, numbers in by_kind(result).items() if numbers]
    return f"Of {counted(len(result.chunks), 'passage')}: {', '.join(parts)}" if parts else "There is no passage"


def utility_figure(result: ChunkUtilityResult, theme: Theme, chosen: int | None = None) -> go.Figure:
    """Return ΔSePer of every chunk, among the others (filled) and alone (hollow), with bands, around 0 and ±margin.

    A click on a dot carries the chunk's index as ``customdata[0]``. x is ΔSePer in [-1, 1]. The ``chosen`` chunk stands
    in an outlined band, the others are fainter.
    """
    result = agreed(result)
    height = 150 + row_height(result) * max(1, len(result.chunks))
    if not result.chunks:
        return empty_figure(title(result), sentence(result) or "There is no passage.", theme, height)
    figure = go.Figure(layout=layout(theme, title(result), height))
    figure.add_vrect(x0=-result.margin, x1=result.margin, fillcolor=rgba(theme.unknown, 0.12), line_width=0)
    figure.add_vline(x=0, line={"color": theme.muted, "width": 1.5})
    _draw_changes(figure, result, LEFT_OUT, -0.16, "circle", theme)
    _draw_changes(figure, result, ALONE, 0.16, "circle-open", theme)
    _draw_legend(figure, theme)
    _dress(figure, result, theme, chosen)
    if chosen in [chunk.index for chunk in result.chunks]:
        draw_row(figure, chosen - 0.46, chosen + 0.46, theme)
        fade_points(figure, chosen)
    return figure


def _draw_changes(
    figure: go.Figure, result: ChunkUtilityResult, name: str, shift: float, symbol: str, theme: Theme
) -> None:
    """Draw one difference of every chunk: its dot in the colour of its own effect, its band beside it."""
    changes = [(chunk, chunk.left_out if name == LEFT_OUT else chunk.alone) for chunk in result.chunks]
    colours = [tone_colour(EFFECT_TONES[change.effect], theme) for _, change in changes]
    deltas, intervals = [change.delta for _, change in changes], [change.interval for _, change in changes]
    look = {
        "name": name,
        "showlegend": False,
        "marker": {"symbol": symbol, "size": 14, "color": colours, "line": {"width": 3, "color": colours}},
        "error_x": error_bars(deltas, intervals, color=rgba(theme.text, 0.6), thickness=2, width=6),
        "customdata": [[chunk.index] for chunk, _ in changes],
        "hovertext": [wrapped(chunk_sentence(chunk)) for chunk, _ in changes],
    }
    add_marks(figure, deltas, [chunk.index + shift for chunk, _ in changes], **look)


def _draw_legend(figure: go.Figure, theme: Theme) -> None:
    """Draw the key of filled and hollow in no effect's colour."""
    for name, symbol in ((LEFT_OUT, "circle"), (ALONE, "circle-open")):
        marker = {"symbol": symbol, "size": 14, "color": theme.text, "line": {"width": 3, "color": theme.text}}
        figure.add_scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, hoverinfo="skip")


def _dress(figure: go.Figure, result: ChunkUtilityResult, theme: Theme, chosen: int | None) -> None:
    """Name the axes: chunks down with their verdicts, ΔSePer across."""
    across = "ΔSePer (shaded: counts as none)"
    ticks = {"tickvals": [-1, -0.5, 0, 0.5, 1], "ticktext": ["−1", "−0.5", "0", "+0.5", "+1"]}
    figure.update_xaxes(range=[-1.08, 1.08], fixedrange=True, zeroline=False, gridcolor=theme.line, **ticks)
    figure.update_xaxes(title={"text": across, "font": {"size": 14}})
    labels = [f"◆ {tick(chunk)}" if chunk.index == chosen else tick(chunk) for chunk in result.chunks]
    figure.update_yaxes(rows_axis(labels, **still_axis(theme, showgrid=False, automargin=True)))
    figure.update_layout(
        margin={"l": 16, "r": 24, "t": 88, "b": 64}, legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
    )


def tick(chunk: ChunkUse) -> str:
    """Return a chunk's name on the axis, escaped: number, title, verdict, each effect on a line where they differ."""
    names, effects = tick_lines(chunk)
    return f"{'<br>'.join(map(plain, names))}<br><b>{'<br>'.join(effects)}</b>"


def tick_lines(chunk: ChunkUse) -> tuple[list[str], list[str]]:
    """Return the lines of a chunk's name on the axis, and those of its verdict; a long title is cut in the middle."""
    title = shorten_middle(passage_name(chunk.passage, NAME_LETTERS), NAME_LETTERS)
    name = textwrap.wrap(f"{chunk.index + 1}. {title}", TICK_LETTERS)
    effects = verdict_words(chunk).replace(", ", ",\n").split("\n")
    return name, [line for effect in effects for line in textwrap.wrap(effect, TICK_LETTERS)]


def row_height(result: ChunkUtilityResult) -> int:
    """Return the height of a chunk's row in pixels: its marks', or what the longest label takes."""
    most = max((sum(map(len, tick_lines(chunk))) for chunk in result.chunks), default=0)
    return max(ROW_HEIGHT, LINE_HEIGHT * (most + 1))


def utility_table(result: ChunkUtilityResult, labels: Mapping[int, str] | None = None) -> pd.DataFrame:
    """Return the text twin: a row per chunk with verdict, DENSE's label, and both differences with their bands.

    ``labels`` maps a chunk's index to DENSE's label; without one the cell says that DENSE is not in this run. None is
    a caller who knows of no other method of the run: then the column is left out.
    """
    rows = [
        [
            chunk.index + 1,
            passage_name(chunk.passage),
            verdict_words(chunk),
            (labels or {}).get(chunk.index, NO_LABEL),
            *change_cells(chunk.left_out),
            *change_cells(chunk.alone),
        ]
        for chunk in agreed(result).chunks
    ]
    table = pd.DataFrame(rows, columns=TABLE_COLUMNS)
    return table.drop(columns=LABEL_COLUMN) if labels is None else table


def change_cells(change: ChunkChange) -> tuple[float, float, float]:
    """Return a difference and the ends of its band, rounded to what is shown: -0.004 would read "-0.00"."""
    low, delta, high = (round(value, 2) + 0.0 for value in (change.interval.low, change.delta, change.interval.high))
    return delta, low, high


def samples_of(chunk: ChunkUse) -> tuple[tuple[str, Generation], ...]:
    """Return (where it stands in the run, sample) of every sample drawn for a chunk, as in ``samples_table``."""
    own = f"chunk_utility.chunks.{chunk.index}"
    beliefs = (("left_out", chunk.left_out.belief), ("alone", chunk.alone.belief))
    return tuple(
        (f"{own}.{name}.belief.samples.{place}", sample)
        for name, belief in beliefs
        for place, sample in enumerate(belief.samples)
    )


def samples_table(chunk: ChunkUse) -> pd.DataFrame:
    """Return every sample drawn for one chunk: without it and over it alone, with weight and entailment."""
    rows = [
        {
            "condition": condition,
            "text": sample.text,
            "weight": weight,
            "entailment": max(row),
            "mean log-prob (nats)": sample.mean_logprob,
        }
        for condition, belief in (
            (LEFT_OUT_BELIEF, chunk.left_out.belief),
            (ALONE_BELIEF, chunk.alone.belief),
        )
        for sample, weight, row in zip(belief.samples, belief.weights, belief.kernel, strict=True)
    ]
    return pd.DataFrame(rows)
