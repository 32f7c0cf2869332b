"""The QuCo-RAG page on stored runs: the verdict, the claims with their places of evidence, and what is missing."""

from pathlib import Path

import pytest

from engine.diagnosis.record import Outcome
from engine.methods.quco_claims import QucoConfig
from engine.methods.quco_rag import QucoResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, row_tables, whole_diagnosis, with_outcome, words_on
from tests.viz.sample_loop_results import whole
from tests.viz.sample_trend_results import empty_quco_result, hostile_quco_result, sample_quco_result

PAGE = "pages/methods/quco_rag.py"


def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: QucoResult) -> None:
    """Store one run, "evidence", whose QuCo-RAG result is this one, where pages read from it."""
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    kept(store, with_outcome(whole_diagnosis(), done("quco_rag", result)), "evidence")


def select(row: int):
    """Return the act of choosing the claim of a row of the claims table."""

    def act(page):
        page.query_params["claim"] = str(row + 1)
        page.run()

    return act


def test_the_page_names_the_claims_without_evidence_and_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, sample_quco_result())
    page = opened(PAGE, "evidence")
    words = words_on(page).replace("\\", "")
    assert "Small encyclopaedia" in words and "120 documents" in words
    assert len(row_tables(page)[0]) == 9


def test_the_first_claim_with_evidence_is_open_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, sample_quco_result())
    assert "6 words" in words_on(opened(PAGE, "evidence"))


def test_a_selected_claim_shows_where_its_ends_meet_or_that_they_never_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown(tmp_path, monkeypatch, sample_quco_result())
    assert "4 words" in words_on(opened(PAGE, "evidence", select(2)))
    never = words_on(opened(PAGE, "evidence", select(4))).replace("\\", "")
    assert "1,000 words" in never


def test_an_answer_without_claims_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, empty_quco_result())
    page = opened(PAGE, "evidence")
    assert not page.exception and not row_tables(page)


def test_a_run_without_counts_shows_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = RunStore(tmp_path / "runs.sqlite")
    desk_over(store, monkeypatch)
    outcome = Outcome(method="quco_rag", status="not measured", reason="No corpus was given.")
    kept(store, with_outcome(whole_diagnosis(), outcome), "bare")
    words = words_on(opened(PAGE, "bare")).replace("\\", "")
    assert "No corpus was given." in words


def test_markup_in_claims_and_evidence_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, hostile_quco_result())
    words = words_on(opened(PAGE, "evidence"))
    assert not any(tag in words for tag in ("<img", "<script>", "<u>", "<i>"))


def test_one_click_runs_the_whole_loop_with_the_settings_on_the_page_and_nothing_leaves_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store = RunStore(tmp_path / "runs.sqlite")
    desk = desk_over(store, monkeypatch)
    sent = []
    monkeypatch.setattr(desk, "submit", lambda request, person: sent.append(request) or "evidence")
    kept(
        store,
        with_outcome(whole_diagnosis(), done("quco_rag", sample_quco_result())),
        "evidence",
        quco_rag=QucoConfig(counts="infini-gram"),
    )
    page = opened(PAGE, "evidence")
    assert page.toggle(key="quco.setting.evidence.online").value is False
    page.checkbox(key="quco.setting.evidence.relation_check").check().run()
    page.button(key="quco.loop").click().run()
    config = sent[0].quco_rag
    assert (config.dynamic, config.counts, config.relation_check, config.initial_check) == (True, "corpus", True, True)
    assert sent[0].parent == "evidence"


def test_only_the_switch_on_the_page_sends_names_to_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = RunStore(tmp_path / "runs.sqlite")
    desk = desk_over(store, monkeypatch)
    sent = []
    monkeypatch.setattr(desk, "submit", lambda request, person: sent.append(request) or "evidence")
    kept(store, with_outcome(whole_diagnosis(), done("quco_rag", sample_quco_result())), "evidence")
    page = opened(PAGE, "evidence")
    page.toggle(key="quco.setting.evidence.online").set_value(True).run()
    page.button(key="quco.loop").click().run()
    assert sent[0].quco_rag.counts == "infini-gram"


def test_a_whole_loop_is_shown_stage_by_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown(tmp_path, monkeypatch, whole())
    words = words_on(opened(PAGE, "evidence")).replace("\\", "")
    assert "threshold 3" in words and "“Vasco da Gama died in”" in words
    assert "<script>" not in words
    assert "Answer: Cochin" in words and "Answer: Lisbon" in words
