"""Whose turn it is to compute in this program: a run of the job desk, or a round of a study's questions side by side.

Models, parser and judge are not made for two threads at once, and two at once would be slower than one after the other.
Whoever comes first is served first, so a question asked on a page waits for one round at most.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.core.progress import Report, Stage, silent

LOOK_SECONDS = 0.5
OTHERS = "questions asked before are computed"


class Turns:
    """One line of waiting parties; the first of it has the turn."""

    def __init__(self) -> None:
        self._line: list[object] = []
        self._changed = threading.Condition()

    @property
    def busy(self) -> bool:
        """Whether anybody has the turn."""
        return bool(self._line)

    def wait_for(self, party: object, report: Report = silent) -> None:
        """Return when the party has the turn; one that has it already need not wait.

        ``report`` is called twice a second meanwhile and may raise to stop; the party then still has to ``leave``.
        """
        with self._changed:
            if party not in self._line:
                self._line.append(party)
        while not self._has_turn(party):
            report(Stage(method="", name=OTHERS))

    def leave(self, party: object) -> None:
        """Give the turn, or the place in the line, to whoever comes next."""
        with self._changed:
            if party in self._line:
                self._line.remove(party)
            self._changed.notify_all()

    @contextmanager
    def taken(self, report: Report = silent, prepare: Callable[[], object] | None = None) -> Iterator[None]:
        """Hold the turn for the block, after waiting for it; ``prepare`` runs first, while others still compute."""
        party = object()
        if prepare is not None:
            prepare()
        try:
            self.wait_for(party, report)
            yield
        finally:
            self.leave(party)

    def _has_turn(self, party: object) -> bool:
        """Return whether the party has the turn, after half a second at most."""
        with self._changed:
            return self._changed.wait_for(lambda: self._line[0] is party, LOOK_SECONDS)


TURNS = Turns()
"""The line of this program."""
