"""The runner: every question once, in order; pause, cancel, kill and failures lose and double nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.core.progress import Report, silent
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import store as run_store
from engine.runs.jobs import desk as jobs
from engine.runs.jobs.desk import JobDesk
from engine.runs.store import RunStore
from engine.runs.studies import background
from engine.runs.studies import plan as study_plan
from engine.runs.studies import runner as study_runner
from engine.runs.studies.background import side_by_side, start_study
from engine.runs.studies.concurrency import Concurrency
from engine.runs.studies.plan import renewed
from engine.runs.studies.records import Control, StudyPlan
from engine.runs.studies.row import no_verdicts
from engine.runs.studies.runner import Progress, StudyRunner, refresh_rows
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import read_table
from tests.engine.runs.studies.study_case import Engine, answered, started, worked

PROJECT = Path(__file__).resolve().parents[4]
KILLED = """
import sys, time
from pathlib import Path
from engine.runs.jobs.desk import JobDesk
from engine.runs.store import RunStore
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from tests.engine.runs.studies.study_case import answered, started

folder = Path(sys.argv[1])

def slowly(request, report, *kept):
    print(request.question, flush=True)
    time.sleep(0.0 if request.question[-2] in "12" else 60.0)
    return answered(request)

studies = StudyStore(folder / "studies.sqlite")
study = started(folder, studies)
print(study, flush=True)
StudyRunner(studies, JobDesk(RunStore(folder / "runs.sqlite"), slowly)).work(study)
"""


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[StudyStore]:
    """Return an empty store of studies that vanishes with the test."""
    store = StudyStore(tmp_path / "studies.sqlite")
    yield store
    store.close()


def without_ids(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table without what no two runs share: nothing but the clock."""
    return frame.drop(columns=["seconds"])


