"""The job desk: order, progress, cancel, what a failure leaves behind, and two desks on one store."""

import logging
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import ModelError, StorageError
from engine.core.progress import Found, Report, Stage, TokensDecoded
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs import desk as jobs
from engine.runs.jobs.desk import JobDesk, JobStatus
from engine.runs.store import RunStore
from tests.engine.runs.jobs.gated_runs import REQUEST, Gate, OpenDesk, waited


def test_a_run_shows_its_progress_and_ends_in_the_store(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    run_id = desk.submit(REQUEST)
    assert gate.entered.wait(10)
    status = desk.status(run_id)
    assert status is not None
    assert (status.state, status.method, status.stage, status.done, status.total) == (
        "running",
        "dense",
        "rewriting",
        1,
        5,
    )
    assert status.tokens == 40
    assert status.tokens_per_second is not None and status.tokens_per_second > 0
    partial = tmp_store.get(run_id).diagnosis
    assert partial is not None
    assert [outcome.method for outcome in partial.outcomes] == ["dense"]
    gate.opened.set()
    done = waited(desk, run_id, "done")
    assert (done.over, done.error, done.position) == (True, "", 0)
    assert [(stage.method, stage.name) for stage in done.stages] == [("dense", "rewriting"), ("seper", "sampling")]
    assert len(tmp_store.get(run_id).diagnosis.outcomes) == 5  # type: ignore[union-attr]


def test_finished_stages_are_listed_with_their_seconds(open_desk: OpenDesk, example_diagnosis: Diagnosis) -> None:
    seen: list[JobStatus] = []
    desk: JobDesk

    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        report(Stage(method="dense", name="rewriting", done=0, total=2))
        report(Stage(method="dense", name="rewriting", done=1, total=2))
        time.sleep(0.02)
        report(Stage(method="dense", name="answering"))
        seen.extend(desk.active())
        return example_diagnosis

    desk = open_desk(run)
    waited(desk, desk.submit(REQUEST), "done")
    assert [(stage.method, stage.name) for stage in seen[0].stages] == [("dense", "rewriting")]
    assert 0.02 <= seen[0].stages[0].seconds < 5


def test_requests_are_worked_off_in_the_order_they_came(open_desk: OpenDesk, example_diagnosis: Diagnosis) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    ids = [desk.submit(replace(REQUEST, question=question)) for question in "abc"]
    assert gate.entered.wait(10)
    assert [(status.run_id, status.state, status.position) for status in desk.active()] == [
        (ids[0], "running", 0),
        (ids[1], "queued", 1),
        (ids[2], "queued", 2),
    ]
    gate.opened.set()
    waited(desk, ids[2], "done")
    assert gate.questions == ["a", "b", "c"]
    assert desk.active() == ()


def test_a_queued_run_that_is_cancelled_is_never_worked_on(open_desk: OpenDesk, example_diagnosis: Diagnosis) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    first, second = desk.submit(REQUEST), desk.submit(replace(REQUEST, question="cancelled"))
    assert gate.entered.wait(10)
    assert desk.cancel(second)
    assert waited(desk, second, "cancelled").error == jobs.CANCELLED
    gate.opened.set()
    waited(desk, first, "done")
    assert gate.questions == ["Who?"]


def test_a_running_run_that_is_cancelled_stops_at_its_next_report_and_keeps_its_methods(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    run_id = desk.submit(REQUEST)
    assert gate.entered.wait(10)
    assert desk.cancel(run_id)
    gate.opened.set()
    waited(desk, run_id, "cancelled")
    assert [outcome.method for outcome in tmp_store.get(run_id).diagnosis.outcomes] == ["dense"]  # type: ignore[union-attr]
    assert not desk.cancel(run_id)


def test_a_run_on_a_slow_backend_stops_within_a_second(open_desk: OpenDesk, example_diagnosis: Diagnosis) -> None:
    def slow(request: DiagnosisRequest, report: Report) -> Diagnosis:
        for _ in range(600):
            time.sleep(0.1)
            report(TokensDecoded(count=1))
        return example_diagnosis

    desk = open_desk(slow)
    run_id = desk.submit(REQUEST)
    waited(desk, run_id, "running")
    began = time.monotonic()
    assert desk.cancel(run_id)
    waited(desk, run_id, "cancelled")
    assert time.monotonic() - began < 1.0


def test_our_error_becomes_the_reason_and_the_next_run_goes_on(
    open_desk: OpenDesk, example_diagnosis: Diagnosis
) -> None:
    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        if request.question == "bad":
            raise ModelError("The model folder is gone.")
        return example_diagnosis

    desk = open_desk(run)
    bad, good = desk.submit(replace(REQUEST, question="bad")), desk.submit(REQUEST)
    assert waited(desk, bad, "failed").error == "The model folder is gone."
    assert waited(desk, good, "done").error == ""


def test_an_unexpected_error_is_named_and_logged_and_the_next_run_goes_on(
    open_desk: OpenDesk, example_diagnosis: Diagnosis, caplog: pytest.LogCaptureFixture
) -> None:
    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        if request.question == "bad":
            raise ZeroDivisionError("division by zero")
        return example_diagnosis

    desk = open_desk(run)
    with caplog.at_level(logging.ERROR):
        bad, good = desk.submit(replace(REQUEST, question="bad")), desk.submit(REQUEST)
        assert waited(desk, bad, "failed").error.startswith("Unexpected ZeroDivisionError: division by zero.")
        waited(desk, good, "done")
    assert "Traceback" in caplog.text


def test_a_store_that_fails_for_a_moment_costs_no_run(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(run_id: str, record: Diagnosis) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(tmp_store, "save", full)
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    run_id = desk.submit(REQUEST)
    assert gate.entered.wait(10)
    assert desk.active()[0].error == "The disk is full."
    gate.opened.set()
    assert waited(desk, run_id, "done").error == ""


def test_a_run_the_store_cannot_keep_is_failed_with_the_reason(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(tmp_store, "finish", full)
    desk = open_desk(lambda request, report: example_diagnosis)
    assert waited(desk, desk.submit(REQUEST), "failed").error == "The disk is full."


def test_an_unknown_run_has_no_status_and_cannot_be_cancelled(open_desk: OpenDesk) -> None:
    desk = open_desk(lambda request, report: pytest.fail("nothing was asked"))
    assert desk.status("nothere") is None
    assert not desk.cancel("nothere")


def test_shutting_down_interrupts_what_is_running_and_queued(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        while True:
            report(TokensDecoded(count=1))
            time.sleep(0.01)

    desk = open_desk(run)
    ids = [desk.submit(REQUEST), desk.submit(REQUEST)]
    desk.shutdown()
    assert [tmp_store.get(run_id).state for run_id in ids] == ["interrupted", "interrupted"]
    with pytest.raises(StorageError, match="closing"):
        desk.submit(REQUEST)


def test_two_desks_on_one_store_leave_each_others_runs_alone(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    gate = Gate(example_diagnosis)
    first = open_desk(gate.run)
    run_id = first.submit(REQUEST)
    assert gate.entered.wait(10)
    second = open_desk(lambda request, report: example_diagnosis)
    waited(second, second.submit(REQUEST), "done")
    time.sleep(0.3)
    foreign = second.status(run_id)
    assert foreign is not None and foreign.state == "running"
    assert not second.cancel(run_id)
    gate.opened.set()
    assert waited(second, run_id, "done").seconds > 0


def test_a_run_that_comes_in_while_the_desk_closes_is_interrupted_and_never_left_queued(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk(lambda request, report: example_diagnosis)
    create = tmp_store.create

    def create_while_closing(*arguments: object, **options: object) -> str:
        run_id = create(*arguments, **options)  # type: ignore[arg-type]
        desk.shutdown()
        return run_id

    monkeypatch.setattr(tmp_store, "create", create_while_closing)
    run_id = desk.submit(REQUEST)
    assert desk.status(run_id).state == "interrupted"  # type: ignore[union-attr]
    assert tmp_store.summary(run_id).state == "interrupted"


def test_whatever_goes_wrong_while_a_run_is_kept_the_worker_takes_the_next_one(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk(lambda request, report: example_diagnosis)
    finish = tmp_store.finish

    def no_memory(*_: object) -> None:
        monkeypatch.setattr(tmp_store, "finish", finish)
        raise MemoryError("no room for the record")

    monkeypatch.setattr(tmp_store, "finish", no_memory)
    lost = desk.submit(REQUEST)
    assert "could not be kept: MemoryError: no room" in waited(desk, lost, "failed").error
    assert waited(desk, desk.submit(REQUEST), "done").error == ""


def test_the_desk_knows_nothing_of_screens() -> None:
    program = "import sys, engine.runs.jobs.desk; print('streamlit' in sys.modules, 'torch' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(jobs.__file__).parents[3])}
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert printed.strip() == "False False"


def test_ten_runs_of_one_person_do_not_keep_anothers_first_waiting(
    open_desk: OpenDesk, example_diagnosis: Diagnosis
) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    for place in range(10):
        desk.submit(replace(REQUEST, question=f"ann {place}"), "ann")
    assert gate.entered.wait(10)
    bob = desk.submit(replace(REQUEST, question="bob 0"), "bob")
    last = desk.submit(replace(REQUEST, question="bob 1"), "bob")
    status = desk.status(bob)
    assert status is not None and (status.state, status.position) == ("queued", 1)
    assert [one.position for one in desk.active()] == list(range(12))
    gate.opened.set()
    waited(desk, last, "done")
    assert gate.questions[:4] == ["ann 0", "bob 0", "ann 1", "bob 1"]


def test_the_passages_are_there_before_any_answer_and_a_cancelled_run_says_it_is_stopping(
    open_desk: OpenDesk, example_diagnosis: Diagnosis
) -> None:
    found, go = threading.Event(), threading.Event()

    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        report(Found(hits=example_diagnosis.hits))
        found.set()
        assert go.wait(10)
        report(TokensDecoded(count=0))
        return example_diagnosis

    desk = open_desk(run)
    run_id = desk.submit(REQUEST)
    assert found.wait(10)
    before = desk.status(run_id)
    desk.cancel(run_id)
    after = desk.status(run_id)
    assert before is not None and after is not None
    assert [hit.passage.title for hit in before.hits] == ["Vesper Clock"]
    assert (before.stopping, after.stopping) == (False, True)
    go.set()
    assert not waited(desk, run_id, "cancelled").stopping


def test_opening_a_model_in_the_middle_of_a_stage_is_a_stage_of_its_own(
    open_desk: OpenDesk, example_diagnosis: Diagnosis
) -> None:
    seen: list[tuple[str, str]] = []
    desk: JobDesk

    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        for stage in (
            Stage(method="answer", name="answering", total=2),
            Stage(method="models", name="opening", total=1),
            Stage(method="models", name="opening", done=1, total=1),
            Stage(method="dense", name="rewriting"),
        ):
            report(stage)
            seen.append((desk.active()[0].method, desk.active()[0].stage))
        return example_diagnosis

    desk = open_desk(run)
    done = waited(desk, desk.submit(REQUEST), "done")
    assert seen == [("answer", "answering"), ("models", "opening"), ("answer", "answering"), ("dense", "rewriting")]
    assert [stage.method for stage in done.stages] == ["answer", "models", "answer", "dense"]


def test_a_model_that_cannot_be_opened_since_the_program_ends_leaves_an_interrupted_run(open_desk: OpenDesk) -> None:
    def run(request: DiagnosisRequest, report: Report) -> Diagnosis:
        try:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")
        except RuntimeError as exc:
            raise ModelError("The model cannot be opened.") from exc

    desk = open_desk(run)
    waited(desk, desk.submit(REQUEST), "interrupted")
