"""How much one visitor may ask: so many questions at once, so many an hour, and so many that wait in all.

The owner's file states the numbers (``engine.core.hosting``); the owner has none. What a person asked stands in the
store, so a new start of the program forgets nothing, and deleting a run gives no new one. The store of labels counts
its own: projects and imports of labels.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from engine.core.allowed import acting_person
from engine.core.clock import as_stored
from engine.core.errors import InputError
from engine.core.hosting import Hosting, hosting
from engine.core.words import counted

HOUR = timedelta(hours=1)
# Of everybody and of one person: runs that wait or are worked on; and the times at which that person came.
Usage = Callable[[str, str], tuple[int, int, tuple[str, ...]]]


def refuse_beyond_limits(usage: Usage, *, waits: bool = True) -> None:
    """Raise InputError, which says when one may ask again, where a visitor has asked as much as the owner grants.

    ``waits``: whether what comes now will wait for its turn, as a question does and an import does not.
    """
    person = acting_person()
    if person is None:
        return
    limits, moment = (hosting() or Hosting()).limits, datetime.now(UTC)
    queued, own, came = usage(person, hour_ago())
    # What seems to come later was asked before the clock was set back; it would count until the clock is there again.
    times = [time for time in came if time <= as_stored(moment)]
    if waits and own >= limits.waiting:
        raise InputError(
            f"You have {counted(own, 'question')} waiting or running, as many as one person may. Ask again when one is "
            "done, or cancel one."
        )
    if waits and queued >= limits.queue:
        raise InputError(
            f"This workbench has {counted(queued, 'question')} waiting or running, as many as it takes. "
            "Ask again in a few minutes."
        )
    if len(times) >= limits.an_hour:
        again = datetime.fromisoformat(times[-limits.an_hour]) + HOUR - moment
        raise InputError(
            f"You have asked, made or imported {counted(len(times), 'thing')} in the last hour, as many as one "
            f"person may. Try again in {minutes_text(again)}."
        )


def hour_ago() -> str:
    """Return the time before which nothing counts any more."""
    return as_stored(datetime.now(UTC) - HOUR)


def refuse_large(what: str, size: int) -> None:
    """Raise InputError where a visitor sends more bytes at once than the owner grants; ``what`` begins the sentence."""
    limit = (hosting() or Hosting()).limits.upload_mb
    if acting_person() is not None and size > limit * 10**6:
        raise InputError(f"{what} has {size / 10**6:.0f} MB; one person may have {limit} MB.")


def minutes_text(left: timedelta) -> str:
    """Return how long one has to wait, in whole minutes, never less than it is.

    >>> minutes_text(timedelta(seconds=61)), minutes_text(timedelta(seconds=-1))
    ('2 minutes', '1 minute')
    """
    minutes = max(1, -int(-left.total_seconds() // 60))
    return f"{minutes} minute{'' if minutes == 1 else 's'}"
