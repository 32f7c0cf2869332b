"""How a long computation tells what it does, and how it is stopped.

A method calls ``report(event)`` between units of work and knows nothing of screens. To stop it, the reporter raises
``Cancelled``; hence nothing in this package catches ``BaseException`` or hides an error it did not expect.

Judges and embedders are called without a reporter. What they have to say, ``tell`` takes to the run of their thread.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from engine.core.records import FileReport, Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A named piece of work begins or moves on: ``done`` of ``total`` units, in the method named."""

    method: str
    name: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensDecoded:
    """``count`` more tokens have been generated since the last such event."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passages were found: the first thing to look at, before any answer."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesRead:
    """The files of a corpus were read, or skipped with a reason."""

    files: tuple[FileReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The record as far as it goes: what a killed run keeps."""

    record: object


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchHalved:
    """Memory ran out while a model computed: it then took at most ``rows`` at once, texts or pairs of texts."""

    model: str
    rows: int
    unit: Literal["texts", "pairs"] = "texts"


Event = Stage | TokensDecoded | FilesRead | Found | Snapshot | BatchHalved
Report = Callable[[Event], None]


def silent(event: Event) -> None:
    """Ignore every event: the reporter of a caller that does not watch."""


_HEARING: ContextVar[Report] = ContextVar("hearing", default=silent)


@contextmanager
def heard_by(report: Report) -> Iterator[None]:
    """Let ``report`` hear, for the block and in this thread, what is told by those that are called without one."""
    before = _HEARING.set(report)
    try:
        yield
    finally:
        _HEARING.reset(before)


def tell(event: Event) -> None:
    """Report an event to whoever hears in this thread, from where no reporter is given; it may raise to stop."""
    _HEARING.get()(event)
