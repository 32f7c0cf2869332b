"""The first numbers of a study on cards: how often answers are right, and what stands behind that, with intervals.

Where settings vary, the cards are of the first choice of them, so that n counts questions.
"""

from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import decimals, mean, share, with_interval
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import percent

# (address, what the card is called, the name of its colour in the theme)
SHARES = (
    ("answer.right", "Right over passages", "good"),
    ("memory.right", "Right from memory", "model"),
    ("passages.hold", "Answer in passages", "middle"),
    ("sugar.answer.right", "Right with SUGAR", "accent"),
)
MEANS = (
    ("seper.delta_soft", "Mean ΔSePer", ""),
    ("dense.entropy", "Mean DSE", " nats"),
    ("run.seconds", "Time of a point", " s"),
)
MOST = 6


def tiles_of(table: StudyTable) -> list[dict[str, str]]:
    """Return the cards of a study: name, value, what stands under it, and the name of its colour."""
    found = []
    for address, name, tone in SHARES:
        if table.has(address):
            values = table.values(address)
            one = with_interval("", "", share, values[values == values])
            ends = "" if one.low is None or one.high is None else f"{percent(one.low)} to {percent(one.high)}, "
            found.append(
                {
                    "name": name,
                    "value": percent(one.value or 0),
                    "under": f"{ends}n = {one.n}{beside(table, address)}",
                    "tone": tone,
                }
            )
    for address, name, unit in MEANS:
        if table.has(address):
            values = table.values(address)
            one = with_interval("", "", mean, values[values == values], repeats=300)
            ends = "" if one.low is None or one.high is None else f"{decimals(one.low)} to {decimals(one.high)}, "
            value = f"{decimals(one.value or 0.0)}{unit}"
            found.append({"name": name, "value": value, "under": f"{ends}n = {one.n}", "tone": "unknown"})
    return found[:MOST]


def beside(table: StudyTable, address: str) -> str:
    """Return exact match and F1 beside a share of right answers, "" where they are not measured."""
    stem = address.removesuffix(".right")
    if stem == address or not table.has(f"{stem}.exact", f"{stem}.f1"):
        return ""
    exact, f1 = (table.frame[f"{stem}.{name}"].mean() for name in ("exact", "f1"))
    return f", EM {percent(exact)}, F1 {f1:.2f}"


def tiles_html(table: StudyTable, theme: Theme) -> str:
    """Return the cards as HTML; "" where nothing is measured yet."""
    variants = table.study.plan.variants
    tiles = tiles_of(table.of_variant(0) if len(variants) > 1 else table)
    return render("study_tiles.html.j2", tiles=tiles, theme=theme, settings=variants[0].label) if tiles else ""
