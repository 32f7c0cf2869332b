"""The job desk: one worker thread, a fair queue, progress, cancel, going on. Runs outlive page changes and reloads.

A run is asked for, queued in the store, worked on by the only worker (it alone touches the models), and kept after each
method. Persons take turns (``engine.runs.queueing``). A run that was stopped goes on where it stopped: methods
that had finished are in the store, and what the models had said is in the cache of calls. Several programs may share
one store: each desk is a *worker* with a beat, and only runs of workers that have stopped beating are called
interrupted.

Every thread acts for the person whose run it has in hand (``engine.core.allowed``), who alone sees where it stands.
What a visitor may name is checked when a run is queued, and again when it begins.
"""

import atexit
import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache

from engine.core.allowed import OWNER, acting_for, acting_person, is_restricted, owner_name
from engine.core.errors import Cancelled, InputError, MicroscopeError, RecordError, StorageError
from engine.core.libraries import import_torch
from engine.core.progress import Event, Found, Report, Snapshot, Stage, TokensDecoded
from engine.core.quiet_logs import Plain
from engine.core.records import Hit
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.failures import failure_reason, is_shutdown
from engine.runs.limits import refuse_beyond_limits
from engine.runs.queueing import FairQueue
from engine.runs.request_checks import refuse_names
from engine.runs.store import INTERRUPTED, STOPPED, Origin, RunStore, RunSummary, State, default_store
from engine.runs.unfinished import may_go_on

# A request, a reporter, and of a run that goes on what an earlier try came to.
Run = Callable[..., Diagnosis]
Warm = Callable[[Report], None]
Look = Callable[[DiagnosisRequest], tuple[Hit, ...]]

BEAT_SECONDS = 3.0
REMEMBERED = 100
CANCELLED = "Cancelled on request; the methods that had finished are kept."
GIVING_WAY = "A run came in."
GETTING_READY = "the models are being opened"
MODELS = "models"
OPENING = threading.Lock()
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedStage:
    """A piece of work that is over, and the seconds it took."""

    method: str
    name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """Where a run stands. ``position`` 0 = running or over, 1 = next in the queue.

    ``done`` of ``total`` units of ``stage`` in ``method``; of a queued run the stage is what holds it up, "" = others.
    ``tokens`` generated so far and ``tokens_per_second`` in this stage (None before the first token). ``stopping``: it
    was cancelled and ends at its next report. ``hits`` are the passages, there before any answer; at first, and while
    the run waits, those that a search by words found. ``error`` says why a run is not done, or what goes wrong while it
    runs.
    """

    run_id: str
    state: State
    position: int = 0
    method: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    tokens: int = 0
    tokens_per_second: float | None = None
    seconds: float = 0.0
    stages: tuple[FinishedStage, ...] = ()
    hits: tuple[Hit, ...] = ()
    stopping: bool = False
    error: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to this run."""
        return self.state not in ("queued", "running")


@dataclass(slots=True, kw_only=True)
class Job:
    """A run in this desk's hands, as its worker sees it move."""

    run_id: str
    request: DiagnosisRequest
    kept: Diagnosis | None = None
    person: str = field(default_factory=owner_name)
    stop: threading.Event = field(default_factory=threading.Event)
    state: State = "queued"
    error: str = ""
    stage: Stage | None = None
    around: Stage | None = None
    hits: tuple[Hit, ...] = ()
    stages: list[FinishedStage] = field(default_factory=list)
    tokens: int = 0
    stage_tokens: int = 0
    started: float = 0.0
    stage_started: float = 0.0
    ended: float = 0.0

    def begin(self) -> None:
        """Start the clock."""
        self.state, self.started = "running", time.monotonic()

    def enter(self, stage: Stage | None) -> None:
        """Move to a stage, or within it; the one before is closed with its seconds.

        Opening a model may come in the middle of other work, which goes on afterwards under its own name.
        """
        before = self.stage
        if stage is not None and stage.method == MODELS and before is not None and before.method != MODELS:
            self.around = before
        elif stage is None or stage.method != MODELS:
            self.around = None
        if stage is not None and self.around is not None and stage.total and stage.done == stage.total:
            stage, self.around = self.around, None
        self.move(before, stage)

    def move(self, before: Stage | None, stage: Stage | None) -> None:
        """Close the stage before, where this is another one, and start its clock."""
        moment = time.monotonic()
        if before is None or stage is None or (before.method, before.name) != (stage.method, stage.name):
            if before is not None:
                seconds = moment - self.stage_started
                self.stages.append(FinishedStage(method=before.method, name=before.name, seconds=seconds))
            self.stage_started, self.stage_tokens = moment, 0
        self.stage = stage

    def end(self, state: State, error: str) -> None:
        """Stop the clock; the last stage is closed."""
        self.enter(None)
        self.state, self.error, self.ended = state, error, time.monotonic()

    def status(self, position: int) -> JobStatus:
        """Return where the run stands now."""
        moment = self.ended or time.monotonic()
        stage = self.stage or Stage(method="", name="")
        stage_seconds = moment - self.stage_started
        return JobStatus(
            run_id=self.run_id,
            state=self.state,
            position=position,
            method=stage.method,
            stage=stage.name,
            done=stage.done,
            total=stage.total,
            tokens=self.tokens,
            tokens_per_second=self.stage_tokens / stage_seconds if self.stage_tokens and stage_seconds > 0 else None,
            seconds=moment - self.started if self.started else 0.0,
            stages=tuple(self.stages),
            hits=self.hits,
            stopping=self.stop.is_set() and not self.ended,
            error=self.error,
        )


