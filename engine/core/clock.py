"""Times as stores write them, and signs of life by the machine's clock, which may be set back."""

import time
from datetime import UTC, datetime


def now() -> str:
    """Return the time in UTC, as stores write it."""
    return as_stored(datetime.now(UTC))


def as_stored(moment: datetime) -> str:
    """Return a time in ISO 8601 with microseconds, so that text order is time order."""
    return moment.isoformat(timespec="microseconds")


def past_time(told: str) -> str:
    """Return the time that a record tells as ``now`` writes it; now where it tells none, or one that is still to come.

    >>> past_time("2025-01-01T02:00:00+02:00")
    '2025-01-01T00:00:00.000000+00:00'
    """
    try:
        read = datetime.fromisoformat(told)
        then = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return now()
    return min(as_stored(then), now())


def is_recent(moment: float, seconds: float) -> bool:
    """Return whether a moment (seconds since 1970) is at most so many seconds away from now.

    One that lies further ahead was noted before the clock was set back. It would otherwise count until the clock is
    there again, hours later.

    >>> is_recent(time.time() - 5, 10), is_recent(time.time() - 15, 10), is_recent(time.time() + 3600, 10)
    (True, False, False)
    """
    return abs(time.time() - moment) <= seconds
