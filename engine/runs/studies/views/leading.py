"""Who stands highest in a view, on questions that all who are ranked share, and whether by more than noise.

An entrant that was measured on fewer questions is not ranked: it may have had the easier ones. A difference is taken
on the same questions: that of two shares has Tango's interval (``paired_shares``), any other the bootstrap's, which
draws the questions of both together. The highest is chosen on these questions, so its lead looks larger than it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.core.words import listing
from engine.measures.checks import Floats
from engine.measures.levels import changes
from engine.measures.paired_shares import paired_share_interval
from engine.measures.resampling import bootstrap_interval
from engine.runs.studies.views.base import REPEATS, Mark, leaders, share, span, with_interval

NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """What is ranked: its label and its columns, a value for each question of the study, NaN = not measured."""

    label: str
    columns: tuple[Floats, ...]

    @property
    def measured(self) -> np.ndarray:
        """On which questions all of its columns were measured, [n] bool."""
        whole: np.ndarray = np.all([np.isfinite(column) for column in self.columns], axis=0)
        return whole

    def on(self, questions: np.ndarray) -> "Entrant":
        """Return the same entrant on these questions only."""
        return replace(self, columns=tuple(column[questions] for column in self.columns))


def most_often_right(entrants: Sequence[Entrant]) -> str:
    """Return who is most often right, or only has the highest share within noise; "" where nothing was measured.

    Each entrant's one column is 1 where it is right and 0 where it is not.
    """
    known = measured_of(ranked(entrants), share)
    if not known:
        return ""
    top, mark = max(known, key=lambda pair: pair[1].value or 0.0)
    below = [(one, at) for one, at in known if at.value != mark.value]
    near = [one.label for one, _ in below if not is_ahead(top, one, share)]
    said = f"{leaders([at for _, at in known])}, {span(mark)}"
    if below and not near:
        return f"Most often right: {said}, by more than noise."
    return f"Highest share right: {said}{within_noise(near)}."


def measured_of(entrants: Sequence[Entrant], statistic: Callable[..., float]) -> list[tuple[Entrant, Mark]]:
    """Return the entrants of which the statistic is a number, each with its mark."""
    marks = [with_interval("", one.label, statistic, *one.columns) for one in entrants]
    return [(one, mark) for one, mark in zip(entrants, marks, strict=True) if mark.value is not None]


def within_noise(near: Sequence[str]) -> str:
    """Return whom the highest does not differ from beyond noise, as the end of a sentence; "" without any.

    >>> within_noise(["DRAGIN", "ETC"]), within_noise(["a", "b", "c"]), within_noise([])
    ('; within noise of DRAGIN and ETC', '; within noise of 3 others', '')
    """
    if not near:
        return ""
    return f"; within noise of {listing(near) if len(near) <= NAMED else f'{len(near)} others'}"


def above_sentence(own: Entrant, others: Sequence[Entrant], statistic: Callable[..., float]) -> str:
    """Return which of the others stands highest above ``own``, on its questions; "" where none stands above it."""
    questions = own.measured
    whole = [one.on(questions) for one in others if one.measured[questions].all()]
    mine = own.on(questions)
    found = measured_of([mine, *whole], statistic)
    if not found or found[0][0] is not mine:
        return ""
    top, mark = max(found, key=lambda pair: pair[1].value or 0.0)
    if mark.value == found[0][1].value:
        return ""
    how = f"above {own.label} by more than noise" if is_ahead(top, mine, statistic) else f"within noise of {own.label}"
    return f" Highest: {top.label}, {span(mark)}; {how}."


def unranked(own: Entrant, others: Sequence[Entrant]) -> tuple[str, ...]:
    """Return the note on those that were not measured on all questions of ``own``, none where all were."""
    questions = own.measured
    sizes = {one.label: int(one.measured[questions].sum()) for one in others}
    return left_out_note(sizes, int(questions.sum()))


def ranking_notes(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """Return the notes on who is not ranked, and on how many questions the others share where they differ."""
    sizes = {one.label: int(one.measured.sum()) for one in entrants}
    most = max(sizes.values(), default=0)
    shared = next((one.columns[0].size for one in ranked(entrants)), most)
    apart = (f"Ranked on the {shared} questions that all of them were measured on.",) if shared < most else ()
    return (*left_out_note(sizes, most), *apart)


def ranked(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return those that were measured on the most questions, on the questions that they share."""
    sizes = [int(one.measured.sum()) for one in entrants]
    most = max(sizes, default=0)
    chosen = [one for one, size in zip(entrants, sizes, strict=True) if size and size == most]
    common = np.all([one.measured for one in chosen], axis=0) if chosen else np.zeros(0, dtype=bool)
    return [one.on(common) for one in chosen]


def left_out_note(sizes: Mapping[str, int], most: int) -> tuple[str, ...]:
    """Return the note on who was measured on fewer than ``most`` questions and is not ranked; none where nobody was."""
    told = listing([f"{name} ({size})" for name, size in sizes.items() if size < most])
    return (f"Not ranked, measured on fewer than {most} questions: {told}.",) if told else ()


def is_ahead(first: Entrant, second: Entrant, statistic: Callable[..., float]) -> bool:
    """Return whether the first is higher than the second by more than noise, both over the same questions."""
    size = first.columns[0].size
    if size < 2:
        return False
    if statistic is share:
        change = changes(second.columns[0], first.columns[0])
        return paired_share_interval(int((change > 0).sum()), int((change < 0).sum()), size)[0] > 0
    width = len(first.columns)

    def apart(*columns: Floats) -> float:
        return statistic(*columns[:width]) - statistic(*columns[width:])

    low, _ = bootstrap_interval(apart, *first.columns, *second.columns, repeats=REPEATS)
    return bool(low > 0)
