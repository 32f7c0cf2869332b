"""Opening a page with a shipped run writes nothing to the run store."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from engine.core.folders import sample_data
from engine.runs.store import RunStore
from pages.shared.links import PAGES
from tests.pages.page_fixtures import desk_over, opened

READING = ("SELECT", "PRAGMA", "BEGIN", "COMMIT", "WITH")
SHIPPED = ("suez-empress", "timing-suez-empress", "atlas-distractor")


@pytest.fixture
def statements(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return what is executed in a store that holds only the shipped runs, behind a desk."""
    tmp_store.samples = sample_data()
    desk = desk_over(tmp_store, monkeypatch)
    seen: list[str] = []

    @event.listens_for(tmp_store.database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    yield seen
    event.remove(tmp_store.database.engine, "before_cursor_execute", note)
    desk.shutdown()


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_with_a_shipped_run_writes_nothing(page: str, statements: list[str]) -> None:
    opened(PAGES[page], SHIPPED[0])
    assert [one for one in statements if not one.lstrip().upper().startswith(READING)] == []


@pytest.mark.parametrize("run", SHIPPED)
def test_a_shipped_run_opens_at_its_address_and_writes_nothing(run: str, statements: list[str]) -> None:
    page = opened(PAGES["ask"], run)
    assert page.query_params["run"] in (run, [run])
    assert not any("There is no run" in str(box.value) for box in page.warning)
    assert [one for one in statements if not one.lstrip().upper().startswith(READING)] == []
