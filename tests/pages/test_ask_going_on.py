"""The Ask page of a run that is not whole: it runs, was stopped, failed, or goes on with what it had."""

import threading
import time
from dataclasses import replace

import pytest

from engine.core.errors import ModelError
from engine.core.progress import Found, Report, Snapshot, Stage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.store import RunStore
from pages.shared.run_panel import running_twin
from tests.pages.asking import ASK, finished, going
from tests.pages.page_fixtures import (
    desk_over,
    failed_diagnosis,
    kept,
    keys_on,
    opened,
    run_at_once,
    whole_diagnosis,
    with_outcome,
    words_on,
)


def test_a_running_run_shows_its_stage_and_can_be_cancelled(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def waits(request: DiagnosisRequest, report: Report) -> Diagnosis:
        while not gate.wait(0.02):
            report(Stage(method="seper", name="sampling answers", done=3, total=10))
        return run_at_once(request, report)

    desk = desk_over(tmp_store, monkeypatch, waits)
    run_id = desk.submit(DiagnosisRequest(question="Who?"))
    for _ in range(100):
        if (status := desk.status(run_id)) and status.stage:
            break
        time.sleep(0.02)
    page = opened(ASK, run_id)
    said = page.get("progress")[0].proto.text
    assert "SePer" in said and "3" in said and "10" in said
    assert running_twin(DiagnosisRequest(question="Who?")) == run_id
    page.button(key=f"cancel.{run_id}").click().run()
    finished(tmp_store, run_id, "cancelled")

    assert f"go_on.{run_id}" in keys_on(opened(ASK, run_id))
    desk.shutdown()


def test_a_question_asked_again_while_its_cancelled_run_stops_is_a_new_run(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def slow(request: DiagnosisRequest, report: Report) -> Diagnosis:
        begun.set()
        assert gate.wait(20)
        return run_at_once(request, report)

    desk = desk_over(tmp_store, monkeypatch, slow)
    request = DiagnosisRequest(question="Who?")
    run_id = desk.submit(request)
    assert begun.wait(20) and running_twin(request) == run_id
    assert desk.cancel(run_id) and running_twin(request) is None
    again = desk.submit(request)
    assert running_twin(request) == again
    gate.set()
    finished(tmp_store, again, "done")
    desk.shutdown()


def test_passages_are_shown_before_any_answer_and_then_which_method_runs_and_which_waits(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, answer, end = whole_diagnosis(), threading.Event(), threading.Event()
    first, *rest = whole.outcomes
    half = replace(whole, outcomes=(first, *(Outcome(method=one.method, status="waiting") for one in rest)))

    def waits(request: DiagnosisRequest, report: Report) -> Diagnosis:
        report(Found(hits=whole.hits))
        while not answer.wait(0.02):
            report(Stage(method="answer", name="answering with and without passages", total=2))
        report(Snapshot(record=half))
        while not end.wait(0.02):
            report(Stage(method="seper", name="sampling answers"))
        return whole

    desk = desk_over(tmp_store, monkeypatch, waits)
    run_id = desk.submit(DiagnosisRequest(question="Who?"))
    going(desk, run_id, lambda status: bool(status.hits))
    words = words_on(opened(ASK, run_id))
    assert whole.hits[0].passage.text[:30] in words
    answer.set()
    going(desk, run_id, lambda status: status.method == "seper")
    words = words_on(opened(ASK, run_id))
    assert "Running" in words and "Waiting" in words
    end.set()
    finished(tmp_store, run_id)
    desk.shutdown()


def test_a_stopped_run_goes_on_with_one_click(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Diagnosis | None] = []

    def run(request: DiagnosisRequest, report: Report, earlier: Diagnosis | None = None) -> Diagnosis:
        tries.append(earlier)
        return whole_diagnosis()

    desk = desk_over(tmp_store, monkeypatch, run)
    half = with_outcome(whole_diagnosis(), Outcome(method="quco_rag", status="waiting"))
    run_id = kept(tmp_store, half, "half")
    tmp_store.finish(run_id, "interrupted", "The program stopped.")
    page = opened(ASK, run_id)
    page.button(key=f"go_on.{run_id}").click().run()
    finished(tmp_store, run_id)
    assert [one.outcomes[-1].status for one in tries if one] == ["waiting"]
    assert f"go_on.{run_id}" not in keys_on(opened(ASK, run_id))
    desk.shutdown()


def test_methods_that_failed_are_run_again_in_their_own_run(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Diagnosis | None] = []

    def run(request: DiagnosisRequest, report: Report, earlier: Diagnosis | None = None) -> Diagnosis:
        tries.append(earlier)
        return whole_diagnosis()

    desk = desk_over(tmp_store, monkeypatch, run)
    run_id = kept(tmp_store, failed_diagnosis(), "some-failed")
    assert f"go_on.{run_id}" in keys_on(opened("pages/methods/seper.py", run_id))
    page = opened(ASK, run_id)
    assert "1 method failed. What finished is kept." in words_on(page)
    page.button(key=f"go_on.{run_id}").click().run()
    finished(tmp_store, run_id)
    assert [one.outcome("seper").status for one in tries if one] == ["failed"]
    assert f"go_on.{run_id}" not in keys_on(opened(ASK, run_id))
    desk.shutdown()


@pytest.mark.parametrize("corpus", ["/no/such/folder", "~nobody-of-this-name/folder"])
def test_a_run_whose_corpus_is_gone_is_not_resumed_but_changed_in_the_form(store: RunStore, corpus: str) -> None:
    request = DiagnosisRequest(question="Which tower?", corpus=corpus, methods=("dense",))
    run_id = store.create(request, run_id="refused")
    store.finish(run_id, "failed", f"There is no file or folder {corpus}.")
    page = opened(ASK, run_id)
    assert f"go_on.{run_id}" not in keys_on(page)
    page.button(key=f"change.{run_id}").click().run()
    assert "Which tower?" in [area.value for area in page.text_area]


def test_a_method_page_of_a_stopped_run_offers_to_go_on_instead_of_asking_anew(store: RunStore) -> None:
    half = with_outcome(whole_diagnosis(), Outcome(method="quco_rag", status="waiting"))
    run_id = kept(store, half, "half")
    store.finish(run_id, "cancelled", "Cancelled on request.")
    keys = [button.key for button in opened("pages/methods/quco_rag.py", run_id).button]
    assert f"go_on.{run_id}" in keys and "run_now.quco_rag" not in keys


def test_a_run_that_fails_as_a_whole_shows_its_sentence_and_no_traceback(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(request: DiagnosisRequest, report: Report) -> Diagnosis:
        raise ModelError("The folder is empty.")

    desk = desk_over(tmp_store, monkeypatch, fails)
    run_id = desk.submit(DiagnosisRequest(question="Who?"))
    finished(tmp_store, run_id, "failed")

    assert "The folder is empty" in words_on(opened(ASK, run_id)).replace("\\", "")
    desk.shutdown()


def test_half_a_run_shows_what_was_kept(store: RunStore) -> None:
    half = with_outcome(whole_diagnosis(), Outcome(method="quco_rag", status="waiting"))
    run_id = kept(store, half, "half")
    store.finish(run_id, "interrupted", "The program stopped.")
    words = words_on(opened(ASK, run_id)).replace("\\", "")

    assert "The program stopped." in words and whole_diagnosis().answer.text in words
