"""The ETC page on stored runs: the verdict, the threshold replayed live, a word's details, and the other variant."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.methods.entropy_trend import EntropyTrendResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, whole_diagnosis, with_outcome, words_on
from tests.viz.sample_trend_results import hostile_trend_result, one_word_result, voyage_result

PAGE = "pages/methods/entropy_trend.py"


def shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: EntropyTrendResult, run_id: str = "voyage"
) -> RunStore:
    """Return a store with one run whose ETC result is this one; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, with_outcome(whole_diagnosis(), done("entropy_trend", result)), run_id)
    return store


def test_the_page_says_where_to_look_something_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, voyage_result())
    words = words_on(opened(PAGE, "voyage"))
    assert "“Lisbon”" in words and "▸" in words


def test_moving_alpha_lists_what_changes_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = shown(tmp_path, monkeypatch, voyage_result())
    page = opened(PAGE, "voyage")
    assert page.slider(key="etc.alpha.voyage").value == 1.0
    before = len(store.listing())
    page.slider(key="etc.alpha.voyage").set_value(1.6).run()
    words = words_on(page).replace("\\", "")
    assert "word 19, “Lisbon”" in words
    assert len(store.listing()) == before


def test_a_selected_word_shows_its_calculation_and_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, voyage_result())

    def select(page):
        page.query_params["answer"] = "entropy_trend.generation"
        page.query_params["token"] = str(voyage_result().words[18].first_token + 1)
        page.run()

    words = words_on(opened(PAGE, "voyage", select)).replace("\\", "")
    assert "4.7000 − 1.9000 = +2.80 nats" in words
    assert "voyage India Lisbon" in words


def test_the_other_variant_is_asked_for_as_a_child_of_this_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = shown(tmp_path, monkeypatch, voyage_result())
    page = opened(PAGE, "voyage")
    page.button(key="etc.other_variant").click().run()
    child = next(run for run in store.listing() if run.id != "voyage")
    request = store.get(child.id).request
    assert request.entropy_trend.variant == "code" and request.parent == "voyage"
    assert replace(request.entropy_trend, variant="paper") == store.get("voyage").request.entropy_trend


def test_too_short_an_answer_shows_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    short = one_word_result()
    outcome = Outcome(method="entropy_trend", status="not measured", reason=short.not_measured, result=short)
    kept(store, with_outcome(whole_diagnosis(), outcome), "short")
    page = opened(PAGE, "short")
    assert "1 content word" in words_on(page)
    assert not page.slider, "there is no trend that another threshold would change"


def test_markup_in_the_answer_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, hostile_trend_result())
    words = words_on(opened(PAGE, "voyage"))
    assert "<script>" not in words and "<b>bold" not in words
