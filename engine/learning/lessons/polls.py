"""A class that votes from phones: who leads it, what is asked now, and one ballot a voter.

A class has a code of four letters. Whoever opened it leads it: shows a question, reveals it, closes the class. Until
the reveal a voter's last ballot counts; none is taken afterwards. A voter is a hash of the person and the class, so
ballots of two classes cannot be put together, and nothing else of a person is kept. Closing a class deletes its
ballots. One that was left open ends after a day: its rows go when a lesson or a vote is opened next.

The question stands in the class's row, so that a phone's page needs neither the lesson nor its runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from secrets import choice
from typing import Literal, cast, get_args

from pydantic import TypeAdapter
from pydantic_core import to_json
from sqlalchemy import Connection

from engine.core.clock import now
from engine.core.database import Database
from engine.core.errors import InputError
from engine.core.folders import data_folder
from engine.learning.lessons.base import Question, checked, fingerprint, number_from
from engine.learning.lessons.progress import FILE, SCHEMA

# Neither vowels, which make words, nor what is easily taken for another letter or a digit.
LETTERS, CODE_LENGTH = "CDFHJKMNPRTWXY", 4
HOURS = 24
LONGEST_GIVEN = 40
MOST_VOTERS, MOST_CLASSES, MOST_OPEN = 500, 20, 200
OVER = "This vote is over. Look at the screen."
State = Literal["between", "voting", "revealed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What is voted on: a lesson, its step (from 1), and the fingerprint of the question."""

    lesson: str
    step: int
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPoll:
    """An open class: its code, who leads it, when it was opened, and what its phones show.

    ``vote`` and ``question`` are None while nothing is asked ("between").
    """

    code: str
    owner: str
    opened: str
    state: State
    vote: Vote | None = None
    question: Question | None = None


def vote_on(lesson: str, step: int, question: Question) -> Vote:
    """Return what a vote on a step's question is named by."""
    return Vote(lesson=lesson, step=step, asked=fingerprint(question))


def code_from(typed: str) -> str:
    """Return a typed code as it is kept, "" for what is none.

    >>> code_from(" k t-rm "), code_from("KTRMX"), code_from("K1RM")
    ('KTRM', '', '')
    """
    letters = "".join(one for one in typed[:40].upper() if one not in " -")
    return letters if len(letters) == CODE_LENGTH and set(letters) <= set(LETTERS) else ""


