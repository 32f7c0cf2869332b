"""The trend of entropy over an answer (ETC, section 4): the figure of its three curves, the answer as a strip, words.

Every α is replayed on the stored values, so moving the threshold needs no model. What lies behind the first trigger
was written without the retrieval that would have happened there: it is drawn faint, and said to need a new run.
"""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.measures.entropy_trend import first_differences, smoothing_weights
from engine.measures.entropy_trend import triggers as reaches
from engine.methods.entropy_trend import EntropyTrendResult, TrendPoint, TrendWord, Trigger
from viz.theme import Theme, layout, plain, rgba, shorten
from viz.token_strip import ramp_html, scale_top, tint
from viz.verdicts import Verdict
from viz.words import counted, listing, quoted, shown, signed, wrapped

HEIGHT = 660
# More upright labels than this run into each other on a narrow page; hover text and table have every word.
MOST_TICKS = 48
TICK_LENGTH = 14
REWRITTEN = "not reached: from here on the text would be rewritten"
FIRST, LATER = "look up here", "later, not reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What another α changes against the recorded run, in sentences: what newly fires and what no longer does."""

    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    first_changed: bool


def replay(result: EntropyTrendResult, alpha: float | None = None) -> tuple[Trigger, ...]:
    """Return the triggers at another α (nats; None = the run's own), recomputed from the stored values, in order.

    Mode "abs" compares |value| >= α, "signed" value > α. Kept text is what stands before the word. At the run's own α
    these are the recorded triggers; at another one the query is the word's own, which the released code widens by
    later triggers of the sentence.
    """
    if _alpha(result, alpha) == result.alpha:
        return result.triggers
    values = [math.nan if point.value is None else point.value for point in result.points]
    fired = reaches(values, _alpha(result, alpha), result.mode, strict=result.mode == "signed")
    return tuple(
        Trigger(
            word=point.word,
            value=value,
            kept=result.generation.text[: result.words[point.word].start],
            query=result.words[point.word].query,
        )
        for point, value, hit in zip(result.points, values, fired, strict=True)
        if hit
    )


def compare(result: EntropyTrendResult, alpha: float) -> Replay:
    """Return what an α changes against the triggers the run recorded."""
    now, recorded = replay(result, alpha), result.triggers
    before, after = {trigger.word for trigger in recorded}, {trigger.word for trigger in now}
    return Replay(
        appeared=tuple(_trigger_words(result, trigger) for trigger in now if trigger.word not in before),
        vanished=tuple(_trigger_words(result, trigger) for trigger in recorded if trigger.word not in after),
        first_changed=[trigger.word for trigger in now[:1]] != [trigger.word for trigger in recorded[:1]],
    )


def replay_sentence(result: EntropyTrendResult, alpha: float) -> str:
    """Return what an α changes, and where the replay stops being true, in words."""
    changed = compare(result, alpha)
    if not changed.appeared and not changed.vanished:
        return f"α = {alpha:.2f} nats: the same triggers as in the recorded run (α = {result.alpha:.2f} nats)."
    parts = [f"α = {alpha:.2f} nats against {result.alpha:.2f} in the recorded run."]
    if changed.appeared:
        parts.append(f"Newly fires: {listing(changed.appeared)}.")
    if changed.vanished:
        parts.append(f"No longer fires: {listing(changed.vanished)}.")
    if changed.first_changed:
        parts.append(
            "The first trigger changes: what stands behind it would be written anew after the lookup, which a replay "
            "cannot show; that needs a re-run."
        )
    return " ".join(parts)


def alpha_range(result: EntropyTrendResult) -> tuple[float, float]:
    """Return the thresholds worth trying, in nats: from 0.05 to where nothing fires, the run's own included."""
    largest = max((abs(point.value) for point in result.points if point.value is not None), default=0.0)
    return min(0.05, result.alpha), max(2.0, math.ceil(largest * 2 + 0.5) / 2, result.alpha)


