"""The runner: gives the points of a study to one job desk or several, and keeps how each ended.

A desk computes, so a question asked on a page goes between two of a study. A point belongs to whoever makes its run,
whose id is fixed: several programs may work on one study, and nothing is asked twice. After a kill the points that had
ended stand in the store of studies; the one being asked goes on from what its run had kept, as any run does.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.core.errors import InputError, RecordError
from engine.runs.jobs.desk import JobDesk, JobStatus
from engine.runs.store import STOPPED, RunStore, RunSummary, StoredRun
from engine.runs.studies.plan import refuse_changed_inputs, request_of
from engine.runs.studies.records import PointState, Study
from engine.runs.studies.row import Describe, no_verdicts, row_of
from engine.runs.studies.store import KeptPoint, StudyStore

# How often the runner looks whether the study is to stop, and whether a run of another program has ended.
LOOK_SECONDS = 0.5
Taken = Literal["ours", "over", "elsewhere"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a study stands: points over of all, the question that begins, its run, seconds so far and left.

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

    def __init__(
        self, studies: StudyStore, desk: JobDesk | Sequence[JobDesk], describe: Describe = no_verdicts
    ) -> None:
        """Work with these desks over one store of runs, each with one point at a time; ``describe`` gives the verdicts
        of a run for its row."""
        self.studies = studies
        self.desks = (desk,) if isinstance(desk, JobDesk) else tuple(desk)
        self.store = self.desks[0].store
        self.describe = describe

    def work(self, study_id: str, watch: Watch = unwatched) -> Study:
        """Tell a study to go on, and return it as ``work_while_told`` does; raises what that raises.

        A study that is refused is told again what it was told before, unless somebody told it something else meanwhile.
        """
        self.studies.get(study_id)
        before = self.studies.control(study_id)
        self.studies.tell(study_id, "go")
        try:
            return self.work_while_told(study_id, watch)
        except InputError:
            if self.studies.control(study_id) == "go":
                self.studies.tell(study_id, before)
            raise

    def work_while_told(self, study_id: str, watch: Watch = unwatched) -> Study:
        """Return the study as it stands when nothing waits any more, or when it was told to pause or to stop.

        Raises InputError where its corpus has changed, RecordError where there is no such study.
        """
        study = self.studies.get(study_id)
        refuse_changed_inputs(study.plan)
        progress = ProgressReporter(self.studies, study, watch)
        try:
            while (left := self.studies.waiting(study_id)) and self.may_go_on(study_id):
                if not self.ask_all(study, left, progress) and self.may_go_on(study_id):
                    time.sleep(LOOK_SECONDS)
        finally:
            self.studies.beat(study_id, 0.0)
        return self.studies.get(study_id, hidden=True)

    def ask_all(self, study: Study, points: Sequence[KeptPoint], progress: "ProgressReporter") -> bool:
        """Return whether a point ended, after each was taken by a desk, here or elsewhere."""
        left, asked, before = deque(points), dict[str, tuple[JobDesk, KeptPoint]](), progress.over
        while (left and self.may_go_on(study.id)) or asked:
            busy = {desk for desk, _ in asked.values()}
            for desk in [desk for desk in self.desks if desk not in busy]:
                if (one := self.next_point(study, left, desk, progress)) is not None:
                    asked[one.point.run] = (desk, one)
            if any(desk.closing.is_set() for desk in self.desks):
                break
            for one in self.ended(study.id, asked):
                if self.settle(study.id, one):
                    progress.ended()
        return progress.over > before

    def next_point(
        self, study: Study, left: deque[KeptPoint], desk: JobDesk, progress: "ProgressReporter"
    ) -> KeptPoint | None:
        """Return the next point that this desk has taken, None where there is none; those over already are settled."""
        while left and self.may_go_on(study.id):
            one = left.popleft()
            taken = self.take(study, one, desk)
            if taken == "ours":
                progress.report(one)
                return one
            if taken == "over" and self.settle(study.id, one):
                progress.ended()
        return None

    def ended(self, study_id: str, asked: dict[str, tuple[JobDesk, KeptPoint]]) -> list[KeptPoint]:
        """Return the points asked that are over, and take them off ``asked``; all are cancelled where the study is."""
        cancel = bool(asked) and self.studies.control(study_id) == "cancel"
        if asked:
            self.studies.beat(study_id)
        found = []
        for run, (desk, one) in list(asked.items()):
            if is_over(desk.wait_for(run, LOOK_SECONDS / len(asked))):
                del asked[run]
                found.append(one)
            elif cancel:
                desk.cancel(run)
        return found

    def may_go_on(self, study_id: str) -> bool:
        """Return whether the study is to go on, after recording that somebody works on it."""
        if any(desk.closing.is_set() for desk in self.desks) or self.studies.control(study_id) != "go":
            return False
        self.studies.beat(study_id)
        return True

    def take(self, study: Study, one: KeptPoint, desk: JobDesk) -> Taken:
        """Return whose a point's run is: this desk's from now on, over already, or another program's."""
        request = request_of(study.plan, one.question, study.plan.variants[one.point.variant])
        person = f"study {study.id}"
        run = self.summary(one.point.run)
        try:
            if run is None:
                desk.submit(request, person, one.point.run, "study")
                return "ours"
            if run.state in STOPPED and (run.state != "failed" or one.point.reason):
                desk.go_on(run.id, person)
                return "ours"
            if run.state == "done" and one.point.reason:
                # Asked again: methods that failed are computed anew, the others are taken over.
                self.store.get(run.id)  # raises where it was deleted: that run stays as it is
                self.store.finish(run.id, "failed", one.point.reason)
                desk.go_on(run.id, person)
                return "ours"
        except (InputError, RecordError):
            # Somebody else was faster, or the run cannot be read; what it came to is settled as any other.
            run = self.summary(one.point.run)
        over = run is None or run.state in ("done", "failed") or not self.can_read(run.id)
        return "over" if over else "elsewhere"

    def summary(self, run_id: str) -> RunSummary | None:
        """Return a run's line of the list, None where there is none."""
        try:
            return self.store.summary(run_id)
        except RecordError:
            return None

    def can_read(self, run_id: str) -> bool:
        """Return whether a run can be read: it was not deleted, and its record is whole."""
        try:
            self.store.get(run_id)
        except RecordError:
            return False
        return True

    def settle(self, study_id: str, one: KeptPoint) -> bool:
        """Return whether a point is over now, after keeping its row or why it failed."""
        try:
            run = self.store.get(one.point.run)
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


class ProgressReporter:
    """Reports to a watcher where a study stands, and how long what is left will take."""

    def __init__(self, studies: StudyStore, study: Study, watch: Watch) -> None:
        """Begin the clock."""
        self.studies, self.study, self.watch = studies, study, watch
        self.began, self.over = time.monotonic(), 0

    def ended(self) -> None:
        """Report that a point is over."""
        self.over += 1
        self.report()

    def report(self, one: KeptPoint | None = None) -> None:
        """Report where the study stands; ``one`` is the point that begins."""
        now = self.studies.get(self.study.id, hidden=True)
        seconds = time.monotonic() - self.began
        self.watch(
            Progress(
                study=now.id,
                finished=now.finished,
                points=now.points,
                failed=now.failed,
                question=one.question.question if one else "",
                variant=now.plan.variants[one.point.variant].label if one else "",
                run=one.point.run if one else "",
                seconds=seconds,
                seconds_left=seconds / self.over * now.waiting if self.over else None,
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
