"""The page of retrieval timing on stored runs: both views, a threshold moved, a run in detail, and asking again."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.methods.timing.method import TimingResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, whole_diagnosis, words_on
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
    assert "2 of 3 would look something up" in words
    assert "ETC first looks up at token 5" in words
    assert "Right in its own run: Once at the start and ETC." in words
    assert "At most 3 lookups of 3 passages and 96 tokens each." in words


def test_moving_a_threshold_replays_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    assert page.slider(key="timing.threshold.entropy_trend.tower").value == 1.0
    before = len(store.listing())
    page.slider(key="timing.threshold.entropy_trend.tower").set_value(0.3).run()
    words = words_on(page).replace("\\", "")
    assert "Newly fires: token 3, “opened”" in words and "needs a re-run" in words
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
    assert "lookup 2" in words and "which suggests it was redundant" in words


def test_other_policies_are_asked_for_as_a_child_of_this_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    page.multiselect(key="timing.policies.tower").set_value(["dragin", "never"])
    next(button for button in page.button if button.label == "Run it").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    request = store.get(child.id).request
    assert request.timing.policies == ("dragin", "never") and request.parent == "tower"
    assert request.timing.staircase is True, "as in the run that is shown"


def test_the_other_variant_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shown(tmp_path, monkeypatch, timing_full())
    page = opened(PAGE, "tower")
    next(button for button in page.button if "the released code" in button.label).click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    assert store.get(child.id).request.timing.variant == "code"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (timing_trace_only(), "In this run no policy was asked to"),
        (timing_without_corpus(), "There is no corpus to look in"),
    ],
    ids=["trace only", "no corpus"],
)
def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: TimingResult, words: str
) -> None:
    shown(tmp_path, monkeypatch, result)
    assert words in words_on(opened(PAGE, "tower")).replace("\\", "")


def test_an_empty_answer_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = timing_unmeasured()
    outcome = Outcome(method="timing", status="not measured", reason=nothing.not_measured, result=nothing)
    shown(tmp_path, monkeypatch, nothing, outcome)
    assert "The model wrote nothing that a policy could judge." in words_on(opened(PAGE, "tower"))


def test_a_run_that_did_not_ask_for_it_offers_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, whole_diagnosis(), "plain")
    page = opened(PAGE, "plain")
    assert "was not asked for in this run" in words_on(page)
    assert any(button.label == "Run it now" for button in page.button)


def test_markup_in_answers_and_queries_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(tmp_path, monkeypatch, timing_hostile())
    words = words_on(opened(PAGE, "tower"))
    assert "<script>" not in words and "<b>bold" not in words
