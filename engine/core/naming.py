"""One thing on a list, by its id or by its name where only one thing has that name."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from engine.core.errors import RecordError

LONGEST_SHOWN = 80


class Listed(Protocol):
    """What stands on a list: an id that nothing else has, and a name that others may have too."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def name(self) -> str:
        """What a person called it."""
        ...


One = TypeVar("One", bound=Listed)


def all_named(wanted: str, listed: Iterable[One]) -> tuple[One, ...]:
    """Return the one with this id, else all with this name."""
    whole = tuple(listed)
    return tuple(one for one in whole if one.id == wanted) or tuple(one for one in whole if one.name == wanted)


def only_named(wanted: str, listed: Iterable[One], kind: str) -> One:
    """Return the one with this id, else the only one with this name; ``kind`` is a noun for one of them.

    Raises RecordError where there is none, and with the ids where several have the name.
    """
    found = all_named(wanted, listed)
    if not found:
        raise RecordError(f"There is no {kind} {wanted[:LONGEST_SHOWN]!r}.")
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise RecordError(f"More than one {kind} is called {wanted[:LONGEST_SHOWN]!r}. Give its id: {ids}.")
    return found[0]
