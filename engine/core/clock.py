"""Signs of life by the machine's clock, which may be set back."""

import time


def is_recent(moment: float, seconds: float) -> bool:
    """Return whether a moment (seconds since 1970) is at most so many seconds away from now.

    One that lies further ahead was noted before the clock was set back. It would otherwise count until the clock is
    there again, hours later.

    >>> is_recent(time.time() - 5, 10), is_recent(time.time() - 15, 10), is_recent(time.time() + 3600, 10)
    (True, False, False)
    """
    return abs(time.time() - moment) <= seconds
