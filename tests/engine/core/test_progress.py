"""Events are facts, and a reporter that raises stops the work."""

from dataclasses import FrozenInstanceError

import pytest

from engine.core.errors import Cancelled
from engine.core.progress import Event, Report, Snapshot, Stage, TokensDecoded, silent


def three_steps(report: Report) -> int:
    """Return how many steps were done: it reports before each of three."""
    for step in range(3):
        report(Stage(method="dense", name="step", done=step, total=3))
    return 3


def test_the_silent_reporter_takes_every_event() -> None:
    for event in (Stage(method="dense", name="x"), TokensDecoded(count=3), Snapshot(record=object())):
        silent(event)
    assert three_steps(silent) == 3


def test_a_reporter_that_raises_stops_the_work_at_the_next_report() -> None:
    seen: list[Event] = []

    def stop_at_two(event: Event) -> None:
        seen.append(event)
        if len(seen) == 2:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled, match="Stopped"):
        three_steps(stop_at_two)
    assert [event.done for event in seen if isinstance(event, Stage)] == [0, 1]


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TokensDecoded(count=1).count = 2  # type: ignore[misc]
