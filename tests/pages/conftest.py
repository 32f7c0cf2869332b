"""What the tests of the pages share: a store behind a desk, with none of the recorded runs of failures."""

from collections.abc import Iterator

import pytest

from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model."""
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


@pytest.fixture
def no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the runs that the failure atlas shows."""
    from pages.shared import examples

    monkeypatch.setattr(examples, "failures_with", lambda _: ())
