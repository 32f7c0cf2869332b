"""What the runs of ``benchmarks.timing`` say: rates with intervals, paired differences, curves at equal lookups.

Intervals are percentiles of a bootstrap over questions, the same resamples for both sides of a difference: policies
answer the same questions. A curve joins a policy's points, each at its own threshold, by straight lines; two policies
are compared where both have points, at the same mean number of lookups a question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.seeds import derive_seed
from engine.measures.draw_intervals import percentile_interval

REPEATS = 2000
METRICS = ("right", "exact", "f1")
Table = dict[str, float | int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRow:
    """One policy's run on one question at one threshold.

    ``level`` is the mean number of lookups a question that its threshold was fitted to give, "paper" for the paper's
    own, "" for a schedule. ``first`` is the token of its first trigger on the answer from memory, None = none.
    ``gold``: every passage that answers the question was among those it found, of one longer than 100 words a piece;
    None where it looked nothing up.
    """

    question: str
    hops: str
    policy: str
    level: str
    threshold: float | None
    answer: str
    forced: bool
    ended: str
    right: bool
    exact: bool
    f1: float
    lookups: int
    read: int
    written: int
    gold: bool | None
    first: int | None = None
    reason: str = ""


def resamples(count: int, label: str) -> np.ndarray:
    """Return bootstrap resamples of so many questions: places [repeats, count]."""
    return np.random.default_rng(derive_seed(0, "timing benchmark", label)).integers(0, count, (REPEATS, count))


def rate(values: Sequence[float], label: str = "rate") -> Table:
    """Return the mean of one value a question with its 95 % interval; None without a question.

    >>> rate([])["mean"] is None
    True
    """
    if not values:
        return {"mean": None, "low": None, "high": None, "questions": 0}
    array = np.asarray(values, dtype=float)
    low, high = percentile_interval(array[resamples(array.size, label)].mean(axis=1))
    return {
        "mean": round(float(array.mean()), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "questions": array.size,
    }


def paired(one: Mapping[str, float], other: Mapping[str, float]) -> Table:
    """Return the mean difference one − other over the questions both have, with its 95 % interval."""
    both = [question for question in one if question in other]
    return rate([one[question] - other[question] for question in both], "paired")


def by_question(rows: Sequence[LoopRow], value: Callable[[LoopRow], float]) -> dict[str, float]:
    """Return one value a question; a question whose run was not possible has none."""
    return {row.question: value(row) for row in rows if not row.reason}


def summary(rows: Sequence[LoopRow]) -> dict[str, object]:
    """Return what one policy's runs at one threshold come to."""
    done = [row for row in rows if not row.reason]
    found = [row for row in done if row.gold]
    out: dict[str, object] = {metric: rate([float(getattr(row, metric)) for row in done]) for metric in METRICS}
    out |= {name: rate([float(getattr(row, name)) for row in done]) for name in ("lookups", "read", "written")}
    out["forced"] = sum(row.forced for row in done)
    out["endings"] = {word: sum(row.ended == word for row in done) for word in sorted({row.ended for row in done})}
    # Of the runs that had every passage that answers the question (of a long one a piece): those that answer wrong.
    out["gold_retrieved"] = len(found)
    out["gold_retrieved_still_misread"] = rate([float(not row.right) for row in found])
    out["not_possible"] = len(rows) - len(done)
    return out


def curve(rows: Sequence[LoopRow], metric: str = "right") -> list[dict[str, object]]:
    """Return a policy's points, ordered by lookups: level, mean lookups, and the metric with its interval."""
    levels = dict.fromkeys(row.level for row in rows if row.level not in ("paper", ""))
    points = []
    for level in levels:
        done = [row for row in rows if row.level == level and not row.reason]
        if done:
            lookups = float(np.mean([row.lookups for row in done]))
            points.append(
                {
                    "level": level,
                    "lookups": round(lookups, 3),
                    metric: rate([float(getattr(row, metric)) for row in done]),
                }
            )
    return sorted(points, key=lambda point: float(str(point["lookups"])))


def matrix(rows: Sequence[LoopRow], questions: Sequence[str], value: Callable[[LoopRow], float]) -> np.ndarray:
    """Return values [levels, questions] of a policy, NaN where a run is missing."""
    levels = list(dict.fromkeys(row.level for row in rows if row.level not in ("paper", "")))
    place = {question: at for at, question in enumerate(questions)}
    table = np.full((len(levels), len(questions)), np.nan)
    for row in rows:
        if row.level in levels and row.question in place and not row.reason:
            table[levels.index(row.level), place[row.question]] = value(row)
    return table


def at_lookups(lookups: np.ndarray, values: np.ndarray, wanted: float) -> float:
    """Return a curve's value at a mean number of lookups, NaN outside its points; ``lookups``, ``values`` [levels].

    >>> at_lookups(np.array([2.0, 1.0]), np.array([0.6, 0.4]), 1.5)
    0.5
    """
    order = np.argsort(lookups)
    if np.isnan(lookups).any() or not lookups.size or not lookups[order[0]] <= wanted <= lookups[order[-1]]:
        return float("nan")
    return float(np.interp(wanted, lookups[order], values[order]))


def at_equal_lookups(one: Sequence[LoopRow], other: Sequence[LoopRow], wanted: float, metric: str = "right") -> Table:
    """Return metric(one) − metric(other) where both look up ``wanted`` times a question, with its 95 % interval."""
    questions = sorted({row.question for row in one} & {row.question for row in other})
    if not questions:
        return {"mean": None, "low": None, "high": None, "questions": 0}
    tables = [
        (
            matrix(rows, questions, lambda row: row.lookups),
            matrix(rows, questions, lambda row: float(getattr(row, metric))),
        )
        for rows in (one, other)
    ]

    def difference(places: np.ndarray) -> float:
        ends = [
            at_lookups(np.nanmean(looked[:, places], axis=1), np.nanmean(value[:, places], axis=1), wanted)
            for looked, value in tables
        ]
        return ends[0] - ends[1]

    whole = difference(np.arange(len(questions)))
    drawn = [difference(places) for places in resamples(len(questions), "equal lookups")]
    known = [value for value in drawn if not np.isnan(value)]
    if np.isnan(whole) or len(known) < REPEATS // 2:
        return {"mean": None, "low": None, "high": None, "questions": len(questions)}
    low, high = percentile_interval(known)
    return {"mean": round(whole, 4), "low": round(low, 4), "high": round(high, 4), "questions": len(questions)}


def delays(rows: Sequence[LoopRow], reference: Sequence[LoopRow]) -> Table:
    """Return a policy's first trigger minus the reference's in tokens, over the questions on which both fire."""
    first = {row.question: row.first for row in reference if row.first is not None}
    return rate(
        [float(row.first - first[row.question]) for row in rows if row.first is not None and row.question in first]
    )
