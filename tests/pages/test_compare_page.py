"""The Compare page: what it opens with, its address, the swap, two runs that cannot be compared."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.folders import sample_data
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.store import Origin, RunStore, RunSummary
from pages.shared.pairs import EXAMPLE, base_of, natural_pair
from tests.pages.page_fixtures import (
    PROJECT,
    answered,
    desk_over,
    kept,
    notices,
    opened,
    row_tables,
    whole_diagnosis,
    words_on,
)
from tests.viz.sample_results import HOSTILE, generation

COMPARE = "pages/workspace/compare.py"


def two_runs(store: RunStore) -> None:
    """Keep two runs of one question; the second was made from the first and answers otherwise."""
    kept(store, whole_diagnosis("Which tower?"), "first")
    other = answered(whole_diagnosis("Which tower?"), generation("May 1889"))
    kept(store, replace(other, parent="first"), "second", parent="first")


def addressed(first: str, second: str) -> AppTest:
    """Return the page with two runs in its address."""
    page = AppTest.from_file(str(PROJECT / COMPARE), default_timeout=60)
    page.query_params["a"], page.query_params["b"] = first, second
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def parameter(page: AppTest, name: str) -> str:
    """Return one parameter of a page's address."""
    held = page.query_params.get(name, "")
    return str(held[0] if isinstance(held, list) else held)


def summary(
    run: str, question: str = "Q?", parent: str = "", methods: tuple[str, ...] = ("dense",), origin: Origin = "asked"
) -> RunSummary:
    """Return a line of the list of runs."""
    return RunSummary(
        id=run, created_at="", started_at="", finished_at="", state="done", reason="", question=question,
        answer="A", parent=parent, origin=origin, methods=methods,
    )  # fmt: skip


def test_it_opens_with_a_run_and_the_one_it_was_made_from(store: RunStore) -> None:
    two_runs(store)
    page = opened(COMPARE)
    assert [box.value for box in page.selectbox] == ["first", "second"]
    assert "a" not in page.query_params
    words = words_on(page)
    assert words.index("31 March 1889") < words.index("May 1889")


def test_the_address_names_both_runs_and_the_swap_turns_them_round(store: RunStore) -> None:
    two_runs(store)
    page = addressed("second", "first")
    assert [box.value for box in page.selectbox] == ["second", "first"]
    page.button(key="compare.swap").click().run()
    assert (parameter(page, "a"), parameter(page, "b")) == ("first", "second")


def test_a_run_that_is_gone_gets_a_sentence(store: RunStore) -> None:
    two_runs(store)
    assert notices(addressed("first", "nowhere"))


def test_an_address_that_names_no_run_is_passed_over(store: RunStore) -> None:
    two_runs(store)
    page = addressed("<script>", "first")
    assert [box.value for box in page.selectbox] == ["first", "second"]


def test_with_fewer_than_two_runs_it_says_so(store: RunStore) -> None:
    kept(store, whole_diagnosis(), "only")
    page = opened(COMPARE)
    assert notices(page) and not page.selectbox


def test_where_no_run_goes_with_the_shown_one_two_recorded_ones_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = RunStore(tmp_path / "shipped.sqlite", samples=sample_data())
    desk_over(shipped, monkeypatch)
    kept(shipped, whole_diagnosis("Alone?"), "alone")
    page = opened(COMPARE, "alone")
    assert [box.value for box in page.selectbox] == ["alone", None]
    assert row_tables(page)[0]["Answer"].tolist() == ["Jupiter", "Neptune"]
    assert "An example: the same thing asked twice, over other passages." in words_on(page)
    page.button(key="compare.recorded").click().run()
    assert (parameter(page, "a"), parameter(page, "b")) == EXAMPLE and not page.exception


def test_hostile_answers_are_compared_as_text(store: RunStore) -> None:
    two_runs(store)
    kept(store, answered(whole_diagnosis("Which tower?"), generation(HOSTILE)), "hostile")
    assert "<script>" not in words_on(addressed("first", "hostile"))


