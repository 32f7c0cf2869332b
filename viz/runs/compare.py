"""Two runs beside each other in words, tables and figures: which settings differ, and which results.

A is the first run, B the second. Every figure has its sentence and its table.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, cast

import pandas as pd
import plotly.graph_objects as go

from engine.core.passage_names import passage_name
from engine.core.records import Interval, Token
from engine.core.words import as_clause, shorten, shown
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS
from engine.runs.compare import (
    ChunkPair,
    Difference,
    NumberPair,
    Side,
    TokenPair,
    align_chunks,
    number_pairs,
    setup_differences,
)
from engine.runs.store import StoredRun
from viz.methods.verdicts import TONES, Tone, Verdict, tone_colour
from viz.parts.chosen import draw_band
from viz.parts.figure_parts import add_marks, empty_figure, error_bars, panels, rows_axis, write_beside
from viz.parts.html import render
from viz.parts.row_table import Column
from viz.parts.theme import Theme, hatched, layout, plain, rgba
from viz.parts.token_strip import visible
from viz.parts.words import WORDS, counted, judge_name, listing, named_model, quoted, settled, signed, wrapped
from viz.runs.summary import matches_of, verdict_of

A, B = "A", "B"
# Only units that share an axis are drawn; counts and places are in the table.
DRAWN_UNITS = {"probability": "probability, or its change", "nats": "nats"}
ROW_HEIGHT = 44
LABEL_LETTERS = 46
NO_FINDING = {"not measured", "not computed", "not run", "failed"}
MODELS = ("model", "writer of step-by-step answers", "model of rewordings")


def offered_rows(runs: Sequence[Diagnosis]) -> list[dict[str, str]]:
    """Return one row a run that may be compared: its question, the titles of its passages, its answer."""
    return [
        {
            "Question": one.question,
            "Passages": ", ".join(dict.fromkeys(passage_name(hit.passage) for hit in one.hits)),
            "Answer": one.answer.text,
            "Correct": " | ".join(one.golds),
        }
        for one in runs
    ]


def absent_sentence(name: str, run: StoredRun | None) -> str:
    """Return why a run has no side in a comparison: it is not here, or it came to no answer; ``name`` is A or B."""
    if run is None:
        return f"Run {name} is not among your runs. Choose another."
    reason = f": {as_clause(run.reason, 160)}" if run.reason else ""
    return f"Run {name} has no answer ({run.state}{reason}). Choose another."


def verdict(first: Side, second: Side) -> Verdict:
    """Return the word on two runs: whether a number or the answer moved beyond noise; of two questions no such word."""
    setup, pairs = setup_differences(first, second), number_pairs(first, second)
    beyond = sum(pair.noise == "beyond noise" for pair in pairs)
    moved = first.diagnosis.answer.text.strip() != second.diagnosis.answer.text.strip()
    word, tone = noise_word(pairs), "unknown"
    if ask_apart(first.diagnosis, second.diagnosis):
        word = "different questions"
    elif beyond or moved:
        word, tone = "beyond noise" if beyond else "another answer", "middle"
    elif not setup and all(pair.noise == "the same" or pair.first.value == pair.second.value for pair in pairs):
        word, tone = "the same", "model"
    differ = counted(len(setup), "setting differs", "settings differ")
    numbers = f"{beyond} of {counted(len(pairs), 'number')} beyond noise; " if pairs else ""
    said = f"{answer_sentence(first, second)} {numbers}{differ}.{one_sided_sentence(first, second)}"
    return Verdict(word=word, tone=cast(Tone, tone), sentence=said)


def ask_apart(first: Diagnosis, second: Diagnosis) -> bool:
    """Return whether two runs ask for different things: other words, and not the same correct answers."""
    a, b = (" ".join(one.question.casefold().split()) for one in (first, second))
    return a != b and (not first.golds or set(first.golds) != set(second.golds))


def one_sided_sentence(first: Side, second: Side) -> str:
    """Return how many methods have a result in one run only, "" where none has.

    What failed in one run cannot move, so "nothing beyond noise" does not speak of it.
    """
    done = [{one.method for one in side.diagnosis.outcomes if one.status == "done"} for side in (first, second)]
    alone = len(done[0] ^ done[1])
    return f" {counted(alone, 'method has', 'methods have')} a result in one run only." if alone else ""


def noise_word(pairs: Sequence[NumberPair]) -> str:
    """Return the word on numbers of which none moved beyond noise: how many are unclear, if most are."""
    unclear = sum(pair.noise == "unclear" for pair in pairs)
    if not pairs:
        return "not comparable"
    return f"{unclear} of {len(pairs)} unclear" if 2 * unclear > len(pairs) else "nothing beyond noise"


def answer_sentence(first: Side, second: Side) -> str:
    """Return whether the answer over the passages changed, and whether each is right where correct answers are known.

    The same answer may be right in one run only: each is held against its own run's correct answers.
    """
    a, b = (side.diagnosis.answer.text.strip() for side in (first, second))
    right = [mark_word(side.diagnosis) for side in (first, second)]
    if a != b:
        told = [f"{quoted(text)}{f' ({mark})' if mark else ''}" for text, mark in zip((a, b), right, strict=True)]
        return f"A gives {told[0]}, B {told[1]}."
    if right[0] == right[1]:
        return f"Both give {quoted(a)}{f' ({right[0]})' if right[0] else ''}."
    return f"Both give {quoted(a)}: {right[0] or 'not judged'} in A, {right[1] or 'not judged'} in B."


def mark_word(diagnosis: Diagnosis) -> str:
    """Return whether a run's answer over the passages is right, in a word or two; "" if it cannot be, or is empty."""
    match, _ = matches_of(diagnosis)
    return "" if match is None or not diagnosis.answer.text.strip() else WORDS["short matches"][match]


