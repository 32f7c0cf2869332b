"""SUGAR's evidence: right answers by semantic entropy (figure 2), and against lookups for every threshold (table III).

The thresholds are replayed on stored answers. What SUGAR itself did, with its two thresholds and rounds, stands beside
them as a point.
"""

import numpy as np

from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    Mark,
    View,
    best,
    decimals,
    known,
    share,
    shares_in_bins,
    span,
    with_interval,
)
from engine.runs.studies.views.replay import replayed

LLAMA = "Llama-2-7B, TriviaQA; its lookups are a mean with SQuAD"
LEVELS = 5
SIGNALS = (
    ("semantic entropy", "sugar.closed_book.entropy"),
    ("predictive entropy", "sugar.closed_book.predictive"),
)


def accuracy_by_steps(table: StudyTable) -> Found:
    """Return the share of right answers against mean lookups, for two signals, and SUGAR's own point."""
    marks: list[Mark] = []
    for name, address in SIGNALS:
        entropy, memory, reading = known(table, address, "memory.right", "answer.right")
        marks += replayed(name, entropy, memory, reading, told=threshold_words)
    own_right, own_steps = known(table, "sugar.answer.right", "sugar.steps")
    own = with_interval("SUGAR", "SUGAR as it ran", share, own_right, x=float(own_steps.mean()))
    always = [one for one in marks if one.label == "always look up"]
    top = best([one for one in marks if one.series == "semantic entropy"])
    said = f"SUGAR: {span(own)} at {own.x:.2f} lookups."
    if always and top is not None:
        said += (
            f" Always one lookup: {span(always[0])}. Best threshold: {top.label}, {span(top)} at {top.x:.2f} lookups."
        )
    notes = ("The best threshold is chosen on these same questions, so it is too good.",)
    return Found(finding=said, marks=(*marks, own), notes=notes)


def threshold_words(threshold: float) -> str:
    """Return a threshold with two decimals, or as many as it has.

    >>> threshold_words(0.7), threshold_words(0.6932)
    ('τ = 0.70', 'τ = 0.6932')
    """
    return f"τ = {decimals(threshold) if threshold == round(threshold, 2) else f'{threshold:.12g}'}"


def by_level(table: StudyTable) -> Found:
    """Return right answers and SUGAR's lookups by the level of semantic entropy without passages (figure 2)."""
    columns = ("memory.right", "answer.right", "sugar.answer.right", "sugar.steps")
    entropy, memory, reading, own, steps = known(table, "sugar.closed_book.entropy", *columns)
    series = (
        ("from memory", memory),
        ("over the passages", reading),
        ("SUGAR", own),
        ("SUGAR looked something up", (steps > 0).astype(float)),
    )
    marks = shares_in_bins(entropy, series, LEVELS)
    if not marks:
        return Found(finding="", marks=())
    first, last = marks[0], marks[len(marks) // len(series) - 1]
    said = f"From memory, right at the lowest entropy: {span(first)}; at the highest: {span(last)}."
    if first is last:
        said = f"Every entropy is within {first.label} nats; right from memory: {span(first)}."
    low, high = (table.values(f"sugar.{name}") for name in ("low", "high"))
    notes = ["Bins of about equally many questions; ties stay together."]
    if np.isfinite(low).any() and np.isfinite(high).any():
        ends = (decimals(float(np.nanmean(one))) for one in (low, high))
        notes.append(f"SUGAR's thresholds: {' and '.join(ends)} nats.")
    return Found(finding=said, marks=marks, notes=tuple(notes))


VIEWS = (
    View(
        name="sugar_levels",
        title="Right answers by semantic entropy without passages",
        paper="SUGAR, figure 2",
        kind="bars",
        x_title="Semantic entropy without passages (nats)",
        y_title="Share of questions",
        needs=("sugar.closed_book.entropy", "sugar.answer.right", "memory.right"),
        methods="Ask the study with the method sugar, and correct answers in the file of questions.",
        find=by_level,
        direction="Answers from memory should fall from left to right, lookups rise.",
    ),
    View(
        name="sugar_steps",
        title="Right answers against lookups",
        paper="SUGAR, table III",
        kind="line",
        x_title="Mean lookups a question",
        y_title="Share of right answers",
        needs=("sugar.closed_book.entropy", "sugar.answer.right"),
        methods="Ask the study with the method sugar, and correct answers in the file of questions.",
        find=accuracy_by_steps,
        direction="Higher and further left is better.",
        papers=tuple(
            Mark(series="SUGAR's paper", label=label, value=value, x=steps, paper=LLAMA)
            for label, value, steps in (("never", 0.555, 0.0), ("always one", 0.585, 1.0), ("SUGAR", 0.69, 0.91))
        ),
    ),
)
