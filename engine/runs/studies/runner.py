"""The runner: hands the points of a study to the job desk one after another, and keeps how each ended.

The desk computes, so a question asked on a page goes between two of a study. A point belongs to whoever makes its run,
whose id is fixed: several programs may work on one study, and nothing is asked twice. After a kill the points that had
ended stand in the store of studies; the one in hand goes on from what its run had kept, as any run does.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.core.errors import InputError, RecordError, StorageError
from engine.runs.jobs.desk import JobDesk, JobStatus
from engine.runs.store import STOPPED, RunStore, RunSummary, StoredRun
from engine.runs.studies.plan import refuse_changed_inputs, request_of
from engine.runs.studies.records import PointState, Study
from engine.runs.studies.row import Describe, no_verdicts, row_of
from engine.runs.studies.store import KeptPoint, StudyStore

# How often the runner looks whether the study is to stop, and whether a run in other hands has ended.
LOOK_SECONDS = 0.5
Taken = Literal["ours", "over", "elsewhere"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a study stands: points over of all, the question in hand, its run, seconds so far and left.

    ``seconds_left`` is the mean time of the points this runner has finished times those that wait; None before one.
    """

    study: str
    finished: int
    points: int
    failed: int
    question: str = ""
    variant: str = ""
    run: str = ""
    seconds: float = 0.0
    seconds_left: float | None = None


Watch = Callable[[Progress], None]


def unwatched(progress: Progress) -> None:
    """Ignore progress."""


