"""What the tests of the pages share: a store behind a desk, an empty shelf, no recorded runs of failures."""

from collections.abc import Iterator

import pytest

from engine.runs.corpora import shelf
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over


@pytest.fixture
def store(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model, and no corpus on the shelf.

    The data folder of whoever runs the tests may list some.
    """
    empty = tmp_path_factory.mktemp("shelf")
    monkeypatch.setattr(shelf, "shelf_folder", lambda: empty)
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


@pytest.fixture
def no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the runs that the failure atlas shows."""
    from pages.shared import examples

    monkeypatch.setattr(examples, "failures_with", lambda _: ())
