"""What the model believes before and after reading: probabilities over meanings, as pairs of bars (SePer, eq. 9)."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from engine.core.words import shorten, shown
from engine.measures.answer_marks import is_right
from engine.methods.seper import belief_change, kernels_disagree
from engine.methods.seper_records import SeperResult
from viz.methods.seper import WITH, WITHOUT, direction, leaves_out_zero, samples_words, unmarked
from viz.parts.chosen import draw_row, fade_points
from viz.parts.figure_parts import add_key, compact_layout, still_axis
from viz.parts.theme import Theme, layout, rgba
from viz.parts.words import counted, meaning_key, percent, quoted, wrapped

MOST_MEANINGS = 8
# What two decimals show as more than 0.00.
LEAST_SEEN = 0.005
LABEL_LETTERS = 36
LABEL_LINES = 2
FEW_MEANINGS, SHORT_LABEL = 2, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefRow:
    """One meaning in both conditions: its probability in each, in [0, 1]; ``meanings`` is how many it stands for."""

    text: str
    without: float
    with_passages: float
    matches_gold: bool
    meanings: int = 1


def belief_rows(result: SeperResult) -> list[BeliefRow]:
    """Return the meanings of both conditions, strongest first; the smallest are one row "other".

    These are the ones beyond eight, and those that two decimals show as 0.00.

    Meanings whose texts differ only in case, punctuation and articles are one row, if both or neither are right. Right
    meanings are never merged into "other".
    """
    return _with_other(belief_order(result))


def belief_order(result: SeperResult) -> list[BeliefRow]:
    """Return the meanings of both conditions, strongest first, each as a row of its own."""
    rows: dict[tuple[str, bool], BeliefRow] = {}
    for belief, before in ((result.without, True), (result.with_passages, False)):
        for meaning in belief.named:
            right = bool(meaning.matches_gold)
            # A right and a wrong meaning stay two bars, however alike their words: Δ hard counts one of them only.
            old = rows.get((meaning_key(meaning.text), right))
            rows[meaning_key(meaning.text), right] = BeliefRow(
                text=old.text if old else meaning.text,
                without=(old.without if old else 0.0) + (meaning.probability if before else 0.0),
                with_passages=(old.with_passages if old else 0.0) + (0.0 if before else meaning.probability),
                matches_gold=right,
            )
    return sorted(rows.values(), key=lambda row: -max(row.without, row.with_passages))


def row_of(result: SeperResult, meaning: str) -> int | None:
    """Return the row of the bars that shows a meaning, the row "other" for one that is summed up there; "" has none."""
    rows, wanted = belief_rows(result), meaning_key(meaning)
    if not wanted:
        return None
    known = [place for place, row in enumerate(rows) if row.meanings == 1 and meaning_key(row.text) == wanted]
    if not known and wanted in {meaning_key(row.text) for row in belief_order(result)}:
        known = [len(rows) - 1]
    return known[0] if known else None


def belief_bars(result: SeperResult, theme: Theme, chosen: str = "", *, compact: bool = False) -> go.Figure:
    """Return a pair of horizontal bars per meaning, without and with passages; right meanings in gold with a star.

    A click carries the bar's row as ``customdata[0]``. The row of the ``chosen`` meaning is outlined, others fainter.
    ``compact`` is small: at most three rows, each bar named by its condition, no title and no legend.
    """
    if compact:
        return _small_bars(result, theme)
    rows, row = belief_rows(result), row_of(result, chosen)
    names = [f"row {place}" for place in range(len(rows))]
    figure = go.Figure(layout=_bars_layout(result, rows, names, theme))
    for condition in (WITHOUT, WITH):
        figure.add_trace(_bars(rows, names, condition, theme))
    fade_points(figure, row)
    entries = [(WITHOUT, "square", rgba(theme.model, 0.22), theme.model), (WITH, "square", theme.model, theme.model)]
    if any(one.matches_gold for one in rows):
        entries.append(("hatched: a correct answer", "star", theme.gold, theme.gold))
    for name, symbol, fill, ink in entries:
        add_key(figure, name, symbol=symbol, size=14, color=fill, line={"color": ink, "width": 1.5})
    if row is not None:
        draw_row(figure, row - 0.48, row + 0.48, theme)
        labels = list(figure.layout.yaxis.ticktext)
        labels[row] = f"<b>◆ {labels[row]}</b>"
        figure.layout.yaxis.ticktext = labels
    return figure


def _small_bars(result: SeperResult, theme: Theme) -> go.Figure:
    """Return the bars of the strongest meanings, each bar with its condition in words beside its number."""
    ordered = belief_order(result)
    # Neither what was believed most before nor what is after may hide in "other".
    first = strongest_rows(ordered)
    named = sum(not row.matches_gold for row in first)
    rows = _with_other([*first, *(row for row in ordered if row not in first)], FEW_MEANINGS, least=max(1, named))
    names = [f"row {place}" for place in range(len(rows))]
    figure = go.Figure(layout=compact_layout(theme) | _row_layout(rows, names, theme, SHORT_LABEL, 13))
    for condition, word in ((WITHOUT, "before"), (WITH, "after")):
        bars = _bars(rows, names, condition, theme)
        bars.text = [f"{word} {value}" for value in bars.text]
        # Four rows leave a bar less than a line of 13 pixels: Plotly would shrink the words beyond reading.
        bars.textfont, bars.constraintext = {"size": 13 if len(rows) < 4 else 12, "color": theme.text}, "none"
        figure.add_trace(bars)
    figure.update_xaxes(fixedrange=True, visible=False, range=[0, 1.3])
    return figure


def beliefs_table(result: SeperResult) -> pd.DataFrame:
    """Return the text twin of the bars: one row per meaning with its probability in both conditions."""
    return pd.DataFrame(
        {
            "meaning": [_row_text(row) for row in belief_rows(result)],
            WITHOUT: [row.without for row in belief_rows(result)],
            WITH: [row.with_passages for row in belief_rows(result)],
            "is correct": [row.matches_gold if result.golds else None for row in belief_rows(result)],
        }
    )


def strongest_rows(rows: list[BeliefRow]) -> list[BeliefRow]:
    """Return the strongest belief of each condition, one row where it is the same; [] of no rows."""
    if not rows:
        return []
    before, after = max(rows, key=lambda row: row.without), max(rows, key=lambda row: row.with_passages)
    return [before] if before is after else [before, after]


def _with_other(ordered: list[BeliefRow], most: int = MOST_MEANINGS, least: int = 1) -> list[BeliefRow]:
    """Return at most so many rows and "other", which takes all that would read 0.00; gold rows keep their place.

    Beside gold rows at least ``least`` stay.
    """
    ordinary = [row for row in ordered if not row.matches_gold]
    room = max(most - (len(ordered) - len(ordinary)), least) if len(ordered) > most else len(ordinary)
    seen = sum(max(row.without, row.with_passages) >= LEAST_SEEN for row in ordinary)
    if len(ordinary) - seen > 1:
        room = min(room, seen)
    kept = {id(row) for row in ordinary[:room]}
    rest = ordinary[room:]
    rows = [row for row in ordered if row.matches_gold or id(row) in kept]
    # One meaning alone is named: "other" would say less in the same room.
    if len(rest) < 2:
        return ordered
    other = BeliefRow(
        text="other",
        without=sum(row.without for row in rest),
        with_passages=sum(row.with_passages for row in rest),
        matches_gold=False,
        meanings=len(rest),
    )
    return [*rows, other]


def _row_text(row: BeliefRow) -> str:
    if row.meanings > 1:
        return f"other ({counted(row.meanings, 'meaning')})"
    return f"★ {shown(row.text)}" if row.matches_gold else shown(row.text)


def bars_title(result: SeperResult, rows: list[BeliefRow]) -> str:
    """Return the finding of the bars: what the correct meaning's probability became, or the strongest belief."""
    golden = [row for row in rows if row.matches_gold]
    if not result.golds:
        best = max((row for row in rows if row.meanings == 1), key=lambda row: row.with_passages)
        moved = f"{percent(best.without)} → {percent(best.with_passages)}"
        return f"Strongest belief after reading: {quoted(best.text, 40)} ({moved})"
    if not golden:
        named = next((row.text for row in rows if row.meanings == 1 and is_right(row.text, result.golds)), "")
        return f"Right by its words, not by the judge: {quoted(named, 40)}" if named else "No sampled answer is right"
    before = percent(sum(row.without for row in golden))
    after = percent(sum(row.with_passages for row in golden))
    loosely = "" if unmarked(result) is None else "loosely "
    if before == after:
        return f"Meanings {loosely}judged right: {after} before and after"
    return f"Meanings {loosely}judged right: {before} before, {after} after{_noise_words(result)}"