def test_a_runs_base_is_its_parent_else_the_one_of_the_same_question_before_it() -> None:
    runs = (summary("c", parent="a"), summary("b"), summary("x", "Other?"), summary("a"))
    assert [base_of(run, runs) for run in runs] == ["a", "a", "", ""]
    assert natural_pair(runs, ("", ""), "") == ("a", "c")
    assert natural_pair(runs, ("x", "c"), "b") == ("x", "c")
    assert natural_pair((summary("n"), summary("o", "Other?")), ("", ""), "") == ("o", "n")
    assert natural_pair((summary("n"),), ("", ""), "") is None


def test_a_run_without_a_common_method_is_no_base() -> None:
    runs = (summary("all", methods=("dense", "seper")), summary("timed", methods=("timing",)), summary("old"))
    assert [base_of(run, runs) for run in runs] == ["old", "", ""]
    others = (summary("timed", "Where?", methods=("timing",)), summary("new", "Who?"), summary("old", "What?"))
    assert natural_pair(others, ("", ""), "") == ("old", "new"), "the newest two with a common method"
    bare = (summary("new", methods=()), summary("old", methods=()))
    assert base_of(bare[0], bare) == "old", "two runs that only answered have their answers in common"


def test_where_only_recorded_runs_are_there_it_opens_with_the_example() -> None:
    recorded = tuple(summary(one, f"{one}?", origin="sample") for one in ("newest", *EXAMPLE))
    assert natural_pair(recorded, ("", ""), "") == EXAMPLE
    assert natural_pair((summary("mine", "Mine?"), *recorded), ("", ""), "") == ("newest", "mine")


def test_the_shown_run_is_always_a_beside_a_run_that_goes_with_it_older_or_newer() -> None:
    runs = (summary("d", "New?", parent="x"), summary("c", parent="a"), summary("b"), summary("x", "Other?"))
    runs += (summary("a"), summary("lone", "Alone?"))
    pairs = [natural_pair(runs, ("", ""), run.id) for run in runs]
    assert pairs == [("d", "x"), ("c", "a"), ("b", "a"), ("x", "d"), ("a", "c"), ("lone", "")]
    assert natural_pair(runs, ("", ""), "too-old-for-the-list") == ("too-old-for-the-list", "")


def test_opening_it_leaves_the_run_that_is_shown_as_it_is(store: RunStore) -> None:
    two_runs(store)
    kept(store, whole_diagnosis("Which lake?"), "lake")
    page = opened(COMPARE, "lake")
    assert [box.value for box in page.selectbox] == ["lake", None]
    assert parameter(page, "run") == "lake"
    page.selectbox[1].select("first").run()
    assert not page.exception
    assert [parameter(page, name) for name in ("a", "b", "run")] == ["lake", "first", "lake"]


def test_a_pair_in_the_address_leaves_the_run_that_is_shown_as_it_is(store: RunStore) -> None:
    two_runs(store)
    kept(store, whole_diagnosis("Which lake?"), "lake")
    page = opened(COMPARE, "lake")
    page.query_params["a"], page.query_params["b"] = "first", "second"
    page.run()
    assert [box.value for box in page.selectbox] == ["first", "second"]
    assert parameter(page, "run") == "lake"


def test_a_run_without_an_answer_says_which_and_why(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_over(store, monkeypatch)
    kept(store, whole_diagnosis("Which tower?"), "first")
    store.create(DiagnosisRequest(question="Which bridge?"), run_id="second")
    store.finish("second", "failed", reason="The server did not answer.")
    page = addressed("first", "second")
    assert notices(page) == ["Run B has no answer (failed: The server did not answer). Choose another."]
    assert notices(addressed("gone", "first")) == ["Run A is not among your runs. Choose another."]
    desk.shutdown()
