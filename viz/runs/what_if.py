"""A run beside a changed one: what was changed, what that did, and which difference is more than noise.

Each difference has its interval, and its word beside it, so that its colour is never needed.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from engine.core.passage_names import passage_name
from engine.core.records import Hit, Interval
from engine.core.words import shorten, shown
from engine.methods.rewrite_checks import RewriteCheck
from engine.runs.compare import Noise
from engine.runs.variant_noise import ANSWER, Beside, Line
from engine.runs.variant_runs import Branch
from engine.runs.variants import Slot
from viz.methods.verdicts import TONES, Verdict, tone_colour
from viz.parts.csv_text import csv_text
from viz.parts.figure_parts import add_marks, empty_figure, panels, rows_axis, write_beside
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import WORDS, closed, counted, end_words, listing, quoted, signed, wrapped
from viz.runs.compare import number_text, title_of
from viz.runs.summary import LABELS, passage_block

BEFORE, VARIANT = "before", "variant"
UNITS = {"probability": "difference of probability", "nats": "difference in nats", "count": "difference in number"}
SYMBOLS: dict[Noise, str] = {
    "beyond noise": "diamond",
    "within noise": "circle-open",
    "unclear": "x-thin-open",
    "the same": "circle",
}
INDENT = "\u2003"
ROW_HEIGHT, LABEL_LETTERS, LONG_TEXT = 44, 40, 900
INTERVAL = "95% interval of the difference"
NOTHING = "No number was measured in both runs."
SOURCES = WORDS["noise sources"]


def verdict(found: Beside, causes: Sequence[str] = ()) -> Verdict:
    """Return the word on a variant: whether anything moved beyond noise, and what else differs."""
    noises = {line.noise for line in found.lines if not in_neither(line)}
    said = sentence(found) + (f" Other differences: {listing(causes)}." if causes else "")
    if "beyond noise" in noises:
        return Verdict(word="beyond noise", tone="middle", sentence=said)
    if noises <= {"the same"}:
        return Verdict(word="the same", tone="model", sentence=said)
    return Verdict(word="within noise" if "within noise" in noises else "unclear", tone="unknown", sentence=said)


def in_neither(line: Line) -> bool:
    """Return whether both runs lack a number or label, which then says nothing of the change."""
    return line.first == line.second and line.first in (None, "not measured")


def sentence(found: Beside) -> str:
    """Return what the answer did and which headline numbers moved beyond noise, in words."""
    answers = [answer_sentence(line) for line in found.lines if line.method == ANSWER][:1]
    rest = [line for line in found.lines if line.method != ANSWER and not in_neither(line)]
    beyond = [f"{named(line)} ({change_words(line)})" for line in rest if line.noise == "beyond noise"]
    counts = Counter(line.noise for line in rest if line.noise != "beyond noise")
    moved = any(line.noise == "beyond noise" for line in found.lines if line.method == ANSWER)
    nothing = "Nothing else is beyond noise." if moved else "Nothing is beyond noise."
    parts = [*answers, f"Beyond noise: {listing(beyond)}." if beyond else nothing]
    sizes = [f"{count} {noise}" for noise, count in counts.items()]
    return " ".join([*parts, *([f"Others: {listing(sizes)}."] if sizes else [])])


def answer_sentence(line: Line) -> str:
    """Return what became of the answer, in words."""
    if line.first == line.second:
        return closed(f"The answer stays {quoted(str(line.first))}")
    said = f"Answer: {quoted(str(line.first))} → {quoted(str(line.second))}"
    return closed(said if line.noise == "unclear" else f"{said}, {line.noise}")


def change_words(line: Line) -> str:
    """Return a change as "0.12 to 0.40", or as both labels."""
    values = (shorten(value_text(value, line.unit), 80) for value in (line.first, line.second))
    return " to ".join(values)


def value_text(value: float | str | None, unit: str = "") -> str:
    """Return a value as a reader should see it.

    >>> value_text(0.123456), value_text("certain"), value_text(None)
    ('0.123', 'certain', 'not measured')
    """
    return shown(value) if isinstance(value, str) else number_text(value, unit)


def named(line: Line) -> str:
    """Return a line's name, with its method where that does not say it."""
    if line.name.startswith("passage ") and line.method == "dense":
        return f"label of {line.name}"
    return line.name