def alpha_label(result: EntropyTrendResult) -> str:
    """Return the label of the threshold: its unit, the run's value and where that comes from."""
    origin = "the paper's default, set for 7B–13B models" if result.alpha_source == "paper" else "fitted"
    return f"Threshold α in nats (this run: {result.alpha:.2f}, {origin})"


def sentence(result: EntropyTrendResult, alpha: float | None = None) -> str:
    """Return the figure in words, at the run's own α or at another one (nats)."""
    if not result.words:
        return _not_measured(result)
    content = sum(word.is_content for word in result.words)
    opening = f"The answer has {counted(len(result.words), 'word')}, {counted(content, 'content word')} among them."
    if not result.points:
        return f"{opening} {_not_measured(result)}"
    return f"{opening} {_finding(result, _alpha(result, alpha))}"


def conclusion(result: EntropyTrendResult) -> str:
    """Return what the step-by-step answer ends with, in words."""
    ending = (
        f"It concludes with {quoted(result.answer)}." if result.answer.strip() else "It never says what the answer is."
    )
    cut = f" It was cut off after {counted(len(result.generation.tokens), 'token')}."
    return ending + (cut if result.generation.stop_reason == "length" else "")


def verdict(result: EntropyTrendResult) -> Verdict:
    """Return ETC's word on the recorded run: look something up, no need, or not measured."""
    if result.not_measured or not result.points:
        return Verdict(word="not measured", tone="unknown", sentence=_not_measured(result))
    if not result.triggers:
        return Verdict(word="no lookup needed", tone="good", sentence=sentence(result))
    word = quoted(_name(result, result.triggers[0].word), 30)
    return Verdict(word=f"look it up before {word}", tone="middle", sentence=sentence(result))


def words_table(result: EntropyTrendResult, alpha: float | None = None) -> pd.DataFrame:
    """Return the text twin: one row per word with every stored number, in nats; empty where there is none."""
    points, first = {point.word: point for point in result.points}, _first_differences(result)
    roles = _roles(result, alpha)
    rows = [_table_row(index, word, points.get(index), first, roles) for index, word in enumerate(result.words)]
    return pd.DataFrame(rows, columns=TABLE_COLUMNS)


TABLE_COLUMNS = [
    "word number",
    "word",
    "trigger",
    "part of speech",
    "content word",
    "H (nats)",
    "ΔH (nats)",
    "Δ²H (nats)",
    "smoothed (nats)",
    "compared with α (nats)",
    "query",
]


def trend_figure(result: EntropyTrendResult, theme: Theme, alpha: float | None = None) -> go.Figure:
    """Return entropy, its first and its second difference over the words, with ±α and the triggers through all three.

    Panels share the words as their x axis; y axes are in nats. Filled dots are content words, hollow ones function
    words, which the differences skip.
    """
    threshold, found = _alpha(result, alpha), replay(result, alpha)
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=[0.36, 0.24, 0.4])
    figure.update_layout(layout(theme, title(result, alpha), HEIGHT))
    if result.words:
        _draw_entropy(figure, result, theme)
        _draw_first_differences(figure, result, theme)
        _draw_trend(figure, result, theme)
        _draw_threshold(figure, result, theme, threshold)
        _draw_triggers(figure, result, theme, found)
    _dress(figure, result, theme, {trigger.word for trigger in found}, threshold)
    if not result.points:
        figure.add_annotation(
            text=wrapped(_not_measured(result)), x=0.5, y=0.26, xref="paper", yref="paper", showarrow=False,
            font={"size": 16, "color": theme.text}, bgcolor=theme.panel, borderpad=8,
        )  # fmt: skip
    return figure


def title(result: EntropyTrendResult, alpha: float | None = None) -> str:
    """Return the finding of the figure in one line."""
    if not result.points:
        return "ETC has nothing to measure: the trend needs three content words"
    found = replay(result, alpha)
    if not found:
        reach = "reaches" if result.mode == "abs" else "exceeds"
        return f"ETC would look nothing up: the trend never {reach} α = {_alpha(result, alpha):.2f} nats"
    word = shorten(_name(result, found[0].word), 24)
    return f"ETC would look something up before word {found[0].word + 1}, ‘{word}’"


