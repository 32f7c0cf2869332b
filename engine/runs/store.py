"""The store of runs: one SQLite file that several threads and several processes may use at once.

Every run is somebody's: whoever a thread acts for (``engine.core.allowed``) sees and changes their own runs only, and
the recorded examples are everybody's. Deleting hides a run and can be undone; ``engine.runs.deletion`` lists what was
deleted and erases it for good. Shipped runs are read from their files (``engine.runs.sample_runs``); reading never
writes. A row with a shipped run's id marks it as deleted, or was copied here by an earlier version.

A queued or running run belongs to a *worker*, which proves that it lives by a beat every few seconds. Process numbers
would not do: containers that share a store each have their own.
"""

import json
import re
import secrets
import time
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    case,
    func,
    inspect,
    literal_column,
    select,
    true,
)
from sqlalchemy.exc import IntegrityError

from engine.core.allowed import OWNER, acting_person, owner_name, refuse_visitors
from engine.core.clock import now, past_time
from engine.core.database import Database, Schema
from engine.core.errors import RecordError
from engine.core.folders import data_folder, sample_data
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, request_from_json, to_json
from engine.diagnosis.settings import settings_of
from engine.runs.bundle import import_record
from engine.runs.limits import refuse_beyond_limits
from engine.runs.sample_runs import RECORDED, SampleRun, list_sample_runs, read_run

State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
Origin = Literal["asked", "sample", "atlas", "imported", "study"]
SHIPPED: tuple[Origin, ...] = ("sample", "atlas")
STATES: tuple[State, ...] = get_args(State)
STOPPED: tuple[State, ...] = ("failed", "cancelled", "interrupted")
BEAT_EXPIRY = 20.0
ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
INTERRUPTED = "The program stopped before this run was finished; the methods it had finished are kept."