def row_name(line: Line) -> str:
    """Return a line's name in a table: its method first, where the name does not say it."""
    name, title = named(line), "" if line.method == ANSWER else title_of(line.method)
    return f"{title}: {name}" if title and title not in name else name


def lines_table(lines: Sequence[Line]) -> pd.DataFrame:
    """Return every line as a row: both values, the difference with its interval, the word and what it rests on."""
    rows = [
        (
            row_name(line),
            value_text(line.first, line.unit),
            value_text(line.second, line.unit),
            "" if line.difference is None else signed(line.difference, 3),
            line.noise,
            line.reason,
            interval_words(line.interval),
            SOURCES[line.source],
            line.unit,
        )
        for line in lines
    ]
    columns = ["what", BEFORE, VARIANT, "difference", "word", "because", INTERVAL, "noise from", "unit"]
    return pd.DataFrame(rows, columns=columns)


def interval_words(interval: Interval | None) -> str:
    """Return the interval of a difference with the signs of its ends, "" where there is none."""
    if interval is None:
        return ""
    return " to ".join(end_words(end, with_sign=True) for end in (interval.low, interval.high))


def comparison_csv(found: Beside) -> bytes:
    """Return every line of the comparison as CSV in UTF-8, headlines first, numbers with every digit."""
    rows = [
        {
            "what": row_name(line),
            "method": line.method,
            "headline": line in found.lines,
            BEFORE: line.first,
            VARIANT: line.second,
            "difference": line.difference,
            "low": line.interval.low if line.interval else None,
            "high": line.interval.high if line.interval else None,
            "unit": line.unit,
            "word": line.noise,
            "because": line.reason,
            "noise from": SOURCES[line.source],
        }
        for line in found.all_lines
    ]
    return csv_text(pd.DataFrame(rows)).encode()


def difference_figure(found: Beside, theme: Theme) -> go.Figure:
    """Return the headline differences with their intervals around zero, a panel for each unit."""
    by_unit = {unit: [line for line in found.lines if line.unit == unit and is_drawn(line)] for unit in UNITS}
    drawn = {unit: lines for unit, lines in by_unit.items() if lines}
    if not drawn:
        return empty_figure("Nothing to draw", NOTHING, theme, 160)
    figure = panels([len(lines) for lines in drawn.values()], gap=0.18)
    for row, (unit, lines) in enumerate(drawn.items(), start=1):
        _draw_panel(figure, lines, theme, row)
        figure.update_xaxes(title_text=f"{UNITS[unit]}, variant − before", row=row, col=1)
    height = 130 + ROW_HEIGHT * sum(map(len, drawn.values())) + 80 * len(drawn)
    figure.update_layout(layout(theme, figure_title(found), height), overwrite=True)
    figure.update_layout(margin={"l": 24, "r": 130, "t": 64, "b": 56}, showlegend=False)
    figure.update_xaxes(
        gridcolor=rgba(theme.line, 0.6), zerolinecolor=theme.text, zerolinewidth=2, linecolor=theme.line
    )
    figure.update_yaxes(automargin=True, showgrid=False, zeroline=False, tickfont={"size": 14})
    return figure


def is_drawn(line: Line) -> bool:
    """Return whether a line has a difference that can be drawn."""
    return line.difference is not None and math.isfinite(line.difference)


def figure_title(found: Beside) -> str:
    """Return the finding: which numbers moved beyond noise."""
    beyond = [named(line) for line in found.lines if line.noise == "beyond noise" and is_drawn(line)]
    return f"Beyond noise: {listing(beyond)}" if beyond else "No number moved beyond noise"


def _draw_panel(figure: go.Figure, lines: Sequence[Line], theme: Theme, row: int) -> None:
    """Draw the differences of one unit, each with its interval and its word at the right."""
    for place, line in enumerate(lines):
        colour = tone_colour(TONES["noise"][line.noise], theme)
        if line.interval is not None:
            figure.add_scatter(
                x=[line.interval.low, line.interval.high], y=[place, place], mode="lines",
                line={"color": colour, "width": 5}, opacity=0.45, hoverinfo="skip", row=row, col=1,
            )  # fmt: skip
        marker = {"size": 14, "symbol": SYMBOLS[line.noise], "color": colour, "line": {"width": 3, "color": colour}}
        hover = [wrapped(line_sentence(line))]
        add_marks(figure, [line.difference], [place], marker=marker, hovertext=hover, row=row, col=1)
        write_beside(figure, plain(line.noise), colour, place, row)
    labels = [plain(shorten(named(line), LABEL_LETTERS)) for line in lines]
    figure.update_yaxes(rows_axis(labels), row=row, col=1)


