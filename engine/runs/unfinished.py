"""Which runs can be taken up again: those that stopped, and those whose methods failed while the others finished."""

from engine.runs.store import STOPPED, StoredRun


def failed_methods(run: StoredRun) -> tuple[str, ...]:
    """Return the methods that failed in a run, by their words; () where nothing is stored."""
    if run.diagnosis is None:
        return ()
    return tuple(outcome.method for outcome in run.diagnosis.outcomes if outcome.status == "failed")


def may_go_on(run: StoredRun) -> bool:
    """Return whether a run can be taken up again: it stopped, or it was asked here and a method of it failed.

    The failed methods of a study's run are asked again with the study, which keeps its row of them.
    """
    return run.state in STOPPED or (run.state == "done" and run.origin == "asked" and bool(failed_methods(run)))
