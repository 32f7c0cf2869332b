"""SePer drawn: what the model believes before and after reading, how far belief in the answer moved, every sample.

Follows SePer (eq. 9-11): beliefs are probabilities over meanings, SePer the probability of the right answer, ΔSePer
the difference that reading makes. A difference whose interval includes 0 is not called a difference.
"""

from dataclasses import dataclass
from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from engine.methods.seper import Belief, SeperResult
from engine.records import Generation, Interval
from viz.empty_figure import only_text
from viz.theme import Theme, layout, plain, rgba
from viz.verdicts import Tone, Verdict, tone_colour
from viz.words import counted, quoted, shown, signed, wrapped

MOST_MEANINGS = 8
LABEL_LETTERS = 34
WITHOUT, WITH = "without passages", "with passages"
PUNCTUATION = str.maketrans("", "", ".,;:!?\"'“”‘’()[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefRow:
    """One meaning in both conditions: its probability in each, in [0, 1]; ``meanings`` is how many it stands for."""

    text: str
    without: float
    with_passages: float
    matches_gold: bool
    meanings: int = 1


def verdict(result: SeperResult) -> Verdict:
    """Return whether the passages helped: "helped" and "hurt" only where the interval of ΔSePer excludes 0."""
    words: dict[str, tuple[str, Tone]] = {
        "reference": ("needs a reference answer", "unknown"),
        "up": ("helped", "good"),
        "down": ("hurt", "bad"),
        "noise": ("no clear change", "middle"),
    }
    word, tone = words[direction(result)]
    return Verdict(word=word, tone=tone, sentence=sentence(result))


def direction(result: SeperResult) -> Literal["reference", "up", "down", "noise"]:
    """Return where belief in the right answer moved; "noise" where the interval includes 0 or is missing."""
    if result.delta_soft is None:
        return "reference"
    interval = result.delta_soft_interval
    if interval is not None and interval.low > 0:
        return "up"
    return "down" if interval is not None and interval.high < 0 else "noise"


def sentence(result: SeperResult) -> str:
    """Return the result in words: belief before and after, the difference with its interval, and the hard variant."""
    if result.delta_soft is None:
        return f"{(result.not_measured or 'SePer needs a reference answer').rstrip('.')}. {belief_sentence(result)}"
    openings = {
        "up": "Reading the passages moved belief towards the right answer",
        "down": "Reading the passages moved belief away from the right answer",
        "noise": "The change in belief cannot be told apart from noise",
    }
    return (
        f"{openings[direction(result)]}: SePer {_number(result.without.soft)} without, "
        f"{_number(result.with_passages.soft)} with passages, ΔSePer {signed(result.delta_soft)}"
        f"{_interval_words(result.delta_soft_interval)}.{_hard_sentence(result)}"
    )


def belief_sentence(result: SeperResult) -> str:
    """Return the strongest belief of each condition in words."""
    before = max(result.without.meanings, key=lambda meaning: meaning.probability)
    after = max(result.with_passages.meanings, key=lambda meaning: meaning.probability)
    return (
        f"The strongest belief is {quoted(before.text, 60)} ({before.probability:.0%}) without passages and "
        f"{quoted(after.text, 60)} ({after.probability:.0%}) with them, "
        f"judged from {len(result.without.samples)} and {counted(len(result.with_passages.samples), 'sample')}."
    )


def belief_rows(result: SeperResult) -> list[BeliefRow]:
    """Return the meanings of both conditions, strongest first; beyond eight, the smallest are one row "other".

    Meanings whose texts differ only in case, punctuation and articles are one row. Gold meanings are never merged
    into "other".
    """
    rows: dict[str, BeliefRow] = {}
    for belief, before in ((result.without, True), (result.with_passages, False)):
        for meaning in belief.meanings:
            old = rows.get(_key(meaning.text))
            rows[_key(meaning.text)] = BeliefRow(
                text=old.text if old else meaning.text,
                without=(old.without if old else 0.0) + (meaning.probability if before else 0.0),
                with_passages=(old.with_passages if old else 0.0) + (0.0 if before else meaning.probability),
                matches_gold=bool(meaning.matches_gold) or (old is not None and old.matches_gold),
            )
    ordered = sorted(rows.values(), key=lambda row: -max(row.without, row.with_passages))
    return _with_other(ordered)


def belief_bars(result: SeperResult, theme: Theme) -> go.Figure:
    """Return a pair of horizontal bars per meaning, without and with passages; gold meanings in gold with a star."""
    rows = belief_rows(result)
    names = [f"row {place}" for place in range(len(rows))]
    figure = go.Figure(layout=_bars_layout(result, rows, names, theme))
    for condition in (WITHOUT, WITH):
        figure.add_trace(_bars(rows, names, condition, theme))
    for trace in _bars_legend(rows, theme):
        figure.add_trace(trace)
    return figure


def delta_title(result: SeperResult) -> str:
    """Return the finding of the dumbbell: whether belief in the right answer rose, and by how much."""
    if result.delta_soft is None:
        return "Belief in the right answer: needs a reference answer"
    amount = f"{signed(result.delta_soft)}{_interval_words(result.delta_soft_interval, short=True)}"
    words = {"up": "Reading raised belief in the right answer", "down": "Reading lowered belief in the right answer"}
    return f"{words.get(direction(result), 'No change beyond noise')}: {amount}"


def delta_figure(result: SeperResult, theme: Theme) -> go.Figure:
    """Return SePer soft and hard, without → with passages, each with its interval, on the range [0, 1]."""
    base = layout(theme, delta_title(result), height=330)
    if result.delta_soft is None:
        return go.Figure(layout=base | only_text(sentence(result), theme))
    figure = go.Figure(layout=base | _delta_layout(theme))
    variants = (
        (1, "soft", result.without.soft, result.with_passages.soft, result.delta_soft),
        (0, "hard", result.without.hard, result.with_passages.hard, result.delta_hard),
    )
    for row, name, before, after, delta in variants:
        if before is not None and after is not None and delta is not None:
            _draw_arrow(figure, row, before, after, _delta_colour(result, name, theme))
            figure.add_annotation(_delta_note(row, (before + after) / 2, signed(delta), theme))
    conditions = ((result.without, WITHOUT, "circle-open", 0.24), (result.with_passages, WITH, "circle", 0.36))
    for belief, name, symbol, drop in conditions:
        figure.add_trace(_spans(belief, drop, symbol, theme))
        figure.add_trace(_ends(belief, name, symbol, theme))
    return figure


def delta_latex(result: SeperResult) -> str:
    """Return eq. 11 with this run's values in it, as LaTeX; "" without a reference answer."""
    before, after, delta = result.without.soft, result.with_passages.soft, result.delta_soft
    if before is None or after is None or delta is None:
        return ""
    return rf"\Delta\mathrm{{SePer}}_S = {after:.4f} - {before:.4f} = {delta:+.4f}"


def samples_table(result: SeperResult) -> pd.DataFrame:
    """Return one row per sampled answer of both conditions.

    Weights sum to 1 in each condition; mean log-probabilities are nats per token; "entailment with best gold" is in
    [0, 1], missing without a gold answer, as is "matches gold".
    """
    rows = [
        row
        for condition, belief in ((WITHOUT, result.without), (WITH, result.with_passages))
        for row in _sample_rows(condition, belief)
    ]
    return pd.DataFrame(rows)


def samples_in_order(result: SeperResult) -> tuple[tuple[str, Generation], ...]:
    """Return (name, sample) of every sampled answer, in the order of ``samples_table``."""
    conditions = ((WITHOUT, result.without), (WITH, result.with_passages))
    return tuple(
        (f"sample {place} {condition}", sample)
        for condition, belief in conditions
        for place, sample in enumerate(belief.samples, start=1)
    )


def beliefs_table(result: SeperResult) -> pd.DataFrame:
    """Return the text twin of the bars: one row per meaning with its probability in both conditions."""
    return pd.DataFrame(
        {
            "meaning": [_row_text(row, 0) for row in belief_rows(result)],
            WITHOUT: [row.without for row in belief_rows(result)],
            WITH: [row.with_passages for row in belief_rows(result)],
            "matches gold": [row.matches_gold if result.golds else None for row in belief_rows(result)],
        }
    )


def _sample_rows(condition: str, belief: Belief) -> list[dict[str, object]]:
    meaning_of = {member: place for place, meaning in enumerate(belief.meanings) for member in meaning.members}
    rows: list[dict[str, object]] = []
    for place, (sample, weight) in enumerate(zip(belief.samples, belief.weights, strict=True)):
        meaning = belief.meanings[meaning_of[place]]
        rows.append(
            {
                "condition": condition,
                "sample": place + 1,
                "text": shown(sample.text),
                "weight": weight,
                "mean log-prob (nats)": sample.mean_logprob,
                "meaning": f"{meaning_of[place] + 1}: {shown(meaning.text, 60)}",
                "matches gold": meaning.matches_gold,
                "entailment with best gold": max(belief.kernel[place], default=None) if belief.kernel else None,
            }
        )
    return rows


def _key(text: str) -> str:
    """Return a text as it is compared across conditions: no case, punctuation or articles."""
    words = text.casefold().translate(PUNCTUATION).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def _with_other(ordered: list[BeliefRow]) -> list[BeliefRow]:
    """Return at most eight rows and "other"; gold rows keep their place."""
    if len(ordered) <= MOST_MEANINGS:
        return ordered
    golden = sum(row.matches_gold for row in ordered)
    room = max(MOST_MEANINGS - golden, 1)
    ordinary = [row for row in ordered if not row.matches_gold]
    kept = {id(row) for row in ordinary[:room]}
    rest = ordinary[room:]
    rows = [row for row in ordered if row.matches_gold or id(row) in kept]
    if not rest:
        return rows
    other = BeliefRow(
        text="other",
        without=sum(row.without for row in rest),
        with_passages=sum(row.with_passages for row in rest),
        matches_gold=False,
        meanings=len(rest),
    )
    return [*rows, other]


def _row_text(row: BeliefRow, length: int) -> str:
    if row.meanings > 1:
        return f"other ({counted(row.meanings, 'meaning')})"
    return f"★ {shown(row.text, length)}" if row.matches_gold else shown(row.text, length)


def _bars_title(result: SeperResult, rows: list[BeliefRow]) -> str:
    golden = [row for row in rows if row.matches_gold]
    if not result.golds:
        best = max(rows, key=lambda row: row.with_passages)
        return (
            f"Strongest belief after reading: {quoted(best.text, 40)} ({best.without:.0%} → {best.with_passages:.0%})"
        )
    if not golden:
        return "No sampled answer means the same as a gold answer"
    before, after = sum(row.without for row in golden), sum(row.with_passages for row in golden)
    return f"Probability of the right meaning: {before:.0%} before reading, {after:.0%} after"


def _bars_layout(result: SeperResult, rows: list[BeliefRow], names: list[str], theme: Theme) -> dict[str, object]:
    labels = [
        f'<b><span style="color:{theme.gold}">{plain(_row_text(row, LABEL_LETTERS))}</span></b>'
        if row.matches_gold
        else plain(_row_text(row, LABEL_LETTERS))
        for row in rows
    ]
    return layout(theme, _bars_title(result, rows), height=170 + 62 * max(len(rows), 2)) | {
        "barmode": "group",
        "bargap": 0.3,
        "bargroupgap": 0.06,
        "xaxis": {
            "range": [0, 1.06],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "fixedrange": True,
            "gridcolor": theme.line,
            "zeroline": False,
            "title": {"text": "probability of this meaning (share of weighted samples, 0 to 1)"},
            "tickfont": {"size": 14, "color": theme.text},
        },
        "yaxis": {
            "autorange": "reversed",
            "fixedrange": True,
            "tickvals": names,
            "ticktext": labels,
            "automargin": True,
            "ticklabelstandoff": 8,
            "tickfont": {"size": 16, "color": theme.text},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "itemclick": False,
            "font": {"size": 14},
        },
        "margin": {"l": 16, "r": 24, "t": 100, "b": 56},
        "dragmode": False,
    }


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
        },
        text=[f"{value:.2f}" for value in values],
        textposition="outside",
        textfont={"size": 15, "color": theme.text},
        cliponaxis=False,
        hovertext=[f"{condition}: {value:.3f}<br>{_row_hover(row)}" for row, value in zip(rows, values, strict=True)],
        hoverinfo="text",
        showlegend=False,
        name=condition,
    )


