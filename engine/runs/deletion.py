"""Deleted runs: the list of them, and the way to erase one for good.

A deleted run is hidden and can be restored at any time. An erased one is a row without content: its question, answer,
settings and record are overwritten in the file. Its id, its times and whose it was stay, since the limits of a hosted
workbench count what a person asked. A study's run goes whole, so that the same question can be asked again under its
id.
"""

from dataclasses import replace

from sqlalchemy import select

from engine.core.errors import RecordError
from engine.runs.store import (
    IS_ERASED,
    RUNS,
    SHIPPED,
    SUMMARIES,
    RunStore,
    RunSummary,
    own_row,
    own_rows,
    summary,
    unknown,
)

GOING = ("queued", "running")
ERASED = {"question": "", "request_json": "", "diagnosis_json": None, "answer": None, "reason": "", "parent": ""}


def deleted_runs(store: RunStore, limit: int = 100) -> tuple[RunSummary, ...]:
    """Return at most ``limit`` runs that were deleted and can be restored, the last deleted one first."""
    hidden = RUNS.c.deleted_at.is_not(None) & ~IS_ERASED & own_rows()
    query = SUMMARIES.where(hidden).order_by(RUNS.c.deleted_at.desc()).limit(limit)
    with store.database.reading() as connection:
        found = tuple(map(summary, connection.execute(query)))
    # The row that hides a recorded example holds no answer.
    shipped = store.sample_runs() if found else {}
    return tuple(replace(one, answer=shipped[one.id].answer) if one.id in shipped else one for one in found)


def erase_run(store: RunStore, run_id: str) -> None:
    """Overwrite everything a deleted run holds; there is no way back.

    Raises RecordError where the run is unknown, not deleted, still worked on, or ships with the program.
    """
    found = select(RUNS.c.state, RUNS.c.origin, RUNS.c.deleted_at).where(own_row(run_id) & ~IS_ERASED)
    with store.database.transaction() as connection:
        row = connection.execute(found).one_or_none()
        if row is None:
            raise unknown(run_id)
        if row.deleted_at is None:
            raise RecordError(f"The run {run_id} is not deleted. Delete it first.")
        if row.origin in SHIPPED:
            raise RecordError("A recorded example is part of the program. It can be hidden, not erased.")
        if row.state in GOING:
            raise RecordError(f"The run {run_id} is still stopping. Try again in a moment.")
        if row.origin == "study":
            connection.execute(RUNS.delete().where(own_row(run_id)))
        else:
            connection.execute(RUNS.update().where(own_row(run_id)).values(ERASED))
    store.database.empty_log()
