"""What an error that ends a run says: that the program is ending, or why the run failed."""

import logging

from engine.core.errors import MicroscopeError
from engine.core.quiet_logs import Plain

log = logging.getLogger(__name__)


def is_shutdown(error: Exception) -> bool:
    """Return whether an error only says that Python shuts down.

    A model that is just being opened says so as its own error, with Python's behind it.

    >>> is_shutdown(RuntimeError("no new futures after interpreter shutdown")), is_shutdown(ValueError("x"))
    (True, False)
    """
    behind = (error, error.__cause__, error.__context__)
    return any(isinstance(one, Exception) and "interpreter shutdown" in str(one) for one in behind)


def failure_reason(run_id: str, error: Exception) -> str:
    """Return why a run failed; a fault of the program is logged with its traceback too."""
    if isinstance(error, MicroscopeError):
        return str(error)
    log.error("run %s failed", Plain(run_id), exc_info=error)
    return f"Unexpected {type(error).__name__}: {error}. This is a fault of the program; its log says more."