def _row_hover(row: BeliefRow) -> str:
    if row.meanings > 1:
        return f"{row.meanings} meanings together"
    return wrapped(row.text) + ("<br>★ matches a gold answer" if row.matches_gold else "")


def _bars_legend(rows: list[BeliefRow], theme: Theme) -> list[go.Scatter]:
    """Return the legend's entries: the two conditions, and gold where there is a gold meaning."""
    entries = [(WITHOUT, rgba(theme.model, 0.22), theme.model), (WITH, theme.model, theme.model)]
    if any(row.matches_gold for row in rows):
        entries.append(("★ means the same as a gold answer", theme.gold, theme.gold))
    return [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"symbol": "square", "size": 14, "color": fill, "line": {"color": ink, "width": 1.5}},
            name=name,
            hoverinfo="skip",
        )
        for name, fill, ink in entries
    ]


def _delta_layout(theme: Theme) -> dict[str, object]:
    return {
        "xaxis": {
            "range": [-0.02, 1.02],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "fixedrange": True,
            "gridcolor": theme.line,
            "zeroline": False,
            "title": {"text": "SePer: probability of the right answer (0 to 1), small: 95% intervals"},
            "tickfont": {"size": 14, "color": theme.text},
        },
        "yaxis": {
            "range": [-0.6, 1.7],
            "tickvals": [0, 1],
            "ticktext": ["hard<br>(meanings)", "soft<br>(entailment)"],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
            "tickfont": {"size": 15, "color": theme.text},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "itemclick": False,
            "font": {"size": 14},
        },
        "margin": {"l": 16, "r": 24, "t": 84, "b": 56},
        "dragmode": False,
    }