TABLES = MetaData()
RUNS = Table(
    "runs",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("created_at", Text, nullable=False),
    Column("started_at", Text),
    Column("finished_at", Text),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("request_json", Text, nullable=False),
    Column("diagnosis_json", LargeBinary),
    Column("answer", Text),
    Column("parent", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("deleted_at", Text),
    Column("person", Text, nullable=False, server_default=OWNER),
)
WORKERS = Table("workers", TABLES, Column("id", Text, primary_key=True), Column("beat_at", Float, nullable=False))
ORDER: ColumnElement[int] = literal_column("rowid", Integer)


def make_tables(connection: Connection) -> None:
    """Make the tables of an empty store, as they are today."""
    TABLES.create_all(connection)


def add_person(connection: Connection) -> None:
    """Say of every run whose it is; those of an older store are the owner's."""
    if "person" not in {column["name"] for column in inspect(connection).get_columns("runs")}:
        connection.exec_driver_sql(f"ALTER TABLE runs ADD COLUMN person TEXT NOT NULL DEFAULT '{OWNER}'")


SCHEMA = Schema(name="the run store", steps=(make_tables, add_person))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A line of the list of runs: no record is read for it. Times are UTC, ISO 8601; ``answer`` "" until there is one.

    ``parent`` is the run this one was made from, "" for a first one; ``methods`` and ``model`` are those asked for.
    ``deleted_at`` is "" unless the run was deleted.
    """

    id: str
    created_at: str
    started_at: str
    finished_at: str
    state: State
    reason: str
    question: str
    answer: str
    parent: str
    origin: Origin
    methods: tuple[str, ...] = ()
    model: str = ""
    deleted_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as it is kept. ``diagnosis`` is None until the first answer, and partial until ``state`` is "done"."""

    id: str
    created_at: str
    started_at: str
    finished_at: str
    state: State
    reason: str
    request: DiagnosisRequest
    diagnosis: Diagnosis | None
    parent: str
    origin: Origin


COMMON_FIELDS = [name for name in StoredRun.__dataclass_fields__ if name in RunSummary.__dataclass_fields__]
IS_ERASED = RUNS.c.request_json == ""
IS_READABLE = func.json_valid(RUNS.c.request_json) == 1
ASKED_METHODS = case((IS_READABLE, func.json_extract(RUNS.c.request_json, "$.methods")), else_="[]").label("methods")
ASKED_MODEL = case((IS_READABLE, func.json_extract(RUNS.c.request_json, "$.model")), else_="").label("model")
SUMMARIES = RUNS.select().with_only_columns(
    *(RUNS.c[name] for name in RunSummary.__dataclass_fields__ if name in RUNS.c), ASKED_METHODS, ASKED_MODEL
)


class RunStore:
    """The runs of one file, held open. Every method raises StorageError where the file cannot be used."""

    def __init__(self, path: Path | None = None, samples: Path | None = None) -> None:
        """Open the store, made if absent; ``path`` None is ``runs.sqlite`` in the data folder.

        ``samples`` is a folder of shipped runs, which are read from their files as if they were in the store.
        """
        self.path = path or data_folder() / "runs.sqlite"
        self.samples = samples
        self.database = Database(self.path, SCHEMA)
        self.database.open()

    def create(
        self, request: DiagnosisRequest, run_id: str | None = None, origin: Origin = "asked", owner: str = ""
    ) -> str:
        """Return the id of a new queued run. Raises RecordError where ``run_id`` is taken or not url-safe."""
        return self.insert(run_id, request, state="queued", origin=origin, owner=owner)

    def take_up(self, run_id: str, owner: str, states: Sequence[State] = STOPPED) -> bool:
        """Return whether a run in one of these states is queued again now, for this worker; of two at once one does."""
        stopped = own_row(run_id) & RUNS.c.state.in_(states) & RUNS.c.deleted_at.is_(None)
        values = {"state": "queued", "reason": "", "finished_at": None, "owner": owner}
        with self.database.transaction() as connection:
            return connection.execute(RUNS.update().where(stopped).values(values)).rowcount == 1

    def save(self, run_id: str, diagnosis: Diagnosis) -> None:
        """Keep a diagnosis, partial or whole, in place of the one before. Raises RecordError for an unknown run."""
        self.change(run_id, **packed(diagnosis))

    def start(self, run_id: str) -> None:
        """Mark a queued run as running."""
        self.change(run_id, state="running", started_at=now())

    def finish(self, run_id: str, state: State, reason: str = "", diagnosis: Diagnosis | None = None) -> None:
        """Set a run's state and reason, with its whole diagnosis in the same transaction where one is given."""
        if state not in STATES:
            raise ValueError(f"state must be one of {', '.join(STATES)}, got {state!r}")
        record = {} if diagnosis is None else packed(diagnosis)
        ended = None if state in ("queued", "running") else now()
        self.change(run_id, state=state, reason=reason, finished_at=ended, **record)

    def change(self, run_id: str, **values: object) -> None:
        """Set columns of one run. Raises RecordError where there is no such run."""
        with self.database.transaction() as connection:
            changed = connection.execute(RUNS.update().where(own_row(run_id)).values(values))
            if changed.rowcount == 0:
                raise unknown(run_id)

    def get(self, run_id: str) -> StoredRun:
        """Return a run. Raises RecordError where it is unknown, deleted or its record cannot be read."""
        with self.database.reading() as connection:
            row = connection.execute(RUNS.select().where(own_row(run_id))).one_or_none()
        if row is not None and row.deleted_at is not None:
            raise gone(row)
        shipped = self.sample_runs().get(run_id)
        if shipped is not None and self.samples is not None and (row is None or row.origin in SHIPPED):
            diagnosis = read_run(self.samples / shipped.file)
            return with_record(sample_summary(shipped), request_of(diagnosis), diagnosis)
        if row is None:
            raise unknown(run_id)
        return stored(row)

    def summary(self, run_id: str) -> RunSummary:
        """Return a run's line of the list, without reading its record. Raises RecordError where it is unknown."""
        with self.database.reading() as connection:
            row = connection.execute(SUMMARIES.where(own_row(run_id))).one_or_none()
        if row is not None:
            return summary(row)
        if run_id in (shipped := self.sample_runs()):
            return sample_summary(shipped[run_id])
        raise unknown(run_id)

    def listing(self, limit: int = 100, search: str = "", *, studies: bool = False) -> tuple[RunSummary, ...]:
        """Return at most ``limit`` runs, newest first, whose question or answer contains ``search`` in any case.

        Shipped runs are among them; the failure atlas's only where a search finds them, studies' also with ``studies``.
        """
        shipped = self.sample_runs()
        wanted = search.casefold().strip()
        mine = RUNS.c.id.in_(list(shipped))
        outdated = mine & RUNS.c.origin.in_(SHIPPED) & RUNS.c.deleted_at.is_(None)
        query = SUMMARIES.where(RUNS.c.deleted_at.is_(None) & ~outdated & own_rows())
        if not (wanted or studies):
            query = query.where(RUNS.c.origin != "study")
        found: list[RunSummary] = []
        with self.database.reading() as connection:
            replaced = set(connection.execute(select(RUNS.c.id).where(mine & ~outdated)).scalars())
            opened = set(connection.execute(select(RUNS.c.id).where(outdated)).scalars())
            for row in connection.execute(query.order_by(RUNS.c.created_at.desc(), ORDER.desc())):
                if len(found) >= limit:
                    break
                if wanted in f"{row.question}\n{row.answer or ''}".casefold():
                    found.append(summary(row))
        for run in shipped.values():
            shown = run.origin == "sample" or bool(wanted) or run.id in opened
            if shown and run.id not in replaced and wanted in f"{run.question}\n{run.answer}".casefold():
                found.append(sample_summary(run))
        return tuple(sorted(found, key=lambda run: run.created_at, reverse=True)[:limit])

    def recorded(self) -> tuple[RunSummary, ...]:
        """Return the recorded examples that are neither deleted nor replaced, by id; no stored run is read for it."""
        shipped = self.sample_runs()
        mine = RUNS.c.id.in_(list(shipped))
        outdated = mine & RUNS.c.origin.in_(SHIPPED) & RUNS.c.deleted_at.is_(None)
        with self.database.reading() as connection:
            replaced = set(connection.execute(select(RUNS.c.id).where(mine & ~outdated)).scalars())
        shown = (run for run in shipped.values() if run.file.startswith(f"{RECORDED}/") and run.id not in replaced)
        return tuple(sorted(map(sample_summary, shown), key=lambda run: run.id))

    def sample_runs(self) -> dict[str, SampleRun]:
        """Return the shipped runs by id."""
        return {} if self.samples is None else list_sample_runs(self.samples)

    def delete(self, run_id: str) -> None:
        """Hide a run; ``restore`` brings it back. A shipped run is copied into the store first, to be hidden there."""
        try:
            self.change(run_id, deleted_at=now())
        except RecordError:
            if run_id not in self.sample_runs():
                raise
            refuse_visitors("Deleting a recorded example")
            try:
                run = self.get(run_id)
                times = {"created_at": run.created_at, "finished_at": run.finished_at, "deleted_at": now()}
                self.insert(run_id, run.request, state="done", origin=run.origin, **times)
            except RecordError:  # somebody else has hidden it meanwhile
                self.change(run_id, deleted_at=now())

    def restore(self, run_id: str) -> None:
        """Bring a deleted run back. Raises RecordError where it is unknown or erased."""
        with self.database.transaction() as connection:
            restored = RUNS.update().where(own_row(run_id) & ~IS_ERASED).values(deleted_at=None)
            if connection.execute(restored).rowcount == 0:
                raise unknown(run_id)

    def import_json(self, text: str | bytes, run_id: str | None = None, origin: Origin = "imported") -> str:
        """Return the id of a finished run made from an export: a run bundle or plain JSON. Raises RecordError.

        It stands in the list at the time its record says it was asked.
        """
        refuse_beyond_limits(self.usage, waits=False)  # before anything is unpacked
        diagnosis = import_record(text)
        refuse_beyond_limits(self.usage, waits=False)  # more of the same person may have come meanwhile
        times = {"created_at": past_time(diagnosis.provenance.started_at), "finished_at": now()}
        return self.insert(run_id, request_of(diagnosis), state="done", origin=origin, **times, **packed(diagnosis))

    def keep(self, request: DiagnosisRequest, diagnosis: Diagnosis) -> str:
        """Return the id of a finished run that was asked in a shell, with all it was asked with, its corpus too."""
        times = {"created_at": past_time(diagnosis.provenance.started_at), "finished_at": now()}
        return self.insert(None, request, state="done", origin="asked", **times, **packed(diagnosis))

    def insert(self, run_id: str | None, request: DiagnosisRequest, **values: object) -> str:
        """Return the id of a new row: ``values`` are the columns that the request does not say."""
        name = new_id() if run_id is None else checked_id(run_id)
        row = {
            "id": name,
            "created_at": now(),
            "reason": "",
            "question": request.question,
            "request_json": to_json(request),
            "parent": request.parent,
            "owner": "",
            "person": owner_name(),
            **values,
        }
        try:
            with self.database.transaction() as connection:
                connection.execute(RUNS.insert().values(row))
        except IntegrityError as exc:
            raise RecordError(f"There is already a run with the id {name}.") from exc
        return name

    def usage(self, person: str, since: str) -> tuple[int, int, tuple[str, ...]]:
        """Return how many runs wait or are worked on, of everybody and of one person, and when that person came.

        The times are those of the person's questions and imports since then, deleted ones too, the first one first.
        """
        going, own = RUNS.c.state.in_(("queued", "running")), RUNS.c.person == person
        # An import stands at the time of its record; when it came is when it was finished.
        came = case((RUNS.c.origin == "imported", RUNS.c.finished_at), else_=RUNS.c.created_at)
        with self.database.reading() as connection:
            waiting = [row.person for row in connection.execute(select(RUNS.c.person).where(going))]
            times = connection.execute(select(came).where(own & (came >= since)).order_by(came)).scalars()
            return len(waiting), waiting.count(person), tuple(times)

    def beat(self, worker: str) -> None:
        """Record that a worker lives, now."""
        with self.database.transaction() as connection:
            connection.execute(WORKERS.delete().where(WORKERS.c.id == worker))
            connection.execute(WORKERS.insert().values(id=worker, beat_at=time.time()))

    def retire(self, worker: str) -> None:
        """Record that a worker has stopped: what it left unfinished counts as interrupted from now on."""
        with self.database.transaction() as connection:
            connection.execute(WORKERS.delete().where(WORKERS.c.id == worker))

    def has_unfinished(self, besides: str) -> bool:
        """Return whether another worker's run is queued or running."""
        query = select(RUNS.c.id).where(RUNS.c.state.in_(("queued", "running")) & (RUNS.c.owner != besides))
        with self.database.reading() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def awaits(self, corpus: str) -> bool:
        """Return whether anybody's queued or running run looks into a corpus, by its path."""
        query = select(RUNS.c.request_json).where(RUNS.c.state.in_(("queued", "running")))
        with self.database.reading() as connection:
            return any(request_from_json(text).corpus == corpus for text in connection.execute(query).scalars())

    def mark_interrupted(self, alive: Collection[str] = ()) -> tuple[str, ...]:
        """Return the unfinished runs of workers neither ``alive`` nor beating, after marking them as interrupted.

        The beats are read in the same transaction: a worker that took a run since the caller looked keeps it.
        """
        recent = func.abs(WORKERS.c.beat_at - time.time()) <= BEAT_EXPIRY  # one ahead is from before the clock was set
        abandoned = RUNS.c.owner.not_in(sorted(alive)) & RUNS.c.owner.not_in(select(WORKERS.c.id).where(recent))
        unfinished = RUNS.c.state.in_(("queued", "running")) & abandoned
        with self.database.transaction() as connection:
            ids = tuple(connection.execute(select(RUNS.c.id).where(unfinished)).scalars())
            values = {"state": "interrupted", "reason": INTERRUPTED, "finished_at": now()}
            connection.execute(RUNS.update().where(unfinished).values(values))
        return ids

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close()


def own_rows() -> ColumnElement[bool]:
    """Return the condition that a run is whoever's this thread acts for; the owner may see all."""
    person = acting_person()
    return true() if person is None else RUNS.c.person == person


def own_row(run_id: str) -> ColumnElement[bool]:
    """Return the condition that a run has this id, and is whoever's this thread acts for."""
    return (RUNS.c.id == run_id) & own_rows()


def packed(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the columns that hold a diagnosis: the record compressed, and its answer for the list."""
    return {"diagnosis_json": zlib.compress(to_json(diagnosis).encode(), 1), "answer": diagnosis.answer.text}


def stored(row: Row[Any]) -> StoredRun:
    """Return a row of the table as a record. Raises RecordError where it cannot be read."""
    diagnosis = None if row.diagnosis_json is None else from_json(unpacked(row.diagnosis_json))
    return with_record(row, request_from_json(row.request_json), diagnosis)


def with_record(line: Row[Any] | RunSummary, request: DiagnosisRequest, diagnosis: Diagnosis | None) -> StoredRun:
    """Return a run with its request and its record; what has not happened yet is ""."""
    values: dict[str, Any] = {name: getattr(line, name) or "" for name in COMMON_FIELDS}
    return StoredRun(**values, request=request, diagnosis=diagnosis)


def sample_summary(run: SampleRun) -> RunSummary:
    """Return a shipped run's line of the list, at the time it was recorded."""
    recorded = past_time(run.started_at)
    return RunSummary(
        id=run.id,
        created_at=recorded,
        started_at="",
        finished_at=recorded,
        state="done",
        reason="",
        question=run.question,
        answer=run.answer,
        parent=run.parent,
        origin=run.origin,
        methods=run.methods,
    )


def summary(row: Row[*tuple[Any, ...]]) -> RunSummary:
    """Return a row of the listing as a record; what is not there yet is ""."""
    values: dict[str, Any] = {name: value or "" for name, value in row._asdict().items()}
    return RunSummary(**{**values, "methods": tuple(json.loads(row.methods or "[]"))})


def unpacked(blob: bytes) -> str:
    """Return the text of a compressed record. Raises RecordError where the bytes are damaged."""
    try:
        return zlib.decompress(blob).decode()
    except (zlib.error, UnicodeDecodeError) as exc:
        raise RecordError(f"The stored record is damaged: {exc}.") from exc


def request_of(diagnosis: Diagnosis) -> DiagnosisRequest:
    """Return the request that would ask for this diagnosis again, over the very passages it saw.

    Of a method without a result the settings are not known; it takes the defaults.
    """
    provenance = diagnosis.provenance
    passages: tuple[Passage, ...] = tuple(hit.passage for hit in diagnosis.hits)
    return DiagnosisRequest(
        question=diagnosis.question,
        passages=passages,
        golds=diagnosis.golds,
        methods=tuple(outcome.method for outcome in diagnosis.outcomes),
        model=provenance.model,
        judge=provenance.judge,
        seed=provenance.seed,
        k=len(passages) or None,
        profile="paper" if provenance.profile == "paper" else "embedded",
        parent=diagnosis.parent,
        imported=diagnosis.imported,
        **settings_of(diagnosis),
    )


def default_store() -> RunStore:
    """Return the store of the data folder, with the runs shipped with the program."""
    return RunStore(samples=sample_data())


def new_id() -> str:
    """Return ten letters and digits nobody will mix up, different each time (about 50 bits)."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(10))


def checked_id(run_id: str) -> str:
    """Return the id. Raises RecordError where it could not stand in an address."""
    if not RUN_ID.fullmatch(run_id):
        raise RecordError("A run's id is 1 to 64 letters, digits, hyphens and underscores.")
    return run_id


def unknown(run_id: str) -> RecordError:
    """Return the error that says there is no such run."""
    return RecordError(f"There is no run with the id {run_id[:64]!r} in this store.")


def gone(row: Row[Any]) -> RecordError:
    """Return the error that says a run was deleted, and whether it can come back."""
    way = "for good." if row.request_json == "" else "but can be restored."
    return RecordError(f"The run {row.id} was deleted {way}")
