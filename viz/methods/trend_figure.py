"""The figure of ETC: entropy, its first and its second difference over the words of one answer (section 3).

What lies behind the first trigger was written without the retrieval that would have happened there: it is drawn
faint, and said to need a new run.
"""

import math
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.core.words import isolated, shorten
from engine.methods.entropy_trend import EntropyTrendResult, Trigger, named_word, word_name
from viz.methods.entropy_trend import (
    alpha_of,
    before_any_trigger,
    first_differences_of,
    not_measured_sentence,
    replay,
    word_sentence,
)
from viz.parts.chosen import draw_band, fade_points
from viz.parts.figure_parts import (
    UNFADED,
    add_key,
    add_marks,
    bars_between,
    compact_layout,
    draw_note,
    empty_figure,
    write,
)
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import wrapped

HEIGHT, ALONE_HEIGHT, NOTE_HEIGHT = 690, 360, 160
WORDS_AXIS = "words of the written answer, in order"

# More upright labels than this run into each other on a narrow page; hover text and table have every word.
MOST_TICKS = 32
# Level labels: a small figure is some 400 pixels wide.
FEW_TICKS = 6
TICK_LENGTH = 14
# On a phone its words have some 290 pixels, a letter about 7: two long ones side by side would run into each other.
SMALL_WIDTH, LETTER_WIDTH = 290, 7
# A clicked word grows; Plotly would fade all others.
GROWING = UNFADED | {"selected": {"marker": {"size": 14, "opacity": 1}}, "cliponaxis": False}
REWRITTEN = "not reached"  # in the legend: over the panels it would lie on a curve


def trend_figure(
    result: EntropyTrendResult,
    theme: Theme,
    alpha: float | None = None,
    chosen: int | None = None,
    *,
    compact: bool = False,
) -> go.Figure:
    """Return entropy, its first and its second difference over the words, with ±α and the triggers through all three.

    Panels share the words as their x axis; y axes are in nats. A click on a word carries its index as
    ``customdata[0]``. Filled dots are content words, hollow ones function
    words, which the differences skip. The ``chosen`` word stands in an outlined band, the marks of others are fainter.
    ``compact`` is small: only what is compared with ±α, the first trigger named, few words below, no legend.
    """
    threshold, found = alpha_of(result, alpha), replay(result, alpha)
    if compact:
        return _small_figure(result, theme, threshold, found)
    if not result.words:
        return empty_figure(title(result, alpha), not_measured_sentence(result), theme, NOTE_HEIGHT)
    if not result.points:
        return _entropy_alone(result, theme, chosen)
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=[0.36, 0.24, 0.4])
    figure.update_layout(layout(theme, title(result, alpha), HEIGHT), overwrite=True)
    _draw_entropy(figure, result, theme)
    _draw_first_differences(figure, result, theme)
    _draw_trend(figure, result, theme, threshold)
    _draw_threshold(figure, result, theme, threshold)
    _draw_triggers(figure, result, theme, found)
    _dress(figure, result, theme, {trigger.word for trigger in found}, threshold)
    if chosen is not None and chosen < len(result.words):
        _draw_chosen(figure, result, theme, chosen)
    return figure


def _entropy_alone(result: EntropyTrendResult, theme: Theme, chosen: int | None) -> go.Figure:
    """Return the first panel, and why there is no trend to draw below it."""
    figure = make_subplots(rows=1, cols=1)
    figure.update_layout(layout(theme, title(result), ALONE_HEIGHT), overwrite=True)
    _draw_entropy(figure, result, theme)
    _dress_words(figure, result, theme, set())
    axis = {"gridcolor": rgba(theme.line, 0.6), "linecolor": theme.line, "title_font": {"size": 14}, "nticks": 6}
    figure.update_yaxes(**axis, title_text="H, entropy (nats)", rangemode="tozero")
    figure.update_layout(margin={"l": 68, "r": 24, "t": 112, "b": 40})
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom", "align": "left"}
    write(figure, wrapped(not_measured_sentence(result)), theme.muted, 14, **place)
    if chosen is not None and chosen < len(result.words):
        _draw_chosen(figure, result, theme, chosen)
    return figure


