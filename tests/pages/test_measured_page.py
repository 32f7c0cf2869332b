"""The Measured page: the scoreboard of planted defects where it was measured, and a sentence where it was not."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.learning import known_truth, study_measured
from engine.learning.known_truth import Facts, sightings, stored_scoreboard
from engine.learning.study_measured import stored_studies, stored_study
from engine.runs.sample_questions import planted_questions
from tests.pages.page_fixtures import PROJECT, SECONDS, words_on
from viz.studies.views import below_figure

MEASURED = "pages/learn/measured.py"


def stored_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the page read the scoreboard from a path."""
    monkeypatch.setattr(known_truth, "stored_scoreboard", lambda: stored_scoreboard(path))


def asked(about: str) -> AppTest:
    """Return the page that shows one thing that was measured."""
    page = AppTest.from_file(str(PROJECT / MEASURED), default_timeout=SECONDS)
    page.query_params["about"] = about
    page.run()
    assert not page.exception
    return page


def test_the_page_says_what_was_tried_and_on_what() -> None:
    assert "tried on questions whose answers are known" in words_on(asked("judge"))


def test_without_a_result_the_page_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_at(tmp_path / "none.json", monkeypatch)
    assert "benchmarks.known_truth" in words_on(asked("planted")).replace("\\", "")


def test_a_result_is_said_drawn_and_tabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "known_truth.json"
    facts = {
        question.id: Facts(golds=question.golds, answer="x", closed_book="y", triggers=1)
        for question in planted_questions()
    }
    found = sightings(facts, planted_questions())
    path.write_text(json.dumps({"origin": "made by hand", "sightings": [asdict(each) for each in found]}))
    stored_at(path, monkeypatch)
    words = words_on(asked("planted"))
    assert "16 of 22" in words and "made by hand" in words


def test_a_damaged_result_is_a_sentence_and_the_rest_of_the_page_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "known_truth.json"
    path.write_text("{")
    stored_at(path, monkeypatch)
    page = asked("planted")
    assert page.error and page.markdown


def test_a_study_of_real_questions_shows_the_view_that_is_chosen() -> None:
    page = asked("real")
    study = stored_study("nq")
    assert study is not None and len(study.views) > 1
    view = study.views[-1]
    page.selectbox(key="measured.view").select(view.name).run()
    assert not page.exception
    words = words_on(page).replace("\\", "")
    assert below_figure(view).split(". ")[-1] in words and "held-out questions" in words


def test_without_a_study_the_page_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_measured, "stored_studies", lambda: stored_studies(tmp_path))
    assert "benchmarks.real_studies" in words_on(asked("real")).replace("\\", "")
