"""The failure atlas as a page: gallery, filter, one failure alone, its run in the workbench, a changed question."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import escape
from streamlit.testing.v1 import AppTest

from engine.learning.atlas.shelf import Specimen, specimens_with
from engine.runs.store import RunStore
from pages.shared.theme import as_text
from tests.pages.page_fixtures import choose_rows, opened, row_tables, shipped_runs, specimens_once, words_on
from viz.learning.atlas_stories import story

ATLAS = "pages/learn/atlas.py"
SHELF = specimens_once()


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store that holds only the shipped runs."""
    yield from shipped_runs(tmp_store, monkeypatch)


def at_kind(word: str) -> AppTest:
    """Return the page at one failure's address."""

    page = AppTest.from_file(str(Path(__file__).resolve().parents[2] / ATLAS), default_timeout=60)
    page.query_params["kind"] = word
    page.run()
    assert not page.exception
    return page


def named(page: AppTest, parameter: str) -> str:
    """Return what a page's address says under a name, "" where it says nothing."""
    said = page.query_params.get(parameter, "")
    return str(said[0] if isinstance(said, list) else said)


def cards(page: AppTest) -> list[str]:
    """Return the kinds whose cards are shown."""
    return [
        button.key.removeprefix("atlas.open.") for button in page.button if str(button.key).startswith("atlas.open")
    ]


def test_every_recorded_failure_has_a_card_that_tells_what_happened(store: RunStore) -> None:
    page = opened(ATLAS)
    words = words_on(page)
    assert cards(page) == [one.kind.word for one in SHELF]
    assert all(str(escape(story(one))) in words for one in SHELF)


def test_a_filter_leaves_what_a_method_missed_and_stands_in_the_address(store: RunStore) -> None:
    page = opened(ATLAS)
    page.selectbox(key="atlas.method").set_value("dense").run()
    page.segmented_control(key="atlas.outcome").set_value("missed").run()
    assert cards(page) == [one.kind.word for one in specimens_with(SHELF, "dense", "missed")]
    assert (named(page, "method"), named(page, "noticed")) == ("dense", "missed")


def test_a_choice_that_nothing_fits_is_a_sentence(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shared import resources

    monkeypatch.setattr(resources, "atlas", lambda: SHELF[:1])
    page = opened(ATLAS)
    missing = {clue.method for one in SHELF for clue in one.kind.clues} - {c.method for c in SHELF[0].kind.clues}
    page.selectbox(key="atlas.method").set_value(sorted(missing)[0]).run()
    assert cards(page) == []


def test_without_a_recorded_failure_the_page_says_so(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shared import resources

    monkeypatch.setattr(resources, "atlas", lambda: ())
    assert cards(opened(ATLAS)) == []


@pytest.mark.parametrize("shown", SHELF, ids=lambda one: one.kind.word)
def test_one_failure_alone_says_why_it_stands_here_and_who_described_it(store: RunStore, shown: Specimen) -> None:
    words = words_on(at_kind(shown.kind.word))
    assert as_text(shown.kind.predicate) in words and as_text(shown.kind.literature[0]) in words
    assert as_text(shown.kind.trial) in words


def test_a_row_of_the_table_opens_its_failure(store: RunStore) -> None:
    page = opened(ATLAS)
    choose_rows(page, "atlas.table", (SHELF[1].kind.word,))
    assert named(page, "kind") == SHELF[1].kind.word


def test_an_unknown_kind_in_the_address_shows_the_gallery(store: RunStore) -> None:
    assert len(cards(at_kind("no-such-kind"))) == len(SHELF)


def test_a_failure_opens_in_the_workbench_as_a_stored_run(store: RunStore) -> None:
    shown = SHELF[0]
    page = opened("pages/workspace/ask.py", shown.kind.run_id)
    assert shown.question.question in words_on(page)
    kept = store.get(shown.kind.run_id)
    assert kept.origin == "atlas" and kept.diagnosis is not None
    assert kept.diagnosis.answer == shown.run.answer


def test_a_deleted_run_of_the_atlas_stays_deleted(store: RunStore) -> None:
    shown = SHELF[0]
    opened("pages/workspace/ask.py", shown.kind.run_id)
    store.delete(shown.kind.run_id)
    page = opened("pages/workspace/ask.py", shown.kind.run_id)
    assert page.warning and not row_tables(page)


def test_a_variant_fills_the_form_as_a_child_of_the_run(store: RunStore) -> None:
    page = at_kind(SHELF[0].kind.word)
    page.button(key="atlas.variant").click().run()
    draft = page.session_state["microscope.draft"]
    assert (draft.question, draft.parent) == (SHELF[0].question.question, SHELF[0].kind.run_id)


def test_the_ask_page_leads_to_the_atlas_even_where_nothing_is_recorded(store: RunStore) -> None:
    assert "failure atlas" in words_on(opened("pages/workspace/ask.py"))


def test_a_kind_that_there_is_not_gets_a_sentence(store: RunStore) -> None:
    page = at_kind("nope")
    assert "nope" in page.warning[0].value
    assert len(cards(page)) == len(SHELF)
