"""The Guide: a page a question, each with one picture and few words."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore
from pages.learn.pictures import PICTURES
from pages.shared.links import PAGES
from tests.pages.page_fixtures import PROJECT, SECONDS, shipped_runs, words_on

MOST_WORDS = 600
QUESTIONS = (*PICTURES, "methods")
TAG = re.compile(r"<[^>]*>")
# Pictures in HTML: the box that each of them draws.
HTML = ("rm-verdict", "rm-lanes", "rm-grid", "rm-atlas")


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store that holds only the shipped runs."""
    yield from shipped_runs(tmp_store, monkeypatch)


def asked(about: str = "") -> AppTest:
    """Return the Guide at one question, or its opening."""
    page = AppTest.from_file(str(PROJECT / PAGES["guide"]), default_timeout=SECONDS)
    page.query_params["about"] = about
    page.run()
    assert not page.exception
    return page


def drawn(page: AppTest) -> int:
    """Return how many figures a page draws, in Plotly or as one picture in HTML."""
    told = " ".join(one.proto.body for one in page.get("html"))
    return len(page.get("plotly_chart")) + any(name in told for name in HTML)


@pytest.mark.parametrize("about", QUESTIONS)
def test_each_question_has_one_picture_and_fewer_than_600_words(about: str, store: RunStore) -> None:
    page = asked(about)
    assert drawn(page) == 1
    assert len(TAG.sub(" ", words_on(page)).split()) < MOST_WORDS


def test_each_question_of_the_opening_has_a_picture(store: RunStore) -> None:
    keys = [str(button.key) for button in asked().button if str(button.key).startswith("guide.")]
    assert {key.removeprefix("guide.") for key in keys} == set(QUESTIONS)


def test_the_name_of_a_method_opens_its_page_and_another_name_says_so_first(store: RunStore) -> None:
    page = asked("seper")
    assert "SePer" in words_on(page) and page.query_params["about"] == "methods"
    assert "“nowhere”" in asked("nowhere").warning[0].value