def voter_name(poll: ClassPoll, person: str) -> str:
    """Return the name that a person's ballots in one class bear; it says nothing of the person."""
    return sha256(repr((poll.code, poll.opened, person)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def kept_ballot(question: Question, given: str) -> str:
    """Return what somebody voted as it is kept: an option's place, or a number. Raises InputError where it is none."""
    if len(given) > LONGEST_GIVEN:
        raise InputError(f"An answer has at most {LONGEST_GIVEN} characters.")
    checked(question, given)
    return repr(number_from(given)) if question.kind == "number" else str(int(given))


class PollStore:
    """The classes and their ballots, in the file of the lessons. Raises StorageError where it cannot be used."""

    def __init__(self, path: Path | None = None, clock: Callable[[], str] = now) -> None:
        """Open the file, made if absent; ``path`` None is the one in the data folder."""
        self.database = Database(path or data_folder() / FILE, SCHEMA)
        self.clock = clock
        self.database.open()
        self.delete_old()

    def open(self, owner: str) -> str:
        """Return the code of a new class, having closed the one that this person led before.

        Raises InputError where this person opened too many in a day, or everybody together leads too many.
        """
        self.delete_old()
        with self.database.transaction() as connection:
            mine, others = connection.exec_driver_sql(
                "SELECT sum(owner = ?), sum(owner != ? AND closed = '') FROM classes", (owner, owner)
            ).one()
            if (mine or 0) >= MOST_CLASSES:
                raise InputError(f"You opened {MOST_CLASSES} votes within a day. Open the next one tomorrow.")
            if (others or 0) >= MOST_OPEN:
                raise InputError("Too many classes vote at this moment. Try again later.")
            for code in connection.exec_driver_sql(
                "SELECT code FROM classes WHERE owner = ? AND closed = ''", (owner,)
            ).scalars():
                end_class(connection, code, self.clock())
            code = unused_code(connection)
            connection.exec_driver_sql(
                "INSERT INTO classes (code, owner, opened, state) VALUES (?, ?, ?, 'between')",
                (code, owner, self.clock()),
            )
        return code

    def find(self, typed: str) -> ClassPoll | None:
        """Return the open class of a code; None where there is none, whatever the reason."""
        code = code_from(typed)
        if not code:
            return None
        with self.database.reading() as connection:
            return open_class(connection, code, self.oldest())

    def show(self, code: str, owner: str, vote: Vote | None = None, question: Question | None = None) -> None:
        """Put a question on a class's phones, or nothing. One that was revealed is shown as that.

        Raises InputError where this person does not lead the class.
        """
        with self.database.transaction() as connection:
            self.led(connection, code, owner)
            if vote is None or question is None:
                write_state(connection, code, "between")
                return
            state: State = "revealed" if is_revealed(connection, code, vote) else "voting"
            write_state(connection, code, state, vote, as_json(question))

    def reveal(self, code: str, owner: str, vote: Vote, question: Question) -> None:
        """End a vote: from now on its phones show what is right, and no ballot is taken.

        Raises InputError where this person does not lead the class.
        """
        with self.database.transaction() as connection:
            self.led(connection, code, owner)
            connection.exec_driver_sql("INSERT OR IGNORE INTO revealed_votes VALUES (?, ?, ?, ?)", row_of(code, vote))
            write_state(connection, code, "revealed", vote, as_json(question))

    def revealed(self, code: str, vote: Vote) -> bool:
        """Return whether a class has seen what is right in a vote."""
        with self.database.reading() as connection:
            return is_revealed(connection, code, vote)

    def cast(self, code: str, person: str, vote: Vote, given: str) -> None:
        """Take a person's ballot in the vote that the class is at; one given before is replaced.

        Raises InputError with a sentence where the vote is over, where nothing of the kind is asked, or where too many
        vote.
        """
        with self.database.transaction() as connection:
            poll = open_class(connection, code, self.oldest())
            if poll is None or poll.state != "voting" or poll.vote != vote or poll.question is None:
                raise InputError(OVER)
            kept, voter = kept_ballot(poll.question, given), voter_name(poll, person)
            if not person:
                raise InputError("This workbench cannot tell visitors apart, so nobody can vote.")
            voted = connection.exec_driver_sql(
                "SELECT count(*), sum(voter = ?) FROM ballots WHERE code = ? AND lesson = ? AND step = ? AND asked = ?",
                (voter, *row_of(code, vote)),
            ).one()
            if voted[0] >= MOST_VOTERS and not voted[1]:
                raise InputError(f"{MOST_VOTERS} people have voted: the vote is full.")
            connection.exec_driver_sql(
                "INSERT INTO ballots (code, lesson, step, asked, voter, given) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (code, lesson, step, asked, voter) DO UPDATE SET given = excluded.given",
                (*row_of(code, vote), voter, kept),
            )

    def given(self, poll: ClassPoll, person: str) -> str:
        """Return what a person voted in the vote that a class is at, "" where they have not."""
        if poll.vote is None:
            return ""
        with self.database.reading() as connection:
            found = connection.exec_driver_sql(
                "SELECT given FROM ballots WHERE code = ? AND lesson = ? AND step = ? AND asked = ? AND voter = ?",
                (*row_of(poll.code, poll.vote), voter_name(poll, person)),
            ).scalar()
        return str(found or "")

    def count(self, code: str, vote: Vote) -> int:
        """Return how many have voted."""
        return sum(self.counts(code, vote).values())

    def counts(self, code: str, vote: Vote) -> Mapping[str, int]:
        """Return how often each answer was given in a vote, by the ballot as it is kept."""
        with self.database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT given, count(*) FROM ballots WHERE code = ? AND lesson = ? AND step = ? AND asked = ? "
                "GROUP BY given ORDER BY given",
                row_of(code, vote),
            ).fetchall()
        return {str(given): int(count) for given, count in rows}

    def close(self, code: str, owner: str) -> None:
        """Close a class and delete its ballots. Raises InputError where this person does not lead it."""
        with self.database.transaction() as connection:
            self.led(connection, code, owner)
            end_class(connection, code, self.clock())

    def delete_old(self) -> None:
        """Delete classes that were opened more than a day ago, with their ballots; without any it writes nothing."""
        oldest = self.oldest()
        with self.database.reading() as connection:
            if not connection.exec_driver_sql("SELECT 1 FROM classes WHERE opened < ? LIMIT 1", (oldest,)).scalar():
                return
        with self.database.transaction() as connection:
            connection.exec_driver_sql("DELETE FROM classes WHERE opened < ?", (oldest,))

    def oldest(self) -> str:
        """Return when the oldest class that is still open may have been opened."""
        return (datetime.fromisoformat(self.clock()) - timedelta(hours=HOURS)).isoformat(timespec="microseconds")

    def led(self, connection: Connection, code: str, owner: str) -> ClassPoll:
        """Return an open class that this person leads. Raises InputError, alike for every other class."""
        poll = open_class(connection, code, self.oldest())
        if poll is None or poll.owner != owner:
            raise InputError("This vote is closed. Let phones vote again.")
        return poll


def open_class(connection: Connection, code: str, oldest: str) -> ClassPoll | None:
    """Return an open class, None where there is none of that code that is young enough."""
    row = connection.exec_driver_sql(
        "SELECT owner, opened, state, lesson, step, asked, question FROM classes "
        "WHERE code = ? AND closed = '' AND opened >= ?",
        (code, oldest),
    ).one_or_none()
    if row is None:
        return None
    owner, opened, state, lesson, step, asked, question = tuple(row)
    if state not in get_args(State) or not question:
        return ClassPoll(code=code, owner=owner, opened=opened, state="between")
    return ClassPoll(
        code=code,
        owner=owner,
        opened=opened,
        state=cast(State, state),
        vote=Vote(lesson=lesson, step=step, asked=asked),
        question=QUESTIONS.validate_json(question),
    )


def write_state(connection: Connection, code: str, state: State, vote: Vote | None = None, question: str = "") -> None:
    """Write what a class's phones show."""
    lesson, step, asked = (vote.lesson, vote.step, vote.asked) if vote else ("", 0, "")
    connection.exec_driver_sql(
        "UPDATE classes SET state = ?, lesson = ?, step = ?, asked = ?, question = ? WHERE code = ?",
        (state, lesson, step, asked, question, code),
    )


def end_class(connection: Connection, code: str, at: str) -> None:
    """Close a class: its ballots go, and its question; that it was opened stays for a day, to be counted."""
    for table in ("ballots", "revealed_votes"):
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE code = ?", (code,))
    write_state(connection, code, "between")
    connection.exec_driver_sql("UPDATE classes SET closed = ? WHERE code = ?", (at, code))


def is_revealed(connection: Connection, code: str, vote: Vote) -> bool:
    """Return whether a vote of a class was revealed."""
    return bool(
        connection.exec_driver_sql(
            "SELECT 1 FROM revealed_votes WHERE code = ? AND lesson = ? AND step = ? AND asked = ?", row_of(code, vote)
        ).scalar()
    )


def unused_code(connection: Connection) -> str:
    """Return a code, drawn by chance, that no class of the last day has."""
    taken = set(connection.exec_driver_sql("SELECT code FROM classes").scalars())
    while True:
        code = "".join(choice(LETTERS) for _ in range(CODE_LENGTH))
        if code not in taken:
            return code


def row_of(code: str, vote: Vote) -> tuple[str, str, int, str]:
    """Return what names a vote of a class in the tables."""
    return code, vote.lesson, vote.step, vote.asked


def as_json(question: Question) -> str:
    """Return a question as it is kept beside a class."""
    return to_json(question, inf_nan_mode="strings").decode()


QUESTIONS = TypeAdapter(Question)
