"""Logs that hold nothing people wrote: a line says where and what kind, never what was asked, found or answered.

A message of this or another library may carry text of a question, a passage or an answer, and the text of an exception
often does. So a line is the message as its program's author wrote it, with "…" for every piece of text put into it
(numbers, and what is marked as ``Plain``, are kept), and an exception is its kind with the places it passed.
"""

import logging
import sys
import threading
import traceback
import warnings
from types import TracebackType

LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
HIDDEN = "…"
Trace = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Plain(str):
    """A word that may stand in a log: the id of a run, a method's name, never a text that somebody wrote."""


class QuietFormatter(logging.Formatter):
    """Writes a record without the text that was put into its message, and an exception without its text."""

    def __init__(self) -> None:
        super().__init__(LINE)

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line, and the places of its exception behind it."""
        quiet = logging.makeLogRecord({**record.__dict__, "msg": quiet_message(record), "args": (), "exc_text": None})
        quiet.stack_info = None
        return super().format(quiet)

    def formatException(self, ei: Trace) -> str:
        """Return an exception's kind with the places it passed, and those of what it came from."""
        return "\n".join(exception_lines(ei[1]))


def quiet_message(record: logging.LogRecord) -> str:
    """Return a record's message with "…" for every text in it; one that cannot be put together is its logger's name.

    >>> quiet_message(logging.makeLogRecord({"msg": "run %s took %d s", "args": ("Who?", 3)}))
    'run … took 3 s'
    """
    if not isinstance(record.msg, str):
        return HIDDEN
    given = record.args
    try:
        if isinstance(given, dict):
            return record.msg % {name: shown(value) for name, value in given.items()}
        return record.msg % tuple(map(shown, given)) if given else stated(record)
    except (TypeError, ValueError, KeyError):
        return HIDDEN


def stated(record: logging.LogRecord) -> str:
    """Return a message without arguments: of this program it is the author's; of others it may be put together."""
    own = record.name.split(".")[0] in ("engine", "pages", "viz", "scripts")
    return str(record.msg) if own else HIDDEN


def shown(value: object) -> object:
    """Return what may be shown of a value put into a message: a number or a plain word, else "…"."""
    return value if isinstance(value, bool | int | float | Plain) else HIDDEN


def exception_lines(error: BaseException | None) -> list[str]:
    """Return an exception's kind and the places it passed, newest last, before them those of its cause."""
    if error is None:
        return []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    places = [f"  {one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]
    return [*exception_lines(cause), *places, type(error).__qualname__]


def keep_logs_quiet() -> None:
    """Write every logger of this program without content from now on, what escapes a thread or is a warning too.

    Handlers that libraries put to their own loggers are given the same form; those made later are the root's.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(QuietFormatter())
    handler.setLevel(logging.WARNING)  # some libraries set a lower level for their own loggers
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    warnings.simplefilter("ignore")
    log = logging.getLogger("engine")
    sys.excepthook = lambda kind, error, trace: log.error("ended by an error", exc_info=(kind, error, trace))
    threading.excepthook = lambda told: log.error("a thread ended by an error", exc_info=told.exc_value or True)
    quiet_handlers()


def quiet_handlers() -> None:
    """Give every handler there is the quiet form."""
    named = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    for logger in (logging.getLogger(), *named):
        for handler in logger.handlers:
            if not isinstance(handler.formatter, QuietFormatter):
                handler.setFormatter(QuietFormatter())
