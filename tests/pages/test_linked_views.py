"""A choice in the address is drawn on every page of a run, by figure, text and table, and outlives a page change."""

import re

import pytest

from engine.runs.store import RunStore
from tests.pages.page_fixtures import (
    PROJECT,
    SECONDS,
    AppTest,
    desk_over,
    kept,
    nine_methods,
    opened,
    row_tables,
    whole_diagnosis,
    words_on,
)

RUN = "tower"
METHODS = "pages/methods/"
# What is chosen, and what each page then shows of it in words.
SHOWN = (
    ("pages/workspace/ask.py", {"chunk": "2"}, ("Passage 2 selected", "◆ passage chosen")),
    ("pages/workspace/ask.py", {"answer": "run.closed_book", "token": "1"}, ("◆ answer chosen", "<mark")),
    (f"{METHODS}dense.py", {"chunk": "3"}, ("Passage 3 selected", "Passage 3")),
    (f"{METHODS}dense.py", {"chunk": "2", "answer": "dense.chunks.1.ablation"}, ("◆ answer chosen",)),
    (f"{METHODS}dense_rag.py", {"chunk": "1"}, ("Passage 1 selected", "passage 1")),
    (f"{METHODS}seper.py", {"meaning": "1"}, ("Meaning", " selected")),
    (f"{METHODS}seper.py", {"answer": "seper.without.samples.1"}, ("sample 2 without", "token")),
    (f"{METHODS}entropy_trend.py", {"answer": "entropy_trend.generation", "token": "3"}, ("Token 3", "outline:3px")),
    (f"{METHODS}entropy_trend.py", {"trigger": "entropy_trend.1"}, ("Trigger 1 of ETC", "Tokens of this word")),
    (f"{METHODS}timing.py", {"trigger": "flare.1"}, ("Trigger 1 of FLARE", "<mark")),
    (f"{METHODS}quco_rag.py", {"claim": "2"}, ("Claim 2 selected", "◆ claim")),
    (f"{METHODS}sugar.py", {"answer": "sugar.closed_book.belief.samples.1"}, ("◆ answer chosen",)),
    (f"{METHODS}uncertainty.py", {"answer": "uncertainty.sets.0.answers.1"}, ("◆ answer chosen",)),
    (f"{METHODS}chunk_utility.py", {"chunk": "3"}, ("Passage 3 selected", "Passage 3")),
    ("pages/workspace/prompts.py", {"answer": "dense.chunks.1.answer"}, ("dense.chunks.1.answer", "◆ answer chosen")),
    ("pages/workspace/numbers.py", {"chunk": "2"}, ("Passage 2 selected",)),
    ("pages/workspace/thresholds.py", {"answer": "entropy_trend.generation", "token": "3"}, ("Token 3", "<mark")),
)


@pytest.fixture(autouse=True)
def stored(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every page one stored run that holds all nine methods."""
    desk_over(tmp_store, monkeypatch)
    kept(tmp_store, nine_methods(), RUN)


def page_with(script: str, texts: dict[str, str]) -> AppTest:
    """Return a page of the run after its first run, with this choice in the address."""
    page = AppTest.from_file(str(PROJECT / script), default_timeout=SECONDS)
    for name, value in {"run": RUN, **texts}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def address(page: AppTest, name: str) -> str:
    """Return what a page's address says under a name: a list where the test wrote it, a text where the page did."""
    told = page.query_params.get(name, "")
    return str(told[0] if isinstance(told, list) else told)


def said_on(page: AppTest) -> str:
    """Return every word on a page, those on its buttons as well, without the signs that keep Markdown from reading."""
    labels = "\n".join(f"{button.label}" for button in page.button)
    return f"{words_on(page)}\n{labels}".replace("\\", "").replace(" :material/close:", "")


def rows_drawn(page: AppTest) -> list[str]:
    """Return the HTML of each row of the page's first table whose rows choose."""
    table = next(one.value for one in page.get("html") if "rm-rows" in str(one.value))
    return re.findall(r"<tr[^>]*>.*?</tr>", str(table).partition("<tbody>")[2], re.DOTALL)


@pytest.mark.parametrize(("script", "texts", "words"), SHOWN)
def test_a_page_shows_what_its_address_chooses(script: str, texts: dict[str, str], words: tuple[str, ...]) -> None:
    said = said_on(page_with(script, texts))
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize("script", sorted({script for script, _, _ in SHOWN}))
def test_nonsense_in_the_address_chooses_nothing_and_raises_nothing(script: str) -> None:
    page = page_with(
        script, {"chunk": "99", "answer": "<b>", "token": "x", "meaning": "-1", "trigger": "a.b", "claim": "1e9"}
    )
    assert not [button.label for button in page.button if str(button.key).startswith("chosen.")]


def test_a_chip_chooses_its_thing_no_more_and_leaves_the_others() -> None:
    page = page_with(f"{METHODS}dense.py", {"chunk": "3", "claim": "2"})
    page.button(key="chosen.chunk").click().run()
    assert "chunk" not in page.query_params
    assert address(page, "claim") == "2"
    page.button(key="chosen.claim").click().run()
    assert set(page.query_params) == {"run"}


def test_one_click_clears_everything_that_is_chosen() -> None:
    page = page_with(f"{METHODS}quco_rag.py", {"chunk": "1", "claim": "2", "meaning": "1"})
    page.button(key="chosen.all").click().run()
    assert set(page.query_params) == {"run"}


def test_a_row_of_the_table_is_selected_where_the_address_chooses_it() -> None:
    rows = rows_drawn(page_with(f"{METHODS}chunk_utility.py", {"chunk": "2"}))
    assert [place for place, row in enumerate(rows) if "rm-picked-row" in row] == [1]
    assert [f'data-pick="{place}"' in row for place, row in enumerate(rows)] == [True] * len(rows)


def test_choosing_keeps_the_choice_in_the_session_for_the_next_page() -> None:
    page = page_with(f"{METHODS}dense.py", {"chunk": "3"})
    del page.query_params["chunk"]
    page.run()
    assert address(page, "chunk") == "3"


def test_another_run_does_not_inherit_the_choice_of_the_last_one(tmp_store: RunStore) -> None:
    page = page_with(f"{METHODS}dense.py", {"chunk": "3"})
    kept(tmp_store, whole_diagnosis("Another question?"), "other")
    page.run()
    page.selectbox[0].set_value("other").run()
    assert address(page, "run") == "other"
    assert "chunk" not in page.query_params


def test_without_a_run_in_the_address_the_first_choice_names_the_run_that_opened_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages.shared.method_page.default_run", lambda _: RUN)
    page = opened(f"{METHODS}dense.py")
    assert "run" not in page.query_params
    page.segmented_control[0].set_value(4).run()
    assert (address(page, "run"), address(page, "chunk")) == (RUN, "5")


def test_numbers_open_at_those_of_the_chosen_passage_and_all_are_a_click_away() -> None:
    page = page_with("pages/workspace/numbers.py", {"chunk": "2"})
    own = row_tables(page)[0]["address"]
    assert len(own) and all(address.split(".")[2] == "1" and ".chunks." in address for address in own)
    next(box for box in page.checkbox if str(box.key).startswith("numbers.own.")).uncheck().run()
    assert len(row_tables(page)[0]) > len(own)