def answer_strip_html(result: EntropyTrendResult, theme: Theme, alpha: float | None = None) -> str:
    """Return the step-by-step answer as escaped HTML: tinted by entropy, first trigger marked, on grey what follows."""
    if not result.words:
        return f'<p style="color:{theme.muted};margin:0">{plain(_not_measured(result))}</p>'
    roles, top = _roles(result, alpha), scale_top([word.entropy for word in result.words])
    first = min(roles, default=len(result.words))
    text, pieces, place = result.generation.text, [], 0
    for index, word in enumerate(result.words):
        pieces.append(_gap_html(text[place : word.start]))
        pieces.append(_word_html(result, index, theme, top, roles.get(index, "")))
        pieces.append(_band_html(theme) if index == first else "")
        place = max(place, word.end)
    pieces.append(_gap_html(text[place:]) + ("</span>" if roles else ""))
    key = _strip_key_html(theme) if roles else ""
    return (
        f'<div style="color:{theme.text}"><div dir="auto" style="font-size:1.2rem;line-height:2.1;'
        f'overflow-wrap:anywhere">{"".join(pieces)}</div>{ramp_html(theme, top)}{key}</div>'
    )


def word_sentence(result: EntropyTrendResult, index: int) -> str:
    """Return one word in words: its tag, its numbers in nats, and what would be looked up before it."""
    word = result.words[index]
    point = next((point for point in result.points if point.word == index), None)
    kind = "content word" if word.is_content else "function word, which the differences skip"
    parts = [f"Word {index + 1}, {quoted(word.text)} ({word.pos}, {kind}): H = {word.entropy:.2f} nats."]
    if point is not None:
        parts.append(
            f"ΔH = {signed(point.first_difference)}, Δ²H = {signed(point.second_difference)}, "
            f"smoothed {_or_undefined(point.smoothed)}, compared with α: {_or_undefined(point.value)}."
        )
    elif word.is_content:
        parts.append("It has no second difference: that needs two content words before it.")
    parts.append(f"Looked up before it: {quoted(word.query, 200)}." if word.query else "Nothing to look up before it.")
    return " ".join(parts)


def workings(result: EntropyTrendResult, index: int) -> tuple[str, ...]:
    """Return the calculation at a word with this run's values, a line per equation; empty where there is none."""
    place = next((place for place, point in enumerate(result.points) if point.word == index), None)
    if place is None:
        return ()
    point, first = result.points[place], _first_differences(result)
    content = [number for number in range(index) if result.words[number].is_content]
    before = result.words[content[-1]]
    lines = [
        f"ΔH = H({_name(result, index)}) − H({_name(result, content[-1])}) = {result.words[index].entropy:.2f} − "
        f"{before.entropy:.2f} = {signed(point.first_difference)} nats (eq. 6)"
    ]
    if result.variant == "code":
        lines.append(f"Δ²H = {signed(point.second_difference)}, smoothed {_or_undefined(point.smoothed)}")
        return (*lines, f"times the word's relative attention: {_or_undefined(point.value)}")
    earlier = signed(first[content[-1]])
    lines.append(
        f"Δ²H = {signed(point.first_difference)} − ({earlier}) = {signed(point.second_difference)} nats (eq. 9)"
    )
    if place == 0 or point.smoothed is None:
        return (*lines, f"smoothed: {_or_undefined(point.smoothed)}, the first value stays as it is")
    weight = smoothing_weights([stored.second_difference for stored in result.points])[place]
    share = 1.0 if math.isnan(weight) else float(weight)
    previous = signed(result.points[place - 1].second_difference)
    lines.append(
        f"smoothed = w Δ²H + (1 − w) Δ²H before = {share:.2f} × ({signed(point.second_difference)}) + "
        f"{1 - share:.2f} × ({previous}) = {signed(point.smoothed)} nats (eq. 10–12)"
    )
    return tuple(lines)


def _alpha(result: EntropyTrendResult, alpha: float | None) -> float:
    return result.alpha if alpha is None else alpha


def _not_measured(result: EntropyTrendResult) -> str:
    reason = result.not_measured or "there are fewer than three content words"
    return f"Not measured: {reason if reason.endswith('.') else reason + '.'}"