class StudyRunner:
    """Works on one study until its points are over, or until it is told to pause or stop."""

    def __init__(self, studies: StudyStore, desk: JobDesk, describe: Describe = no_verdicts) -> None:
        """Work with this store and this desk; ``describe`` gives the verdicts of a run for its row."""
        self.studies = studies
        self.desk = desk
        self.describe = describe

    def work(self, study_id: str, watch: Watch = unwatched) -> Study:
        """Return the study as it stands when nothing waits any more, or when it was told to pause or to stop.

        Raises InputError where its corpus has changed, RecordError where there is no such study.
        """
        study = self.studies.get(study_id)
        refuse_changed_inputs(study.plan)
        self.studies.tell(study_id, "go")
        began, over = time.monotonic(), 0
        try:
            while (left := self.studies.waiting(study_id)) and self.may_go_on(study_id):
                moved = False
                for one in left:
                    if not self.may_go_on(study_id):
                        break
                    taken = self.take(study, one)
                    if taken == "ours":
                        self.tell(watch, study_id, study, one, began, over)
                        self.wait(study_id, one)
                    if taken != "elsewhere" and self.settle(study_id, one):
                        moved, over = True, over + 1
                        self.tell(watch, study_id, study, None, began, over)
                if not moved and self.may_go_on(study_id):
                    time.sleep(LOOK_SECONDS)
        finally:
            self.studies.beat(study_id, 0.0)
        return self.studies.get(study_id)

    def may_go_on(self, study_id: str) -> bool:
        """Return whether the study is to go on, after recording that somebody works on it."""
        if self.desk.closing.is_set() or self.studies.control(study_id) != "go":
            return False
        self.studies.beat(study_id)
        return True

    def take(self, study: Study, one: KeptPoint) -> Taken:
        """Return whose a point's run is: ours from now on, over already, or in other hands."""
        request = request_of(study.plan, one.question, study.plan.variants[one.point.variant])
        person = f"study {study.id}"
        run = self.summary(one.point.run)
        try:
            if run is None:
                self.desk.submit(request, person, one.point.run, "study")
                return "ours"
            if run.state in STOPPED and (run.state != "failed" or one.point.reason):
                self.desk.go_on(run.id, person)
                return "ours"
            if run.state == "done" and one.point.reason:
                # Asked again: methods that failed are computed anew, the others are taken over.
                self.desk.store.finish(run.id, "failed", one.point.reason)
                self.desk.go_on(run.id, person)
                return "ours"
        except (InputError, RecordError):
            # Somebody else was faster, or the run cannot be read; what it came to is settled as any other.
            run = self.summary(one.point.run)
        return "over" if run is None or run.state in ("done", "failed") else "elsewhere"

    def summary(self, run_id: str) -> RunSummary | None:
        """Return a run's line of the list, None where there is none."""
        try:
            return self.desk.store.summary(run_id)
        except RecordError:
            return None

    def wait(self, study_id: str, one: KeptPoint) -> None:
        """Wait until a point's run is over; cancel it where the study is told to stop."""
        while not is_over(self.desk.wait_for(one.point.run, LOOK_SECONDS)):
            if self.desk.closing.is_set():
                return
            self.studies.beat(study_id)
            if self.studies.control(study_id) == "cancel":
                self.desk.cancel(one.point.run)

    def settle(self, study_id: str, one: KeptPoint) -> bool:
        """Return whether a point is over now, after keeping its row or why it failed."""
        try:
            run = self.desk.store.get(one.point.run)
        except RecordError as exc:
            self.studies.conclude(study_id, one.point, "failed", str(exc), 0.0, None)
            return True
        if run.state not in ("done", "failed"):
            return False
        self.keep(study_id, one, run)
        return True

    def keep(self, study_id: str, one: KeptPoint, run: StoredRun) -> None:
        """Keep what a finished run came to."""
        found, reason = None, run.reason
        if run.diagnosis is not None:
            found = row_of(run.diagnosis, one.question, self.describe)
            failed = " ".join(f"{word}: {why}" for word, why in found[0].failed.items())
            reason = reason or failed
        seconds = run.diagnosis.seconds if run.diagnosis is not None else 0.0
        state: PointState = "failed" if run.state == "failed" or reason else "done"
        self.studies.conclude(study_id, one.point, state, reason, seconds, found)

    def tell(self, watch: Watch, study_id: str, study: Study, one: KeptPoint | None, began: float, over: int) -> None:
        """Tell where the study stands."""
        now = self.studies.get(study_id)
        seconds = time.monotonic() - began
        watch(
            Progress(
                study=study_id,
                finished=now.finished,
                points=now.points,
                failed=now.failed,
                question=one.question.question if one else "",
                variant=study.plan.variants[one.point.variant].label if one else "",
                run=one.point.run if one else "",
                seconds=seconds,
                seconds_left=seconds / over * now.waiting if over else None,
            )
        )


def refresh_rows(studies: StudyStore, runs: RunStore, study_id: str, describe: Describe = no_verdicts) -> int:
    """Return how many rows were made anew from their runs: for numbers that a later version of the program adds."""
    number = 0
    for one in studies.kept_points(study_id):
        if one.point.state == "waiting":
            continue
        try:
            run = runs.get(one.point.run)
        except RecordError:
            continue
        if run.diagnosis is not None:
            found = row_of(run.diagnosis, one.question, describe)
            studies.conclude(study_id, one.point, one.point.state, one.point.reason, one.point.seconds, found)
            number += 1
    return number


def is_over(status: JobStatus | None) -> bool:
    """Return whether nothing more will happen to a run."""
    return status is None or status.over


def start_study(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe) -> None:
    """Work on a study in a thread of its own, which ends with the program or with the study.

    One that is worked on already, here or elsewhere, is left as it is but told to go on.
    """
    import logging
    import threading

    def work() -> None:
        try:
            StudyRunner(studies, desk, describe).work(study_id)
        except (InputError, RecordError, StorageError) as exc:
            logging.getLogger(__name__).warning("study %s stopped: %s", study_id, exc)
            studies.tell(study_id, "pause")

    studies.tell(study_id, "go")
    name = f"microscope-study-{study_id}"
    if not any(thread.name == name for thread in threading.enumerate()):
        threading.Thread(target=work, name=name, daemon=True).start()
