"""Runs are kept through threads, processes, kills, full disks and damaged files."""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.clock import now, past_time
from engine.core.errors import RecordError
from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import to_json
from engine.runs import store as store_module
from engine.runs.bundle import LARGEST_RECORD
from engine.runs.store import RUN_ID, RunStore, State
from tests.viz.sample_uncertainty import sugar_none

REQUEST = DiagnosisRequest(question="Who rebuilt the Vesper Clock?", golds=("Lyra Quill",), seed=3)


def test_a_created_run_is_queued_with_its_whole_request_and_a_short_id(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(REQUEST)
    run = tmp_store.get(run_id)
    assert (run.state, run.request, run.diagnosis, run.origin) == ("queued", REQUEST, None, "asked")
    assert RUN_ID.fullmatch(run_id)
    assert len(run_id) == 10


def test_a_partial_record_is_replaced_by_the_whole_one(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.save(run_id, replace(example_diagnosis, outcomes=example_diagnosis.outcomes[:1]))
    assert len(tmp_store.get(run_id).diagnosis.outcomes) == 1  # type: ignore[union-attr]
    tmp_store.finish(run_id, "done", diagnosis=example_diagnosis)
    run = tmp_store.get(run_id)
    assert to_json(run.diagnosis) == to_json(example_diagnosis)  # type: ignore[arg-type]
    assert run.state == "done"
    assert run.finished_at >= run.created_at


def test_the_list_is_newest_first_searched_in_any_case_and_limited(tmp_store: RunStore) -> None:
    ids = [tmp_store.create(replace(REQUEST, question=question)) for question in ("ÄPFEL?", "pears?", "äpfel, 50%?")]
    assert [run.id for run in tmp_store.listing()] == ids[::-1]
    assert [run.id for run in tmp_store.listing(search="Äpfel")] == [ids[2], ids[0]]
    assert [run.id for run in tmp_store.listing(search="0%")] == [ids[2]]
    assert [run.id for run in tmp_store.listing(limit=1)] == [ids[2]]


def test_a_deleted_run_is_hidden_until_it_is_restored(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.delete(run_id)
    assert tmp_store.listing() == ()
    with pytest.raises(RecordError, match="deleted"):
        tmp_store.get(run_id)
    tmp_store.restore(run_id)
    assert tmp_store.get(run_id).request == REQUEST


@pytest.mark.parametrize("action", ["get", "delete", "restore", "start"])
def test_an_unknown_run_is_named(tmp_store: RunStore, action: str) -> None:
    with pytest.raises(RecordError, match="no run with the id 'nothere'"):
        getattr(tmp_store, action)("nothere")


@pytest.mark.parametrize("run_id", ["", "a b", "../x", "x" * 65, "é"])
def test_an_id_that_could_not_stand_in_an_address_is_refused(tmp_store: RunStore, run_id: str) -> None:
    with pytest.raises(RecordError, match="1 to 64 letters"):
        tmp_store.create(REQUEST, run_id=run_id)


def test_an_id_can_be_used_once(tmp_store: RunStore) -> None:
    tmp_store.create(REQUEST, run_id="sample-1", origin="sample")
    with pytest.raises(RecordError, match="already a run with the id sample-1"):
        tmp_store.create(REQUEST, run_id="sample-1")


def test_an_exported_record_is_imported_as_a_finished_run(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    run = tmp_store.get(tmp_store.import_json(to_json(example_diagnosis)))
    assert (run.state, run.origin) == ("done", "imported")
    assert to_json(run.diagnosis) == to_json(example_diagnosis)  # type: ignore[arg-type]
    assert run.request.passages == (example_diagnosis.hits[0].passage,)
    assert tmp_store.listing()[0].answer == "Lyra Quill"


def test_an_imported_record_is_asked_again_with_the_settings_its_results_name(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    request = tmp_store.get(tmp_store.import_json(to_json(example_diagnosis))).request
    assert (request.entropy_trend.variant, request.entropy_trend.alpha) == ("code", 1.0), "not the default, paper"
    assert (request.seper.variant, request.seper.samples, request.seper.temperature) == ("code", 2, 1.0)
    assert (request.dense.threshold, request.dense.rule, request.dense.rewrites) == (0.2, "algorithm3", ())
    assert (request.quco_rag.window, request.quco_rag.cooccurrence_threshold) == (1000, 1)


def test_an_imported_run_of_sugar_keeps_its_thresholds_form_and_budget(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    result = replace(sugar_none(), low=0.2, high=0.7, form="equation_1", most_rounds=4, passages_a_round=3)
    outcome = Outcome(method="sugar", status="done", result=result)
    run_id = tmp_store.import_json(to_json(replace(example_diagnosis, outcomes=(outcome,))))
    asked = tmp_store.get(run_id).request.sugar
    assert (asked.low, asked.high, asked.form, asked.rounds, asked.passages) == (0.2, 0.7, "equation_1", 4, 3)


def test_a_run_larger_than_any_file_that_is_read_opens_again(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    passage = Passage(text="x" * (LARGEST_RECORD + 1))
    whole = replace(example_diagnosis, hits=(Hit(passage=passage, rank=1, score=1.0, retriever="given"),))
    run_id = tmp_store.create(REQUEST)
    tmp_store.finish(run_id, "done", diagnosis=whole)
    assert tmp_store.get(run_id).diagnosis == whole


def test_a_store_opened_again_reads_what_was_kept(tmp_path: Path, example_diagnosis: Diagnosis) -> None:
    first = RunStore(tmp_path / "runs.sqlite")
    run_id = first.import_json(to_json(example_diagnosis))
    first.close()
    assert RunStore(tmp_path / "runs.sqlite").get(run_id).diagnosis is not None


def test_eight_threads_with_their_own_store_objects_lose_no_run(tmp_path: Path, example_diagnosis: Diagnosis) -> None:
    def work(_: int) -> None:
        mine = RunStore(tmp_path / "runs.sqlite")
        for _ in range(5):
            mine.save(mine.create(REQUEST), example_diagnosis)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runs = RunStore(tmp_path / "runs.sqlite").listing()
    assert len({run.id for run in runs if run.answer == "Lyra Quill"}) == 40


def test_a_damaged_record_is_a_sentence_and_the_list_still_stands(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(REQUEST)
    tmp_store.change(run_id, diagnosis_json=b"\x00\x01")
    with pytest.raises(RecordError, match="stored record is damaged"):
        tmp_store.get(run_id)
    assert len(tmp_store.listing()) == 1


def test_runs_of_a_worker_without_a_beat_are_interrupted_and_those_of_a_living_one_are_not(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = tmp_store.create(REQUEST, owner="living"), tmp_store.create(REQUEST, owner="dead")
    done = tmp_store.create(REQUEST, owner="dead")
    tmp_store.start(other)
    tmp_store.finish(done, "done")
    tmp_store.beat("dead")
    later = time.time() + store_module.BEAT_EXPIRY + 1
    monkeypatch.setattr(store_module.time, "time", lambda: later)
    tmp_store.beat("living")
    assert tmp_store.mark_interrupted() == (other,)
    assert [tmp_store.get(run).state for run in (mine, other, done)] == ["queued", "interrupted", "done"]


def test_a_corpus_is_awaited_by_runs_that_are_not_over(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(replace(REQUEST, corpus="/uploads/0123"))
    assert tmp_store.awaits("/uploads/0123") and not tmp_store.awaits("/uploads/012")
    tmp_store.finish(run_id, "done")
    assert not tmp_store.awaits("/uploads/0123")


def test_a_run_taken_after_the_caller_looked_is_not_interrupted(tmp_store: RunStore) -> None:
    tmp_store.beat("newcomer")
    run = tmp_store.create(REQUEST, owner="newcomer")
    assert tmp_store.mark_interrupted({"caller"}) == ()
    assert tmp_store.get(run).state == "queued"


@pytest.mark.parametrize("state", ["failed", "cancelled", "interrupted"])
def test_a_stopped_run_is_taken_up_once_with_its_record(
    tmp_store: RunStore, example_diagnosis: Diagnosis, state: State
) -> None:
    run_id = tmp_store.create(DiagnosisRequest(question="Who?"))
    tmp_store.save(run_id, example_diagnosis)
    assert not tmp_store.take_up(run_id, "worker"), "it is not stopped yet"
    tmp_store.finish(run_id, state, "It stopped.")
    assert [tmp_store.take_up(run_id, "worker"), tmp_store.take_up(run_id, "other")] == [True, False]
    run = tmp_store.get(run_id)
    assert (run.state, run.reason, run.finished_at) == ("queued", "", "")
    assert run.diagnosis is not None
    tmp_store.beat("worker")
    assert tmp_store.mark_interrupted() == ()


def test_a_finished_or_deleted_run_is_not_taken_up(tmp_store: RunStore) -> None:
    done, gone = (tmp_store.create(DiagnosisRequest(question="Who?")) for _ in range(2))
    tmp_store.finish(done, "done")
    tmp_store.finish(gone, "cancelled")
    tmp_store.delete(gone)
    assert not tmp_store.take_up(done, "worker")
    assert not tmp_store.take_up(gone, "worker")


KILLED = """
import sys, time
from pathlib import Path
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.store import RunStore
from engine.diagnosis.serialize import from_json
store = RunStore(Path(sys.argv[1]))
record = from_json(Path(sys.argv[2]).read_text())
run = store.create(DiagnosisRequest(question="killed?"), run_id="killed", owner="gone")
store.start(run)
store.save(run, record)
print("saved", flush=True)
while True:
    store.save(run, record)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_killed_process_leaves_a_readable_store_with_the_methods_it_had_finished(
    tmp_path: Path, example_diagnosis: Diagnosis
) -> None:
    partial = replace(example_diagnosis, outcomes=example_diagnosis.outcomes[:2])
    (tmp_path / "record.json").write_text(to_json(partial), encoding="utf-8")
    path = tmp_path / "runs.sqlite"
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "record.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(store_module.__file__).parents[2]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"saved\n"
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    store = RunStore(path)
    store.mark_interrupted()
    run = store.get("killed")
    assert run.state == "interrupted"
    assert [outcome.method for outcome in run.diagnosis.outcomes] == ["dense", "seper"]  # type: ignore[union-attr]


def test_an_imported_run_stands_at_the_time_its_record_was_made(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    asked = tmp_store.create(DiagnosisRequest(question="Now?"))
    old = replace(example_diagnosis.provenance, started_at="2025-01-01T00:00:00+00:00")
    came = tmp_store.import_json(to_json(replace(example_diagnosis, provenance=old)))
    assert [run.id for run in tmp_store.listing()] == [asked, came]
    assert tmp_store.summary(came).created_at == "2025-01-01T00:00:00.000000+00:00"


@pytest.mark.parametrize("told", ["", "yesterday", "9999-01-01T00:00:00+00:00"])
def test_a_record_without_a_time_that_can_be_stands_at_its_import(told: str) -> None:
    before = now()
    assert before <= past_time(told) <= now()


def test_a_line_of_the_list_names_the_methods_asked_for(tmp_store: RunStore) -> None:
    run_id = tmp_store.create(DiagnosisRequest(question="Which?", methods=("dense", "sugar")))
    assert tmp_store.summary(run_id).methods == ("dense", "sugar")
