"""The page of retrieval timing on stored runs: both views, a threshold moved, a run in detail, and asking again."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.methods.timing.method import TimingResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, notices, opened, whole_diagnosis, words_on
from tests.viz.sample_timing_results import (
    timing_full,
    timing_hostile,
    timing_trace_only,
    timing_unmeasured,
    timing_without_corpus,
)

PAGE = "pages/methods/timing.py"


def shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: TimingResult, outcome: Outcome | None = None
) -> RunStore:
    """Return a store with one run whose timing result is this one; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    whole = whole_diagnosis()
    diagnosis = replace(whole, outcomes=(*whole.outcomes, outcome or done("timing", result)))
    kept(store, diagnosis, "tower", timing=result.config)
    return store


def test_the_page_shows_both_views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_full())
    words = words_on(opened(PAGE, "tower")).replace("\\", "")
    assert all(number in words for number in ("2 of 3", "token 5", "3 lookups", "96 tokens"))


def test_moving_a_threshold_replays_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    assert page.slider(key="timing.threshold.entropy_trend.tower").value == 1.0
    before = len(store.listing())
    page.slider(key="timing.threshold.entropy_trend.tower").set_value(0.3).run()
    words = words_on(page).replace("\\", "")
    assert "token 3, “opened”" in words
    assert len(store.listing()) == before


def test_another_policys_threshold_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    page.selectbox(key="timing.policy.tower").select("flare").run()
    assert page.slider(key="timing.threshold.flare.tower").value == 0.8


def test_a_selected_run_shows_its_lookups_and_its_staircase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_full())

    def select(page):
        page.query_params["answer"] = "timing.runs.2.written.0.generation"
        page.run()

    words = words_on(opened(PAGE, "tower", select)).replace("\\", "")
    assert "lookup 2" in words and "within noise" in words


def test_other_policies_are_asked_for_as_a_child_of_this_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    page.multiselect(key="timing.policies.tower").set_value(["dragin", "never"])
    page.button(key="timing.run").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    request = store.get(child.id).request
    assert request.timing.policies == ("dragin", "never") and request.parent == "tower"
    assert request.timing.staircase is True


def test_the_other_variant_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    page.button(key="timing.other_variant").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    assert store.get(child.id).request.timing.variant == "code"


@pytest.mark.parametrize("result", [timing_trace_only(), timing_without_corpus()], ids=["trace only", "no corpus"])
def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: TimingResult) -> None:
    shown(tmp_path, monkeypatch, result)
    assert notices(opened(PAGE, "tower"))


def test_an_empty_answer_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = timing_unmeasured()
    outcome = Outcome(method="timing", status="not measured", reason=nothing.not_measured, result=nothing)
    shown(tmp_path, monkeypatch, nothing, outcome)
    assert nothing.not_measured in words_on(opened(PAGE, "tower"))


def test_a_run_that_did_not_ask_for_it_offers_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, whole_diagnosis(), "plain")
    page = opened(PAGE, "plain")
    assert page.button(key="run_now.timing")


def test_markup_in_answers_and_queries_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_hostile())
    words = words_on(opened(PAGE, "tower"))
    assert "<script>" not in words and "<b>bold" not in words


def test_without_a_corpus_the_page_says_so_in_bold_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_without_corpus())
    said = [box.value for box in opened(PAGE, "tower").info]
    assert any(text.startswith("**No retrieval possible.** There is no corpus") for text in said), said