def numbers_sentence(pairs: Sequence[NumberPair]) -> str:
    """Return which numbers moved beyond noise, and how many are equal, within noise or unclear."""
    if not pairs:
        return "The runs share no number."
    beyond = [f"{pair.first.name} ({change_words(pair)})" for pair in pairs if pair.noise == "beyond noise"]
    counts = Counter(pair.noise for pair in pairs)
    sizes = f"{counts['the same']} equal, {counts['within noise']} within noise, {counts['unclear']} unclear"
    moved = f"Beyond noise: {listing(beyond)}. " if beyond else ""
    return f"{moved}Of {counted(len(pairs), 'number')}: {sizes}."


def change_words(pair: NumberPair) -> str:
    """Return a change as "0.12 to 0.40"."""
    unit = pair.first.unit
    return f"{number_text(pair.first.value, unit)} to {number_text(pair.second.value, unit)}"


def what_changed(first: Side, second: Side) -> str:
    """Return the change from one run to another in a few words, for a list of runs."""
    setup, pairs = setup_differences(first, second), number_pairs(first, second)
    names = [setup_name(one.what) for one in setup]
    parts = [", ".join(names[:3]) + (f" +{len(names) - 3}" if len(names) > 3 else "") if names else "same settings"]
    a, b = first.diagnosis.answer.text.strip(), second.diagnosis.answer.text.strip()
    parts.append("same answer" if a == b else f"answer was {quoted(a, 30)}")
    beyond = [pair.first.name for pair in pairs if pair.noise == "beyond noise"]
    parts.append(f"beyond noise: {listing(beyond[:3])}" if beyond else "no number beyond noise")
    return " · ".join(parts)


def setup_table(found: Sequence[Difference]) -> pd.DataFrame:
    """Return the settings that differ, a row each."""
    rows = [
        (setup_name(one.what), setup_value(one.what, one.first), setup_value(one.what, one.second)) for one in found
    ]
    return pd.DataFrame(rows, columns=["what", A, B])


def setup_name(what: str) -> str:
    """Return a setting that differs with the method's title for its word: "ETC: alpha".

    >>> setup_name("entropy_trend: alpha"), setup_name("seed")
    ('ETC: alpha', 'seed')
    """
    method = re.match(r"\w+", what)
    return what if method is None or method[0] not in METHODS else title_of(method[0]) + what[method.end() :]


def setup_value(what: str, value: str) -> str:
    """Return one side of a difference; methods by their titles, models and judges that come with the package by name.

    >>> setup_value("model", "embedded (0a9199, bfloat16)"), setup_value("judge", "gavel: strict")
    ('SmolLM2-135M reader (0a9199, bfloat16)', 'gavel: strict')
    """
    if what == "methods":
        return ", ".join(title_of(method) for method in value.split(", "))
    if what in MODELS:
        return named_model(value)
    if what != "judge":
        return value
    name, rest, note = value.partition(":")
    return judge_name(name) + rest + note


def verdicts_table(first: Side, second: Side) -> pd.DataFrame:
    """Return every method's word in both runs, and whether it is the same finding."""
    words = dict.fromkeys(outcome.method for side in (first, second) for outcome in side.diagnosis.outcomes)
    rows = []
    for method in words:
        a, b = verdict_of(first.diagnosis.outcome(method)), verdict_of(second.diagnosis.outcome(method))
        rows.append((title_of(method), a.word, b.word, agreement(a.word, b.word), a.sentence, b.sentence))
    return pd.DataFrame(rows, columns=["method", A, B, "same word", "A in words", "B in words"])


