"""Which runs can be taken up again: those that stopped, and those whose methods failed while the others finished."""

from engine.runs.request_checks import is_refused
from engine.runs.store import STOPPED, StoredRun

# How every backend ends the sentence that refuses a prompt longer than its model reads.
TOO_LONG = "Use fewer or shorter passages."


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


def is_refused_again(run: StoredRun) -> bool:
    """Return whether a run would end the same way once more: its request is refused, or too long for its model."""
    return run.reason.endswith(TOO_LONG) or is_refused(run.request)
