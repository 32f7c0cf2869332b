"""Stored runs as the What if page needs them, remembered while nothing about them changes."""

import streamlit as st

from engine.runs.compare import Side
from engine.runs.store import RunSummary, StoredRun
from engine.runs.variant_noise import Beside, beside
from engine.runs.variant_runs import Branch, is_redraw, run_changes, unintended_differences
from engine.runs.variants import variant_base_request
from pages.shared.resources import stored_run


def sides_of(base_id: str, run_id: str) -> tuple[Side, Side] | None:
    """Return two runs as the sides of a comparison, both read in one way; None before both have an answer."""
    base, run = (
        Side(run=one.id, request=variant_base_request(one), diagnosis=one.diagnosis)
        if one is not None and one.diagnosis is not None
        else None
        for one in map(stored_run, (base_id, run_id))
    )
    return None if base is None or run is None else (base, run)


def redraws_of(base: StoredRun, tree: tuple[Branch, ...]) -> tuple[RunSummary, ...]:
    """Return the runs that ask for the same as ``base`` with another seed, oldest first, whatever their state."""
    below = [branch.run for branch in tree if branch.run.parent == base.id]
    return tuple(run for run in below if seed_of(run.id, base.id) is not None)


@st.cache_data(show_spinner=False, max_entries=2000)
def seed_of(run_id: str, base_id: str) -> int | None:
    """Return a repeat's seed, None where the run is no repeat of the other. What was asked never changes."""
    run, base = stored_run(run_id), stored_run(base_id)
    if run is None or base is None or not is_redraw(run.request, variant_base_request(base)):
        return None
    return run.request.seed


@st.cache_data(show_spinner=False, max_entries=2000)
def changed_from(base_id: str, run_id: str, finished: str) -> tuple[str, ...]:
    """Return what a person changed from one run to another; () where one of them has no passages yet."""
    sides = sides_of(base_id, run_id)
    return () if sides is None else run_changes(*sides)


@st.cache_data(show_spinner=False, max_entries=500)
def also_differs(base_id: str, run_id: str, finished: str) -> tuple[tuple[str, str, str], ...]:
    """Return what differs between two runs though nobody asked for it."""
    sides = sides_of(base_id, run_id)
    return () if sides is None else unintended_differences(*sides)


@st.cache_data(show_spinner="Comparing …", max_entries=200)
def cached_comparison(base_id: str, run_id: str, finished: str, redraws: tuple[str, ...]) -> Beside | None:
    """Return two runs beside each other, None where one has no answer; ``finished`` tells a run from its beginnings."""
    sides = sides_of(base_id, run_id)
    repeats = [one.diagnosis for one in map(stored_run, redraws) if one is not None and one.diagnosis is not None]
    return None if sides is None else beside(*sides, repeats)
