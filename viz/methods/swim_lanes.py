"""Policy traces: every policy over the tokens of one answer, and each policy's own answer.

A full diamond is the lookup that happens, a hollow one a later trigger, which is not reached because the text behind
the lookup is rewritten.
"""

from collections.abc import Mapping

import plotly.graph_objects as go

from engine.core.words import isolated, shorten, shown
from engine.methods.timing.base import PolicyTrace
from engine.methods.timing.method import TimingResult, trace_of
from engine.methods.timing.trace import REFERENCE, first_trigger, missing_reason, replay
from viz.methods.timing import (
    BY_JUDGE,
    delay_words,
    found_words,
    judged_words,
    policy_title,
    run_sentence,
    signal_sentence,
    trace_sentence,
    watches,
)
from viz.methods.verdicts import SIGNS, Tone, tone_colour
from viz.parts.chosen import FAINT, draw_band, draw_row, fade_points
from viz.parts.figure_parts import add_key, add_marks, empty_figure, note, rows_axis, write_all
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import counted, quoted, wrapped

LANE_HEIGHT, FRAME = 34, 210
MOST_TICKS = 40
Note = Mapping[str, object]
JUDGED_TONES: dict[str, Tone] = {
    "right": "good", BY_JUDGE: "middle", "wrong": "bad", "no answer": "middle", "not judged": "unknown",
}  # fmt: skip


def trace_lanes(
    result: TimingResult,
    theme: Theme,
    policy: str = "",
    threshold: float | None = None,
    chosen: tuple[int | None, str] = (None, ""),
) -> go.Figure:
    """Return a lane per policy over the tokens of the answer from memory; one policy may be drawn at another threshold.

    x is the token's number from 1; a mark carries its lane's number and its signal's as ``customdata``. ``chosen`` is
    a token, which stands in an outlined band, and the policy of a chosen trigger, whose lane does.
    """
    height = FRAME + LANE_HEIGHT * max(1, len(result.lanes))
    if result.not_measured or not result.lanes:
        return empty_figure(trace_title(result), trace_sentence(result), theme, height)
    figure = go.Figure(layout=layout(theme, trace_title(result), height))
    tokens = max(1, len(result.generation.tokens))
    ends: list[Note] = []
    for number, lane in enumerate(result.lanes):
        triggers, moved = triggers_at(lane, policy, threshold)
        _draw_signals(figure, lane, number, triggers, threshold if moved else None, theme)
        ends += _lane_end(lane, number, tokens, theme, moved)
    write_all(figure, ends)
    add_key(figure, "first lookup", symbol="diamond", size=14, color=theme.middle)
    add_key(figure, "later trigger, not reached", symbol="diamond-open", size=11, color=theme.middle)
    add_key(figure, "checked, did not fire", symbol="circle", size=6, color=theme.muted)
    _dress_trace(figure, result, theme, tokens)
    _draw_chosen(figure, result, theme, chosen)
    return figure


def triggers_at(lane: PolicyTrace, policy: str, threshold: float | None) -> tuple[tuple[int, ...], bool]:
    """Return a lane's triggers, replayed where it is the policy whose threshold was moved, and whether it was."""
    moved = threshold is not None and lane.policy == policy and threshold != lane.bar.threshold
    return (replay(lane, threshold).triggers if moved and threshold is not None else lane.triggers), moved


def _draw_chosen(figure: go.Figure, result: TimingResult, theme: Theme, chosen: tuple[int | None, str]) -> None:
    """Outline the chosen token through all lanes and the lane of the chosen trigger; fade the marks beside them."""
    token, policy = chosen
    lane = next((place for place, lane in enumerate(result.lanes) if lane.policy == policy), None)
    if token is not None:
        draw_band(figure, token + 0.5, token + 1.5, theme)
    if lane is not None:
        draw_row(figure, lane - 0.45, lane + 0.45, theme)
    for trace in figure.data:
        if trace.customdata is None or (token is None and lane is None):
            continue
        beside = [
            (token is not None and x != token + 1) or (lane is not None and y != lane)
            for x, y in zip(trace.x, trace.y, strict=True)
        ]
        trace.marker.opacity = [FAINT if one else 1.0 for one in beside]


