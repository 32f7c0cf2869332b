"""The DENSE-RAG page on stored runs: the player, both answers, why chunks came and left, and other settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.methods.dense_rag import DenseRagConfig, DenseRagResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, whole_diagnosis, words_on
from tests.viz.sample_rag_results import (
    certain_result,
    fallback_result,
    hostile_rag_result,
    refined_result,
    unmeasured_result,
)

PAGE = "pages/methods/dense_rag.py"


def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: DenseRagResult) -> RunStore:
    """Return a store with one run whose DENSE-RAG result is this one; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    outcome = done("dense_rag", result)
    if result.not_measured:
        outcome = replace(outcome, status="not measured", reason=result.not_measured)
    kept(store, with_rag(outcome), "tower")
    return store


def with_rag(outcome: Outcome):
    """Return the whole diagnosis with DENSE-RAG in it."""
    whole = whole_diagnosis()
    return replace(whole, outcomes=(*whole.outcomes, outcome))


def plain_words(page) -> str:
    """Return the words on a page without the marks that keep Markdown from reading them."""
    return words_on(page).replace("\\", "")


def test_the_page_opens_at_the_final_context_with_both_answers_and_whether_they_are_right(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, refined_result())
    page = opened(PAGE, "tower")
    words = plain_words(page)
    assert "context 1" in words and "context 3" in words
    assert page.select_slider(key="dense_rag.step.tower").value == 2
    assert "chunk 3" in words and "unnecessary" in words


def test_previous_and_next_play_the_contexts_and_stop_at_the_ends(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, refined_result())
    page = opened(PAGE, "tower")
    assert page.button(key="dense_rag.step.tower.Next").disabled
    page.button(key="dense_rag.step.tower.Previous").click().run()
    words = plain_words(page)
    assert "Context 2 of 3" in words and "unnecessary" in words
    page.button(key="dense_rag.step.tower.Previous").click().run()
    assert page.select_slider(key="dense_rag.step.tower").value == 0
    assert page.button(key="dense_rag.step.tower.Previous").disabled


def test_a_click_in_the_figure_opens_a_context(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, refined_result())
    page = opened(PAGE, "tower")
    page.session_state["dense_rag.step.tower"] = 1
    page.run()
    assert "Context 2 of 3" in plain_words(page)


def test_one_context_has_no_player(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, certain_result())
    page = opened(PAGE, "tower")
    assert not page.select_slider


def test_a_fallback_says_why_and_on_what(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, fallback_result())
    words = plain_words(opened(PAGE, "tower"))
    assert "number 2" in words


def test_an_unmeasured_run_shows_its_reason(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, unmeasured_result())
    words = plain_words(opened(PAGE, "tower"))
    assert unmeasured_result().not_measured in words


def test_other_settings_are_asked_for_as_a_child_of_this_run(tmp_path, monkeypatch):
    store = shown(tmp_path, monkeypatch, refined_result())
    page = opened(PAGE, "tower")
    page.selectbox(key="dense_rag.set.refine.tower").set_value("prune_only")
    page.selectbox(key="dense_rag.set.first_cut.tower").set_value("128/16")
    page.checkbox(key="dense_rag.set.asked.tower").uncheck()
    page.button(key="dense_rag.set.run.tower").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    request = store.get(child.id).request
    assert request.parent == "tower"
    assert request.dense_rag == DenseRagConfig(refine="prune_only", first_cut="128/16", self_evaluation=False)


def test_a_run_without_it_offers_to_run_it(tmp_path, monkeypatch):
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, whole_diagnosis(), "plain")
    page = opened(PAGE, "plain")
    page.button(key="run_now.dense_rag").click().run()
    child = next(run for run in store.listing() if run.id != "plain")
    assert store.get(child.id).request.methods[-1] == "dense_rag"


def test_markup_stays_text(tmp_path, monkeypatch):
    shown(tmp_path, monkeypatch, hostile_rag_result())
    words = words_on(opened(PAGE, "tower"))
    assert "<script>" not in words and "<b>31" not in words
