"""The DENSE page: what it shows of a stored run, and what it asks anew."""

import re
from dataclasses import replace

import pytest

from engine.diagnosis.record import MethodResult
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseConfig, Reading
from engine.runs.store import RunStore
from tests.pages.page_fixtures import (
    AppTest,
    desk_over,
    done,
    kept,
    notices,
    opened,
    row_tables,
    unmeasured_diagnosis,
    whole_diagnosis,
    with_outcome,
    words_on,
)
from tests.viz import sample_results as samples
from viz.methods.dense import FULL_INSTEAD

PAGE = "pages/methods/dense.py"


@pytest.fixture(autouse=True)
def desk(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the page an empty store and a desk without a model."""
    desk_over(tmp_store, monkeypatch)


def holding(store: RunStore, result: MethodResult, **asked: object) -> str:
    """Return the id of a stored run whose DENSE result is this one."""
    return kept(store, with_outcome(whole_diagnosis(), done("dense", result)), "r1", **asked)


def opened_chunk(page: AppTest) -> int:
    """Return the number of the chunk whose details are shown."""
    return int(page.segmented_control[0].value or 0) + 1


def test_the_page_says_the_verdict_and_opens_the_necessary_chunk(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    words = words_on(page)
    assert "0.51 nats" in words
    assert opened_chunk(page) == 2
    assert ">visitors</ins>" in words
    assert "0.5127" in " ".join(formula.value for formula in page.latex)


def test_another_chunk_can_be_chosen(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    page.segmented_control[0].set_value(2).run()
    assert not page.exception
    assert opened_chunk(page) == 3
    assert page.query_params["chunk"] in ("3", ["3"])


def test_a_run_with_fewer_chunks_than_the_last_one_opens_its_own_first_chunk(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    page.query_params["chunk"] = "5"
    page.run()
    assert opened_chunk(page) == 5
    other = with_outcome(whole_diagnosis(), done("dense", samples.dense_one_chunk()))
    page.query_params["run"] = kept(tmp_store, other, "r2")
    page.run()
    assert not page.exception
    assert opened_chunk(page) == 1


def test_the_browser_is_told_the_open_chunk_anew_once_when_another_run_is_shown(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    page.segmented_control[0].set_value(2).run()
    page.query_params["run"] = kept(tmp_store, whole_diagnosis(), "r2")
    told = []
    for _ in range(2):
        page.run()
        told.append((page.segmented_control[0].value, page.segmented_control[0].proto.set_value))
    assert told == [(2, True), (2, False)]


def test_the_page_stays_with_its_run_when_another_run_asked_the_same_question(tmp_store: RunStore) -> None:
    kept(tmp_store, whole_diagnosis(), "older")
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    kept(tmp_store, whole_diagnosis(), "newer")
    page.query_params["chunk"] = "4"
    page.run()
    assert page.query_params["run"] in ("r1", ["r1"])
    assert opened_chunk(page) == 4


@pytest.mark.parametrize("make", [samples.dense_two_not_measured, samples.dense_one_chunk, samples.dense_hostile])
def test_odd_results_are_drawn_without_an_exception_and_without_markup(make, tmp_store: RunStore) -> None:  # type: ignore[no-untyped-def]
    words = words_on(opened(PAGE, holding(tmp_store, make())))
    assert re.search(r"(?<!\\)<script", words) is None


def test_a_result_without_any_valid_rewording_shows_its_reason_and_its_attempts(tmp_store: RunStore) -> None:
    page = opened(PAGE, kept(tmp_store, unmeasured_diagnosis(), "r1"))
    assert sum(len(frame) for frame in row_tables(page)) > 0


def test_a_rewording_by_hand_is_asked_as_a_run_made_from_this_one(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[DiagnosisRequest] = []
    monkeypatch.setattr("pages.shared.run_panel.submit_variant", asked.append)
    earlier = DenseConfig(rewrites=((0, "The first, by hand."), (1, "The second, as it was.")))
    page = opened(PAGE, holding(tmp_store, samples.dense_full(), dense=earlier))
    page.text_area[0].set_value("  It opened on 15 May.  ")
    next(button for button in page.button if str(button.key).endswith(".ask")).click()
    page.run()
    assert not page.exception
    assert asked[0].parent == "r1"
    assert asked[0].dense.rewrites == ((0, "The first, by hand."), (1, "It opened on 15 May."))


def test_the_same_or_an_empty_wording_is_not_asked(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[DiagnosisRequest] = []
    monkeypatch.setattr("pages.shared.run_panel.submit_variant", asked.append)
    page = opened(PAGE, holding(tmp_store, samples.dense_full()))
    page.text_area[0].set_value(" ")
    next(button for button in page.button if str(button.key).endswith(".ask")).click()
    page.run()
    assert asked == []
    assert notices(page)


def test_dollars_and_stars_in_an_answer_do_not_become_formulas_or_emphasis(tmp_store: RunStore) -> None:
    result = samples.dense_full()
    second = replace(result.chunks[1], ablation=samples.generation("*$5* and $6"))
    result = replace(result, chunks=(result.chunks[0], second, *result.chunks[2:]))
    page = opened(PAGE, holding(tmp_store, result))
    assert any("*$5*" in str(one.proto.body) for one in page.get("html"))  # there nothing is read as Markdown
    assert not any("*$5*" in text.value for text in (*page.markdown, *page.caption))


def test_the_page_names_the_judge_in_use(tmp_store: RunStore) -> None:
    words = words_on(opened(PAGE, holding(tmp_store, samples.dense_full())))
    assert "“Similarity of words and meaning”" in words


def test_temperature_wordings_and_k_are_set_on_the_page_and_asked_for_as_a_child(tmp_store: RunStore) -> None:
    run_id = holding(tmp_store, samples.dense_full())
    page = opened(PAGE, run_id)
    page.slider(key=f"dense.set.temperature.{run_id}").set_value(0.7)
    page.slider(key=f"dense.set.draws.{run_id}").set_value(5)
    page.slider(key=f"dense.set.k.{run_id}").set_value(3)
    page.selectbox(key=f"dense.set.reading.{run_id}").set_value("quick")
    page.button(key=f"dense.set.run.{run_id}").click().run()
    child = next(run for run in tmp_store.listing() if run.id != run_id)
    request = tmp_store.get(child.id).request
    assert (request.dense.temperature, request.dense.draws, request.k, request.parent) == (0.7, 5, 3, run_id)
    assert request.dense.reading == "quick"


@pytest.mark.parametrize(("asked", "said"), [("quick", True), ("full", False)])
def test_who_asked_for_quick_reading_is_told_that_passages_were_read_in_full(
    tmp_store: RunStore, asked: Reading, said: bool
) -> None:
    run_id = holding(tmp_store, samples.dense_full(), dense=DenseConfig(reading=asked))
    assert (FULL_INSTEAD in words_on(opened(PAGE, run_id))) is said