def trace_title(result: TimingResult) -> str:
    """Return the finding of the lanes in one line."""
    if result.not_measured:
        return "Nothing to judge"
    reference = trace_of(result, REFERENCE)
    first = first_trigger(reference) if reference else None
    watching = [lane for lane in result.lanes if watches(lane) and not missing_reason(lane)]
    if not watching:
        return "No adaptive policy was measured"
    asking = sum(bool(lane.triggers) for lane in watching)
    count = f"{asking} of {counted(len(watching), 'adaptive policy', 'adaptive policies')}"
    size = f"{count} look{'s' if asking == 1 else ''} something up"
    if reference is not None and missing_reason(reference):
        return f"{size}; ETC was not measured"
    if first is None:
        return f"{size}; ETC would not"
    return f"{size}; ETC’s first lookup is at token {first.token + 1}, ‘{isolated(shown(first.text, 24))}’"


def run_lanes(result: TimingResult, theme: Theme, chosen: int | None = None) -> go.Figure:
    """Return a lane per policy that wrote its own answer: its tokens, its lookups, right or not, what it took.

    A mark carries its lane's number as ``customdata[0]``. The ``chosen`` lane is outlined, the others are fainter.
    """
    height = FRAME + LANE_HEIGHT * max(1, len(result.runs))
    if not result.runs:
        text = "No policy wrote its own answer."
        return empty_figure(runs_title(result), text, theme, height)
    figure = go.Figure(layout=layout(theme, runs_title(result), height))
    longest = max(1, *(run.tokens_kept for run in result.runs))
    ends: list[Note] = []
    for number, run in enumerate(result.runs):
        _draw_run(figure, result, number, theme)
        cost = f"{counted(len(run.retrievals), 'lookup')}, {run.tokens_written} written"
        judged = judged_words(result, run)
        tone = JUDGED_TONES[judged]
        words = "not measured" if run.not_measured else f"{SIGNS[tone]} {judged} · {cost}"
        colour = theme.muted if run.right is None else tone_colour(tone, theme)
        ends += _beside(words, run.tokens_kept + longest * 0.02, number, colour, theme)
    write_all(figure, ends)
    figure.update_xaxes(
        title_text="Tokens kept", range=[-longest * 0.06, longest * 1.9], showgrid=False,
        zeroline=False, linecolor=theme.line, tickfont={"size": 14}, rangemode="nonnegative", fixedrange=True,
    )  # fmt: skip
    _dress_lanes(figure, [policy_title(run.policy) for run in result.runs], theme)
    if chosen is not None:
        draw_row(figure, chosen - 0.45, chosen + 0.45, theme)
        fade_points(figure, chosen)
    return figure


def runs_title(result: TimingResult) -> str:
    """Return the finding of the runs in one line."""
    judged = [run for run in result.runs if run.right is not None]
    lookups = sum(len(run.retrievals) for run in result.runs)
    size = f"{counted(len(result.runs), 'policy', 'policies')}, {counted(lookups, 'lookup')} in all"
    if not judged:
        return f"{size}: each policy's own answer"
    right = sum(run.right is True for run in judged)
    meant = sum(judged_words(result, run) == BY_JUDGE for run in judged)
    more = f", {meant} more {BY_JUDGE}" if meant else ""
    return f"{right} of {len(judged)} own answers right{more} ({size})"


def _draw_signals(
    figure: go.Figure,
    lane: PolicyTrace,
    number: int,
    triggers: tuple[int, ...],
    threshold: float | None,
    theme: Theme,
) -> None:
    """Draw one lane: small dots where it looked, hollow diamonds for later triggers, a full one for the first.

    ``threshold`` is the moved one, None the run's own.
    """
    quiet = [place for place in range(len(lane.signals)) if place not in triggers]
    first, later = triggers[:1], triggers[1:]
    marks = (
        (quiet, "circle", 5, rgba(theme.muted, 0.75), theme.muted),
        (later, "diamond-open", 11, theme.middle, theme.middle),
        (first, "diamond", 16, theme.middle, theme.text),
    )
    for places, symbol, size, colour, line in marks:
        if places:
            marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": 1.5, "color": line}}
            tokens = [lane.signals[place].token + 1 for place in places]
            hover = [wrapped(signal_sentence(lane, place, triggers, threshold)) for place in places]
            look = {"customdata": [[number, place] for place in places], "showlegend": False, "cliponaxis": False}
            add_marks(figure, tokens, [number] * len(places), hovertext=hover, marker=marker, **look)