def line_sentence(line: Line) -> str:
    """Return one line in words."""
    moved = f", a difference of {signed(line.difference, 3)}" if line.difference is not None else ""
    word = line.noise.capitalize()
    return f"{named(line)}: {change_words(line)}{moved}. {word}: {line.reason}."


def slot_html(place: int, slot: Slot, marks: Sequence[str], label: str, golds: tuple[str, ...]) -> str:
    """Return one passage of a variant as HTML: title, DENSE's ``label`` on it in its run, what was done to it.

    A long text scrolls in its own box, so that twenty passages stay a list.
    """
    chips = [*([LABELS[label]] if label in LABELS else []), *((mark, "accent") for mark in marks)]
    return passage_block(place, slot.passage, chips, golds, scrolls=len(slot.passage.text) > LONG_TEXT)


def changes_sentence(changes: Sequence[str]) -> str:
    """Return what was changed, as one sentence."""
    if not changes:
        return "Nothing is changed."
    return closed(f"Changed: {'; '.join(changes)}")


def checks_table(checks: Sequence[RewriteCheck], deciding: Sequence[str]) -> pd.DataFrame:
    """Return the checks of a rewording by hand: which pass, which decide."""
    rows = [
        (one.name, "passed" if one.passed else "failed", one.detail, "required" if one.name in deciding else "optional")
        for one in checks
    ]
    return pd.DataFrame(rows, columns=["check", "result", "detail", "by hand"])


def checks_sentence(checks: Sequence[RewriteCheck], deciding: Sequence[str]) -> str:
    """Return which checks a rewording by hand fails, and whether it can be used."""
    failed = [one.name for one in checks if not one.passed]
    if not failed:
        return "Passes every check."
    said = f"Fails {counted(len(failed), 'check')}: {listing(failed)}."
    if any(name in deciding for name in failed):
        return f"{said} DENSE will not count it."
    return f"{said} It is used anyway, marked as yours."


def tree_table(tree: Sequence[Branch], shown_run: str, changed: dict[str, str]) -> pd.DataFrame:
    """Return the tree of variants as rows, deeper runs further in; the run that is shown is marked.

    A run's id is told only where another is called the same.
    """
    names = {branch.run.id: changed.get(branch.run.id, "") or branch.run.question for branch in tree}
    times = Counter(names.values())
    rows = [
        (
            f"{INDENT * branch.depth}{'└ ' if branch.depth else ''}{names[branch.run.id]}"
            f"{f' · {branch.run.id}' if times[names[branch.run.id]] > 1 else ''}",
            shown(branch.run.answer) if branch.run.answer else "",
            branch.run.state,
            "shown" if branch.run.id == shown_run else "",
        )
        for branch in tree
    ]
    return pd.DataFrame(rows, columns=["variant", "answer", "state", "here"])


def tree_sentence(tree: Sequence[Branch], repeats: Collection[str] = ()) -> str:
    """Return how large the tree is, in words; ``repeats`` are the ids of runs in which only the seed is another."""
    depths = [branch.depth for branch in tree if branch.depth and branch.run.id not in repeats]
    again = sum(branch.run.id in repeats for branch in tree)
    if not depths:
        return f"No variants yet, {counted(again, 'repeat')}." if again else "No variants yet."
    said = f"{counted(len(depths), 'variant')}, at most {counted(max(depths), 'step')} from the first run"
    return f"{said}, and {counted(again, 'repeat')}." if again else f"{said}."


def besides_table(found: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """Return what differs between two runs though nobody changed it, a row each."""
    return pd.DataFrame(found, columns=["what", BEFORE, VARIANT])


def found_table(hits: Sequence[Hit]) -> pd.DataFrame:
    """Return passages found by the search box as rows."""
    rows = [(hit.rank, passage_name(hit.passage), shown(hit.passage.text)) for hit in hits]
    return pd.DataFrame(rows, columns=["rank", "title", "text"])
