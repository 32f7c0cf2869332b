"""The SUGAR page on stored runs: the decision, every round, thresholds replayed, another run with other settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.methods.sugar import SugarResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import AppTest, desk_over, done, kept, opened, whole_diagnosis, words_on
from tests.viz import sample_uncertainty as samples
from viz.methods.sugar import samples_place, steps

PAGE = "pages/methods/sugar.py"


def holding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result, run_id: str = "tower") -> RunStore:
    """Return a store with one run that has this SUGAR result; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    whole = whole_diagnosis()
    kept(store, replace(whole, outcomes=(*whole.outcomes, done("sugar", result))), run_id)
    return store


def test_the_page_shows_the_decision_and_every_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, samples.sugar_several())
    page = opened(PAGE, "tower")
    words = words_on(page).replace("\\", "")
    assert "When was it opened?" in words and "2 new passages" in words
    assert "round 2" in words
    assert "1.47 nats" in words and "0.90" in words


def test_moving_the_thresholds_replays_the_decision_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = holding(tmp_path, monkeypatch, samples.sugar_several())
    page = opened(PAGE, "tower")
    before = len(store.listing())
    page.slider(key="sugar.thresholds.tower").set_value((1.5, 2.0)).run()
    words = words_on(page).replace("\\", "")
    assert "1.50" in words
    assert len(store.listing()) == before


def test_another_run_takes_rounds_and_thresholds_from_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = holding(tmp_path, monkeypatch, samples.sugar_several())
    page = opened(PAGE, "tower")
    page.number_input(key="sugar.rounds.tower").set_value(4).run()
    page.slider(key="sugar.thresholds.tower").set_value((0.2, 0.6)).run()
    page.button(key="sugar.rerun").click().run()
    child = next(run for run in store.listing() if run.id != "tower")
    request = store.get(child.id).request
    assert (request.sugar.rounds, request.sugar.low, request.sugar.high) == (4, 0.2, 0.6)
    assert request.parent == "tower"


def several_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[AppTest, SugarResult, list[str]]:
    """Return the page of a run of several steps, its result and the names of the steps."""
    result = samples.sugar_several()
    holding(tmp_path, monkeypatch, result)
    return opened(PAGE, "tower"), result, [name for name, _, _ in steps(result)]


def test_a_chosen_sample_of_a_later_step_shows_that_step_until_another_is_picked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, result, names = several_steps(tmp_path, monkeypatch)
    step = page.segmented_control(key="sugar.step.tower")
    assert step.value == names[0] and len(names) > 1
    page.query_params["answer"] = f"{samples_place(result, 1)}.0"
    page.run()
    step = page.segmented_control(key="sugar.step.tower")
    assert step.value == names[1]
    step.set_value(names[0]).run()
    assert page.segmented_control(key="sugar.step.tower").value == names[0]


@pytest.mark.usefixtures("one_tab_open")
def test_the_step_that_was_picked_is_still_picked_after_another_tab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _, names = several_steps(tmp_path, monkeypatch)

    def show(tab: str) -> None:
        page.session_state["details.sugar.tower"] = tab
        page.run()

    show("Meanings of the samples")
    page.segmented_control(key="sugar.step.tower").set_value(names[1]).run()
    show("Every round")
    show("Meanings of the samples")
    assert page.segmented_control(key="sugar.step.tower").value == names[1]


def test_odd_results_are_drawn_without_an_exception_and_without_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, make in enumerate((samples.sugar_none, samples.sugar_not_possible, samples.sugar_hostile)):
        folder = tmp_path / str(number)
        folder.mkdir()
        holding(folder, monkeypatch, make())
        assert "<script>" not in words_on(opened(PAGE, "tower"))


def test_a_lookup_that_was_not_possible_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, samples.sugar_not_possible())
    assert "without a corpus" in words_on(opened(PAGE, "tower"))


def test_a_run_without_it_offers_to_run_it_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, whole_diagnosis(), "old")
    page = opened(PAGE, "old")
    assert page.button(key="run_now.sugar")
