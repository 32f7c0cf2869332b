"""The threshold lab on stored runs: thresholds move without a model, stand in the address, and start a child run."""

from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore
from engine.thresholds.table import THRESHOLDS
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import PROJECT, has_no_run, kept, opened, whole_diagnosis, words_on

PAGE = "pages/workspace/thresholds.py"


def test_it_opens_with_the_runs_own_thresholds_and_their_origin(store: RunStore) -> None:
    page = opened(PAGE, kept(store, nine(), "nine"))
    assert [slider.key for slider in page.slider] == list(THRESHOLDS)
    assert page.button(key="lab.fitted").disabled and page.button(key="lab.rerun").disabled


def test_moving_alpha_lists_the_triggers_that_vanish_and_runs_nothing(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "whole"))
    before = len(store.listing())
    page.slider(key="alpha").set_value(1.6).run()
    words = words_on(page).replace("\\", "")
    assert 'aria-label="vanishes"' in words
    assert len(store.listing()) == before


def test_a_reset_puts_every_threshold_back(store: RunStore) -> None:
    page = opened(PAGE, kept(store, nine(), "nine"))
    page.slider(key="alpha").set_value(1.5).run()
    page.slider(key="dse").set_value(0.9).run()
    page.button(key="lab.reset").click().run()
    assert (page.slider(key="alpha").value, page.slider(key="dse").value) == (0.5, 0.2)
    page.button(key="lab.papers").click().run()
    assert page.slider(key="alpha").value == 1.0
    page.button(key="undo_lab").click().run()
    assert page.slider(key="alpha").value == 0.5
    assert not [one for one in page.button if one.key == "undo_lab"]


def test_thresholds_in_the_address_are_tried_and_one_beyond_its_range_is_not(store: RunStore) -> None:
    kept(store, nine(), "nine")
    page = AppTest.from_file(str(PROJECT / PAGE), default_timeout=30)
    page.query_params["run"], page.query_params["alpha"], page.query_params["dse"] = "nine", "1.5", "999"
    page.run()
    assert not page.exception
    assert page.slider(key="alpha").value == 1.5
    assert page.slider(key="dse").value <= 1.9


def test_run_again_asks_for_a_child_with_these_thresholds(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "whole"))
    page.slider(key="dse").set_value(0.35).run()
    page.button(key="lab.rerun").click().run()
    child = next(run for run in store.listing() if run.id != "whole")
    request = store.get(child.id).request
    assert request.parent == "whole"
    assert (request.dense.threshold, request.entropy_trend.alpha) == (0.35, 1.0)


def test_a_method_the_run_lacks_is_added_by_one_click(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "whole"))
    page.button(key="lab.add.sugar_low").click().run()
    child = next(run for run in store.listing() if run.id != "whole")
    assert "sugar" in store.get(child.id).request.methods


def test_without_any_run_the_page_offers_the_ways_to_one(store: RunStore) -> None:
    assert has_no_run(opened(PAGE))


def test_sliders_that_nobody_moved_follow_the_run_that_is_shown(store: RunStore) -> None:
    kept(store, nine(), "nine")
    page = opened(PAGE, kept(store, whole_diagnosis(), "whole"))
    assert page.slider(key="alpha").value == 1.0
    page.slider(key="dse").set_value(0.35).run()
    page.query_params["run"] = "nine"
    page.run()
    assert (page.slider(key="alpha").value, page.slider(key="dse").value) == (0.5, 0.35)
