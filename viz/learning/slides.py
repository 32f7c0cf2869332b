"""What stands on a lesson's slide: one picture of the run, drawn for the last row, and how it comes into view.

A picture is a figure or HTML, and what moves in it: the graph grows answer by answer, the trend is written word by
word, the bars of belief move from before reading to after. Motion is CSS alone, ends in the whole picture, and is left
out where the reader's system asks for less of it. Everything drawn is escaped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
import plotly.graph_objects as go

from engine.core.passage_names import passage_name
from engine.diagnosis.record import Diagnosis
from engine.methods.dense_records import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.seper_records import SeperResult
from viz.learning.lessons import shown_exhibits
from viz.learning.slide_motion import Move, growing_graph, moves_css, written_trend, written_words
from viz.methods.answer_strip import answer_strip_html
from viz.methods.belief_bars import BeliefRow, belief_rows
from viz.methods.cooccurrence_network import slide_network
from viz.methods.entailment_graph import entailment_graph, node_places
from viz.methods.trend_figure import trend_figure
from viz.parts.html import render
from viz.parts.theme import Theme, rgba
from viz.parts.words import counted, quoted

PASSAGES = "passages"
# As high as wide: they stand beside the words.
BESIDE = ("dense-graph", "dense-agreement", "quco-network")
TREND_HEIGHT = 430
TITLE_ROOM = 44
FEW_ROWS = 7
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture of a slide: ``name`` for files, a sentence that says what it shows, and a figure or HTML.

    ``motion`` is the style sheet of what moves in a figure, ``caption`` what stands over it; "" for none.
    """

    name: str
    sentence: str
    figure: go.Figure | None = None
    html: str = ""
    motion: str = ""
    caption: str = ""


def picture(run: Diagnosis, name: str, theme: Theme, key: str) -> Picture:
    """Return the picture of that name; ``key`` is the class of the box it will stand in.

    Raises KeyError on a name that the run has nothing under.
    """
    exhibit = shown_exhibits(run, (name,))[0]
    drawn = DRAWN.get(name)
    if drawn is not None:
        return drawn(run, exhibit.sentence or exhibit.heading, theme, key)
    if exhibit.draw is not None:
        figure = untitled(exhibit.draw(theme))
        return Picture(name=name, sentence=exhibit.sentence or exhibit.heading, figure=figure)
    table = pd.DataFrame() if exhibit.table is None else exhibit.table
    return Picture(name=name, sentence=exhibit.heading, html=table_html(table, theme))


def picture_html(shown: Picture) -> str:
    """Return what of a picture is HTML, its caption first."""
    caption = render("slide_caption.html.j2", text=shown.caption) if shown.caption else ""
    return f"{caption}{shown.html}"


def motion_html(shown: Picture) -> str:
    """Return the style of what moves in a picture; drawn alone, since a browser drops a style before other HTML."""
    return shown.motion


def untitled(figure: go.Figure) -> go.Figure:
    """Return a figure without its title, whose finding stands on the slide; the room goes to the figure."""
    top = figure.layout.margin.t or 0
    figure.update_layout(title=None, margin={"t": max(top - TITLE_ROOM, 24)})
    return figure


def passages_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return the passages as cards: title and text, cut to a few lines until one is opened."""
    html = render("slide_passages.html.j2", rows=[(hit, passage_name(hit.passage)) for hit in run.hits])
    return Picture(name=PASSAGES, sentence=sentence, html=html)


def graph_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return DENSE's graph, which grows answer by answer from the original in the middle."""
    result = result_in(run, DenseResult)
    figure = untitled(entailment_graph(result, theme))
    # The answer stands above the picture: its height goes to the ring and to what is written below it.
    figure.update_layout(
        margin={"t": 20}, yaxis={"range": [figure.layout.yaxis.range[0] - 0.2, figure.layout.yaxis.range[1]]}
    )
    moves = growing_graph(figure, node_places(result), [chunk.weight is not None for chunk in result.chunks])
    caption = f"Original answer: {quoted(result.original.text, 80)}"
    return Picture(name="dense-graph", sentence=sentence, figure=figure, motion=moves_css(key, moves), caption=caption)


def network_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return QuCo-RAG's claimed pairs in two columns: under a name how often it occurs, on a line where both do."""
    figure = slide_network(result_in(run, QucoResult), theme)
    caption = "Below a name: how often it occurs. On a line: in how many documents the two meet."
    return Picture(name="quco-network", sentence=sentence, figure=figure, caption=caption)