def agreement(first: str, second: str) -> str:
    """Return whether two runs have the same word on a method; no finding in either is no agreement.

    >>> agreement("stable", "stable"), agreement("stable", "failed"), agreement("not measured", "not measured")
    ('✔', '–', 'neither has one')
    """
    if {first, second} <= NO_FINDING:
        return "neither has one"
    return "✔" if first == second else "–"


def numbers_table(pairs: Sequence[NumberPair]) -> pd.DataFrame:
    """Return the text twin of ``numbers_figure``: every shared number with its interval and the word on it."""
    return pd.DataFrame(
        {
            "method": [title_of(pair.method) for pair in pairs],
            "number": [pair.first.name for pair in pairs],
            "unit": [pair.first.unit for pair in pairs],
            A: [pair.first.value for pair in pairs],
            "A interval": [interval_text(pair.first.interval) for pair in pairs],
            B: [pair.second.value for pair in pairs],
            "B interval": [interval_text(pair.second.interval) for pair in pairs],
            "difference": [pair.noise for pair in pairs],
            "because": [pair.reason for pair in pairs],
        }
    )


def token_places(pairs: Sequence[TokenPair], side: Literal["first", "second"]) -> tuple[int | None, ...]:
    """Return the place of each pair's token in one side's text, from 0; None where that side has none there."""
    places: list[int | None] = []
    for pair in pairs:
        count = sum(place is not None for place in places)
        places.append(None if getattr(pair, side) is None else count)
    return tuple(places)


TOKEN_NUMBERS = [f"{name} {part} (nats)" for name in ("log-prob", "entropy") for part in ("A", "B", "change")]
TOKEN_COLUMNS = dict.fromkeys(TOKEN_NUMBERS, Column(form=".3f"))


def tokens_table(pairs: Sequence[TokenPair]) -> pd.DataFrame:
    """Return the text twin of ``token_figure``: tokens beside each other with both changes in nats."""
    rows = [
        (
            *(number, token_text(pair.first), token_text(pair.second), "same" if pair.same else "other"),
            *(value_of(pair.first, "logprob"), value_of(pair.second, "logprob"), pair.logprob_change),
            *(value_of(pair.first, "entropy"), value_of(pair.second, "entropy"), pair.entropy_change),
        )
        for number, pair in enumerate(pairs, start=1)
    ]
    return pd.DataFrame(rows, columns=["#", A, B, "text", *TOKEN_NUMBERS])


def chunks_table(first: Side, second: Side) -> pd.DataFrame:
    """Return the passages in pairs, by their places from 1."""
    a, b = first.diagnosis.hits, second.diagnosis.hits
    rows = [
        (
            None if pair.first is None else pair.first + 1,
            None if pair.second is None else pair.second + 1,
            pair.how,
            pair.likeness,
            "" if pair.first is None else a[pair.first].passage.text,
            "" if pair.second is None else b[pair.second].passage.text,
        )
        for pair in align_chunks(a, b)
    ]
    table = pd.DataFrame(rows, columns=["place in A", "place in B", "how", "words in common", "text in A", "text in B"])
    return table.astype({"place in A": "Int64", "place in B": "Int64"})


def chunks_sentence(pairs: Sequence[ChunkPair], first: str = "A", second: str = "B") -> str:
    """Return how the passages of both runs differ, in words; ``first`` and ``second`` are what the runs are called."""
    if not pairs:
        return "Neither run read a passage."
    names = {
        "the same": "unchanged",
        "changed": "changed in words",
        "only in A": f"only in {first}",
        "only in B": f"only in {second}",
    }
    counts = Counter(names.get(pair.how, pair.how) for pair in pairs)
    return f"Passages: {listing([f'{count} {how}' for how, count in counts.items()])}."


def tokens_sentence(name: str, pairs: Sequence[TokenPair]) -> str:
    """Return how many tokens two texts share, and the largest change of log-probability."""
    if not pairs:
        return f"{name[:1].upper()}{name[1:]}: neither run wrote a token."
    kept = [pair for pair in pairs if pair.same and pair.logprob_change is not None]
    finite = [pair for pair in kept if math.isfinite(pair.logprob_change or 0.0)]
    if not finite:
        return f"{token_title(name, pairs)}."
    largest = max(finite, key=lambda pair: abs(pair.logprob_change or 0.0))
    change = f"{signed(largest.logprob_change or 0.0)} nats, at {quoted(token_text(largest.first), 30)}"
    return f"{token_title(name, pairs)}. Largest log-probability change: {change}."


