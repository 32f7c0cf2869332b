"""Below a method's figure nothing stands open: details are tabs or a drawer, and a choice opens where it lands."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1.element_tree import Block, Element, Expander, Tab

from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS
from engine.runs.store import RunStore
from tests.pages.page_fixtures import (
    PROJECT,
    SECONDS,
    AppTest,
    desk_over,
    done,
    kept,
    nine_methods,
    row_tables,
    whole_diagnosis,
    with_results,
)
from tests.viz import sample_check_results as checks
from tests.viz.sample_loop_results import whole

RUN = "tower"
SAMPLE = {"answer": "seper.without.samples.1"}
# A choice in the address, and the place of the tab it opens.
LANDS = (
    ("dense", {"chunk": "2"}, 0),
    ("dense", {"chunk": "2", "answer": "dense.chunks.1.ablation"}, 3),
    ("seper", {}, 0),
    ("seper", SAMPLE, 2),
    ("entropy_trend", {"trigger": "entropy_trend.1"}, 1),
    ("quco_rag", {"claim": "2"}, 0),
    ("sugar", {"answer": "sugar.closed_book.belief.samples.1"}, 1),
    ("uncertainty", {"answer": "uncertainty.sets.1.answers.1"}, 1),
    ("chunk_utility", {"answer": "chunk_utility.chunks.0.left_out.belief.samples.1"}, 1),
)


@pytest.fixture(autouse=True)
def stored(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every page one stored run that holds every method."""
    desk_over(tmp_store, monkeypatch)
    kept(tmp_store, every_method(), RUN)


def every_method() -> Diagnosis:
    """Return a hand-made run with a result of every method."""
    checked = {
        "sufficiency": checks.sufficiency(0.2, 0.8),
        "contradictions": checks.contradictions(0.9, 0.2),
        "question_parts": checks.question_parts(True, False),
    }
    return with_results(nine_methods(), checked)


def page_of(method: str, texts: dict[str, str] | None = None) -> AppTest:
    """Return a method's page of the run with this choice in its address."""
    page = AppTest.from_file(str(PROJECT / f"pages/methods/{method}.py"), default_timeout=SECONDS)
    return choose(page, {"run": RUN, **(texts or {})})


def choose(page: AppTest, texts: dict[str, str]) -> AppTest:
    """Return the page after these parameters were written into its address."""
    for name, value in texts.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def standing_open(block: Block) -> Iterator[Element]:
    """Yield in order what a block shows outside tabs and drawers."""
    for child in block.children.values():
        if isinstance(child, Block):
            if not isinstance(child, Tab | Expander) and "popover" not in child.type:
                yield from standing_open(child)
        else:
            yield child


def details_of(page: AppTest, method: str) -> tuple[int, list[str]]:
    """Return the place of the open tab of a page's details, and the labels of all of them."""

    def tab_rows(block: Block) -> Iterator[Block]:
        for child in block.children.values():
            if isinstance(child, Block):
                if child.type == "tab_container" and f"details.{method}." in child.proto.id:
                    yield child
                yield from tab_rows(child)

    (row,) = tab_rows(page.main)
    return row.proto.tab_container.default_tab_index, [tab.label for tab in row.children.values()]


def is_content(one: Element) -> bool:
    """Return whether an element is a heading, a figure or a table rather than a control or a sentence."""
    body = str(getattr(one, "value", "")) if one.type in ("html", "markdown") else ""
    return one.type in ("header", "subheader", "plotly_chart", "table") or "rm-rows" in body or body.startswith("#")


@pytest.mark.parametrize("method", METHODS)
def test_no_heading_stands_open_and_below_the_opening_no_figure_or_table(method: str) -> None:
    held = list(standing_open(page_of(method).main))
    assert [one.value for one in held if one.type in ("header", "subheader")] == []
    lead = METHODS[method].question
    below = next(place for place, one in enumerate(held) if str(getattr(one, "value", "")).startswith(lead))
    assert [one for one in held[below:] if is_content(one)] == []
    assert len(held) - below <= 13, "a button or a sentence each"


def test_the_whole_loop_and_extracted_claims_are_details_as_well(tmp_store: RunStore) -> None:
    first = whole_diagnosis()
    kept(tmp_store, replace(first, outcomes=(done("quco_rag", whole()),)), "loop")
    held = list(standing_open(choose(page_of("quco_rag"), {"run": "loop"}).main))
    assert [one for one in held if one.type == "header" or "###" in str(getattr(one, "value", ""))] == []


@pytest.mark.parametrize(("method", "texts", "place"), LANDS)
def test_a_choice_opens_the_section_it_lands_in(method: str, texts: dict[str, str], place: int) -> None:
    assert details_of(page_of(method, texts), method)[0] == place


def test_a_section_that_shows_the_new_choice_stays_open_and_another_one_gives_way() -> None:
    page = page_of("seper", SAMPLE)
    opened, labels = details_of(page, "seper")
    samples, tokens, weights = opened, opened + 1, opened - 1

    def after(place: int, texts: dict[str, str]) -> int:
        page.session_state[f"details.seper.{RUN}"] = labels[place]
        return details_of(choose(page, texts), "seper")[0]

    assert after(tokens, {"token": "1"}) == tokens
    assert after(weights, {}) == weights
    assert after(weights, {"answer": "seper.without.samples.2"}) == samples


def figures_on(page: AppTest) -> int:
    """Return how many figures and tables a page shows."""
    return len(page.get("plotly_chart")) + len(row_tables(page))


@pytest.mark.usefixtures("one_tab_open")
def test_only_the_open_tabs_are_filled_and_forms_keep_what_is_typed() -> None:
    page = page_of("dense")
    assert figures_on(page) == 1, "the graph; the first of the details is text"
    temperature = page.slider(key=f"dense.set.temperature.{RUN}")
    temperature.set_value(0.5).run()
    page.session_state[f"figures.dense.{RUN}"] = "Table"
    page.session_state[f"details.dense.{RUN}"] = "Checks"
    page.run()
    assert len(page.get("plotly_chart")) == 0 and len(row_tables(page)) >= 2
    assert page.slider(key=f"dense.set.temperature.{RUN}").value == 0.5


@pytest.mark.parametrize(("texts", "is_open"), [({}, False), ({"chunk": "1"}, True)])
def test_the_only_section_is_a_drawer_that_a_choice_opens(texts: dict[str, str], is_open: bool) -> None:
    page = page_of("contradictions", texts)
    assert [drawer.proto.expanded for drawer in page.expander if drawer.label == "Every pair"] == [is_open]


def test_the_drawer_stays_open_when_nothing_in_it_is_chosen_any_more() -> None:
    page = page_of("contradictions", {"chunk": "1"})
    del page.query_params["chunk"]
    page.run()
    assert [drawer.proto.expanded for drawer in page.expander if drawer.label == "Every pair"] == [True]


def test_a_class_sees_the_only_section_openly_and_no_prompts_or_forms() -> None:
    page = page_of("contradictions", {"present": "1"})
    assert "Every pair" not in [drawer.label for drawer in page.expander]
    assert any("rm-rows" in str(one.value) for one in page.get("html"))
    _, labels = details_of(page_of("dense", {"present": "1"}), "dense")
    assert labels == ["Wording", "Answers", "Checks"]
