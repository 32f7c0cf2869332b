"""No page says one sentence twice: each page of a rich record, its texts, captions and boxes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.folders import sample_data
from engine.runs.store import RunStore
from pages.shared import linked
from pages.shared.links import METHOD_TITLES, PAGES
from pages.shared.rows import Rows
from pages.shared.selection import Selection
from scripts.ui_sentences import sentences_of, words_in
from tests.pages.page_fixtures import PROJECT, SECONDS, shipped_runs, words_on
from viz.methods.verdicts import brief_of
from viz.methods.views import HEADINGS, VIEWS
from viz.runs.summary import MATCH_WORDS

RICH = "atlas-contradiction"  # ten methods have a result in it
MOST_WORDS = 5
NEWEST = ""  # a method's page opens with the newest record that holds the method
PARAGRAPH, TAG = re.compile(r"<p(?: [^>]*)?>(.*?)</p>", re.DOTALL), re.compile(r"<[^>]+>")
NOT_SAID = re.compile(r"<(style|table|svg)\b.*?</\1>", re.DOTALL)


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store that holds only the shipped runs."""
    yield from shipped_runs(tmp_store, monkeypatch)


@pytest.mark.parametrize(
    ("word", "run"), [*((word, RICH) for word in PAGES), *((word, NEWEST) for word in METHOD_TITLES)]
)
def test_a_page_says_no_sentence_of_more_than_five_words_twice(word: str, run: str, store: RunStore) -> None:
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS)
    page.query_params["run"] = run
    page.run()
    assert not page.exception
    times = Counter(sentence for text in told_on(page) for sentence in sentences_of(text))
    twice = [one for one, often in times.items() if often > 1 and words_in(one) > MOST_WORDS]
    assert times and [one for one in twice if not may_return(one, word)] == []


def told_on(page: AppTest) -> Iterator[str]:
    """Yield what a page says: its headings, texts, captions and boxes, and the paragraphs of our HTML, tables apart."""
    kinds = (page.title, page.header, page.subheader, page.markdown, page.caption, page.info, page.warning)
    yield from (str(one.value).replace("\\", "") for kind in (*kinds, page.success) for one in kind)
    for html in (str(one.proto.body) for one in page.get("html")):
        plain = NOT_SAID.sub("", html)
        yield from (unescape(TAG.sub(" ", text)) for text in PARAGRAPH.findall(plain))


def may_return(sentence: str, word: str) -> bool:
    """Return whether a sentence may stand twice: read in a passage, said of each of several answers, models, records.

    The three models of the program are equally large; two failures of the atlas may share an answer.
    """
    of_each = (word == "models" and re.search(r"\d", sentence)) or (word == "atlas" and "“" in sentence)
    of_an_answer = any(sentence.endswith(words) for words, _ in MATCH_WORDS.values())
    return bool(of_each) or of_an_answer or letters(sentence) in passages()


@cache
def passages() -> str:
    """Return the letters of every text that the shipped runs read."""
    files = ("articles.jsonl", "planted.jsonl")
    return letters(" ".join((sample_data() / name).read_text(encoding="utf-8") for name in files))


def letters(text: str) -> str:
    """Return a text without all that marks and breaks change."""
    return re.sub(r"\W", "", text)


@pytest.mark.parametrize("word", list(METHOD_TITLES))
def test_a_methods_page_says_its_verdict_once(word: str, store: RunStore) -> None:
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS).run()
    assert not page.exception
    run = store.get(next(str(one.value) for one in page.selectbox if str(one.key).startswith("pick.")))
    assert run is not None and run.diagnosis is not None
    verdict = next(VIEWS[word].verdict(one.result) for one in run.diagnosis.outcomes if one.method == word)
    text = re.sub(r"<[^>]+>", " ", unescape(words_on(page)).replace("\\", ""))
    assert text.count(brief_of(verdict).rstrip(".")) == 1
    if len(verdict.word.split()) > 3:  # a shorter one may name a thing of the page
        assert text.casefold().count(verdict.word.casefold()) == 1


@pytest.mark.parametrize("word", ["entropy_trend", "quco_rag", "timing", "dense_rag"])
def test_a_figure_below_the_verdict_is_named_and_does_not_say_it_again(word: str, store: RunStore) -> None:
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS).run()
    html = [str(one.proto.body) for one in page.get("html")]
    heads = [match for body in html for match in re.findall(r'rm-(?:figure|grid)-title">(.*?)</p>', body)]
    assert heads and heads[0] in HEADINGS.values()


@pytest.mark.parametrize("word", list(PAGES))
def test_how_a_thing_is_followed_is_said_only_where_a_mark_or_a_row_chooses_one(
    word: str, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing: list[bool] = []

    def watched(data: Rows, picks: Sequence[Selection | None], *more: object, **options: object) -> None:
        choosing.extend(pick is not None for pick in picks)

    monkeypatch.setattr(linked, "linked_rows", watched)
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS)
    page.query_params["run"] = RICH if word in ("ask", "compare", "prompts", "numbers", "thresholds") else ""
    page.run()
    assert not page.exception
    told = [one.value for one in page.caption if one.value == linked.HINT]
    assert len(told) == any(choosing)