def trend_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return the trend against ±α, written from the first word to the last; triggers come at the end."""
    result = result_in(run, EntropyTrendResult)
    figure = trend_figure(result, theme, compact=True)
    figure.update_layout(height=TREND_HEIGHT)
    moves: Sequence[Move] = written_trend(figure, len(result.words))
    return Picture(name="etc-trend", sentence=sentence, figure=figure, motion=moves_css(key, moves))


def words_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return the answer from memory, tinted by entropy, word by word."""
    result = result_in(run, EntropyTrendResult)
    first = min((trigger.word for trigger in result.triggers), default=len(result.words))
    # The word of the first trigger, and the sign before it, stand before what is rewritten.
    moves = written_words(first + 2, max(len(result.words) - first - 1, 0))
    html = answer_strip_html(result, theme)
    return Picture(name="etc-tokens", sentence=sentence, html=html, motion=moves_css(key, moves))


def beliefs_picture(run: Diagnosis, sentence: str, theme: Theme, key: str) -> Picture:
    """Return a bar per meaning, which moves from the belief before reading to the belief after."""
    rows = belief_rows(result_in(run, SeperResult))
    return Picture(name="seper-beliefs", sentence=sentence, html=beliefs_html(rows, theme))


def beliefs_html(rows: Sequence[BeliefRow], theme: Theme) -> str:
    """Return the moving bars of belief as HTML: per meaning the share before, as an outline, and after."""
    drawn = [
        {
            "text": f"other ({counted(row.meanings, 'meaning')})" if row.meanings > 1 else row.text,
            "star": row.matches_gold,
            "before": row.without,
            "after": row.with_passages,
            "ink": theme.gold if row.matches_gold else theme.model,
        }
        for row in rows
    ]
    return render("slide_beliefs.html.j2", rows=drawn)


def table_html(table: pd.DataFrame | Mapping[str, Sequence[object]], theme: Theme) -> str:
    """Return a table as a picture: its rows come one by one, and numbers have a bar as long as they are large.

    Only the last column has bars, and only where all of it are numbers that are not negative.
    """
    frame = pd.DataFrame(table)
    last = [as_number(value) for value in frame.iloc[:, -1]] if len(frame.columns) > 1 else []
    values = [value for value in last if value is not None and value >= 0]
    top = max(values, default=0.0) if len(values) == len(frame) else 0.0
    rows = [
        {"cells": [str(value) for value in row], "share": share_of(last[place], top) if top else None}
        for place, row in enumerate(frame.itertuples(index=False))
    ]
    names = [str(name) for name in frame.columns]
    many = len(rows) > FEW_ROWS
    return render("slide_table.html.j2", many=many, names=names, rows=rows, tint=rgba(theme.model, 0.28))


def as_number(value: object) -> float | None:
    """Return a cell's number, None where it is none; a true minus counts.

    >>> as_number("−0.5"), as_number("88 days")
    (-0.5, None)
    """
    try:
        return float(str(value).replace("−", "-").removesuffix("%"))
    except ValueError:
        return None


def share_of(value: float | None, top: float) -> float:
    """Return a value as a share of the largest, in [0, 1]."""
    return 0.0 if value is None or not top else value / top


def result_in(run: Diagnosis, kind: type[Result]) -> Result:
    """Return a run's result of this kind. Raises KeyError where it has none."""
    for outcome in run.outcomes:
        if isinstance(outcome.result, kind):
            return outcome.result
    raise KeyError(kind.__name__)


def sums_slide_html(lines: Sequence[str]) -> str:
    """Return lines of arithmetic as HTML, one coming after the other."""
    return render("slide_sums.html.j2", lines=lines, many=len(lines) > FEW_ROWS - 2)


def way_html(number: int, count: int, theme: Theme) -> str:
    """Return how far a lesson has come, as a bar with its words."""
    return render("slide_way.html.j2", number=number, count=count, theme=theme)


def recap_html(takeaways: Sequence[str]) -> str:
    """Return what a lesson leaves, one sentence after the other."""
    return render("slide_recap.html.j2", takeaways=takeaways)


def slide_rules(theme: Theme, *, presenting: bool) -> str:
    """Return the style of slides, on the screen and on paper; ``presenting``: less stands around them."""
    around = "6.75rem" if presenting else "13.5rem"
    return str(render("slides.css.j2", theme=theme, presenting=presenting, around=around))


DRAWN: dict[str, Callable[[Diagnosis, str, Theme, str], Picture]] = {
    PASSAGES: passages_picture,
    "dense-graph": graph_picture,
    "quco-network": network_picture,
    "etc-trend": trend_picture,
    "etc-tokens": words_picture,
    "seper-beliefs": beliefs_picture,
}
