"""How a long computation tells what it does, and how it is stopped.

A method calls ``report(event)`` between units of work and knows nothing of screens. To stop it, the reporter raises
``Cancelled``; hence nothing in this package catches ``BaseException`` or hides an error it did not expect.
"""

from collections.abc import Callable
from dataclasses import dataclass

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
    """Memory ran out while a model computed: from now on it takes at most ``rows`` texts at once."""

    model: str
    rows: int


Event = Stage | TokensDecoded | FilesRead | Found | Snapshot | BatchHalved
Report = Callable[[Event], None]


def silent(event: Event) -> None:
    """Ignore every event: the reporter of a caller that does not watch."""
