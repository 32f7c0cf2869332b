"""Which run a method's page opens with, and what it offers where the shown run was not asked for the method."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine.diagnosis.record import Diagnosis
from engine.learning.guide import METHODS, what_it_asks
from engine.runs.store import RunStore
from pages.shared import examples, resources
from pages.shared.links import METHOD_TITLES, PAGES
from pages.shared.run_names import picker_labels
from pages.shared.run_panel import has_ended_since
from tests.pages.page_fixtures import (
    PROJECT,
    failed_diagnosis,
    kept,
    named_button,
    opened,
    shown_run,
    whole_diagnosis,
    words_on,
)


@pytest.fixture
def store(store: RunStore, no_failures: None) -> RunStore:
    """Return a store without recorded examples behind a desk."""
    return store


def with_dense_alone() -> Diagnosis:
    """Return a diagnosis that was asked for DENSE alone."""
    diagnosis = whole_diagnosis("Which lake?")
    return replace(diagnosis, outcomes=diagnosis.outcomes[:1])


def test_what_a_method_asks_is_the_guides_first_paragraph_for_every_method() -> None:
    assert set(METHODS) == set(METHOD_TITLES)
    assert all(what_it_asks(method) for method in METHODS)


def test_without_a_chosen_run_a_page_opens_the_newest_that_holds_its_method(store: RunStore) -> None:
    kept(store, whole_diagnosis("Which tower?"), "tower")
    kept(store, failed_diagnosis(), "failed")
    kept(store, with_dense_alone(), "lake")
    assert examples.default_run("seper") == "tower"
    assert examples.default_run("dense") == "lake"
    assert examples.default_run("sugar") == examples.default_run("numbers") == resources.opening_run()
    assert "Which tower?" in words_on(opened(PAGES["seper"]))


def test_the_picker_puts_runs_with_the_method_first(store: RunStore) -> None:
    for run_id, diagnosis in (("a", whole_diagnosis()), ("b", with_dense_alone()), ("c", with_dense_alone())):
        kept(store, diagnosis, run_id)
    page = opened(PAGES["seper"], "b")
    labels = picker_labels(store.listing())
    assert page.selectbox[0].options == [labels[run_id] for run_id in "bac"]
    assert len(set(labels.values())) == 3


def test_an_example_opened_from_a_page_without_its_method_stands_in_the_address(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "runs_with_method", lambda *_, **__: iter([("tower", "Which tower?")]))
    kept(store, whole_diagnosis("Which tower?"), "tower")
    kept(store, with_dense_alone(), "lake")
    page = opened(PAGES["seper"], "lake")
    named_button(page, "example.seper.tower").click().run()
    assert shown_run(page) == "tower"


def test_a_record_read_before_its_run_ended_is_read_again(store: RunStore) -> None:
    kept(store, whole_diagnosis("Which tower?"), "tower")
    ended = store.get("tower")
    assert not has_ended_since(ended)
    assert has_ended_since(replace(ended, state="running"))


def test_a_run_without_the_method_leads_to_recorded_runs_that_hold_it(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(store, with_dense_alone(), "lake")
    found = [(f"r{number}", f"Which hill {number}?") for number in range(5)]
    monkeypatch.setattr(examples, "failures_with", lambda _: tuple(found))
    page = opened(PAGES["sugar"], "lake")
    assert what_it_asks("sugar") in words_on(page)
    offered = [button.key for button in page.button if str(button.key).startswith("example.")]
    assert offered == [f"example.sugar.r{number}" for number in range(3)]


def test_the_guide_shows_a_methods_first_figure_of_a_recorded_run(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "failures_with", lambda _: (("tower", "Which tower?"),))
    kept(store, whole_diagnosis("Which tower?"), "tower")
    page = AppTest.from_file(str(PROJECT / PAGES["guide"]), default_timeout=60)
    page.query_params["about"], page.query_params["method"] = "methods", "seper"
    page.run()
    assert not page.exception and len(page.get("plotly_chart")) == 1
    assert "Which tower?" in words_on(page)
