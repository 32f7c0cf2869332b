"""The pages of the three checks show a stored run, and say where a run has none of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.folders import sample_data
from engine.runs.store import RunStore
from tests.pages.page_fixtures import (
    desk_over,
    done,
    kept,
    keys_on,
    opened,
    shown_run,
    whole_diagnosis,
    words_on,
)
from tests.viz import sample_check_results as samples

RESULTS = {
    "sufficiency": (samples.sufficiency(0.2, 0.8), "the model sees an answer", "Passage 2"),
    "contradictions": (samples.contradictions(0.9, 0.2), "1 contradiction", "Joren"),
    "question_parts": (samples.question_parts(True, False), "1 of 2 parts answered", "Mira Halden"),
}


@pytest.mark.parametrize("method", RESULTS)
def test_a_check_shows_its_word_and_its_evidence(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    desk_over(tmp_store, monkeypatch)
    result, word, evidence = RESULTS[method]
    whole = whole_diagnosis()
    kept(tmp_store, replace(whole, outcomes=(*whole.outcomes, done(method, result))), "tower")
    page = opened(f"pages/methods/{method}.py", "tower")
    assert not page.exception and word in words_on(page) and evidence in words_on(page)


@pytest.mark.parametrize("method", RESULTS)
def test_a_stored_run_without_a_check_says_so(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    desk_over(tmp_store, monkeypatch)
    kept(tmp_store, whole_diagnosis(), "tower")
    page = opened(f"pages/methods/{method}.py", "tower")
    assert f"run_now.{method}" in keys_on(page)


def test_without_a_contradiction_the_page_shows_what_was_compared_and_leads_to_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = RunStore(tmp_path / "shipped.sqlite", samples=sample_data())
    desk_over(shipped, monkeypatch)
    page = opened("pages/methods/contradictions.py", "capital-of-japan")
    assert "<b>18</b>" in words_on(page), "sentences looked at"
    page.button(key="contradictions.example").click().run()
    assert shown_run(page) == "atlas-contradiction" and "0.85" in words_on(page)
    assert "contradictions.example" not in keys_on(page)


def test_contradictions_open_at_one_where_nothing_was_asked_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = RunStore(tmp_path / "shipped.sqlite", samples=sample_data())
    desk_over(shipped, monkeypatch)
    assert "Mount Ildan" in words_on(opened("pages/methods/contradictions.py"))
    whole = whole_diagnosis("Mine?")
    own = replace(whole, outcomes=(*whole.outcomes, done("contradictions", samples.contradictions(0.2))))
    kept(shipped, own, "own")
    assert "Mine?" in words_on(opened("pages/methods/contradictions.py"))
