"""What people predicted in the lessons and which steps they have seen: one SQLite file, several tabs at once.

The first prediction of a step counts: it was made before the reveal, and a second tab or a second click does not
replace it. A reset hides and never deletes, so that it can be undone. ``asked`` tells a question from the one that a
run recorded anew asks in its place: a prediction belongs to what was asked.
"""

from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, Row

from engine.core.clock import now
from engine.core.database import Database, Schema, sql_step
from engine.core.errors import InputError
from engine.core.folders import data_folder

FILE = "lessons.sqlite"
LONGEST = 200
PUT_BACK = "undone "
SCHEMA = Schema(
    name="the lesson progress",
    busy_seconds=5.0,
    steps=(
        sql_step(
            "CREATE TABLE IF NOT EXISTS answers (person TEXT NOT NULL, lesson TEXT NOT NULL, step INTEGER NOT NULL, "
            "asked TEXT NOT NULL, given TEXT NOT NULL, correct INTEGER NOT NULL, at TEXT NOT NULL, "
            "gone TEXT NOT NULL DEFAULT '', PRIMARY KEY (person, lesson, step, asked, gone))",
            "CREATE TABLE IF NOT EXISTS visits (person TEXT NOT NULL, lesson TEXT NOT NULL, step INTEGER NOT NULL, "
            "at TEXT NOT NULL, gone TEXT NOT NULL DEFAULT '', PRIMARY KEY (person, lesson, step, gone))",
        ),
        # A class that votes by phone (``polls``).
        sql_step(
            "CREATE TABLE classes (code TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, opened TEXT NOT NULL, "
            "closed TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, lesson TEXT NOT NULL DEFAULT '', "
            "step INTEGER NOT NULL DEFAULT 0, asked TEXT NOT NULL DEFAULT '', question TEXT NOT NULL DEFAULT '')",
            "CREATE TABLE revealed_votes (code TEXT NOT NULL REFERENCES classes ON DELETE CASCADE, "
            "lesson TEXT NOT NULL, step INTEGER NOT NULL, asked TEXT NOT NULL, "
            "PRIMARY KEY (code, lesson, step, asked))",
            "CREATE TABLE ballots (code TEXT NOT NULL REFERENCES classes ON DELETE CASCADE, lesson TEXT NOT NULL, "
            "step INTEGER NOT NULL, asked TEXT NOT NULL, voter TEXT NOT NULL, given TEXT NOT NULL, "
            "PRIMARY KEY (code, lesson, step, asked, voter))",
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What somebody predicted at a step (from 1), whether it was right, and when (UTC, ISO 8601)."""

    lesson: str
    step: int
    asked: str
    given: str
    right: bool
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far somebody is in a lesson: the steps seen, ascending, and the one seen last."""

    lesson: str
    seen: tuple[int, ...]
    last: int


class ProgressStore:
    """The file of answers and visits. Raises StorageError with a sentence where it cannot be used."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, made if absent; ``path`` None is the one in the data folder."""
        self.database = Database(path or data_folder() / FILE, SCHEMA)
        self.database.open()

    def keep(self, person: str, prediction: Prediction) -> Prediction:
        """Return the prediction that counts for this person and question: the first one, this one where there is none.

        Raises InputError on a text that is too long to be an answer.
        """
        if len(prediction.given) > LONGEST or not 0 < prediction.step < 1000:
            raise InputError(f"An answer has at most {LONGEST} characters.")
        row = (person, prediction.lesson, prediction.step, prediction.asked)
        given = prediction.given.encode("utf-8", "replace").decode()
        with self.database.transaction() as connection:
            connection.exec_driver_sql(
                "INSERT OR IGNORE INTO answers (person, lesson, step, asked, given, correct, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, given, prediction.right, now()),
            )
            kept = connection.exec_driver_sql(
                "SELECT lesson, step, asked, given, correct, at FROM answers "
                "WHERE person = ? AND lesson = ? AND step = ? AND asked = ? AND gone = ''",
                row,
            ).one()
        return prediction_of(kept)

    def predictions(self, person: str) -> tuple[Prediction, ...]:
        """Return everything a person predicted and did not reset, by lesson and step."""
        with self.database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT lesson, step, asked, given, correct, at FROM answers WHERE person = ? AND gone = '' "
                "ORDER BY lesson, step, at",
                (person,),
            ).fetchall()
        return tuple(prediction_of(row) for row in rows)

    def visit(self, person: str, lesson: str, step: int) -> None:
        """Keep that a person has seen a step, now."""
        with self.database.transaction() as connection:
            connection.exec_driver_sql(
                "INSERT INTO visits (person, lesson, step, at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (person, lesson, step, gone) DO UPDATE SET at = excluded.at",
                (person, lesson, step, now()),
            )

    def places(self, person: str) -> dict[str, Place]:
        """Return how far a person is in each lesson they have begun."""
        with self.database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT lesson, step FROM visits WHERE person = ? AND gone = '' ORDER BY at", (person,)
            ).fetchall()
        steps: dict[str, list[int]] = {}
        for lesson, step in rows:
            steps.setdefault(lesson, []).append(step)
        return {lesson: Place(lesson=lesson, seen=tuple(sorted(seen)), last=seen[-1]) for lesson, seen in steps.items()}

    def reset(self, person: str, lesson: str = "") -> None:
        """Hide what a person did in a lesson, in all lessons where none is named; ``undo`` brings it back."""
        token = f"{now()} {token_hex(4)}"
        with self.database.transaction() as connection:
            for table in ("answers", "visits"):
                connection.exec_driver_sql(
                    f"UPDATE {table} SET gone = ? WHERE person = ? AND gone = '' AND (lesson = ? OR ? = '')",
                    (token, person, lesson, lesson),
                )

    def can_undo(self, person: str) -> bool:
        """Return whether a person has a reset to take back."""
        with self.database.reading() as connection:
            return last_reset(connection, person) is not None

    def undo(self, person: str) -> None:
        """Take back a person's last reset. What was answered anew since then stays as it is."""
        with self.database.transaction() as connection:
            token = last_reset(connection, person)
            for table in ("answers", "visits"):
                connection.exec_driver_sql(
                    f"UPDATE OR IGNORE {table} SET gone = '' WHERE person = ? AND gone = ?", (person, token)
                )
                connection.exec_driver_sql(
                    f"UPDATE {table} SET gone = ? WHERE person = ? AND gone = ?", (f"{PUT_BACK}{token}", person, token)
                )


def last_reset(connection: Connection, person: str) -> str | None:
    """Return the mark of a person's last reset that was not taken back, None where there is none."""
    mark: str | None = connection.exec_driver_sql(
        "SELECT max(gone) FROM (SELECT gone FROM answers WHERE person = ? UNION SELECT gone FROM visits "
        "WHERE person = ?) WHERE gone != '' AND gone NOT LIKE ?",
        (person, person, f"{PUT_BACK}%"),
    ).scalar()
    return mark


def prediction_of(row: Row[Any]) -> Prediction:
    """Return a row of the answers as a record."""
    lesson, step, asked, given, right, at = tuple(row)
    return Prediction(lesson=lesson, step=step, asked=asked, given=given, right=bool(right), at=at)