def _finding(result: EntropyTrendResult, alpha: float) -> str:
    """Return what the trend does at an α, in words."""
    found = replay(result, alpha)
    if not found:
        bound = "within ±" if result.mode == "abs" else "at or below +"
        return f"The smoothed trend of entropy stays {bound}{alpha:.2f} nats: ETC would look nothing up."
    first = found[0]
    query = f"look up {quoted(first.query, 160)}" if first.query else "look something up"
    text = (
        f"At α = {alpha:.2f} nats the trend of entropy first reaches the threshold at {_trigger_words(result, first)}: "
        f"ETC would {query} before writing it."
    )
    if len(found) == 1:
        return text
    many = "would not be reached: the text would be rewritten"
    return f"{text} {counted(len(found) - 1, 'later trigger')} {many}."


def _trigger_words(result: EntropyTrendResult, trigger: Trigger) -> str:
    word = quoted(_name(result, trigger.word), 40)
    return f"word {trigger.word + 1}, {word} ({signed(trigger.value)} nats)"


def _name(result: EntropyTrendResult, index: int) -> str:
    """Return a word without the punctuation that hangs on it; a word of nothing else as it is."""
    text = shown(result.words[index].text)
    return text.strip('.,;:!?()"“”') or text


def _roles(result: EntropyTrendResult, alpha: float | None) -> dict[int, str]:
    """Return word index -> what it is at an α: the first trigger or a later one."""
    found = replay(result, alpha)
    return {trigger.word: LATER if place else FIRST for place, trigger in enumerate(found)}


def _or_undefined(value: float | None) -> str:
    return "undefined (0/0)" if value is None else f"{signed(value)} nats"


def _first_differences(result: EntropyTrendResult) -> dict[int, float]:
    """Return ΔH by word, from the second content word on; the stored points begin at the third."""
    if not result.words:
        return {}
    placed = first_differences([word.entropy for word in result.words], [word.is_content for word in result.words])
    return dict(placed)


def _table_row(
    index: int, word: TrendWord, point: TrendPoint | None, first: dict[int, float], roles: dict[int, str]
) -> tuple[object, ...]:
    trend = (None, None, None) if point is None else (point.second_difference, point.smoothed, point.value)
    start = (index + 1, word.text, roles.get(index, ""), word.pos, word.is_content, word.entropy, first.get(index))
    return (*start, *trend, word.query)


def _draw_entropy(figure: go.Figure, result: EntropyTrendResult, theme: Theme) -> None:
    """Draw H: a line over the content words, every word as a dot."""
    content = [index for index, word in enumerate(result.words) if word.is_content]
    function = [index for index, word in enumerate(result.words) if not word.is_content]
    _curve(figure, 1, result, content, [result.words[i].entropy for i in content], "content words", theme.model, 2.5)
    hollow = {"size": 7, "color": theme.page, "line": {"width": 1.5, "color": theme.unknown}}
    figure.add_scatter(
        x=function,
        y=[result.words[i].entropy for i in function],
        mode="markers",
        marker=hollow,
        name="function words (skipped)",
        customdata=[_hover(result, i) for i in function],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
        row=1,
        col=1,
    )


def _draw_first_differences(figure: go.Figure, result: EntropyTrendResult, theme: Theme) -> None:
    """Draw ΔH as bars: up where the model grew less sure."""
    first = _first_differences(result)
    figure.add_bar(
        x=list(first),
        y=list(first.values()),
        width=0.6,
        marker={"color": rgba(theme.model, 0.75), "line": {"width": 0}},
        name="ΔH",
        showlegend=False,
        customdata=[_hover(result, i) for i in first],
        hovertemplate="%{customdata}<extra></extra>",
        row=2,
        col=1,
    )