def _delta_colour(result: SeperResult, name: str, theme: Theme) -> str:
    """Return the colour of one variant's move, from its own interval."""
    interval = result.delta_soft_interval if name == "soft" else result.delta_hard_interval
    tone: Tone = "middle"
    if interval is not None and interval.low > 0:
        tone = "good"
    elif interval is not None and interval.high < 0:
        tone = "bad"
    return tone_colour(tone, theme)


def _draw_arrow(figure: go.Figure, row: int, before: float, after: float, colour: str) -> None:
    """Draw the move from before to after; none where they are too close for an arrow head."""
    if abs(after - before) < 0.02:
        return
    figure.add_annotation(
        x=after,
        y=row,
        ax=before,
        ay=row,
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        text="",
        arrowhead=2,
        arrowsize=1,
        arrowwidth=5,
        arrowcolor=colour,
        standoff=10,
        startstandoff=10,
    )


def _delta_note(row: int, middle: float, text: str, theme: Theme) -> dict[str, object]:
    return {
        "x": middle,
        "y": row,
        "yshift": 24,
        "text": f"<b>Δ {text}</b>",
        "showarrow": False,
        "font": {"size": 18, "color": theme.text},
    }


def _ends(belief: Belief, name: str, symbol: str, theme: Theme) -> go.Scatter:
    """Return one condition's two points, soft above hard."""
    pairs = ((belief.soft, belief.soft_interval), (belief.hard, belief.hard_interval))
    return go.Scatter(
        x=[value for value, _ in pairs],
        y=[1, 0],
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": 20, "color": theme.model, "line": {"width": 3, "color": theme.model}},
        hovertext=[f"{name}: {_number(value)}{_interval_words(interval)}" for value, interval in pairs],
        hoverinfo="text",
    )