class JobDesk:
    """Takes requests, works them off one after another, persons in turn, and says where each stands."""

    def __init__(self, store: RunStore, run: Run, warm: Warm | None = None, look: Look | None = None) -> None:
        """Start the worker; unfinished runs of workers that no longer live become "interrupted".

        ``warm`` makes ready what a run will need, while nobody waits for one. ``look`` finds passages at once, before
        the run's turn comes.
        """
        self.store = store
        self.run = run
        self.warm_up = warm
        self.look = look
        self.warming = self.preparing = False
        self.worker_id = secrets.token_hex(8)
        self.lock = threading.Condition()
        self.queue: FairQueue[Job] = FairQueue()
        self.current: Job | None = None
        self.ended: dict[str, tuple[str, JobStatus]] = {}
        self.closing = threading.Event()
        self.admission = threading.Lock()
        store.mark_interrupted()
        self.worker = threading.Thread(target=self.work, name="microscope-worker", daemon=True)
        self.heart = threading.Thread(target=self.keep_beating, name="microscope-heart", daemon=True)
        self.worker.start()
        self.heart.start()

    def submit(
        self, request: DiagnosisRequest, person: str = "", run_id: str | None = None, origin: Origin = "asked"
    ) -> str:
        """Return the id of the run that is now queued. Raises StorageError where the store cannot keep it.

        ``person`` is whoever asks, such as a browser's session: persons are served in turn. ``run_id`` None makes one
        up; RecordError where it is taken. Raises InputError where a visitor may not ask this, or not now.
        """
        self.refuse_when_closing()
        refuse_names(request)
        with self.admission:
            refuse_beyond_limits(self.store.usage)
            self.store.beat(self.worker_id)
            run_id = self.store.create(request, run_id, origin, owner=self.worker_id)
        job = Job(run_id=run_id, request=request)
        self.line_up(job, person)
        if self.look is not None:
            threading.Thread(target=self.look_for, args=(job, self.look), name="first look", daemon=True).start()
        return run_id

    def go_on(self, run_id: str, person: str = "") -> None:
        """Queue a run that stopped, or some of whose methods failed, once more, under its own id.

        What it had finished is not computed again. Raises InputError where nothing of it is left to do, RecordError
        where it is unknown or cannot be read.
        """
        self.refuse_when_closing()
        stopped = self.store.get(run_id)
        refuse_names(stopped.request)
        states = (*STOPPED, "done") if may_go_on(stopped) else STOPPED
        with self.admission:
            refuse_beyond_limits(self.store.usage)
            self.store.beat(self.worker_id)
            if not self.store.take_up(run_id, self.worker_id, states):
                raise InputError("This run is not stopped: it is waiting, running or done.")
        with self.lock:
            self.ended.pop(run_id, None)
        self.line_up(Job(run_id=run_id, request=stopped.request, kept=stopped.diagnosis), person)

    def warm(self) -> None:
        """Have the worker make ready what a run will need, once, as soon as nobody waits for a run."""
        with self.lock:
            if self.warm_up is not None and not self.closing.is_set():
                self.warming = True
                self.lock.notify_all()

    def refuse_when_closing(self) -> None:
        """Raise StorageError where the desk closes."""
        if self.closing.is_set():
            raise StorageError("The program is closing and takes no new runs.")

    def line_up(self, job: Job, person: str) -> None:
        """Put a job into the queue."""
        with self.lock:
            taken = not self.closing.is_set()
            if taken:
                self.queue.add(job.person or person, job)
                self.lock.notify_all()
        if not taken:  # the desk closed while the store wrote: nobody would ever work on it
            self.conclude(job, "interrupted", INTERRUPTED)

    def status(self, run_id: str) -> JobStatus | None:
        """Return where a run stands; None where there is no such run.

        The latest runs of this desk keep their stages after the end; of others the store knows state and reason.
        """
        with self.lock:
            known = next((status for status in self.active() if status.run_id == run_id), None)
            whose, ended = self.ended.get(run_id, (OWNER, None))
        if known is not None or (ended is not None and acting_person() in (None, whose)):
            return known or ended
        try:
            return from_summary(self.store.summary(run_id))
        except RecordError:
            return None

    def wait_for(self, run_id: str, seconds: float) -> JobStatus | None:
        """Return where a run of this desk stands once it is over, or after so many seconds at most."""
        with self.lock:
            self.lock.wait_for(lambda: run_id in self.ended or self.closing.is_set(), seconds)
        return self.status(run_id)

    def active(self) -> tuple[JobStatus, ...]:
        """Return the running run and the queued ones, in the order they will be worked on; a visitor's own only."""
        person = acting_person()
        with self.lock:
            placed = ((0, self.current) if self.current else None, *enumerate(self.queue.in_order(), start=1))
            shown = [(place, job) for place, job in filter(None, placed) if person in (None, job.person)]
            held_up = GETTING_READY if self.preparing else ""
            return tuple(replace(job.status(place), stage=held_up) if place else job.status(0) for place, job in shown)

    def cancel(self, run_id: str) -> bool:
        """Return whether the run was this desk's to cancel: queued ones go, a running one stops when it reports.

        A visitor's own runs only.
        """
        person = acting_person()
        with self.lock:
            current = self.current
            if current and current.run_id == run_id and person in (None, current.person):
                current.stop.set()
                return True
            job = self.queue.remove(lambda job: job.run_id == run_id and person in (None, job.person))
            if job is None:
                return False
        self.conclude(job, "cancelled", CANCELLED)
        return True

    def shutdown(self, wait_seconds: float = 10.0) -> None:
        """Stop the worker: the running run stops at its next report, it and the queued ones become "interrupted"."""
        with self.lock:
            self.closing.set()
            left, self.queue = self.queue.in_order(), FairQueue()
            if self.current:
                self.current.stop.set()
            self.lock.notify_all()
        with acting_for(OWNER):
            for job in left:
                self.conclude(job, "interrupted", INTERRUPTED)
        self.worker.join(wait_seconds)
        self.heart.join(wait_seconds)
        try:
            self.store.retire(self.worker_id)
        except StorageError as exc:  # its beat expires soon
            log.warning("the run store cannot be reached (%s): %s", Plain(exc.fault), exc)

    def work(self) -> None:
        """Work off the queue until the desk closes."""
        while (job := self.next_job()) is not None:
            with acting_for(job.person):
                self.perform(job)
            with self.lock:
                self.current = None

    def next_job(self) -> Job | None:
        """Return the next job as the current one, waiting for it; None when the desk closes."""
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.queue or self.warming or self.closing.is_set())
                if self.closing.is_set():
                    return None
                if self.queue:
                    self.current = self.queue.take()
                    self.current.begin()
                    return self.current
                warm_up, self.warm_up, self.warming = self.warm_up, None, False
                self.preparing = warm_up is not None
            if warm_up is not None:
                with acting_for(OWNER):
                    self.prepare(warm_up)
            self.preparing = False

    def look_for(self, job: Job, look: Look) -> None:
        """Give a job the passages of a first look, unless its run has found its own. What fails, fails in the run."""
        try:
            with acting_for(job.person):
                hits = look(job.request)
        except Exception as exc:
            log.info("no first look: %s", type(exc).__name__)
            return
        with self.lock:
            job.hits = job.hits or hits

    def prepare(self, warm_up: Warm) -> None:
        """Make ready what runs need, giving way to a run. What fails here would fail in a run, which says so."""

        def give_way(event: Event) -> None:
            if self.queue or self.closing.is_set():
                raise Cancelled(GIVING_WAY)

        try:
            warm_up(give_way)
        except Cancelled:
            log.info("getting ready gave way to a run")
        except Exception as exc:
            if not self.ends_with_program(exc):
                log.exception("getting ready failed")

    def ends_with_program(self, error: Exception) -> bool:
        """Return whether an error only says that the program ends, which it may do before ``shutdown`` is called."""
        if is_shutdown(error):
            self.closing.set()
        return self.closing.is_set()

    def perform(self, job: Job) -> None:
        """Run one job to its end, whatever that is."""
        try:
            self.store.start(job.run_id)
            # A run that begins is called without an earlier try, so that it need not know of any.
            earlier = () if job.kept is None else (job.kept,)
            diagnosis = self.run(job.request, lambda event: self.observe(job, event), *earlier)
        except Cancelled:
            closing = self.closing.is_set()
            self.conclude(job, "interrupted" if closing else "cancelled", INTERRUPTED if closing else CANCELLED)
        except Exception as exc:
            ending = self.ends_with_program(exc)
            reason = INTERRUPTED if ending else failure_reason(job.run_id, exc)
            self.conclude(job, "interrupted" if ending else "failed", reason)
        else:
            self.conclude(job, "done", "", diagnosis)

    def observe(self, job: Job, event: Event) -> None:
        """Take in what a run reports. Raises Cancelled where it is to stop."""
        if job.stop.is_set():
            raise Cancelled(CANCELLED)
        if isinstance(event, Snapshot):
            self.keep(job, event.record)
            return
        with self.lock:
            if isinstance(event, Stage):
                job.enter(event)
            elif isinstance(event, TokensDecoded):
                job.tokens += event.count
                job.stage_tokens += event.count
            elif isinstance(event, Found):
                job.hits = event.hits

    def keep(self, job: Job, record: object) -> None:
        """Store a record as far as it goes. A store that fails now may work at the end: the run goes on and says so."""
        if not isinstance(record, Diagnosis):
            raise TypeError(f"a Snapshot in a run must hold a Diagnosis, got {type(record).__name__}")
        try:
            self.store.save(job.run_id, record)
        except StorageError as exc:
            log.warning("run %s was not kept: %s", Plain(job.run_id), exc)
            job.error = str(exc)
        else:
            job.error = ""

    def conclude(self, job: Job, state: State, reason: str, diagnosis: Diagnosis | None = None) -> None:
        """Record a job's end, in the store first: who sees "done" may read it there.

        Where the store cannot keep it, the desk remembers the run as failed, with the reason, and its worker goes on.
        """
        try:
            self.store.finish(job.run_id, state, reason, diagnosis)
        except MicroscopeError as exc:
            log.warning("run %s was not kept: %s", Plain(job.run_id), exc)
            state, reason = "failed", f"{reason} {exc}".strip()
        except Exception as exc:
            log.exception("run %s could not be kept", Plain(job.run_id))
            state, reason = "failed", f"{reason} It could not be kept: {type(exc).__name__}: {exc}.".strip()
        with self.lock:
            job.end(state, reason)
            self.ended[job.run_id] = (job.person, job.status(0))
            while len(self.ended) > REMEMBERED:
                del self.ended[next(iter(self.ended))]
            self.lock.notify_all()

    def keep_beating(self) -> None:
        """Prove every few seconds that this worker lives, and see which others do not."""
        told = ""
        while not self.closing.wait(BEAT_SECONDS):
            try:
                # A visitor's workbench is watched from outside, so its worker beats while it waits too.
                if self.worker.is_alive() and (is_restricted() or self.current or self.queue):
                    self.store.beat(self.worker_id)
                if self.store.has_unfinished(self.worker_id):
                    self.store.mark_interrupted({self.worker_id})
                told = ""
            except StorageError as exc:
                if told != str(exc):  # once for each fault: on a full disk a log that grows would only make it worse
                    log.warning("the run store cannot be reached (%s): %s", Plain(exc.fault), exc)
                told = str(exc)


