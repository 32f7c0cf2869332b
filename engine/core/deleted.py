"""What was deleted and can be brought back: for a day, the last MOST_KEPT of it, up to so many bytes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

KEPT, MOST_KEPT = timedelta(days=1), 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """One thing that was deleted: when, in ISO form, "" where that was not noted; the bytes that keeping it takes."""

    id: str
    at: str
    size: int = 0


def over(found: Iterable[Deleted], most_bytes: int, at: datetime | None = None) -> frozenset[str]:
    """Return the ids of what goes for good; what was deleted last always stays, however large it is.

    >>> noon = datetime(2026, 1, 2, 12, tzinfo=UTC)
    >>> hours = "02T11", "02T10", "01T13", "01T11"
    >>> found = [Deleted(id=hour, at=f"2026-01-{hour}:00:00+00:00", size=4) for hour in hours]
    >>> sorted(over(found, 12, noon)), sorted(over(found, 7, noon))
    (['01T11'], ['01T11', '01T13', '02T10'])
    """
    last = sorted(found, key=lambda one: one.at, reverse=True)
    oldest = ((at or datetime.now(UTC)) - KEPT).isoformat()
    held, gone = 0, set()
    for place, one in enumerate(last):
        held += one.size
        if one.at < oldest or place and (place >= MOST_KEPT or held > most_bytes):
            gone.add(one.id)
    return frozenset(gone)