def _lane_end(lane: PolicyTrace, number: int, tokens: int, theme: Theme, moved: bool) -> list[Note]:
    """Return what stands at a lane's end: when it fires against ETC, that it does not, or that it was not measured."""
    return _beside(lane_words(lane, moved), tokens + 1, number, theme.accent if moved else theme.muted, theme)


def lane_words(lane: PolicyTrace, moved: bool) -> str:
    """Return when a lane fires against ETC, that it does not, or that it was not measured; "" where there is no ETC."""
    if missing_reason(lane):
        return "not measured"
    if moved:
        return "threshold moved"
    if lane.policy == REFERENCE:
        return "the reference" if lane.triggers else "fires nowhere"
    if lane.delay is not None:
        return delay_words(lane.delay)
    return "" if lane.triggers else "fires nowhere"


def _beside(text: str, x: float, number: int, colour: str, theme: Theme) -> list[Note]:
    """Return words beside a lane, on the page's ground: the lane's line would strike them through. None for ""."""
    return [note(plain(text), colour, x=x, y=number, xanchor="left", bgcolor=theme.page)] if text else []


def _dress_trace(figure: go.Figure, result: TimingResult, theme: Theme, tokens: int) -> None:
    """Set the axis of tokens with their texts, and the lanes."""
    apart = max(1, -(-tokens // MOST_TICKS))
    ticks = list(range(1, tokens + 1, apart))
    texts = [token.text for token in result.generation.tokens]
    figure.update_xaxes(
        title_text="Tokens of the answer from memory",
        range=[0.2, tokens * 1.24 + 1],
        tickvals=ticks,
        ticktext=[plain(shorten(texts[tick - 1], 12)) if tick <= len(texts) else "" for tick in ticks],
        tickangle=-70 if tokens > 8 else 0,
        tickfont={"size": 13},
        showgrid=False,
        zeroline=False,
        linecolor=theme.line,
        fixedrange=True,
    )
    _dress_lanes(figure, [policy_title(lane.policy) for lane in result.lanes], theme)


def _dress_lanes(figure: go.Figure, names: list[str], theme: Theme) -> None:
    """Name the lanes, first on top, with a faint line each."""
    figure.update_yaxes(rows_axis([plain(name) for name in names], zeroline=False, automargin=True, fixedrange=True))
    figure.update_yaxes(
        range=[len(names) - 0.4, -0.6], gridcolor=rgba(theme.line, 0.6), ticklabelstandoff=8,
        tickfont={"size": 14, "color": theme.text},
    )  # fmt: skip
    figure.update_layout(
        margin={"l": 56, "r": 16, "t": 64, "b": 96},
        legend={"y": 1.0, "yanchor": "bottom", "x": 1, "xanchor": "right", "font": {"size": 13}},
        dragmode=False,
    )


def _draw_run(figure: go.Figure, result: TimingResult, number: int, theme: Theme) -> None:
    """Draw one run: a bar of its tokens, and its lookups with what they found."""
    run = result.runs[number]
    figure.add_bar(
        x=[run.tokens_kept], y=[number], orientation="h", width=0.42, customdata=[[number]], showlegend=False,
        marker={"color": rgba(theme.model, 0.35), "line": {"color": theme.model, "width": 1.5}},
        hovertext=wrapped(run_sentence(result, run)), hoverinfo="text",
    )  # fmt: skip
    if not run.retrievals:
        return
    marker = {
        "symbol": ["x" if lookup.failed else "diamond" for lookup in run.retrievals],
        "size": 15,
        "color": [theme.unknown if lookup.failed else theme.middle for lookup in run.retrievals],
        "line": {"width": 1.5, "color": theme.text},
    }
    hover = [
        wrapped(f"Lookup {place} after token {lookup.tokens}: {quoted(lookup.query, 160)}. {found_words(lookup)}")
        for place, lookup in enumerate(run.retrievals, 1)
    ]
    tokens, rows = [lookup.tokens for lookup in run.retrievals], [number] * len(run.retrievals)
    add_marks(
        figure, tokens, rows, hovertext=hover, marker=marker, customdata=[[row] for row in rows], showlegend=False
    )
