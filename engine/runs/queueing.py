"""A queue that is fair between persons: nobody's tenth run goes before another's first.

Each item is put into a round: a person's next one after the round now being worked off, or after the last round that
person already waits in. Rounds are worked off in order, so a person who comes late waits for at most one item of each
other person, however many those have queued; and nobody can be overtaken for ever (start-time fair queueing, Goyal,
Vin and Cheng 1996, with items of equal length).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Generic[Item]):
    """An item in the queue: whose it is, its round, and its number in the order of coming."""

    item: Item
    person: str
    round: int
    arrival: int


class FairQueue(Generic[Item]):
    """Items of several persons, taken in turn. Not safe for threads by itself: its owner holds a lock."""

    def __init__(self) -> None:
        """Begin empty."""
        self._waiting: list[Waiting[Item]] = []
        self._round = 0
        self._arrivals = self._taken = 0
        self._served: dict[str, int] = {}

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._waiting)

    def add(self, person: str, item: Item) -> None:
        """Put a person's item into the first round in which that person has none."""
        last = max((waiting.round for waiting in self._waiting if waiting.person == person), default=self._round)
        self._arrivals += 1
        self._waiting.append(
            Waiting(item=item, person=person, round=max(last, self._round) + 1, arrival=self._arrivals)
        )

    def take(self) -> Item:
        """Return the next item and take it out. Raises ValueError where none waits."""
        chosen = self._next()
        self._waiting.remove(chosen)
        self._round = chosen.round
        waiting = {other.person for other in self._waiting}
        self._served = {person: served for person, served in self._served.items() if person in waiting}
        self._taken += 1
        self._served[chosen.person] = self._taken
        return chosen.item

    def remove(self, wanted: Callable[[Item], bool]) -> Item | None:
        """Return the first item that is wanted after taking it out; None where there is none."""
        chosen = next((waiting for waiting in self._waiting if wanted(waiting.item)), None)
        if chosen is None:
            return None
        self._waiting.remove(chosen)
        return chosen.item

    def in_order(self) -> tuple[Item, ...]:
        """Return the items as they will be taken where nothing more comes."""
        rest: FairQueue[Item] = FairQueue()
        rest._waiting, rest._served = list(self._waiting), dict(self._served)
        rest._round, rest._taken = self._round, self._taken
        return tuple(rest.take() for _ in self._waiting)

    def _next(self) -> Waiting[Item]:
        """Return what is taken next: of the earliest round, the item of who was served longest ago, or never."""
        return min(
            self._waiting, key=lambda waiting: (waiting.round, self._served.get(waiting.person, 0), waiting.arrival)
        )