def _small_figure(result: EntropyTrendResult, theme: Theme, threshold: float, found: tuple[Trigger, ...]) -> go.Figure:
    """Return the last panel alone, as it is without the raw differences."""
    figure = make_subplots(rows=1, cols=1)
    figure.update_layout(compact_layout(theme), margin={"l": 32, "r": 12, "t": 26, "b": 30})
    if not result.points:
        figure.update_xaxes(visible=False).update_yaxes(visible=False)
        draw_note(figure, not_measured_sentence(result), theme)
        return figure
    values = [point.value for point in result.points]
    _curve(figure, 1, result, [point.word for point in result.points], values, "", theme.accent, 3)
    _whiskers(figure, [point.low for point in result.points], [point.high for point in result.points])
    _draw_threshold(figure, result, theme, threshold, 1)
    _draw_triggers(figure, result, theme, found, 1)
    _dress_words(figure, result, theme, {trigger.word for trigger in found[:1]}, FEW_TICKS)
    axis = {"gridcolor": rgba(theme.line, 0.6), "zerolinecolor": theme.muted, "fixedrange": True, "nticks": 4}
    figure.update_yaxes(**axis, range=_trend_range(result, threshold))
    figure.update_xaxes(fixedrange=True, tickangle=0)
    return figure


def _draw_chosen(figure: go.Figure, result: EntropyTrendResult, theme: Theme, chosen: int) -> None:
    """Outline the chosen word through all panels, and name it beneath them."""
    draw_band(figure, chosen - 0.5, chosen + 0.5, theme)
    fade_points(figure, chosen)
    text = f"<b>◆ {plain(shorten(word_name(result, chosen), 18))}</b>"
    foot = {"x": chosen, "xref": "x", "y": 0, "yref": "paper", "yanchor": "bottom"}
    write(figure, text, theme.page, 13, bgcolor=theme.text, borderpad=2, **foot)


def title(result: EntropyTrendResult, alpha: float | None = None) -> str:
    """Return the finding of the figure in one line."""
    if not result.points:
        too_few = sum(word.is_content for word in result.words) < 3
        return "The trend needs three content words" if too_few else result.not_measured.partition(";")[0].rstrip(".")
    found = replay(result, alpha)
    doubtful = before_any_trigger(result, alpha_of(result, alpha))
    if doubtful:
        word = isolated(shorten(named_word(result, doubtful[0]), 24))
        return f"Unclear at word {doubtful[0] + 1}, ‘{word}’"
    if not found:
        reach = "reaches" if result.mode == "abs" else "exceeds"
        return f"ETC would look nothing up: the trend never {reach} α = {alpha_of(result, alpha):.2f} nats"
    word = isolated(shorten(named_word(result, found[0].word), 24))
    return f"ETC would look something up before word {found[0].word + 1}, ‘{word}’"


def _draw_entropy(figure: go.Figure, result: EntropyTrendResult, theme: Theme) -> None:
    """Draw H: a line over the content words, every word as a dot."""
    content = [index for index, word in enumerate(result.words) if word.is_content]
    function = [index for index, word in enumerate(result.words) if not word.is_content]
    middles = [result.words[i].entropy_middle for i in content]
    _curve(figure, 1, result, content, middles, "content words", theme.model, 2.5)
    _whiskers(figure, [result.words[i].entropy for i in content], [result.words[i].entropy_high for i in content])
    hollow = {"size": 7, "color": theme.page, "line": {"width": 1.5, "color": theme.unknown}}
    values, look = [result.words[i].entropy_middle for i in function], _on_words(result, function, 1) | GROWING
    add_marks(figure, function, values, marker=hollow, name="function words (skipped)", **look)


def _draw_first_differences(figure: go.Figure, result: EntropyTrendResult, theme: Theme) -> None:
    """Draw ΔH as bars: up where the model grew less sure."""
    first = first_differences_of(result)
    figure.add_bar(
        x=list(first),
        y=list(first.values()),
        width=0.6,
        marker={"color": rgba(theme.model, 0.75), "line": {"width": 0}},
        name="ΔH",
        showlegend=False,
        hoverinfo="text",
        **_on_words(result, list(first), 2) | UNFADED,
    )


def _draw_trend(figure: go.Figure, result: EntropyTrendResult, theme: Theme, alpha: float) -> None:
    """Draw Δ²H thin and what is compared with α thick; in the released code's variant the smoothing lies between."""
    words = [point.word for point in result.points]
    raw = [point.second_difference for point in result.points]
    _helper_curve(figure, result, alpha, raw, "Δ²H, raw", theme.unknown, 1.2)
    if result.variant == "code":
        smoothed = [point.smoothed for point in result.points]
        _helper_curve(figure, result, alpha, smoothed, "smoothed", theme.model, 1.5)
    name = "smoothed Δ²H" if result.variant == "paper" else "smoothed Δ²H × attention"
    _curve(figure, 3, result, words, [point.value for point in result.points], name, theme.accent, 3.5)
    _whiskers(figure, [point.low for point in result.points], [point.high for point in result.points])