def test_every_question_is_asked_once_in_order_and_is_an_ordinary_run(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    engine = Engine()
    seen: list[Progress] = []
    study = started(tmp_path, studies)
    desk = JobDesk(tmp_store, engine.run)
    ended = StudyRunner(studies, desk).work(study, seen.append)
    table = read_table(study, studies)

    assert engine.asked == [f"Who built tower {number}?" for number in range(1, 7)]
    assert (ended.state, ended.done, ended.failed, ended.waiting) == ("done", 6, 0, 0)
    assert list(table.frame["answer.right"]) == [1, 0, 1, 0, 1, 0]
    assert table.frame["dense.entropy"].round(1).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert [tmp_store.get(run).state for run in table.frame["run"]] == ["done"] * 6
    assert tmp_store.listing() == () and len(tmp_store.listing(search="tower 3")) == 1
    assert seen[-1].finished == 6 and seen[-1].seconds_left == 0.0
    desk.shutdown()


def test_the_same_study_again_asks_nothing_twice(tmp_path: Path, studies: StudyStore, tmp_store: RunStore) -> None:
    engine = Engine()
    first = worked(studies, tmp_store, started(tmp_path, studies), engine.run)
    second = worked(studies, tmp_store, started(tmp_path, studies), engine.run)

    assert len(engine.asked) == 6
    pd.testing.assert_frame_equal(first.frame, second.frame)


def test_a_study_begun_with_another_version_goes_on_with_its_own_runs_and_a_new_one_shares_none(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, study = Engine(failing=("Who built tower 4?",)), started(tmp_path, studies)
    first = worked(studies, tmp_store, study, engine.run)
    monkeypatch.setattr(study_plan, "versions", lambda: (("retrieval-microscope", "99.0"),))
    engine.failing = ()
    studies.ask_again(study)
    again = worked(studies, tmp_store, study, engine.run)
    assert engine.asked[6:] == ["Who built tower 4?"] and again.frame["run"].tolist() == first.frame["run"].tolist()
    assert refresh_rows(studies, tmp_store, study) == 6

    later = worked(studies, tmp_store, started(tmp_path, studies), engine.run)
    assert len(engine.asked) == 13 and set(later.frame["run"]).isdisjoint(first.frame["run"])


def test_what_varies_is_a_run_of_its_own(tmp_path: Path, studies: StudyStore, tmp_store: RunStore) -> None:
    requests: list[DiagnosisRequest] = []

    def run(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        requests.append(request)
        return answered(request)

    table = worked(studies, tmp_store, started(tmp_path, studies, ("k=1,3", "dense.threshold=0.1,0.4")), run)

    assert len(table.frame) == 24 and table.frame["run"].nunique() == 24
    assert [(one.k, one.dense.threshold) for one in requests[:4]] == [(1, 0.1), (1, 0.4), (3, 0.1), (3, 0.4)]
    assert table.settings == ("k", "dense.threshold")


def test_a_paused_study_resumed_equals_one_that_ran_through(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study, engine = started(tmp_path, studies), Engine()

    def pause_after_two(progress: Progress) -> None:
        if progress.finished == 2 and not progress.question:
            studies.tell(study, "pause")

    desk = JobDesk(tmp_store, engine.run)
    paused = StudyRunner(studies, desk).work(study, pause_after_two)
    desk.shutdown()
    assert (paused.state, paused.done, paused.waiting) == ("paused", 2, 4)

    resumed = worked(studies, tmp_store, study, engine.run)
    other = RunStore(tmp_path / "other.sqlite")
    through = worked(studies, other, started(tmp_path, studies), Engine().run)
    assert len(engine.asked) == 6
    pd.testing.assert_frame_equal(without_ids(resumed.frame), without_ids(through.frame))


def endless_run() -> tuple[threading.Event, Callable[..., Diagnosis]]:
    """Return a run that ends only when it is stopped, and what says that it has begun."""
    begun = threading.Event()

    def endless(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        begun.set()
        while True:
            time.sleep(0.02)
            report(jobs.Stage(method="dense", name="waiting"))

    return begun, endless


def test_cancelling_stops_the_question_in_hand(tmp_path: Path, studies: StudyStore, tmp_store: RunStore) -> None:
    study, (begun, endless) = started(tmp_path, studies), endless_run()

    desk = JobDesk(tmp_store, endless)
    worker = threading.Thread(target=StudyRunner(studies, desk).work, args=(study,))
    worker.start()
    assert begun.wait(10)
    studies.tell(study, "cancel")
    worker.join(10)
    desk.shutdown()

    assert not worker.is_alive()
    assert (studies.get(study).state, studies.get(study).waiting) == ("cancelled", 6)


def test_deleting_a_study_stops_the_question_in_hand_and_it_comes_back_as_cancelled(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study, (begun, endless) = started(tmp_path, studies), endless_run()

    desk = JobDesk(tmp_store, endless)
    start_study(studies, desk, study, no_verdicts)
    assert begun.wait(10)
    studies.delete(study)
    wait_until_nobody_works(study)
    desk.shutdown()

    assert side_by_side(study) == 0 and tmp_store.listing(search="tower 1")[0].state == "cancelled"
    assert studies.listing() == ()
    studies.restore(study)
    assert (studies.get(study).state, studies.get(study).waiting) == ("cancelled", 6)


def test_a_run_that_is_deleted_while_it_is_worked_on_is_a_failed_point_and_the_study_goes_on(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study, engine = started(tmp_path, studies), Engine()
    third = studies.kept_points(study)[2].point.run

    def deleting(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        if request.question == "Who built tower 3?":
            desk.cancel(third)
            tmp_store.delete(third)
        return engine.run(request, report, kept)

    desk = JobDesk(tmp_store, deleting)
    ended = StudyRunner(studies, desk).work(study)
    assert (ended.done, ended.failed) == (5, 1) and "was deleted" in studies.kept_points(study)[2].point.reason

    studies.ask_again(study)
    worker = threading.Thread(target=StudyRunner(studies, desk).work, args=(study,), daemon=True)
    worker.start()
    worker.join(10)
    desk.shutdown()
    assert not worker.is_alive() and (studies.get(study).waiting, studies.get(study).failed) == (0, 1)


def test_a_deleted_run_stays_as_it_was_when_failed_points_are_asked_again(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    def run(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        found = answered(request)
        broken = Outcome(method="seper", status="failed", reason="The judge is gone.")
        return replace(found, outcomes=(found.outcomes[0], broken))

    study = started(tmp_path, studies)
    first = worked(studies, tmp_store, study, run).frame["run"].iloc[0]
    tmp_store.delete(first)
    studies.ask_again(study)
    again = worked(studies, tmp_store, study, run)
    assert again.frame["state"].tolist() == ["failed"] * 6 and "was deleted" in again.frame["reason"].iloc[0]

    tmp_store.restore(first)
    assert tmp_store.get(first).state == "done"


def test_failures_are_kept_with_their_reason_and_asked_again_on_request(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study, engine = started(tmp_path, studies), Engine(failing=("Who built tower 4?",))
    table = worked(studies, tmp_store, study, engine.run)
    failed = table.frame[table.frame["state"] == "failed"]
    assert failed["number"].tolist() == [4] and "lost its weights" in failed["reason"].iloc[0]

    worked(studies, tmp_store, study, engine.run)
    assert len(engine.asked) == 6

    engine.failing = ()
    assert studies.ask_again(study) == 1
    again = worked(studies, tmp_store, study, engine.run)
    assert engine.asked[6:] == ["Who built tower 4?"]
    assert again.frame["state"].tolist() == ["done"] * 6


def test_a_method_that_failed_is_a_failed_point_with_its_other_numbers(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    whole, kept = [False], []

    def run(request: DiagnosisRequest, report: Report = silent, earlier: Diagnosis | None = None) -> Diagnosis:
        kept.append(earlier)
        found = answered(request)
        broken = Outcome(method="seper", status="failed", reason="The judge is gone.")
        return found if whole[0] else replace(found, outcomes=(found.outcomes[0], broken))

    study = started(tmp_path, studies)
    first = worked(studies, tmp_store, study, run)
    assert first.frame["state"].tolist() == ["failed"] * 6 and first.has("dense.entropy")

    whole[0] = True
    assert studies.get(study).seconds == 6 * 2.0
    studies.ask_again(study)
    assert studies.get(study).seconds == 0.0, "nothing is over"
    again = worked(studies, tmp_store, study, run)
    assert again.frame["state"].tolist() == ["done"] * 6 and again.frame["reason"].tolist() == [""] * 6
    assert [earlier is not None for earlier in kept] == [False] * 6 + [True] * 6


def test_a_changed_corpus_is_refused(tmp_path: Path, studies: StudyStore, tmp_store: RunStore) -> None:
    study = started(tmp_path, studies)
    (tmp_path / "corpus.txt").write_text("Another text.")
    desk = JobDesk(tmp_store, Engine().run)
    with pytest.raises(InputError, match=r"corpus\.txt"):
        StudyRunner(studies, desk).work(study)
    desk.shutdown()


def test_a_study_that_is_refused_stays_as_it_was_told(tmp_path: Path, studies: StudyStore, tmp_store: RunStore) -> None:
    study = started(tmp_path, studies)
    studies.tell(study, "pause")
    (tmp_path / "corpus.txt").write_text("Another text.")
    desk = JobDesk(tmp_store, Engine().run)
    with pytest.raises(InputError, match=r"corpus\.txt"):
        StudyRunner(studies, desk).work(study)
    desk.shutdown()
    assert studies.get(study).state == "paused"


def wait_until_nobody_works(study: str) -> None:
    """Wait, ten seconds at most, until no thread of this program answers for a study."""
    for _ in range(500):
        if study not in background._HERE:
            return
        time.sleep(0.02)
    raise AssertionError("the study is still worked on")


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize(("word", "state"), [("cancel", "cancelled"), ("pause", "paused")])
@pytest.mark.parametrize("in_thread", [False, True])
def test_what_a_study_is_told_while_its_corpus_is_read_is_kept(
    tmp_path: Path,
    studies: StudyStore,
    tmp_store: RunStore,
    monkeypatch: pytest.MonkeyPatch,
    word: Control,
    state: str,
    in_thread: bool,
    changed: bool,
) -> None:
    study, engine = started(tmp_path, studies), Engine()

    def told_meanwhile(plan: StudyPlan) -> None:
        studies.tell(study, word)
        if changed:
            raise InputError("The corpus has changed.")

    monkeypatch.setattr(study_runner, "refuse_changed_inputs", told_meanwhile)
    desk = JobDesk(tmp_store, engine.run)
    if in_thread:
        start_study(studies, desk, study, no_verdicts)
        wait_until_nobody_works(study)
    elif changed:
        with pytest.raises(InputError):
            StudyRunner(studies, desk).work(study)
    else:
        StudyRunner(studies, desk).work(study)
    desk.shutdown()
    assert (studies.get(study).state, studies.get(study).waiting, engine.asked) == (state, 6, [])


def test_a_study_resumed_while_its_desks_close_goes_on_with_the_number_chosen_then(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, engine = started(tmp_path, studies), Engine()
    opened: list[Concurrency] = []

    def paused_at_two(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        if len(engine.asked) == 1:
            studies.tell(study, "pause")
        return engine.run(request, report, kept)

    @contextmanager
    def resumed_while_closing(desk: JobDesk, at_once: Concurrency) -> Iterator[tuple[JobDesk, ...]]:
        opened.append(at_once)
        yield (desk,)
        if len(opened) == 1:
            assert (studies.get(study).state, studies.get(study).waiting) == ("paused", 4)
            start_study(studies, desk, study, no_verdicts, Concurrency(workers=3))

    monkeypatch.setattr(background, "desks_beside", resumed_while_closing)
    desk = JobDesk(tmp_store, paused_at_two)
    start_study(studies, desk, study, no_verdicts, Concurrency(workers=2))
    wait_until_nobody_works(study)
    desk.shutdown()

    assert opened == [Concurrency(workers=2), Concurrency(workers=3)]
    assert (studies.get(study).state, studies.get(study).done) == ("done", 6)
    assert engine.asked == [f"Who built tower {number}?" for number in range(1, 7)]
    assert side_by_side(study) == 0


def test_a_study_whose_program_closes_is_not_taken_up_again(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study, (begun, endless) = started(tmp_path, studies), endless_run()
    desk = JobDesk(tmp_store, endless)
    start_study(studies, desk, study, no_verdicts)
    assert begun.wait(10)
    desk.shutdown()
    wait_until_nobody_works(study)
    assert (studies.get(study).state, studies.get(study).waiting) == ("stopped", 6)


def test_a_study_over_a_changed_corpus_begins_anew_with_runs_of_its_own(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore
) -> None:
    study = started(tmp_path, studies)
    before = studies.kept_points(study)
    (tmp_path / "corpus.txt").write_text("Another text.")
    again = studies.create(*renewed(studies.get(study).plan, [one.question for one in before]))

    after = studies.kept_points(again)
    assert [one.question for one in after] == [one.question for one in before]
    assert not {one.point.run for one in after} & {one.point.run for one in before}
    assert worked(studies, tmp_store, again, Engine().run).frame["state"].tolist() == ["done"] * 6


def test_two_programs_share_a_study_and_double_nothing(tmp_path: Path, studies: StudyStore) -> None:
    study, engine = started(tmp_path, studies, ("k=1,2,3",)), Engine()
    desks = [JobDesk(RunStore(tmp_path / "runs.sqlite"), engine.run) for _ in range(2)]
    threads = [threading.Thread(target=StudyRunner(studies, desk).work, args=(study,)) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for desk in desks:
        desk.shutdown()

    assert len(engine.asked) == 18 and studies.get(study).done == 18


def test_a_killed_study_goes_on_where_it_was(
    tmp_path: Path, studies: StudyStore, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    study = process.stdout.readline().strip()
    begun = [process.stdout.readline().strip() for _ in range(3)]
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert begun == [f"Who built tower {number}?" for number in (1, 2, 3)]
    assert studies.get(study).done == 2

    # The dead program's last beat would count for twenty seconds.
    monkeypatch.setattr(run_store, "BEAT_EXPIRY", 0.0)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.1)
    engine = Engine()
    runs = RunStore(tmp_path / "runs.sqlite")
    resumed = worked(studies, runs, study, engine.run)
    through = worked(studies, tmp_store, started(tmp_path, studies), Engine().run)

    assert engine.asked == [f"Who built tower {number}?" for number in (3, 4, 5, 6)]
    assert len(runs.listing(search="tower")) == 6
    pd.testing.assert_frame_equal(without_ids(resumed.frame), without_ids(through.frame))