def _draw_trend(figure: go.Figure, result: EntropyTrendResult, theme: Theme) -> None:
    """Draw Δ²H thin and what is compared with α thick; in the released code's variant the smoothing lies between."""
    words = [point.word for point in result.points]
    raw = [point.second_difference for point in result.points]
    _curve(figure, 3, result, words, raw, "Δ²H, raw", theme.unknown, 1.2, dots=False)
    if result.variant == "code":
        smoothed = [point.smoothed for point in result.points]
        _curve(figure, 3, result, words, smoothed, "smoothed", theme.model, 1.5, dots=False)
    name = "smoothed Δ²H, compared with α" if result.variant == "paper" else "smoothed × attention, compared with α"
    _curve(figure, 3, result, words, [point.value for point in result.points], name, theme.accent, 3.5)


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
        customdata=[_hover(result, i) for i in words],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
        row=row,
        col=1,
    )


def _draw_threshold(figure: go.Figure, result: EntropyTrendResult, theme: Theme, alpha: float) -> None:
    """Draw where a value fires: beyond ±α, or above +α in signed mode."""
    for bound in (alpha, -alpha) if result.mode == "abs" else (alpha,):
        figure.add_hline(y=bound, row=3, col=1, line={"color": theme.middle, "width": 2, "dash": "dash"})
        figure.add_annotation(
            x=1.0,
            xref="paper",
            y=bound,
            yref="y3",
            text=f"<b>{'+' if bound > 0 else '−'}α = {abs(bound):.2f}</b>",
            showarrow=False,
            xanchor="left",
            xshift=4,
            font={"color": theme.middle, "size": 14},
        )


def _draw_triggers(figure: go.Figure, result: EntropyTrendResult, theme: Theme, found: tuple[Trigger, ...]) -> None:
    """Draw a line through all panels at each trigger: the first strong and named, what follows it greyed."""
    for place, trigger in enumerate(found):
        line = {"color": theme.middle, "width": 3.5} if not place else {"color": rgba(theme.middle, 0.45), "width": 1.5}
        dash = {"dash": "dot"} if place else {}
        figure.add_shape(
            type="line", xref="x", yref="paper", x0=trigger.word, x1=trigger.word, y0=0, y1=1, line={**line, **dash}
        )
    if not found:
        return
    figure.add_scatter(
        x=[trigger.word for trigger in found],
        y=[trigger.value for trigger in found],
        mode="markers",
        marker={"symbol": "diamond", "size": 14, "color": theme.middle, "line": {"width": 2, "color": theme.page}},
        name="triggers",
        customdata=[_hover(result, trigger.word) for trigger in found],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
        row=3,
        col=1,
    )
    _draw_rewritten(figure, result, theme, found[0].word)


def _draw_rewritten(figure: go.Figure, result: EntropyTrendResult, theme: Theme, first: int) -> None:
    """Name the first trigger above the panels, and grey what stands behind it."""
    last = len(result.words) - 1
    figure.add_shape(
        type="rect", xref="x", yref="paper", x0=first, x1=last + 0.6, y0=0, y1=1, layer="below",
        fillcolor=rgba(theme.unknown, 0.1), line={"width": 0},
    )  # fmt: skip
    right = first > last / 2
    label = plain(shorten(_name(result, first), 24))
    figure.add_annotation(
        x=first, xref="x", y=1, yref="paper", yanchor="bottom", xanchor="right" if right else "left", showarrow=False,
        text=f"<b>look up before ‘{label}’</b>", font={"color": theme.middle, "size": 16},
    )  # fmt: skip
    if not right:
        figure.add_annotation(
            x=last + 0.6, xref="x", y=1, yref="paper", yanchor="bottom", xanchor="right", showarrow=False,
            text=REWRITTEN, font={"color": theme.muted, "size": 13},
        )  # fmt: skip


