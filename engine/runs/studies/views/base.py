"""What a view of a study is: marks with their intervals and numbers of questions, what it needs, what the paper found.

Every view measures marks of one kind, so that one way of drawing and one table serve all of them. A value of a paper is
a mark as well, with the model it was measured on; it is never mixed with ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engine.measures.checks import Floats
from engine.measures.resampling import bootstrap_interval
from engine.runs.studies.table import StudyTable

Kind = Literal["bars", "rows", "line", "heat", "points"]
REPEATS = 500


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

    ``missing`` says what the study lacks for it, "" where nothing; then there are no marks of ours.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the measuring function of a view returns: a finding, its marks, and notes on how they were made."""

    finding: str
    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A paper's table or figure. ``needs`` are addresses of which all must be measured, ``methods`` what gives them.

    ``also`` says whether the study has what stands in no column; ``one_scale`` that all its series are of one kind.
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

    def ready(self, table: StudyTable) -> bool:
        """Return whether a study has what this view needs."""
        return table.has(*self.needs) and self.also(table)

    def measure(self, table: StudyTable) -> Measured:
        """Return this view of a study; where it lacks numbers, what to add to the study."""
        found = self.find(table) if self.ready(table) else None
        marks = found.marks if found is not None else ()
        missing = "" if marks else f"This view needs numbers that the study does not have. {self.methods}"
        return Measured(
            name=self.name,
            kind=self.kind,
            title=self.title,
            finding=found.finding if found is not None else "",
            x_title=self.x_title,
            y_title=self.y_title,
            marks=(*marks, *(self.papers if marks else ())),
            missing=missing,
            notes=found.notes if found is not None else (),
            direction=self.direction,
            one_scale=self.one_scale,
        )


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
    """Return a statistic over questions as a mark with its bootstrap interval; not measured where it is no number."""
    size = columns[0].size
    value = float(statistic(*columns)) if size else float("nan")
    if np.isnan(value):
        return Mark(series=series, label=label, value=None, n=size, x=x)
    low, high = bootstrap_interval(statistic, *columns, repeats=repeats)
    ends = (None, None) if np.isnan(low) else (round(low, 6), round(high, 6))
    return Mark(series=series, label=label, value=round(value, 6), low=ends[0], high=ends[1], n=size, x=x)


def mean(values: Floats) -> float:
    """Return the mean, NaN of none."""
    return float(values.mean()) if values.size else float("nan")


def paper(series: str, model: str, values: Sequence[tuple[str, float]]) -> tuple[Mark, ...]:
    """Return a paper's values as marks, with the model they were measured on."""
    return tuple(Mark(series=series, label=label, value=value, paper=model) for label, value in values)


def best(marks: Sequence[Mark]) -> Mark | None:
    """Return the mark with the highest value, None of none."""
    return max((one for one in marks if one.value is not None), key=lambda one: one.value or 0.0, default=None)


def span(mark: Mark) -> str:
    """Return a mark's value with its interval and n in words.

    >>> span(Mark(series="", label="", value=0.5, low=0.4, high=0.61, n=20))
    '0.50 (0.40 to 0.61, n = 20)'
    """
    if mark.value is None:
        return f"not measured (n = {mark.n})"
    ends = "" if mark.low is None or mark.high is None else f"{mark.low:.2f} to {mark.high:.2f}, "
    return f"{mark.value:.2f} ({ends}n = {mark.n})"
