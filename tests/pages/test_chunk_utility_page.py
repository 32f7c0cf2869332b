"""The page of single chunks on stored runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, row_tables, whole_diagnosis, words_on
from tests.viz import sample_uncertainty as samples

PAGE = "pages/methods/chunk_utility.py"


def holding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: Outcome, golds=("31 March 1889",)) -> RunStore:
    """Return a store with one run that has this outcome; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    whole = whole_diagnosis(golds=golds)
    kept(store, replace(whole, outcomes=(*whole.outcomes, outcome)), "tower")
    return store


def test_verdicts_stand_beside_denses_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, done("chunk_utility", samples.chunk_utility()))
    page = opened(PAGE, "tower")
    words = words_on(page).replace("\\", "")
    table = next(table for table in row_tables(page) if "DENSE's label" in table)
    assert set(table["DENSE's label"]) <= {"certain", "necessary", "unnecessary", "not measured"}
    assert "harmful" in words.lower()


def test_a_selected_row_shows_that_passage_and_its_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, done("chunk_utility", samples.chunk_utility()))

    def select(page):
        page.query_params["chunk"] = "4"
        page.run()

    words = words_on(opened(PAGE, "tower", select)).replace("\\", "")
    assert "Passage 4" in words and "Passage 4" in words
    assert "<script>" not in words


def test_without_a_gold_answer_the_page_asks_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "There is no reference."
    store = holding(
        tmp_path, monkeypatch, Outcome(method="chunk_utility", status="not measured", reason=reason), golds=()
    )
    page = opened(PAGE, "tower")
    page.text_area(key="utility.golds.tower").set_value("31 March 1889").run()
    page.button(key="utility.golds.ask").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    assert store.get(child.id).request.golds == ("31 March 1889",)


def test_a_run_without_dense_says_that_there_are_no_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, replace(whole_diagnosis(), outcomes=(done("chunk_utility", samples.chunk_utility()),)), "alone")
    page = opened(PAGE, "alone")
    table = next(table for table in row_tables(page) if "DENSE's label" in table)
    assert set(table["DENSE's label"]) == {"not in this run"}