def _spans(belief: Belief, drop: float, symbol: str, theme: Theme) -> go.Scatter:
    """Return one condition's intervals, drawn ``drop`` below its points so that two intervals never hide each other."""
    pairs = ((belief.soft, belief.soft_interval, 1), (belief.hard, belief.hard_interval, 0))
    known = [(value, span, row) for value, span, row in pairs if value is not None and span is not None]
    return go.Scatter(
        x=[value for value, _, _ in known],
        y=[row - drop for _, _, row in known],
        mode="markers",
        marker={"symbol": symbol, "size": 8, "color": theme.model, "line": {"width": 1.5, "color": theme.model}},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(span.high - value, 0.0) for value, span, _ in known],
            "arrayminus": [max(value - span.low, 0.0) for value, span, _ in known],
            "color": rgba(theme.model, 0.75),
            "thickness": 1.5,
            "width": 5,
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _number(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def _interval_words(interval: Interval | None, short: bool = False) -> str:
    """Return an interval in words, "" where there is none."""
    if interval is None:
        return ""
    span = f"{_plain_number(interval.low)} to {_plain_number(interval.high)}"
    return f" ({span})" if short else f" ({interval.level:.0%} interval {span})"


def _plain_number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _hard_sentence(result: SeperResult) -> str:
    if result.delta_hard is None:
        return ""
    return (
        f" Counting whole meanings (hard): {_number(result.without.hard)} without, "
        f"{_number(result.with_passages.hard)} with, Δ {signed(result.delta_hard)}."
    )
