"""The store of studies: plans, questions, and the row of each finished point, in one SQLite file beside the runs.

A row repeats what its run holds, so that a table of thousands opens at once; the run stays the record. What a study is
told to do (go, pause, cancel) stands here too: a page can stop a study that another program works on.
"""

import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pydantic_core
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    func,
    select,
)

from engine.core.clock import is_recent, now
from engine.core.database import Database, Schema
from engine.core.errors import RecordError
from engine.core.folders import data_folder
from engine.core.json_text import first_fault
from engine.runs.store import new_id
from engine.runs.studies.records import (
    Control,
    Number,
    Point,
    PointState,
    QuestionFile,
    Study,
    StudyPlan,
    StudyQuestion,
    StudyState,
)
from engine.runs.studies.row import Row

BEAT_EXPIRY = 10.0
TABLES = MetaData()
STUDIES = Table(
    "studies",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("created_at", Text, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("plan_json", Text, nullable=False),
    Column("control", Text, nullable=False),
    Column("beat_at", Float, nullable=False),
    Column("deleted_at", Text),
)
QUESTIONS = Table(
    "questions",
    TABLES,
    Column("study", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("question_json", Text, nullable=False),
)
POINTS = Table(
    "points",
    TABLES,
    Column("study", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("variant", Integer, primary_key=True),
    Column("run", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("row_json", LargeBinary),
)
NUMBERS = Table(
    "numbers",
    TABLES,
    Column("study", Text, primary_key=True),
    Column("address", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("unit", Text, nullable=False),
    Column("range", Text, nullable=False),
)
PLAN = TypeAdapter(StudyPlan)
QUESTION = TypeAdapter(StudyQuestion)
ROW = TypeAdapter(Row)


def make_tables(connection: Connection) -> None:
    """Make the tables of an empty store."""
    TABLES.create_all(connection)


SCHEMA = Schema(name="the store of studies", steps=(make_tables,))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPoint:
    """A point with its question, and its row where it has one."""

    point: Point
    question: StudyQuestion
    row: Row | None


class StudyStore:
    """The studies of one file, held open. Every method raises StorageError where the file cannot be used."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the store, made if absent; ``path`` None is ``studies.sqlite`` in the data folder."""
        self.path = path or data_folder() / "studies.sqlite"
        self.database = Database(self.path, SCHEMA)
        self.database.open()

    def create(self, plan: StudyPlan, file: QuestionFile, points: Sequence[Point]) -> str:
        """Return the id of a new study with all its points waiting."""
        study, when = new_id(), now()
        plan_json = pydantic_core.to_json(plan, inf_nan_mode="strings").decode()
        questions = [
            {"study": study, "number": one.number, "question_json": pydantic_core.to_json(one).decode()}
            for one in file.questions
        ]
        with self.database.transaction() as connection:
            times = {"created_at": when, "changed_at": when, "beat_at": 0.0}
            connection.execute(STUDIES.insert().values(id=study, plan_json=plan_json, control="go", **times))
            connection.execute(QUESTIONS.insert(), questions)
            connection.execute(POINTS.insert(), [{"study": study, **asdict(one)} for one in points])
        return study

    def get(self, study: str, *, hidden: bool = False) -> Study:
        """Return a study; ``hidden``: a deleted one too. Raises RecordError where it is unknown or cannot be read."""
        wanted = STUDIES.c.id == study
        found = next(self.listed(wanted if hidden else wanted & STUDIES.c.deleted_at.is_(None), study), None)
        if found is None:
            deleted = not hidden and next(self.listed(wanted, study), None) is not None
            raise gone(study) if deleted else unknown(study)
        return read_study(*found)

    def listing(self) -> tuple[Study, ...]:
        """Return every study that can be read, newest first."""
        return self.readable(STUDIES.c.deleted_at.is_(None))

    def deleted(self) -> tuple[Study, ...]:
        """Return every deleted study that can be read, newest first."""
        return self.readable(STUDIES.c.deleted_at.is_not(None))

    def damaged(self) -> tuple[str, ...]:
        """Return the ids of the studies that ``listing`` leaves out, since they cannot be read; newest first."""
        query = select(STUDIES.c.id, STUDIES.c.plan_json).where(STUDIES.c.deleted_at.is_(None))
        with self.database.reading() as connection:
            rows = connection.execute(query.order_by(STUDIES.c.created_at.desc())).all()
        return tuple(row.id for row in rows if not can_read(row.plan_json))

    def readable(self, wanted: ColumnElement[bool]) -> tuple[Study, ...]:
        """Return the wanted studies that can be read, newest first."""
        found = []
        for one in self.listed(wanted):
            with suppress(RecordError):
                found.append(read_study(*one))
        return tuple(found)

    def listed(
        self, wanted: ColumnElement[bool], only: str | None = None
    ) -> Iterator[tuple[Any, dict[str, int], float]]:
        """Yield the rows of the wanted studies, newest first, each with its points by state and their seconds.

        ``only``: the points of one study are looked at.
        """
        counted = select(POINTS.c.study, POINTS.c.state, func.count(), func.sum(POINTS.c.seconds))
        if only is not None:
            counted = counted.where(POINTS.c.study == only)
        with self.database.reading() as connection:
            rows = connection.execute(STUDIES.select().where(wanted).order_by(STUDIES.c.created_at.desc())).all()
            sums = connection.execute(counted.group_by(POINTS.c.study, POINTS.c.state)).all()
        states: dict[str, dict[str, int]] = {}
        seconds: dict[str, float] = {}
        for study, point_state, number, took in sums:
            states.setdefault(study, {})[point_state] = number
            if point_state != "waiting":  # a failed point that is asked again keeps the seconds of its first try
                seconds[study] = seconds.get(study, 0.0) + float(took or 0.0)
        for row in rows:
            yield row, states.get(row.id, {}), seconds.get(row.id, 0.0)

    def control(self, study: str) -> Control:
        """Return what a study is told to do, "cancel" where it was deleted. Raises RecordError where it is unknown."""
        query = select(STUDIES.c.control, STUDIES.c.deleted_at).where(STUDIES.c.id == study)
        with self.database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise unknown(study)
        told: Control = row.control if row.deleted_at is None else "cancel"
        return told

    def tell(self, study: str, control: Control) -> None:
        """Tell a study to go on, to pause or to stop."""
        self.change(study, control=control)

    def beat(self, study: str, moment: float | None = None) -> None:
        """Record that somebody works on a study now; ``moment`` 0 records that nobody does any more."""
        self.change(study, beat_at=time.time() if moment is None else moment)

    def delete(self, study: str) -> None:
        """Hide a study and tell it to stop; its runs stay in the run store."""
        self.change(study, deleted_at=now(), control="cancel")

    def restore(self, study: str) -> None:
        """Bring a deleted study back."""
        self.change(study, deleted_at=None)

    def erase(self, study: str) -> None:
        """Remove a deleted study with its questions and its table for good; its runs stay in the run store.

        Raises RecordError where it is unknown, not deleted, or somebody still works on it.
        """
        found = select(STUDIES.c.deleted_at, STUDIES.c.beat_at).where(STUDIES.c.id == study)
        with self.database.transaction() as connection:
            row = connection.execute(found).one_or_none()
            if row is None:
                raise unknown(study)
            if row.deleted_at is None:
                raise RecordError(f"The study {study} is not deleted. Delete it first.")
            if is_recent(row.beat_at, BEAT_EXPIRY):
                raise RecordError(f"The study {study} is still stopping. Try again in a moment.")
            for table in (POINTS, QUESTIONS, NUMBERS):
                connection.execute(table.delete().where(table.c.study == study))
            connection.execute(STUDIES.delete().where(STUDIES.c.id == study))
        self.database.empty_log()

    def change(self, study: str, **values: object) -> None:
        """Set columns of one study. Raises RecordError where there is no such study."""
        with self.database.transaction() as connection:
            if connection.execute(STUDIES.update().where(STUDIES.c.id == study).values(values)).rowcount == 0:
                raise unknown(study)

    def waiting(self, study: str) -> tuple[KeptPoint, ...]:
        """Return the points that are still to be asked, in order, with their questions."""
        return tuple(one for one in self.kept(study, (POINTS.c.state == "waiting"), rows=False))

    def kept_points(self, study: str) -> tuple[KeptPoint, ...]:
        """Return every point with its question and its row, in order."""
        return tuple(self.kept(study, POINTS.c.study == study, rows=True))

    def kept(self, study: str, wanted: Any, *, rows: bool) -> Iterable[KeptPoint]:
        """Return the points that are wanted, with their questions; ``rows`` with what was found."""
        columns = [POINTS.c[name] for name in ("number", "variant", "run", "state", "reason", "seconds")]
        query = (
            select(*columns, *([POINTS.c.row_json] if rows else []))
            .where((POINTS.c.study == study) & wanted)
            .order_by(POINTS.c.number, POINTS.c.variant)
        )
        with self.database.reading() as connection:
            told = connection.execute(select(QUESTIONS).where(QUESTIONS.c.study == study)).all()
            found = connection.execute(query).all()
        questions = {one.number: read_question(one.question_json) for one in told}
        for one in found:
            point = Point(**{name: getattr(one, name) for name in Point.__dataclass_fields__})
            row = read_row(one.row_json) if rows and one.row_json is not None else None
            yield KeptPoint(point=point, question=questions[one.number], row=row)

    def conclude(
        self, study: str, point: Point, state: PointState, reason: str, seconds: float, found: tuple[Row, Any] | None
    ) -> None:
        """Keep how a point ended, with its row and the names of its numbers, all in one transaction."""
        values: dict[str, Any] = {"state": state, "reason": reason, "seconds": seconds}
        if found is not None:
            text = pydantic_core.to_json(found[0], inf_nan_mode="strings")
            values["row_json"] = zlib.compress(text, 1)
        one = (POINTS.c.study == study) & (POINTS.c.number == point.number) & (POINTS.c.variant == point.variant)
        with self.database.transaction() as connection:
            connection.execute(POINTS.update().where(one).values(values))
            if found is not None:
                add_numbers(connection, study, found[1])
            connection.execute(STUDIES.update().where(STUDIES.c.id == study).values(changed_at=now()))

    def ask_again(self, study: str) -> int:
        """Return how many failed points wait to be asked again now; their reasons stay until then."""
        failed = (POINTS.c.study == study) & (POINTS.c.state == "failed")
        with self.database.transaction() as connection:
            number = connection.execute(POINTS.update().where(failed).values(state="waiting")).rowcount
            connection.execute(STUDIES.update().where(STUDIES.c.id == study).values(control="go", changed_at=now()))
        return int(number)

    def numbers(self, study: str) -> tuple[Number, ...]:
        """Return what the columns of numbers are called, in the order in which they were first seen."""
        query = NUMBERS.select().where(NUMBERS.c.study == study).order_by(NUMBERS.c.place)
        with self.database.reading() as connection:
            rows = connection.execute(query).all()
        return tuple(Number(address=row.address, title=row.title, unit=row.unit, range=row.range) for row in rows)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close()


def add_numbers(connection: Connection, study: str, numbers: Sequence[Number]) -> None:
    """Keep the names of numbers that this study has not seen before."""
    known = set(connection.execute(select(NUMBERS.c.address).where(NUMBERS.c.study == study)).scalars())
    fresh = [one for one in numbers if one.address not in known]
    if fresh:
        first = len(known)
        connection.execute(
            NUMBERS.insert(), [{"study": study, "place": first + at, **asdict(one)} for at, one in enumerate(fresh)]
        )


def unknown(study: str) -> RecordError:
    """Return the error that says there is no such study."""
    return RecordError(f"There is no study with the id {study[:64]!r} in this store.")


def gone(study: str) -> RecordError:
    """Return the error that says a study was deleted."""
    return RecordError(f"The study {study} was deleted but can be restored.")


def state_of(control: Control, beat_at: float, waiting: int) -> StudyState:
    """Return where a study stands: by what is left of it, what it is told, and whether somebody works on it."""
    if not waiting:
        return "done"
    if control == "go":
        return "running" if is_recent(beat_at, BEAT_EXPIRY) else "stopped"
    return "paused" if control == "pause" else "cancelled"


def read_study(row: Any, states: Mapping[str, int], seconds: float) -> Study:
    """Return a study from its stored row and its points by state. Raises RecordError where it cannot be read."""
    waiting = states.get("waiting", 0)
    return Study(
        id=row.id,
        created_at=row.created_at,
        plan=read_plan(row.plan_json),
        waiting=waiting,
        done=states.get("done", 0),
        failed=states.get("failed", 0),
        state=state_of(row.control, row.beat_at, waiting),
        seconds=seconds,
        changed_at=row.changed_at,
    )


def can_read(text: str) -> bool:
    """Return whether a stored text is a plan."""
    try:
        read_plan(text)
    except RecordError:
        return False
    return True


def read_plan(text: str) -> StudyPlan:
    """Return the plan in a stored text. Raises RecordError where it cannot be read."""
    try:
        return PLAN.validate_json(text)
    except ValidationError as exc:
        raise RecordError(f"This study cannot be read: {first_fault(exc)}.") from exc


def read_question(text: str) -> StudyQuestion:
    """Return the question in a stored text. Raises RecordError where it cannot be read."""
    try:
        return QUESTION.validate_json(text)
    except ValidationError as exc:
        raise RecordError(f"A question of this study cannot be read: {first_fault(exc)}.") from exc


def read_row(blob: bytes) -> Row:
    """Return the row in stored bytes. Raises RecordError where it cannot be read."""
    try:
        return ROW.validate_json(zlib.decompress(blob))
    except (ValidationError, zlib.error) as exc:
        reason = first_fault(exc) if isinstance(exc, ValidationError) else str(exc)
        raise RecordError(f"A row of this study cannot be read: {reason}.") from exc
