"""Runs that stopped and go on: whoever takes one up, what it had is kept, and it runs once."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import InputError, RecordError
from engine.core.progress import Report, Snapshot, TokensDecoded
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import store as store_module
from engine.runs.jobs import desk as jobs
from engine.runs.store import RunStore
from tests.engine.runs.jobs.gated_runs import REQUEST, Gate, OpenDesk, until, waited

KILLED = """
import sys, time
from pathlib import Path
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk
from engine.core.progress import Snapshot
from engine.diagnosis.serialize import from_json
from engine.runs.store import RunStore
record = from_json(Path(sys.argv[2]).read_text(encoding="utf-8"))
def run(request, report):
    report(Snapshot(record=record))
    print("saved", flush=True)
    time.sleep(600)
desk = JobDesk(RunStore(Path(sys.argv[1])), run)
print(desk.submit(DiagnosisRequest(question="killed?")), flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_run_of_a_killed_program_becomes_interrupted_and_keeps_its_methods(
    open_desk: OpenDesk,
    tmp_store: RunStore,
    tmp_path: Path,
    example_diagnosis: Diagnosis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from engine.diagnosis.serialize import to_json

    (tmp_path / "record.json").write_text(to_json(example_diagnosis), encoding="utf-8")
    command = [sys.executable, "-c", KILLED, str(tmp_store.path), str(tmp_path / "record.json")]
    environment = {**os.environ, "PYTHONPATH": str(Path(jobs.__file__).parents[3])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines = {process.stdout.readline().strip(), process.stdout.readline().strip()}
        process.send_signal(signal.SIGKILL)
    (run_id,) = lines - {"saved"}
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(store_module, "BEAT_EXPIRY", 0.2)
    desk = open_desk(lambda request, report: example_diagnosis)
    assert "program stopped" in waited(desk, run_id, "interrupted").error
    assert len(tmp_store.get(run_id).diagnosis.outcomes) == 5  # type: ignore[union-attr]


def finished_whole(diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis none of whose methods failed."""
    outcomes = (replace(one, status="not measured") if one.status == "failed" else one for one in diagnosis.outcomes)
    return replace(diagnosis, outcomes=tuple(outcomes))


def test_a_cancelled_run_goes_on_under_its_own_id_with_what_it_had(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    tries: list[Diagnosis | None] = []
    partial = replace(example_diagnosis, outcomes=example_diagnosis.outcomes[:1])

    def run(request: DiagnosisRequest, report: Report, kept: Diagnosis | None = None) -> Diagnosis:
        tries.append(kept)
        if kept is not None:
            return finished_whole(example_diagnosis)
        report(Snapshot(record=partial))
        while True:
            time.sleep(0.01)
            report(TokensDecoded(count=1))

    desk = open_desk(run)
    run_id = desk.submit(REQUEST, "ann")
    waited(desk, run_id, "running")
    until(lambda: tmp_store.get(run_id).diagnosis)
    with pytest.raises(InputError, match="not stopped"):
        desk.go_on(run_id)
    desk.cancel(run_id)
    waited(desk, run_id, "cancelled")
    desk.go_on(run_id, "ann")
    assert waited(desk, run_id, "done").error == ""
    assert [None if one is None else [o.method for o in one.outcomes] for one in tries] == [None, ["dense"]]
    whole = tmp_store.get(run_id)
    assert (whole.state, whole.reason, len(whole.diagnosis.outcomes)) == ("done", "", 5)  # type: ignore[union-attr]
    with pytest.raises(InputError, match="not stopped"):
        desk.go_on(run_id)


def test_two_that_take_up_one_run_at_once_get_it_once(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    gate = Gate(example_diagnosis)
    desk = open_desk(gate.run)
    run_id = tmp_store.create(REQUEST)
    tmp_store.finish(run_id, "interrupted", "The program stopped.")
    desk.go_on(run_id)
    with pytest.raises(InputError, match="not stopped"):
        desk.go_on(run_id)
    gate.opened.set()
    waited(desk, run_id, "done")
    assert gate.questions == ["Who?"]


def test_a_run_whose_method_failed_goes_on_once_and_a_study_s_or_imported_one_does_not(
    open_desk: OpenDesk, tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    first = Outcome(method=example_diagnosis.outcomes[0].method, status="failed", reason="The server failed.")
    failed = replace(example_diagnosis, outcomes=(first, *example_diagnosis.outcomes[1:]))
    tries: list[Diagnosis | None] = []

    def run(request: DiagnosisRequest, report: Report, kept: Diagnosis | None = None) -> Diagnosis:
        tries.append(kept)
        return finished_whole(example_diagnosis)

    desk = open_desk(run)
    for origin in ("asked", "study", "imported"):
        tmp_store.create(REQUEST, run_id=origin, origin=origin)
        tmp_store.finish(origin, "done", diagnosis=failed)
    for origin in ("study", "imported"):
        with pytest.raises(InputError, match="not stopped"):
            desk.go_on(origin)
    desk.go_on("asked")
    waited(desk, "asked", "done")
    assert [one and one.outcomes[0].status for one in tries] == ["failed"]
    with pytest.raises(InputError, match="not stopped"):
        desk.go_on("asked")


def test_an_unknown_run_cannot_go_on(open_desk: OpenDesk) -> None:
    desk = open_desk(lambda request, report: pytest.fail("nothing was asked"))
    with pytest.raises(RecordError, match="no run with the id"):
        desk.go_on("nothere")
