"""A study's points as a table to look at: chosen columns, filtered, ordered, coloured by right and wrong and verdicts.

A colour repeats what the cell says: right and wrong have a sign, verdicts their word.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from engine.runs.studies.records import Number
from engine.runs.studies.table import TONE, VERDICT, StudyTable
from viz.methods.verdicts import SIGNS
from viz.parts.row_table import Column
from viz.parts.words import WORDS, counted

Show = Literal["all", "right", "wrong", "failed", "waiting"]
BY_JUDGE = f"{SIGNS['middle']} {WORDS['short matches']['meant']}"
RIGHT, WRONG, UNJUDGED = f"{SIGNS['good']} right", f"{SIGNS['bad']} wrong", f"{SIGNS['unknown']} not judged"
WORST, IN_FILE = "worst", "number"
# The numbers that a table shows before any is chosen, with a heading that takes one line.
USUAL = {
    "memory.right": "memory",
    "answer.f1": "F1",
    "dense.entropy": "DSE",
    "seper.delta_soft": "ΔSePer",
    "seper.with_passages.entropy": "entropy",
    "sugar.steps": "lookups",
    "entropy_trend.trigger_count": "triggers",
    "quco_rag.unsupported": "unsupported",
    "run.seconds": "seconds",
}
COUNTS = {"claims", "count", "documents", "lookups", "occurrences", "passages", "queries", "token", "tokens", "words"}
# Counted in such a unit, but a mean.
MEANS = {"quco_rag.mean_count", "quco_rag.pre_check.value"}


def usual_columns(table: StudyTable) -> tuple[str, ...]:
    """Return the numbers that a table shows before any is chosen."""
    return tuple(address for address in USUAL if table.has(address))


def filtered(table: StudyTable, search: str = "", show: Show = "all") -> pd.DataFrame:
    """Return the rows whose question or answer contains the words, and that are right, wrong, failed or waiting.

    Before a point is done no row is right or wrong.
    """
    frame = table.frame
    if show in ("right", "wrong"):
        frame = frame[table.values("answer.right") == float(show == "right")]
    elif show in ("failed", "waiting"):
        frame = frame[frame["state"] == show]
    wanted = search.casefold().strip()
    if wanted:
        texts = frame["question"] + "\n" + frame["answer"] + "\n" + frame["correct_answers"]
        frame = frame[texts.str.casefold().str.contains(wanted, regex=False)]
    return frame


def ordered(frame: pd.DataFrame, by: str, *, down: bool = False) -> pd.DataFrame:
    """Return the rows in order: by a column, or worst first: wrong before right, the surest of each first."""
    if by == WORST:
        keys = [name for name in ("answer.right", "answer.logprob") if name in frame]
        if keys:
            return frame.sort_values(keys, ascending=[True, False][: len(keys)], kind="stable", na_position="last")
        return frame
    return frame.sort_values(by, ascending=not down, kind="stable", na_position="last") if by in frame else frame


def right_words(frame: pd.DataFrame) -> pd.Series:
    """Return right, wrong or not judged, in words with a sign; a failed or waiting point says so.

    An answer that its words call wrong is right by the judge.
    """
    right = frame["answer.right"] if "answer.right" in frame else pd.Series(np.nan, index=frame.index)
    worded = frame.get("answer.by_words", right)
    words = np.where(right.isna(), UNJUDGED, np.where(right == 1, np.where(worded == 0, BY_JUDGE, RIGHT), WRONG))
    words = np.where((frame["answer"] == "") & (frame["state"] != "done"), frame["state"], words)
    return pd.Series(words, index=frame.index)


def shown_table(table: StudyTable, frame: pd.DataFrame, numbers: Sequence[str]) -> pd.DataFrame:
    """Return the columns to look at under names a reader knows."""
    from engine.methods import method_title

    parts: dict[str, pd.Series] = {
        "#": frame["number"],
        **{name: frame[name] for name in table.settings},
        "question": frame["question"],
        "answer": frame["answer"],
        "right": right_words(frame),
        "correct": frame["correct_answers"],
        **{method_title(word): frame[f"{VERDICT}{word}"] for word in table.methods},
    }
    parts |= {table.number(address).title: frame[address] for address in numbers if address in frame}
    if (frame["reason"] != "").any():
        parts["reason"] = frame["reason"]
    return pd.DataFrame(parts)


def number_columns(table: StudyTable, numbers: Sequence[str]) -> dict[str, Column]:
    """Return how each column of numbers is drawn: counts without decimals, its whole name on hover."""
    found = [table.number(address) for address in numbers]
    return {
        one.title: Column(
            title=USUAL.get(one.address, ""),
            form=".0f" if is_counted(one) else ".3f",
            help=", ".join(filter(None, (one.title, one.unit))),
        )
        for one in found
    }


def is_counted(number: Number) -> bool:
    """Return whether a number is always whole: something counted, or 1 for yes and 0 for no.

    >>> is_counted(Number(address="sugar.steps", title="", unit="lookups", range="0 or more"))
    True
    >>> is_counted(Number(address="answer.f1", title="", range="0 to 1"))
    False
    >>> is_counted(Number(address="quco_rag.mean_count", title="Mean count", unit="occurrences", range="0 or more"))
    False
    """
    if number.address in MEANS:
        return False
    return number.unit in COUNTS or number.range == "0 or 1"


def cell_tones(table: StudyTable, frame: pd.DataFrame, shown: pd.DataFrame) -> dict[str, list[str]]:
    """Return the tone of every cell of the columns that say right or wrong or a verdict; "" = none."""
    from engine.methods import method_title

    tones: dict[str, pd.Series] = {
        "right": shown["right"].map({RIGHT: "good", BY_JUDGE: "middle", WRONG: "bad"}).fillna("unknown"),
        **{
            method_title(word): frame[f"{TONE}{word}"]
            for word in table.methods
            if method_title(word) in shown and f"{TONE}{word}" in frame
        },
    }
    return {name: [tone if tone in SIGNS else "" for tone in column] for name, column in tones.items()}


def failure_sentence(table: StudyTable) -> str:
    """Return why most of the failed points failed, "" where none did."""
    reasons = table.frame["reason"][table.frame["state"] == "failed"]
    if reasons.empty:
        return ""
    counts = reasons.value_counts()
    return f"{int(counts.iloc[0])} of {counted(len(reasons), 'failed point')}: {counts.index[0]}"


def table_sentence(frame: pd.DataFrame, table: StudyTable) -> str:
    """Return what the table shows in words."""
    judged = frame["answer.right"].dropna() if "answer.right" in frame else pd.Series(dtype=float)
    right = f", {int((judged == 1).sum())} of {len(judged)} judged answers right" if len(judged) else ""
    failed = int((frame["state"] == "failed").sum())
    return f"{counted(len(frame), 'point')} of {len(table.frame)}{right}{f', {failed} failed' if failed else ''}."
