"""No page says one sentence twice: each page of a rich record, its texts, captions and boxes."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore
from pages.shared.links import METHOD_TITLES, PAGES
from scripts.ui_sentences import sentences_of, words_in
from tests.pages.page_fixtures import PROJECT, SECONDS, shipped_runs

RICH = "atlas-contradiction"  # ten methods have a result in it
MOST_WORDS = 5
# Two contexts, models or failures may have the same number or the same answer: that is a record's, not the page's.
OF_A_RECORD = re.compile(r"\d|“")


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store that holds only the shipped runs."""
    yield from shipped_runs(tmp_store, monkeypatch)


@pytest.mark.parametrize("word", list(PAGES))
def test_a_page_says_no_sentence_of_more_than_five_words_twice(word: str, store: RunStore) -> None:
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS)
    if word not in METHOD_TITLES:  # a method's page opens with the newest record that holds the method
        page.query_params["run"] = RICH
    page.run()
    assert not page.exception
    kinds = (
        page.title,
        page.header,
        page.subheader,
        page.markdown,
        page.caption,
        page.info,
        page.warning,
        page.success,
    )
    told = [str(one.value).replace("\\", "") for kind in kinds for one in kind]
    times = Counter(sentence for text in told for sentence in sentences_of(text))
    twice = [one for one, often in times.items() if often > 1 and words_in(one) > MOST_WORDS]
    assert times and [one for one in twice if not OF_A_RECORD.search(one)] == []