def numbers_figure(pairs: Sequence[NumberPair], theme: Theme) -> go.Figure:
    """Return the numbers of both runs with their intervals: a panel for probabilities, one for nats."""
    if not has_figure(pairs):
        return empty_figure("Nothing to draw", NO_NUMBERS, theme)
    by_unit = {unit: [pair for pair in pairs if pair.first.unit == unit and is_drawn(pair)] for unit in DRAWN_UNITS}
    drawn = {unit: found for unit, found in by_unit.items() if found}
    figure = panels([len(found) for found in drawn.values()], gap=0.16)
    for row, (unit, found) in enumerate(drawn.items(), start=1):
        _draw_numbers(figure, found, theme, row)
        figure.update_xaxes(title_text=DRAWN_UNITS[unit], row=row, col=1)
    height = 150 + ROW_HEIGHT * sum(map(len, drawn.values())) + 70 * len(drawn)
    figure.update_layout(layout(theme, figure_title(pairs), height), overwrite=True)
    figure.update_layout(margin={"l": 24, "r": 140, "t": 88, "b": 48}, legend={"y": 1.0, "yanchor": "bottom", "x": 0})
    figure.update_xaxes(gridcolor=rgba(theme.line, 0.6), zerolinecolor=theme.muted, linecolor=theme.line)
    figure.update_yaxes(automargin=True, showgrid=False, zeroline=False, tickfont={"size": 14})
    return figure


NO_NUMBERS = "The runs share no probability or entropy."


def has_figure(pairs: Sequence[NumberPair]) -> bool:
    """Return whether ``numbers_figure`` has anything to draw."""
    return any(pair.first.unit in DRAWN_UNITS and is_drawn(pair) for pair in pairs)


def is_drawn(pair: NumberPair) -> bool:
    """Return whether both values can be drawn."""
    values = (pair.first.value, pair.second.value)
    return all(value is not None and math.isfinite(value) for value in values)


def figure_title(pairs: Sequence[NumberPair]) -> str:
    """Return the finding: how many numbers moved beyond noise, or how many are unclear, if most are."""
    beyond = sum(pair.noise == "beyond noise" for pair in pairs)
    return f"{counted(beyond, 'number')} moved beyond noise" if beyond else noise_word(pairs).capitalize()


def _draw_numbers(figure: go.Figure, pairs: Sequence[NumberPair], theme: Theme, row: int) -> None:
    """Draw both runs' values with whiskers, a little apart, and the word on each pair at the right."""
    rows = range(len(pairs))
    sides = ((A, "first", theme.muted, "circle-open", -0.14), (B, "second", theme.model, "circle", 0.14))
    for name, field, colour, symbol, shift in sides:
        numbers = [getattr(pair, field) for pair in pairs]
        values, intervals = [number.value for number in numbers], [number.interval for number in numbers]
        look = {
            "name": f"run {name}",
            "showlegend": row == 1,
            "marker": {"size": 12, "symbol": symbol, "color": colour, "line": {"width": 2, "color": colour}},
            "error_x": error_bars(values, intervals, math.nan, color=colour, thickness=2),
            "hovertext": [wrapped(hover(pair, name)) for pair in pairs],
        }
        add_marks(figure, values, [place + shift for place in rows], row=row, col=1, **look)
    for place, pair in enumerate(pairs):
        write_beside(figure, plain(pair.noise), tone_colour(TONES["noise"][pair.noise], theme), place, row)
    labels = [plain(shorten(label(pair), LABEL_LETTERS)) for pair in pairs]
    figure.update_yaxes(rows_axis(labels), row=row, col=1)


def label(pair: NumberPair) -> str:
    """Return a number's name with its method's before it, where the name does not say it."""
    method = title_of(pair.method)
    return pair.first.name if method in pair.first.name else f"{method}: {pair.first.name}"


def hover(pair: NumberPair, name: str) -> str:
    """Return one value in words."""
    number = pair.first if name == A else pair.second
    spread = f", interval {interval_text(number.interval)}" if number.interval else ", no interval"
    value = f"{number.name} {number_text(number.value, number.unit)} {number.unit}{spread}"
    return f"Run {name}: {value}. {pair.noise}: {pair.reason}."


