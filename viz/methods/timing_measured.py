"""Policies at the same number of lookups, as measured: a curve for each, ETC against DRAGIN in words, one table.

A policy that looks something up more often reads more, so policies are compared along a curve. Whatever the sentence
says follows from the stored result: who is ahead, by how much, and whether the interval leaves out zero.
"""

import pandas as pd
import plotly.graph_objects as go

from engine.core.records import Interval
from engine.learning.timing_measured import Comparison, Measured, TimingMeasured
from viz.methods.check_rates import CHECK_RATES
from viz.methods.timing import policy_title
from viz.parts.figure_parts import empty_figure, error_bars
from viz.parts.theme import Theme, layout
from viz.parts.words import counted, model_name, signed

TITLES = {
    "etc": "ETC",
    "etc_released": "ETC as released",
    "etc_released_smoothing": "ETC, released smoothing",
    "flare_released": "FLARE as released",
    "sugar": "SUGAR",
}
DRAWN = ("etc", "dragin", "flare", "predictive_entropy", "sugar", "once", "never")
SHAPES = ("circle", "square", "diamond", "triangle-up", "star", "x", "cross")


def title_of(word: str) -> str:
    """Return an entrant's name.

    >>> title_of("etc_released"), title_of("dragin")
    ('ETC as released', 'DRAGIN')
    """
    return TITLES.get(word) or policy_title(word)


def interval_of(found: Measured) -> Interval | None:
    """Return a measured mean's interval, None where there is none."""
    return None if found.low is None or found.high is None else Interval(low=found.low, high=found.high)


def curves_figure(found: TimingMeasured, theme: Theme) -> go.Figure:
    """Return lookups a question against the share of right answers, in [0, 1], a line for each policy."""
    figure = go.Figure(layout=layout(theme, curves_title(found), height=500))
    colours = (theme.model, theme.accent, theme.good, theme.middle, theme.unknown, theme.bad, theme.muted)
    for word, colour, symbol in zip(DRAWN, colours, SHAPES, strict=True):
        points = points_of(found.all, word)
        known = [(lookups, right) for lookups, right in points if right.mean is not None]
        if known:
            means = [float(right.mean or 0.0) for _, right in known]
            figure.add_scatter(
                x=[lookups for lookups, _ in known],
                y=means,
                error_y=error_bars(means, [interval_of(right) for _, right in known], thickness=1),
                mode="lines+markers",
                name=title_of(word),
                marker={"size": 10, "symbol": symbol, "color": colour},
                line={"color": colour},
            )
    if not figure.data:
        return empty_figure("No curve", "No policy has a point.", theme)
    figure.update_layout(legend_y=-0.26, margin_b=90)  # under the title of the axis
    figure.update_xaxes(title_text="Lookups a question", gridcolor=theme.line)
    figure.update_yaxes(title_text="Share of right answers", gridcolor=theme.line, rangemode="tozero", tickformat=".2f")
    return figure


def points_of(group: Comparison, word: str) -> list[tuple[float, Measured]]:
    """Return a policy's (lookups, share right): its curve, or the one point of a policy without a threshold."""
    curve = [(point.lookups, point.right) for point in group.curves.get(word, ())]
    alone = group.policies.get(word)
    if not curve and alone is not None and alone.lookups.mean is not None:
        return [(alone.lookups.mean, alone.right)]
    return curve


def curves_title(found: TimingMeasured) -> str:
    """Return the finding in one line: ETC against DRAGIN where both look up once a question."""
    apart = where_compared(found)
    if apart is None or apart.mean is None:
        return "Policies by number of lookups"
    return f"At {counted_lookups(found)} ETC {ahead(apart)} DRAGIN"


def ahead(apart: Measured) -> str:
    """Return who is right more often, in words; with an interval that contains 0, neither."""
    if apart.low is not None and apart.low > 0:
        return "is right more often than"
    if apart.high is not None and apart.high < 0:
        return "is right less often than"
    return "does not differ measurably from"