def _noise_words(result: SeperResult) -> str:
    """Return that the change of the hard value is within noise or too small to speak of, "" where it is neither.

    SePer's verdict looks at the soft value: where that says otherwise, both are told.
    """
    if kernels_disagree(result):
        return "; soft and hard disagree"
    soft, interval = direction(result), result.delta_hard_interval
    if belief_change(result.delta_hard or 0.0, interval) != "noise":
        return "; soft belief within noise" if soft == "noise" else ""
    noise = ", hardly changed" if interval is not None and leaves_out_zero(interval) else ", within noise"
    return f"{noise}; soft belief {'rose' if soft == 'up' else 'fell'} beyond it" if soft in ("up", "down") else noise


def _bars_layout(result: SeperResult, rows: list[BeliefRow], names: list[str], theme: Theme) -> dict[str, object]:
    across = f"probability of this meaning<br>{samples_words(result)},<br>weighted by likelihood"
    height = 230 + 62 * max(len(rows), 2)
    base = layout(theme, bars_title(result, rows), height=height)
    # The title at the very top: on a narrow page the legend beneath it takes two lines.
    title = base["title"] | {"y": 1 - 20 / height, "yanchor": "top"}  # type: ignore[operator]
    # In the container, not beside the long labels, so that three entries fit on a line.
    place = {"xref": "container", "yref": "container", "x": 0, "y": 1 - 56 / height, "yanchor": "top"}
    return base | {
        "title": title,
        **_row_layout(rows, names, theme),
        "xaxis": still_axis(theme, across, range=[0, 1.06], tickvals=[0, 0.25, 0.5, 0.75, 1], gridcolor=theme.line),
        "legend": {"orientation": "h", "itemclick": False, "font": {"size": 14}} | place,
        "margin": {"l": 16, "r": 24, "t": 106, "b": 96},
        "dragmode": False,
    }


