"""The command palette: what it offers, where it goes, and that what a browser says is checked."""

import pytest

from engine.runs.sample_runs import recorded_run
from engine.runs.store import RunStore
from pages.shared import links, palette_view, resources
from pages.shared.palette_view import follow, palette_entries
from tests.pages.page_fixtures import kept


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Return where the palette went, a line each; nothing else happens."""
    went: list[tuple[str, str | None]] = []
    monkeypatch.setattr(links, "go_to", lambda word, run_id=None: went.append((word, run_id)))
    return went


@pytest.fixture
def runs(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """Return the store that the palette reads."""
    monkeypatch.setattr(palette_view, "store", lambda: tmp_store)
    monkeypatch.setattr(resources, "store", lambda: tmp_store)
    kept(tmp_store, recorded_run("capital-of-japan"), "capital-of-japan")
    return tmp_store


def test_it_offers_every_page_the_runs_and_the_numbers_of_the_shown_run(runs: RunStore) -> None:
    run_id = "capital-of-japan"
    found = palette_entries(run_id)
    assert {one.id for one in found if one.kind == "page"} == {f"page:{word}" for word in links.PAGES}
    assert f"run:{run_id}" in {one.id for one in found}
    numbers = [one.id for one in found if one.kind == "number"]
    assert "number:seper.delta_soft" in numbers and len(numbers) == len(set(numbers)) >= 4
    assert not [one for one in numbers if "_interval." in one]
    change = next(one for one in found if one.id == "number:seper.delta_soft")
    assert change.hint.split(" · ")[0].count(" to ") == 1
    assert not [one for one in palette_entries(None) if one.kind == "number"]


def test_it_goes_to_what_there_is_and_nowhere_else(runs: RunStore, gone: list[tuple[str, str | None]]) -> None:
    for wanted in ("page:guide", "page:../../etc", "run:capital-of-japan", "run:none", "javascript:alert(1)", ""):
        follow(wanted)
    assert gone == [("guide", None), ("ask", "capital-of-japan")]