def level_of(found: TimingMeasured) -> float | None:
    """Return the number of lookups at which ETC is compared with DRAGIN: 1 where measured, else the first that is."""
    known = [level for level in found.levels if equal_at(found, level).mean is not None]
    return 1.0 if 1.0 in known else next(iter(known), None)


def equal_at(found: TimingMeasured, level: float) -> Measured:
    """Return ETC minus DRAGIN in right answers at a number of lookups."""
    one = found.all.equal_lookups.get(f"etc - dragin at {level:g} lookups")
    return one.right if one else Measured()


def where_compared(found: TimingMeasured) -> Measured | None:
    """Return ETC minus DRAGIN in right answers at the number of lookups of the comparison, None where there is none."""
    level = level_of(found)
    return None if level is None else equal_at(found, level)


def counted_lookups(found: TimingMeasured) -> str:
    """Return the number of lookups of the comparison in words."""
    level = level_of(found) or 0.0
    return f"{level:g} {'lookup' if level == 1 else 'lookups'} a question"


def etc_against_dragin(found: TimingMeasured) -> str:
    """Return what was measured of ETC against DRAGIN: at the same number of lookups, and at the papers' thresholds."""
    total = sum(found.questions.values())
    before = ", before its last training" if CHECK_RATES["writer"]["earlier"] else ""
    said = [f"{counted(total, 'test question')} answered by the {model_name(found.writer.partition(' (')[0])}{before}."]
    apart = where_compared(found)
    if apart is None or apart.mean is None:
        said.append("ETC and DRAGIN share no number of lookups.")
    else:
        ends = interval_of(apart)
        between = f" ({signed(100 * ends.low, 1)} to {signed(100 * ends.high, 1)})" if ends else ""
        share = f"{signed(100 * apart.mean, 1)} points{between}"
        said.append(f"At {counted_lookups(found)} ETC {ahead(apart)} DRAGIN: {share}.")
    both = (found.all.policies.get(f"{word} paper") for word in ("etc", "dragin"))
    points = [point for point in both if point is not None]
    if len(points) == 2:
        looked = " and ".join(bare_share(point.lookups) for point in points)
        right = " and ".join(percent(point.right) for point in points)
        said.append(f"At the papers' thresholds: {looked} lookups a question, {right} right.")
    return " ".join(said)


def percent(found: Measured) -> str:
    """Return a share in percent, as a difference of shares is told in points."""
    return "not measured" if found.mean is None else f"{found.mean:.1%}"


def bare_share(found: Measured) -> str:
    """Return a mean without its interval."""
    return "not measured" if found.mean is None else f"{found.mean:.2f}"


def measured_table(found: TimingMeasured) -> pd.DataFrame:
    """Return one row for each policy and threshold: right, exact, F1, lookups, and what was found and still misread."""
    return pd.DataFrame(
        [
            {
                "policy": title_of(name.split(" ")[0]),
                "threshold": threshold_words(name),
                "right": share_words(point.right),
                "exact": share_words(point.exact),
                "F1": share_words(point.f1),
                "lookups": bare_share(point.lookups),
                "questions with all evidence retrieved": point.gold_retrieved,
                "share of these still wrong": share_words(point.gold_retrieved_still_misread),
            }
            for name, point in found.all.policies.items()
            if point.right.questions
        ]
    )


def threshold_words(name: str) -> str:
    """Return at which threshold a row was measured.

    >>> threshold_words("etc paper"), threshold_words("etc 1"), threshold_words("never")
    ("the paper's", 'fitted to 1 lookup', 'none')
    """
    _, _, level = name.partition(" ")
    if level in ("", "paper"):
        return "the paper's" if level else "none"
    return f"fitted to {level} {'lookup' if level == '1' else 'lookups'}"


def share_words(found: Measured) -> str:
    """Return a share with its interval.

    >>> share_words(Measured(mean=0.5, low=0.25, high=0.75, questions=8)), share_words(Measured())
    ('0.50 (0.25 to 0.75)', 'not measured')
    """
    ends = "" if found.low is None or found.high is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{bare_share(found)}{ends}"
