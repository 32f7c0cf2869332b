"""Which two runs go together: a run and the one it was made from, or two of the same question."""

from collections.abc import Sequence

import streamlit as st

from engine.compare import Side
from engine.runs.store import RunSummary
from pages.shared.resources import stored_run
from viz.compare import what_changed


def natural_pair(runs: Sequence[RunSummary], asked: tuple[str, str], shown: str) -> tuple[str, str] | None:
    """Return the two runs to compare, older first: what the address asks for, else the shown run and its base.

    Without those the newest run that has a base, then simply the two newest. None where there are not two runs.
    """
    if all(asked):
        return asked
    known = {run.id: run for run in runs}
    ordered = ([known[shown]] if shown in known else []) + [run for run in runs if run.id != shown]
    for run in ordered:
        base = base_of(run, runs)
        if base:
            return base, run.id
    return (ordered[1].id, ordered[0].id) if len(ordered) > 1 else None


def base_of(run: RunSummary, runs: Sequence[RunSummary]) -> str:
    """Return the run that a run is held against: its parent, else the one of the same question before it; "" = none."""
    ids = [other.id for other in runs]
    if run.parent in ids:
        return run.parent
    later = runs[ids.index(run.id) + 1 :] if run.id in ids else ()
    return next((other.id for other in later if other.question == run.question and other.answer), "")


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