def _helper_curve(
    figure: go.Figure,
    result: EntropyTrendResult,
    alpha: float,
    values: Sequence[float | None],
    name: str,
    colour: str,
    width: float,
) -> None:
    """Draw a line that leads to what is compared with α; the legend says where it leaves the panel."""
    low, high = _trend_range(result, alpha)
    cut = any(value is not None and not low <= value <= high for value in values)
    words = [point.word for point in result.points]
    _curve(figure, 3, result, words, list(values), f"{name} (cut off)" if cut else name, colour, width, dots=False)


def _whiskers(figure: go.Figure, low: Sequence[float | None], high: Sequence[float | None]) -> None:
    """Draw on the last curve from where to where each value can lie; nothing where all are exact."""
    curve = figure.data[-1]
    if all(bound is None for bound in high):
        return
    curve.error_y = bars_between(curve.y, list(zip(low, high, strict=True)), thickness=1.5, width=4)


def _curve(
    figure: go.Figure,
    row: int,
    result: EntropyTrendResult,
    words: list[int],
    values: list[float] | list[float | None],
    name: str,
    colour: str,
    width: float,
    dots: bool = True,
) -> None:
    """Draw one line over words; a value that is not there leaves a gap."""
    figure.add_scatter(
        x=words,
        y=values,
        mode="lines+markers" if dots else "lines",
        line={"color": colour, "width": width},
        marker={"color": colour, "size": 8},
        name=name,
        hoverinfo="text",
        **_on_words(result, words, row) | GROWING,
    )


def _on_words(result: EntropyTrendResult, words: Sequence[int], row: int) -> dict[str, object]:
    """Return what every trace over words shares: their numbers for clicks, their hover texts, the panel."""
    ids, hover = [[i] for i in words], [wrapped(word_sentence(result, i)) for i in words]
    return {"customdata": ids, "hovertext": hover, "row": row, "col": 1}


def _draw_threshold(figure: go.Figure, result: EntropyTrendResult, theme: Theme, alpha: float, row: int = 3) -> None:
    """Draw where a value fires: beyond ±α, or above +α in signed mode."""
    small = row == 1
    axis = "y" if small else f"y{row}"
    for bound in (alpha, -alpha) if result.mode == "abs" else (alpha,):
        figure.add_hline(y=bound, row=row, col=1, line={"color": theme.middle, "width": 2, "dash": "dash"})
        sign = "±" if small and result.mode == "abs" else "+" if bound > 0 else "−"
        text = f"<b>{sign}α = {abs(bound):.2f}</b>"
        if small and bound < 0:
            continue
        beside = {"x": 1.0, "xref": "paper", "xanchor": "right", "yanchor": "bottom" if bound > 0 else "top"}
        write(figure, text, theme.middle, y=bound, yref=axis, **beside)


def _draw_triggers(
    figure: go.Figure, result: EntropyTrendResult, theme: Theme, found: tuple[Trigger, ...], row: int = 3
) -> None:
    """Draw a line through all panels at each trigger: the first strong and named, what follows it greyed."""
    for place, trigger in enumerate(found):
        line = {"color": theme.middle, "width": 3.5} if not place else {"color": rgba(theme.middle, 0.45), "width": 1.5}
        dash = {"dash": "dot"} if place else {}
        figure.add_shape(
            type="line", xref="x", yref="paper", x0=trigger.word, x1=trigger.word, y0=0, y1=1, line={**line, **dash},
            layer="below",
        )  # fmt: skip
    if not found:
        return
    middles = {point.word: point.value for point in result.points}
    words = [trigger.word for trigger in found]
    values = [trigger.value if (middle := middles[trigger.word]) is None else middle for trigger in found]
    marker = {"symbol": "diamond", "size": 14, "color": theme.middle, "line": {"width": 2, "color": theme.page}}
    look = {"marker": marker, "name": "triggers", "cliponaxis": False} | _on_words(result, words, row) | UNFADED
    add_marks(figure, words, values, **look)
    _draw_rewritten(figure, result, theme, found[0].word, named=row > 1)


