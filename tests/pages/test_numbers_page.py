"""Show me this number: on every method's page, on the Ask page, in the list of all numbers, by a link."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore
from pages.shared.lasting import LASTING
from pages.shared.links import METHOD_TITLES, PAGES
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import (
    PROJECT,
    done,
    failed_diagnosis,
    has_no_run,
    kept,
    notices,
    opened,
    row_tables,
    unmeasured_diagnosis,
    whole_diagnosis,
    with_outcome,
    words_on,
)
from tests.viz.sample_results import dense_full

PAGE = "pages/workspace/numbers.py"


def linked(run_id: str, number: str) -> AppTest:
    """Return the page of all numbers with one number in its address."""
    page = AppTest.from_file(str(PROJECT / PAGE), default_timeout=30)
    page.query_params["run"], page.query_params["number"] = run_id, number
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def controls(page: AppTest) -> list[str]:
    """Return the labels of the controls that open a number."""
    return [button.label.replace("\\", "") for button in page.button if str(button.key).startswith("show.")]


@pytest.mark.parametrize("method", METHOD_TITLES)
def test_every_method_page_offers_its_headline_numbers(store: RunStore, method: str) -> None:
    labels = controls(opened(PAGES[method], kept(store, nine(), "nine")))
    assert 2 <= len(labels) <= 7


def test_a_control_opens_the_number_with_its_formula_and_the_number_again(store: RunStore) -> None:
    page = opened(PAGES["dense"], kept(store, nine(), "nine"))
    page.button(key="show.dense.dense.entropy").click().run()
    assert any("mathrm{DSE}" in str(latex.value) for latex in page.latex)


def test_the_ask_page_offers_the_number_each_card_is_about(store: RunStore) -> None:
    page = opened(PAGES["ask"], kept(store, nine(), "nine"))
    keys = [str(button.key) for button in page.button if str(button.key).startswith("card.")]
    assert "card.dense.entropy" in keys and "card.seper.delta_soft" in keys
    before = len(page.latex)
    page.button(key="card.dense.entropy").click().run()
    assert len(page.latex) > before


def test_a_link_opens_one_number_of_a_run(store: RunStore) -> None:
    words = words_on(linked(kept(store, nine(), "nine"), "seper.with_passages.soft")).replace("\\", "")
    assert "SePer" in words


def test_a_number_that_was_changed_is_said_to_differ(store: RunStore) -> None:
    tampered = with_outcome(whole_diagnosis(), done("dense", replace(dense_full(), entropy=0.111)))
    page = linked(kept(store, tampered, "tampered"), "dense.entropy")
    assert "0.111" in words_on(page) and "0.51" in words_on(page)


def test_a_number_that_was_not_measured_says_what_that_means(store: RunStore) -> None:
    assert "0.51" not in words_on(linked(kept(store, unmeasured_diagnosis(), "none"), "dense.entropy"))


@pytest.mark.parametrize("number", ["dense.nothing", "<script>", "dense.chunks.99.weight"])
def test_an_address_without_a_number_is_said_and_the_list_is_still_there(store: RunStore, number: str) -> None:
    page = linked(kept(store, nine(), "nine"), number)
    assert notices(page)
    assert len(row_tables(page)) == 1


def test_the_list_is_searched_by_every_word(store: RunStore) -> None:
    page = opened(PAGE, kept(store, nine(), "nine"))
    whole = len(row_tables(page)[0])
    page.text_input(key="numbers.search").set_value("sugar threshold").run()
    found = row_tables(page)[0]
    assert 0 < len(found) < whole
    assert set(found["address"]) >= {"sugar.low", "sugar.high"}
    page.text_input(key="numbers.search").set_value("nothing like it").run()
    assert not row_tables(page)


def test_the_search_outlives_its_page(store: RunStore) -> None:
    page = opened(PAGE, kept(store, nine(), "nine"))
    page.text_input(key="numbers.search").set_value("sugar threshold").run()
    found = len(row_tables(page)[0])
    again = AppTest.from_file(str(PROJECT / PAGE), default_timeout=30)
    again.query_params["run"] = page.query_params["run"]
    again.session_state[f"{LASTING}numbers.search"] = page.session_state[f"{LASTING}numbers.search"]
    again.run()
    assert again.text_input(key="numbers.search").value == "sugar threshold"
    assert len(row_tables(again)[0]) == found


def test_without_any_run_the_page_offers_the_ways_to_one(store: RunStore) -> None:
    assert has_no_run(opened(PAGE))


def test_methods_without_a_number_are_named_below_the_list_with_the_reason(store: RunStore) -> None:
    page = opened(PAGE, kept(store, failed_diagnosis(), "failed"))
    said = words_on(page).replace("\\", "")
    assert "Methods without a number:" in said
    assert "SePer: failed. The judge could not be loaded:" in said
    assert "Methods without a number:" not in words_on(opened(PAGE, kept(store, nine(), "nine")))
