"""A run that ends is told once, on any page; one that goes on or was over before is not."""

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.sample_runs import recorded_run
from engine.runs.store import RunStore
from pages.shared import end_notice, resources
from pages.workspace.other_model import other_models
from tests.pages.page_fixtures import kept


@pytest.fixture
def going(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Return whether the one stored run goes on, to be changed."""
    state = {"on": True}
    monkeypatch.setattr(resources, "store", lambda: tmp_store)
    monkeypatch.setattr(end_notice, "is_going", lambda run: state["on"])
    kept(tmp_store, recorded_run("capital-of-japan"), "mine")
    return state


def drawn() -> AppTest:
    """Return a page that shows the run and watches it."""

    def page() -> None:
        from pages.shared import session
        from pages.shared.end_notice import draw_end_notice

        session.open_run("mine")
        draw_end_notice("")

    return AppTest.from_function(page).run()


def test_the_end_of_a_run_is_told_once(going: dict[str, bool]) -> None:
    page = drawn()
    assert not page.exception and not page.toast
    going["on"] = False
    assert len(page.run().toast) == 1 and "capital of Japan" in page.toast[0].value
    assert not page.run().toast


def test_a_run_that_was_over_before_is_not_told(going: dict[str, bool]) -> None:
    going["on"] = False
    assert not drawn().toast


def test_the_models_offered_are_those_beside_the_one_that_was_asked() -> None:
    offered = other_models("embedded")
    assert "embedded" not in offered and "embedded-base" in offered and len(set(offered)) == len(offered)


def test_a_sidebar_that_was_drawn_before_the_end_is_known_to_be_out_of_date(going: dict[str, bool]) -> None:
    def page() -> None:
        import streamlit as st

        from pages.shared.end_notice import is_said_running, running_words
        from pages.shared.resources import stored_run

        run = stored_run("mine")
        assert run is not None
        if "first" not in st.session_state:
            st.session_state.first = running_words(run)
        st.text(is_said_running(run))

    shown = AppTest.from_function(page).run()
    assert shown.text[0].value == "False"
    going["on"] = False
    assert shown.run().text[0].value == "True"
