"""The whole application: every page is in the list, opens with something real, and keeps to its run."""

from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner

from engine.core.database import Database
from engine.core.errors import StorageError
from engine.core.records import JudgedAnswer
from engine.runs.store import RunStore
from pages.shared.links import METHOD_TITLES, PAGES
from pages.shared.sent_values import one_of, some_of, whole_number
from pages.shared.theme import as_text
from tests.pages.page_fixtures import (
    PROJECT,
    failed_diagnosis,
    has_no_run,
    kept,
    opened,
    shown_run,
    unmeasured_diagnosis,
    whole_diagnosis,
    words_on,
)


@pytest.fixture
def store(store: RunStore, no_failures: None) -> RunStore:
    """Return a store without recorded examples behind a desk."""
    return store


def test_every_page_of_the_list_is_a_file_in_a_sub_folder() -> None:
    assert len(PAGES) == 16 + len(METHOD_TITLES)
    assert all((PROJECT / page).is_file() and page.count("/") == 2 for page in PAGES.values())


def test_the_application_opens_on_the_ask_page_with_its_frame(store: RunStore) -> None:
    page = opened("app.py")

    assert page.button(key="ask")
    assert "Retrieval Microscope" in words_on(page), "the style writes the name beside the sign"


def test_the_sidebar_names_the_question_of_the_run_in_the_address(store: RunStore) -> None:
    page = opened("app.py", kept(store, whole_diagnosis("Which tower?"), "tower"))

    assert "Which tower?" in page.sidebar.caption[0].value


def test_tests_have_the_installed_packages_searched_once_for_all_pages(store: RunStore) -> None:
    for _ in range(2):
        opened("app.py")
    assert manifest_scanner.scan_component_manifests.cache_info().misses == 1


@pytest.mark.parametrize("method", METHOD_TITLES)
def test_a_method_page_without_any_run_offers_the_ways_to_one(store: RunStore, method: str) -> None:
    assert has_no_run(opened(PAGES[method]))


@pytest.mark.parametrize("method", METHOD_TITLES)
def test_a_method_page_without_a_chosen_run_opens_the_newest_one(store: RunStore, method: str) -> None:
    kept(store, whole_diagnosis("Which tower?"), "tower")

    assert "Which tower?" in words_on(opened(PAGES[method]))


def test_a_method_that_was_not_asked_for_is_run_by_a_button_as_a_child_of_the_run(store: RunStore) -> None:
    diagnosis = whole_diagnosis()
    without = type(diagnosis)(
        **{name: getattr(diagnosis, name) for name in diagnosis.__dataclass_fields__ if name != "outcomes"},
        outcomes=diagnosis.outcomes[:1],
    )
    page = opened(PAGES["seper"], kept(store, without, "only-dense"))
    page.button(key="run_now.seper").click().run()
    child = store.get(shown_run(page))
    assert (child.parent, child.request.methods) == ("only-dense", ("dense", "seper"))


def test_a_method_page_leads_back_to_the_run_its_run_was_made_from(store: RunStore) -> None:
    first = kept(store, whole_diagnosis(), "first")
    page = opened(PAGES["dense"], kept(store, whole_diagnosis(), "second", parent=first))

    page.button(key="parent.second").click().run()
    assert shown_run(page) == "first"


def test_a_reason_for_not_measuring_is_said_once(store: RunStore) -> None:
    diagnosis = unmeasured_diagnosis()
    page = opened(PAGES["dense"], kept(store, diagnosis, "unmeasured"))

    assert not page.info


@pytest.mark.parametrize("script", ["pages/workspace/ask.py", PAGES["dense"], PAGES["sugar"]])
def test_an_answer_in_other_words_is_right_by_the_judge_on_every_page(store: RunStore, script: str) -> None:
    diagnosis = whole_diagnosis(golds=("A wall.",))
    judged = JudgedAnswer(text=diagnosis.answer.text, meaning=0.91)

    page = opened(script, kept(store, replace(diagnosis, judged=(judged,)), "judged"))

    assert "right by the judge" in words_on(page).lower()


def test_a_failed_method_says_why_on_its_page(store: RunStore) -> None:
    page = opened(PAGES["seper"], kept(store, failed_diagnosis(), "failed"))

    assert "no such folder" in page.error[0].value
    assert page.button(key="go_on.failed").label == "Run what failed"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (0, 1), (99, 10), (2.7, 2), (float("nan"), 5), (float("inf"), 5), (True, 5), ("7", 5), (None, 5)],
)
def test_what_a_number_widget_returns_is_held_within_its_bounds(value: object, expected: int) -> None:
    assert whole_number(value, 1, 10, 5) == expected


def test_what_a_choice_returns_is_one_of_its_choices() -> None:
    assert one_of("b", ("a", "b"), "a") == "b"
    assert one_of("x", ("a", "b"), "a") == "a"
    assert some_of(["b", "x", "a"], ("a", "b", "c")) == ("a", "b")


def test_untrusted_text_in_markdown_loads_no_image_and_makes_no_link() -> None:
    assert as_text("![a](http://b) $x$ <i>").replace("\u2060", "|") == r"\!\[a\]\(http\:|//b\) \$x\$ \<i\>"


def test_going_back_to_an_address_without_a_run_shows_none(store: RunStore) -> None:
    page = opened("app.py", kept(store, whole_diagnosis("Which tower?"), "tower"))
    del page.query_params["run"]
    page.run()
    assert page.button(key="ask")
    assert "run" not in page.query_params


@pytest.mark.parametrize("script", PAGES.values())
def test_a_full_disk_is_a_sentence_on_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    def full(_database: Database) -> None:
        raise StorageError("The disk is full.", "full")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(Database, "connect", full)
    st.cache_resource.clear()
    page = opened("app.py", act=lambda page: page.switch_page(str(PROJECT / script)).run())
    assert not page.exception
    st.cache_resource.clear()


@pytest.mark.parametrize(("address", "restricted"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_opening_the_workbench_to_a_network_restricts_what_its_visitors_may_name(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, address: str, restricted: bool
) -> None:
    from streamlit import config

    from engine.core import allowed

    monkeypatch.setattr(allowed, "_STATE", {"restricted": False})
    before = config.get_option("server.address")
    config.set_option("server.address", address)
    try:
        opened("app.py")
    finally:
        config.set_option("server.address", before)
    assert allowed._STATE["restricted"] is restricted
