"""What a view of a study is: marks with their intervals and numbers of questions, what it needs, what the paper found.

Every view measures marks of one kind, so that one way of drawing and one table serve all of them. A value of a paper is
a mark as well, with the model it was measured on; it is never mixed with ours. Where settings vary, a view is of one
choice of them, so that n counts questions and not points; only views ``across`` the settings take all points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engine.measures.checks import Floats
from engine.measures.levels import alike, levelled
from engine.measures.ranking import auroc, auroc_interval
from engine.measures.resampling import bin_places, bootstrap_interval, quantile_edges
from engine.measures.share_intervals import wilson_interval
from engine.runs.studies.table import StudyTable

Kind = Literal["bars", "rows", "line", "heat", "points"]
REPEATS = 500
FEW, LEAST_IN_BIN = 20, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One number of a view: its series, its label or place ``x``, its value, 95 % interval and number of questions.

    ``paper`` names the model a paper measured it on, "" for our own; ``run`` is the run a point stands for.
    """

    series: str
    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    x: float | None = None
    paper: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A view of one study: what it found in one sentence, its marks, its axes.

    ``missing`` says what the study lacks for it, "" where nothing; then there are no marks of ours. ``caution`` says
    that the questions are too few to conclude from. ``form`` is how a heat map writes its numbers.
    """

    name: str
    kind: Kind
    title: str
    finding: str
    x_title: str
    y_title: str
    marks: tuple[Mark, ...]
    missing: str = ""
    notes: tuple[str, ...] = ()
    direction: str = ""
    one_scale: bool = False
    form: str = ".0%"
    caution: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the measuring function of a view returns: a finding, its marks, and notes on how they were made."""

    finding: str
    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A paper's table or figure. ``needs`` are addresses that one point must have all of, ``methods`` what gives them.

    ``also`` says whether the study has what stands in no column; ``one_scale`` that all its series are of one kind.
    ``across`` views compare the choices of what varies; any other is of one choice.
    """

    name: str
    title: str
    paper: str
    kind: Kind
    x_title: str
    y_title: str
    needs: tuple[str, ...]
    methods: str
    find: Callable[[StudyTable], Found]
    direction: str = ""
    papers: tuple[Mark, ...] = field(default=())
    also: Callable[[StudyTable], bool] = lambda table: True
    one_scale: bool = False
    across: bool = False
    form: str = ".0%"

    def ready(self, table: StudyTable) -> bool:
        """Return whether a point of a study has all that this view needs."""
        return (not self.needs or bool(known(table, *self.needs)[0].size)) and self.also(table)

    def measure(self, table: StudyTable, variant: int = 0) -> Measured:
        """Return this view of a study; where it lacks numbers, what to add to the study.

        ``variant`` is the place of the choice of settings that is looked at; a view across them takes all.
        """
        of_one = not self.across and len(table.study.plan.variants) > 1
        chosen = table.of_variant(variant) if of_one else table
        found = self.find(chosen) if self.ready(chosen) else None
        # Marks without a value would leave a paper's alone in the figure.
        told = found is not None and any(one.value is not None and not one.paper for one in found.marks)
        marks = found.marks if found is not None and told else ()
        missing = "" if marks else (found.finding if found is not None else "") or self.lacking(table)
        settings = (f"Only {table.study.plan.variants[variant].label}.",) if of_one else ()
        return Measured(
            name=self.name,
            kind=self.kind,
            title=self.title,
            finding=found.finding if found is not None else "",
            x_title=self.x_title,
            y_title=self.y_title,
            marks=(*marks, *beside_ours(self.papers, marks, self.kind)),
            missing=missing,
            notes=(*found.notes, *settings) if found is not None else (),
            direction=self.direction,
            one_scale=self.one_scale,
            form=self.form,
            caution=caution_of(marks, self.kind) if marks else "",
        )

    def lacking(self, table: StudyTable) -> str:
        """Return what a choice of settings has too little of: other settings may have it, else the study lacks it."""
        if self.ready(table):
            return "These settings have too few of the numbers of this view; other settings may have them."
        return f"This view needs numbers that the study does not have. {self.methods}"


def beside_ours(papers: Sequence[Mark], marks: Sequence[Mark], kind: Kind) -> tuple[Mark, ...]:
    """Return a paper's values that stand beside something of ours: in bars over the same bar, in rows in a panel.

    Those of a line have a place of their own.
    """
    ours = [one for one in marks if one.value is not None and not one.paper]
    bars, panels = {(one.series, one.label) for one in ours}, {one.series for one in ours}
    return tuple(
        one
        for one in papers
        if ours and (kind == "line" or ((one.series, one.label) in bars if kind == "bars" else one.series in panels))
    )


def caution_of(marks: Sequence[Mark], kind: Kind) -> str:
    """Return that no mark rests on enough questions to conclude from, "" where one does."""
    most = len(marks) if kind == "points" else max((one.n for one in marks), default=0)
    where = "in all" if kind == "points" else "behind a mark"
    return f"At most {most} question{'' if most == 1 else 's'} {where}: too few to conclude from." if most < FEW else ""


def known(table: StudyTable, *addresses: str) -> list[Floats]:
    """Return these columns over the points in which all of them were measured."""
    columns = [table.values(address) for address in addresses]
    whole = np.all([np.isfinite(column) for column in columns], axis=0)
    return [column[whole] for column in columns]


def with_interval(
    series: str,
    label: str,
    statistic: Callable[..., float],
    *columns: Floats,
    x: float | None = None,
    repeats: int = REPEATS,
) -> Mark:
    """Return a statistic over questions as a mark with its interval; not measured where it is no number.

    A ``share`` has Wilson's interval and an AUROC Newcombe's, which stay honest for few questions; any other statistic
    that of the bootstrap.
    """
    size = columns[0].size
    value = float(statistic(*columns)) if size else float("nan")
    if np.isnan(value):
        return Mark(series=series, label=label, value=None, n=size, x=x)
    if statistic is share:
        low, high = wilson_interval(int(columns[0].sum()), size)
    elif statistic is wrong_found:
        low, high = auroc_interval(1 - columns[0], columns[1])
    else:
        low, high = bootstrap_interval(statistic, *columns, repeats=repeats)
    ends = (None, None) if np.isnan(low) else (round(low, 6), round(high, 6))
    # Adding 0 turns -0.0, which rounding makes of a small negative number, into 0.0.
    return Mark(series=series, label=label, value=round(value, 6) + 0.0, low=ends[0], high=ends[1], n=size, x=x)


def mean(values: Floats) -> float:
    """Return the mean, NaN of none."""
    return float(values.mean()) if values.size else float("nan")


def share(values: Floats) -> float:
    """Return the share of ones among zeros and ones, NaN of none."""
    return mean(values)


def wrong_found(right: Floats, uncertainty: Floats) -> float:
    """Return the AUROC with which an uncertainty finds wrong answers, NaN for one class only."""
    return auroc(1 - right, uncertainty)


def correlation(one: Floats, other: Floats) -> float:
    """Return Pearson's r as ``engine.measures.ranking.pearson`` does, without its p, which takes most of the time.

    NaN below three pairs, and where one side is constant.
    """
    if one.size < 3 or alike(one) or alike(other):
        return float("nan")
    a, b = one - one.mean(), other - other.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def shares_in_bins(signal: Floats, columns: Sequence[tuple[str, Floats]], bins: int) -> tuple[Mark, ...]:
    """Return shares of ones in bins of a signal that hold about equally many questions, by series.

    The columns are over the same questions, so that all series have the same bins; few questions have fewer bins.
    Values that differ by rounding stay in one bin.
    """
    signal = levelled(signal) if signal.size else signal
    edges = quantile_edges(signal, max(1, min(bins, signal.size // LEAST_IN_BIN))) if signal.size else []
    places = bin_places(signal, edges) if edges else np.zeros(signal.size, dtype=int)
    inside = [signal[places == at] for at in np.unique(places)]
    names = bin_names(inside)
    return tuple(
        with_interval(series, name, share, values[places == at])
        for series, values in columns
        for at, name in zip(np.unique(places), names, strict=True)
    )


def bin_names(bins: Sequence[Floats]) -> list[str]:
    """Return the values of each bin in words, with as many decimals as tell every two bins apart.

    >>> bin_names([np.array([0.1, 0.2]), np.array([0.3])]), bin_names([np.array([2.301]), np.array([2.302])])
    (['0.10 to 0.20', '0.30'], ['2.301', '2.302'])
    """
    names: list[str] = []
    for digits in range(2, 17):
        names = [span_of(one.min(), one.max(), digits) for one in bins]
        if len(set(names)) == len(names):
            break
    return names


def span_of(low: float, high: float, digits: int = 2) -> str:
    """Return the values of a bin in words, whole numbers without decimals.

    Numbers from 100 have none either, unless more than two are asked for.

    >>> span_of(0.0, 2.0), span_of(100.0, 3290.0), span_of(0.25, 1.5), span_of(0.0, 0.0), span_of(-1e-9, 0.4)
    ('0 to 2', '100 to 3,290', '0.25 to 1.50', '0', '0.00 to 0.40')
    """
    whole = (low == int(low) and high == int(high)) or (low >= 100 and digits == 2)
    ends = [f"{one:z,.0f}" if whole else f"{one:z,.{digits}f}" for one in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def paper(series: str, model: str, values: Sequence[tuple[str, float]]) -> tuple[Mark, ...]:
    """Return a paper's values as marks, with the model they were measured on."""
    return tuple(Mark(series=series, label=label, value=value, paper=model) for label, value in values)


