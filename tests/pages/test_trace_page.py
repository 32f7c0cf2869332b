"""The Trace page: an example, a bad file, whose answer it is, and the way to ask the rest."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, notices, opened, words_on

TRACE = "pages/workspace/trace.py"


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model."""
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


def chosen(name: str) -> AppTest:
    """Return the page with an example chosen."""
    page = opened(TRACE)
    page.selectbox(key="trace.source").set_value(name).run(timeout=60)
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def test_it_opens_with_what_to_do(store: RunStore) -> None:
    page = opened(TRACE)
    assert page.selectbox(key="trace.source") and not page.get("plotly_chart")


def test_an_example_is_shown_with_its_writer_its_states_and_its_readings(store: RunStore) -> None:
    words = re.sub(r"\\(.)", r"\1", words_on(chosen("openai_logprobs")))
    assert all(name in words for name in ("SmolLM2-135M-Instruct", "ETC", "FLARE"))


def test_without_probabilities_the_page_says_that_the_tokens_cannot_be_read(store: RunStore) -> None:
    page = chosen("haystack")
    assert notices(page) and not page.get("plotly_chart")


def test_a_bad_file_gets_the_way_to_the_place(store: RunStore) -> None:
    page = opened(TRACE)
    bad = b'{"question": "Q?", "answer": {"text": "a", "written_by": "m", "tokens": [{"text": "a", "logprob": NaN}]}}'
    page.file_uploader[0].upload("trace.json", bad, "application/json").run()
    assert "answer\\.tokens\\.0\\.logprob" in page.error[0].value
    assert not page.get("plotly_chart")


def test_asking_the_rest_queues_a_run_that_carries_the_imported_answer(store: RunStore) -> None:
    page = chosen("langchain")
    page.button(key="trace.ask").click().run(timeout=60)
    (run,) = store.listing()
    request = store.get(run.id).request
    assert request.methods == ("dense", "seper")
    assert request.imported is not None
    assert request.imported.written_by.startswith("nobody")
    assert [passage.title for passage in request.passages] == ["Danube"]