def _draw_rewritten(figure: go.Figure, result: EntropyTrendResult, theme: Theme, first: int, *, named: bool) -> None:
    """Name the first trigger above the panels, and grey what stands behind it; ``named``: say why it is grey."""
    last = len(result.words) - 1
    figure.add_shape(
        type="rect", xref="x", yref="paper", x0=first, x1=last + 0.6, y0=0, y1=1, layer="below",
        fillcolor=rgba(theme.unknown, 0.1), line={"width": 0},
    )  # fmt: skip
    right = first > last / 2
    label = plain(isolated(shorten(named_word(result, first), 24)))
    above = {"xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom"}
    text, side = f"<b>look up before ‘{label}’</b>", "right" if right else "left"
    write(figure, text, theme.middle, 16 if named else 13, x=first, xanchor=side, **above)
    if named:
        look = {"color": rgba(theme.unknown, 0.1), "line": {"color": theme.unknown, "width": 1.5}}
        add_key(figure, REWRITTEN, symbol="square", size=14, **look)


def _dress(figure: go.Figure, result: EntropyTrendResult, theme: Theme, triggers: set[int], alpha: float) -> None:
    """Set axes, ticks and legend."""
    common = {"gridcolor": rgba(theme.line, 0.6), "linecolor": theme.line, "zerolinecolor": theme.muted}
    _dress_words(figure, result, theme, triggers)
    figure.update_yaxes(**common, zeroline=True, zerolinewidth=1, title_font={"size": 14}, nticks=6)
    figure.update_yaxes(title_text="H, entropy<br>(nats)", rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="ΔH, change<br>(nats)", row=2, col=1)
    figure.update_yaxes(title_text="Δ²H, trend<br>(nats)", range=_trend_range(result, alpha), row=3, col=1)
    figure.update_xaxes(title={"text": WORDS_AXIS, "font": {"size": 14}, "standoff": 6}, row=3, col=1)
    figure.update_layout(
        margin={"l": 68, "r": 24, "t": 92, "b": 40},
        legend={"y": -0.28, "yanchor": "top", "font": {"size": 14}},
        bargap=0.3,
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.text},
    )


def _dress_words(
    figure: go.Figure, result: EntropyTrendResult, theme: Theme, triggers: set[int], most: int = MOST_TICKS
) -> None:
    """Set the axis of words: at most so many are named, triggers in bold."""
    labels = _ticks(result, triggers, most)
    figure.update_xaxes(
        gridcolor=rgba(theme.line, 0.6),
        linecolor=theme.line,
        zerolinecolor=theme.muted,
        range=[-0.7, max(1, len(result.words)) - 0.3],
        showgrid=False,
        zeroline=False,
        tickvals=list(labels),
        ticktext=list(labels.values()),
        tickangle=-75 if len(labels) > 8 else None,
        autotickangles=[0, -75],
        tickfont={"size": 12 if len(result.words) > 24 or most < MOST_TICKS else 14},
    )


def _trend_range(result: EntropyTrendResult, alpha: float) -> list[float]:
    """Return the y range of what is compared with α, with air; the raw trend may leave it."""
    values = [point.value for point in result.points if point.value is not None]
    values += [bound for point in result.points for bound in (point.low, point.high) if bound is not None]
    low, high = min([0.0, -alpha, *values]), max([alpha, *values])
    return [low - 0.2 * (high - low), high + 0.16 * (high - low)]


def _ticks(result: EntropyTrendResult, triggers: set[int], most: int) -> dict[int, str]:
    """Return word -> tick label, all clear of each other: every trigger, in bold, then content words, new names first.

    Triggers too close to the one before stand in its label, as lines beside its own. Few labels are level, so that the
    length of words counts as well.
    """
    apart = math.ceil(len(result.words) / most)
    room = SMALL_WIDTH / max(1, len(result.words)) if most < MOST_TICKS else math.inf
    groups: dict[int, list[int]] = {}
    for index in sorted(triggers):
        near = next((first for first in groups if index - first < apart), index)
        groups.setdefault(near, []).append(index)
    texts = {
        first: "<br>".join(f"<b>{_tick_name(result, index)}</b>" for index in group) for first, group in groups.items()
    }
    content = [index for index, word in enumerate(result.words) if word.is_content]
    named = {_tick_name(result, index) for index in triggers}
    for again in (False, True):
        for index in content:
            name = _tick_name(result, index)
            clear = all(
                abs(index - other) >= max(apart, _label_distance(name, _tick_name(result, other), room))
                for other in texts
            )
            if (again or name not in named) and clear:
                texts[index] = name
                named.add(name)
    return dict(sorted(texts.items()))


def _label_distance(one: str, other: str, room: float) -> float:
    """Return how many words lie between the middles of two level labels that just fit; ``room``: pixels a word."""
    return (len(one) + len(other) + 2) / 2 * LETTER_WIDTH / room


def _tick_name(result: EntropyTrendResult, index: int) -> str:
    return plain(shorten(word_name(result, index), TICK_LENGTH))