def _dress(figure: go.Figure, result: EntropyTrendResult, theme: Theme, triggers: set[int], alpha: float) -> None:
    """Set axes, ticks and legend."""
    shown_words = _ticks(result, triggers)
    common = {"gridcolor": rgba(theme.line, 0.6), "linecolor": theme.line, "zerolinecolor": theme.muted}
    figure.update_xaxes(
        **common,
        range=[-0.7, max(1, len(result.words)) - 0.3],
        showgrid=False,
        zeroline=False,
        tickvals=shown_words,
        ticktext=[_tick(result, index, index in triggers) for index in shown_words],
        tickangle=-75 if len(shown_words) > 8 else 0,
        tickfont={"size": 12 if len(shown_words) > 24 else 14},
    )
    figure.update_yaxes(**common, zeroline=True, zerolinewidth=1, title_font={"size": 14}, nticks=6)
    figure.update_yaxes(title_text="H, entropy<br>(nats)", rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="ΔH, change<br>(nats)", row=2, col=1)
    figure.update_yaxes(title_text="Δ²H, trend<br>(nats)", range=_trend_range(result, alpha), row=3, col=1)
    figure.update_layout(
        margin={"l": 76, "r": 92, "t": 92, "b": 40},
        legend={"y": -0.2, "yanchor": "top", "font": {"size": 14}},
        bargap=0.3,
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.text},
    )


def _trend_range(result: EntropyTrendResult, alpha: float) -> list[float]:
    """Return the y range of the third panel: every value and the threshold, with air."""
    values = [point.second_difference for point in result.points]
    values += [point.value for point in result.points if point.value is not None]
    low, high = min([0.0, -alpha, *values]), max([alpha, *values])
    return [low - 0.08 * (high - low), high + 0.08 * (high - low)]


def _ticks(result: EntropyTrendResult, triggers: set[int]) -> list[int]:
    """Return the words that get a tick label: the triggers, and the content words that stand clear of each other."""
    apart = math.ceil(len(result.words) / MOST_TICKS)
    chosen = set(triggers)
    for index, word in enumerate(result.words):
        if word.is_content and all(abs(index - other) >= apart for other in chosen):
            chosen.add(index)
    return sorted(chosen)


def _tick(result: EntropyTrendResult, index: int, is_trigger: bool) -> str:
    text = plain(shorten(_name(result, index), TICK_LENGTH))
    return f"<b>{text}</b>" if is_trigger else text


def _hover(result: EntropyTrendResult, index: int) -> str:
    """Return the hover text of a word, escaped."""
    return wrapped(word_sentence(result, index))


def _gap_html(text: str) -> str:
    return plain(text).replace("\n", "<br>")


def _band_html(theme: Theme) -> str:
    """Return the opening of the grey band under everything behind the first trigger."""
    style = f"background:{rgba(theme.unknown, 0.13)};padding:0.35em 0;-webkit-box-decoration-break:clone"
    return f'<span style="{style};box-decoration-break:clone">'


def _word_html(result: EntropyTrendResult, index: int, theme: Theme, top: float, role: str) -> str:
    """Return one word of the strip, with a sign before it where it is the first trigger."""
    word = result.words[index]
    ground = tint(theme, word.entropy, top) if word.is_content else "transparent"
    colour = theme.text if word.is_content else theme.muted
    style = f"background:{ground};color:{colour};border-radius:3px;padding:0.15em 0.2em"
    if role:
        style += f";border-bottom:3px {'solid' if role == FIRST else 'dotted'} {theme.middle}"
    hover = f"{word_sentence(result, index)} {role}".strip()
    body = f'<span style="{style}" title="{plain(hover)}">{plain(word.text)}</span>'
    return _sign_html(theme) + body if role == FIRST else body


def _sign_html(theme: Theme) -> str:
    style = f"background:{theme.middle};color:{theme.page};border-radius:0.8em;padding:0.1em 0.6em;font-weight:600"
    return f'<span style="{style};font-size:0.95rem;white-space:nowrap">look up here ▸</span> '


def _strip_key_html(theme: Theme) -> str:
    """Return what the marks of the strip mean."""
    return (
        f'<div dir="ltr" style="color:{theme.muted};font-size:0.95rem">Function words have no tint. '
        f'<span style="border-bottom:3px solid {theme.middle}">Underlined</span>: the first trigger. '
        f'<span style="background:{rgba(theme.unknown, 0.13)}">On grey</span>: rewritten after the lookup, '
        f'so the <span style="border-bottom:3px dotted {theme.middle}">later triggers</span> are not reached.</div>'
    )
