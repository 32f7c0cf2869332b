"""Which two runs go together: a run and the one it was made from, or two of the same question; and runs in words."""

from collections.abc import Sequence

import streamlit as st

from engine.runs.compare import Side
from engine.runs.store import RunSummary
from pages.shared.resources import stored_run
from viz.runs.compare import what_changed
from viz.runs.summary import verdict_words

# One thing asked twice: right over what was retrieved, wrong over passages that mislead.
EXAMPLE = ("largest-planet", "name-of-the-largest-planet")


def natural_pair(runs: Sequence[RunSummary], asked: tuple[str, str], shown: str) -> tuple[str, str] | None:
    """Return the two runs to compare: what the address asks for, else the shown run and what goes with it.

    The shown run is always the first; the second is "" where none goes with it. Where no run is shown: the newest run
    that has a base, after that base, then the recorded example, where only recorded runs are there, then the two newest
    with a common method, older first, then simply the two newest. None where there are not two runs.
    """
    if all(asked):
        return asked
    if shown and any(run.id != shown for run in runs):
        return shown, partner_of(shown, runs)
    for run in runs:
        base = base_of(run, runs)
        if base:
            return base, run.id
    if all(run.origin == "sample" for run in runs) and {run.id for run in runs}.issuperset(EXAMPLE):
        return EXAMPLE
    alike = (
        (older.id, newer.id)
        for place, newer in enumerate(runs)
        for older in runs[place + 1 :]
        if have_common_method(older, newer)
    )
    return next(alike, (runs[1].id, runs[0].id) if len(runs) > 1 else None)


def have_common_method(one: RunSummary, other: RunSummary) -> bool:
    """Return whether two runs share a method, or both only answered."""
    return not set(one.methods).isdisjoint(other.methods) or not (one.methods or other.methods)


def partner_of(run_id: str, runs: Sequence[RunSummary]) -> str:
    """Return the run that goes with a run, "" where none does: its base, else one made from it.

    Else one of the same question, or of the same parent. The runs are newest first; of several the newest is taken.
    """
    run = next((run for run in runs if run.id == run_id), None)
    if run is None:
        return next((other.id for other in runs if other.parent == run_id), "")
    others = [other for other in runs if other.id != run_id and other.answer]
    related = (
        *(other.id for other in others if other.parent == run_id),
        *(other.id for other in others if other.question == run.question),
        *(other.id for other in others if run.parent and other.parent == run.parent),
    )
    return next(iter((*filter(None, [base_of(run, runs)]), *related)), "")


def base_of(run: RunSummary, runs: Sequence[RunSummary]) -> str:
    """Return the run that a run is held against: its parent, else the one of the same question before it; "" = none.

    Of the same question only a run with a common method counts.
    """
    ids = [other.id for other in runs]
    if run.parent in ids:
        return run.parent
    later = runs[ids.index(run.id) + 1 :] if run.id in ids else ()
    alike = (other for other in later if other.question == run.question and other.answer)
    return next((other.id for other in alike if have_common_method(other, run)), "")


def side_of(run_id: str) -> Side | None:
    """Return a stored run as one side of a comparison, None where it has no answer or is not stored."""
    run = stored_run(run_id)
    if run is None or run.diagnosis is None:
        return None
    return Side(run=run_id, request=run.request, diagnosis=run.diagnosis)


@st.cache_data(show_spinner=False, max_entries=2000)
def changed_words(base: str, run_id: str, finished_at: str) -> str:
    """Return what changed from one run to another; ``finished_at`` tells a run from itself before it was finished."""
    first, second = side_of(base), side_of(run_id)
    return what_changed(first, second) if finished_at and first is not None and second is not None else ""


@st.cache_data(show_spinner=False, max_entries=2000)
def words_of(run_id: str, finished_at: str) -> str:
    """Return the verdicts of a finished run; ``finished_at`` tells a run from itself before it was finished."""
    run = stored_run(run_id) if finished_at else None
    return verdict_words(run.diagnosis) if run and run.diagnosis else ""


def listed_words(run: RunSummary, runs: Sequence[RunSummary]) -> tuple[str, str]:
    """Return what a list of runs says of one: its verdicts, and what changed from the run it is held against."""
    base = base_of(run, runs)
    return words_of(run.id, run.finished_at), changed_words(base, run.id, run.finished_at) if base else ""