def token_figure(name: str, pairs: Sequence[TokenPair], theme: Theme, chosen: int | None = None) -> go.Figure:
    """Return how much likelier and how much less sure each shared place became, in nats, token by token.

    A bar carries its pair's place as ``customdata[0]``; the ``chosen`` pair stands in an outlined band.
    """
    if not any(pair.logprob_change is not None for pair in pairs):
        return empty_figure("Nothing to draw", f"{name}: no token is in both runs.", theme, 160)
    figure = go.Figure()
    places = list(range(1, len(pairs) + 1))
    series = (
        ("log-probability, B − A", [pair.logprob_change for pair in pairs], hatched(theme.model, "", theme)),
        ("entropy, B − A", [pair.entropy_change for pair in pairs], hatched(theme.middle, "/", theme)),
    )
    for label, values, marker in series:
        figure.add_bar(
            x=places,
            y=values,
            name=label,
            marker={**marker, "opacity": [1.0 if pair.same else 0.4 for pair in pairs]},
            customdata=[[place] for place in range(len(pairs))],
            hovertext=[wrapped(pair_words(pair)) for pair in pairs],
            hoverinfo="text",
        )
    if chosen is not None:
        draw_band(figure, chosen + 0.5, chosen + 1.5, theme)
    figure.update_layout(layout(theme, token_title(name, pairs), 380), overwrite=True)
    figure.update_layout(
        barmode="group", bargap=0.25, legend={"y": 1.02, "yanchor": "bottom"}, margin={"t": 100, "b": 90}
    )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[plain(shorten(tick_words(pair), 22)) for pair in pairs],
        tickangle=-60 if len(pairs) > 8 else 0,
        title={"text": "token (faint: another)", "standoff": 36},
        automargin=True,
        linecolor=theme.line,
        showgrid=False,
    )
    figure.update_yaxes(title_text="change in nats", gridcolor=rgba(theme.line, 0.6), zerolinecolor=theme.muted)
    return figure


def token_title(name: str, pairs: Sequence[TokenPair]) -> str:
    """Return the finding: how many places of two texts hold the same token."""
    same = sum(pair.same for pair in pairs)
    return f"{name[:1].upper()}{name[1:]}: {same} of {counted(len(pairs), 'place')} have the same token"


def tick_words(pair: TokenPair) -> str:
    """Return the name of a place: its token, or both."""
    if pair.same or pair.first is None or pair.second is None:
        return token_text(pair.first or pair.second)
    return f"{token_text(pair.first)} → {token_text(pair.second)}"


def pair_words(pair: TokenPair) -> str:
    """Return one place in words: both tokens and what changed, in nats."""
    if pair.first is None or pair.second is None:
        return f"Only in {A if pair.second is None else B}: {token_text(pair.first or pair.second)}."
    likelier, surer = pair.logprob_change, pair.entropy_change
    told = f"A {token_text(pair.first)}, B {token_text(pair.second)}."
    if likelier is None or surer is None:
        return told
    return f"{told} Log-probability {signed(likelier)}, entropy {signed(surer)} nats."


def strip_html(name: str, pairs: Sequence[TokenPair], theme: Theme, chosen: int | None = None) -> str:
    """Return both texts as HTML, one below the other; tokens of one text only are framed in its colour.

    The ``chosen`` pair of tokens is outlined in both.
    """
    firsts = [(place, token_text(pair.first), pair.same) for place, pair in enumerate(pairs) if pair.first]
    seconds = [(place, token_text(pair.second), pair.same) for place, pair in enumerate(pairs) if pair.second]
    rows = ((A, firsts, theme.model), (B, seconds, theme.accent))
    return render("compare_strip.html.j2", label=name, rows=rows, chosen=chosen, theme=theme)


def token_text(token: Token | None) -> str:
    """Return a token's text as a reader should see it, "" for none."""
    return "" if token is None else visible(token.text)


def value_of(token: Token | None, field: str) -> float | None:
    """Return one number of a token, None for none."""
    return None if token is None else float(getattr(token, field))


def interval_text(interval: Interval | None) -> str:
    """Return an interval in words, "" for none."""
    return (
        ""
        if interval is None
        else f"{number_text(interval.low)} to {number_text(interval.high)} ({interval.level:.0%})"
    )


def number_text(value: float | None, unit: str = "") -> str:
    """Return a number in words, three digits or all whole ones, with a true minus.

    >>> number_text(0.12345), number_text(-3.0), number_text(1231.4), number_text(None)
    ('0.123', '−3', '1,231', 'not measured')
    """
    if value is None:
        return "not measured"
    value = settled(value, unit)
    whole = 999.5 <= abs(value) < 1e12
    return f"{value:,.0f}".replace("-", "−") if whole else f"{value:.3g}".replace("-", "−")


def title_of(method: str) -> str:
    """Return a method's title; the word itself where this version does not know it."""
    return METHODS[method].title if method in METHODS else shown(method)
