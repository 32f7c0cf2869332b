"""The page of the uncertainty baselines on a stored run."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, whole_diagnosis, words_on
from tests.viz import sample_uncertainty as samples

PAGE = "pages/methods/uncertainty.py"


def holding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result) -> None:
    """Keep one run that has this result; pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    whole = whole_diagnosis()
    kept(store, replace(whole, outcomes=(*whole.outcomes, done("uncertainty", result))), "tower")


def test_the_page_says_where_the_measures_disagree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, samples.baselines())
    words = words_on(opened(PAGE, "tower")).replace("\\", "")
    assert "3 of 4" in words and "all 2 measures" in words
    assert "KLE, heat" in words


def test_the_other_graph_is_shown_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, samples.baselines())

    def choose(page):
        page.session_state["uncertainty.graph"] = "decisions"
        page.run()

    words = words_on(opened(PAGE, "tower", choose)).replace("\\", "")
    assert "U_deg and KLE, heat" in words


def test_every_formula_and_the_rule_for_uncertain_are_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(tmp_path, monkeypatch, samples.baselines())
    words = words_on(opened(PAGE, "tower")).replace("\\", "")
    assert all(name in words for name in ("U_deg", "U_eigv", "U_ecc", "KLE, Matérn", "Lin et al. 2023"))
    assert "<script>" not in words


def test_where_nothing_was_measured_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(tmp_path, monkeypatch, samples.nothing_measured())
    assert " of 4" not in words_on(opened(PAGE, "tower"))