def _row_layout(
    rows: list[BeliefRow], names: list[str], theme: Theme, letters: int = LABEL_LETTERS, size: int = 15
) -> dict[str, object]:
    """Return how the rows stand: pairs of bars, the meanings beside them in lines of so many letters."""
    return {
        "barmode": "group",
        "bargap": 0.3,
        "bargroupgap": 0.06,
        "yaxis": {
            "autorange": "reversed",
            "fixedrange": True,
            "tickvals": names,
            "ticktext": [_label(row, theme, letters) for row in rows],
            "automargin": True,
            "ticklabelstandoff": 8,
            "tickfont": {"size": size, "color": theme.text},
        },
    }


def _label(row: BeliefRow, theme: Theme, letters: int) -> str:
    """Return a meaning as it stands beside its bars, escaped, on two lines at most."""
    text = wrapped(cut_inside(_row_text(row), letters * LABEL_LINES - 8), letters, LABEL_LINES)
    return f'<b><span style="color:{theme.gold}">{text}</span></b>' if row.matches_gold else text


def cut_inside(text: str, length: int) -> str:
    """Return the text without its middle words where it is longer: long answers that differ often begin alike.

    >>> cut_inside("It was Otto of Bremen in 1701", 22)
    'It was … in 1701'
    >>> cut_inside("Louis-Joseph-Marie", 12)
    'Louis … Marie'
    """
    if len(text) <= length:
        return text
    head, tail = shorten(text, length // 2), shorten(text[::-1], length // 2)[::-1]
    head, tail = head.rstrip("…"), tail.lstrip("…")
    first, last = head.rpartition(" ")[0] or head, tail.partition(" ")[2] or tail
    return f"{first.rstrip()} … {last.lstrip()}"


def _bars(rows: list[BeliefRow], names: list[str], condition: str, theme: Theme) -> go.Bar:
    """Return the bars of one condition: pale with an outline without passages, solid with them."""
    values = [row.without if condition == WITHOUT else row.with_passages for row in rows]
    inks = [theme.gold if row.matches_gold else theme.model for row in rows]
    return go.Bar(
        x=values,
        y=names,
        orientation="h",
        marker={
            "color": [rgba(ink, 0.22) for ink in inks] if condition == WITHOUT else inks,
            "line": {"color": inks, "width": 1.5},
            # Gold is hatched as well: blue and gold fall together on many projectors.
            "pattern": {
                "shape": ["/" if row.matches_gold else "" for row in rows],
                "fgcolor": inks if condition == WITHOUT else theme.page,
                # Left out, Plotly takes the list of the bars' colours for one and complains of it.
                "bgcolor": "rgba(0,0,0,0)",
                "fillmode": "overlay",
                "solidity": 0.15,
                "size": 7,
            },
        },
        text=[f"{value:.2f}" for value in values],
        textposition="outside",
        textfont={"size": 15, "color": theme.text},
        cliponaxis=False,
        customdata=[[place] for place in range(len(rows))],
        hovertext=[f"{condition}: {value:.3f}<br>{_row_hover(row)}" for row, value in zip(rows, values, strict=True)],
        hoverinfo="text",
        showlegend=False,
        name=condition,
    )


def _row_hover(row: BeliefRow) -> str:
    if row.meanings > 1:
        return f"{row.meanings} meanings together"
    return wrapped(row.text) + ("<br>★ a correct answer" if row.matches_gold else "")
