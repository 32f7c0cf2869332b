"""What a run is called: its question, where it comes from, when it was asked; never its id while a name tells it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from engine.core.words import isolated, shorten
from engine.runs.store import RunSummary, StoredRun

ORIGINS = {"sample": "recorded example", "atlas": "failure atlas", "imported": "imported", "study": "study"}


def picker_label(run: StoredRun | RunSummary) -> str:
    """Return a run's line in the picker: its question, its state where not done, its origin where not asked here."""
    state = "" if run.state == "done" else f" ({run.state})"
    origin = f" · {ORIGINS[run.origin]}" if run.origin in ORIGINS else ""
    return f"{isolated(shorten(question_of(run), 90))}{state}{origin}"


def state_word(run: RunSummary) -> str:
    """Return what stands in the list for a run's state: how it ended, for a whole one where it is from."""
    return ORIGINS.get(run.origin, run.state) if run.state == "done" else run.state


def picker_labels(runs: Sequence[StoredRun | RunSummary]) -> dict[str, str]:
    """Return each run's line by its id; where several share one, the time they were asked at stands behind it.

    Two runs never share a label: Streamlit finds a choice again by its label, and would find the other run.
    """
    plain = {run.id: picker_label(run) for run in runs}
    dated = {run.id: f"{plain[run.id]} · {asked_at(run)}" for run in runs}
    once, again = Counter(plain.values()), Counter(dated.values())
    return {
        run_id: label if once[label] == 1 else dated[run_id] if again[dated[run_id]] == 1 else f"{label} · {run_id}"
        for run_id, label in plain.items()
    }


def missing_labels(run_ids: Sequence[str]) -> dict[str, str]:
    """Return the line of each run that an address names and that is not here; the id stands only where several are."""
    return {run_id: "Missing run" if len(run_ids) == 1 else f"Missing run · {run_id}" for run_id in run_ids}


def asked_at(run: StoredRun | RunSummary) -> str:
    """Return when a run was asked, to the second: "24 Nov 2026, 11:32:05"."""
    moment = datetime.fromisoformat(run.created_at)
    return f"{moment.day} {moment:%b %Y, %H:%M:%S}"


def run_name(run: StoredRun | RunSummary) -> str:
    """Return what a run is called in a sentence: its question, and when it was asked."""
    return f"“{isolated(shorten(question_of(run), 60))}” of {asked_at(run)}"


def question_of(run: StoredRun | RunSummary) -> str:
    """Return the question of a run."""
    return run.question if isinstance(run, RunSummary) else run.request.question