def best(marks: Sequence[Mark]) -> Mark | None:
    """Return the mark with the highest value, None of none."""
    return max((one for one in marks if one.value is not None), key=lambda one: one.value or 0.0, default=None)


def leaders(marks: Sequence[Mark]) -> str:
    """Return the label of the highest mark, with how many others are as high; "" of none.

    >>> made = [Mark(series="", label=name, value=1.0) for name in "abc"]
    >>> leaders(made), leaders(made[:2]), leaders(made[:1])
    ('a and 2 others', 'a and b', 'a')
    """
    top = best(marks)
    tied = [one.label for one in marks if top is not None and one.value == top.value]
    return " and ".join(tied) if len(tied) < 3 else f"{tied[0]} and {len(tied) - 1} others"


def span(mark: Mark) -> str:
    """Return a mark's value with its interval and n in words.

    >>> span(Mark(series="", label="", value=-0.001, low=-0.4, high=0.61, n=20))
    '0.00 (−0.40 to 0.61, n = 20)'
    """
    if mark.value is None:
        return f"not measured (n = {mark.n})"
    ends = "" if mark.low is None or mark.high is None else f"{decimals(mark.low)} to {decimals(mark.high)}, "
    return f"{decimals(mark.value)} ({ends}n = {mark.n})"


def decimals(value: float) -> str:
    """Return a number with two decimals and a true minus sign; what rounds to 0 has none.

    >>> decimals(-0.126), decimals(-0.004), decimals(2.0)
    ('−0.13', '0.00', '2.00')
    """
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