def from_summary(summary: RunSummary) -> JobStatus:
    """Return where a run stands by the store's word; of a run of another program that is all there is to know."""
    seconds = 0.0
    if summary.started_at and summary.finished_at:
        took = datetime.fromisoformat(summary.finished_at) - datetime.fromisoformat(summary.started_at)
        seconds = took.total_seconds()
    return JobStatus(run_id=summary.id, state=summary.state, seconds=seconds, error=summary.reason)


def default_desk() -> JobDesk:
    """Return this program's one desk over the data folder's store, opened on first use."""
    with OPENING:
        return open_desk()


@cache
def open_desk() -> JobDesk:
    """Return a desk that closes with the program."""
    from engine.runs.first_look import look_by_words
    from engine.runs.jobs.turns import TURNS
    from engine.runs.jobs.warm_up import warm_up
    from engine.runs.run import run_request

    store = default_store()

    def warm_whole(report: Report) -> None:
        with TURNS.taken(report, import_torch):
            warm_up(store, report)

    def run_whole(request: DiagnosisRequest, report: Report, *earlier: Diagnosis) -> Diagnosis:
        with TURNS.taken(report, import_torch):
            return run_request(request, report, *earlier)

    desk = JobDesk(store, run_whole, warm_whole, look_by_words)
    atexit.register(desk.shutdown, 2.0)
    return desk
