"""The one way into a database: older files open unchanged, newer ones are refused, and every fault has a name."""

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.backends.call_cache import CallCache, key_of
from engine.core.database import Database, Schema, sql_step
from engine.core.errors import StorageError
from engine.learning.lessons.progress import ProgressStore
from engine.runs.store import RunStore

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
FIRST = sql_step("CREATE TABLE notes (text TEXT PRIMARY KEY)")
SECOND = sql_step("ALTER TABLE notes ADD COLUMN at TEXT NOT NULL DEFAULT 'then'")
ONE = Schema(name="the notes", steps=(FIRST,), busy_seconds=0.1)
TWO = replace(ONE, steps=(FIRST, SECOND))
PLACES = [ONE, replace(ONE, version_table="versions")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file that is not there yet."""
    return tmp_path / "notes.sqlite"


def opened(path: Path, schema: Schema = ONE) -> Database:
    """Return an open database."""
    database = Database(path, schema)
    database.open()
    return database


def write(database: Database, text: str) -> None:
    """Add a note."""
    with database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO notes (text) VALUES (?)", (text,))


def notes(database: Database) -> list[tuple[object, ...]]:
    """Return every note."""
    with database.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM notes ORDER BY rowid")]


def fault_of(work: Callable[[], object]) -> str:
    """Return the name of the fault that the work ends with."""
    with pytest.raises(StorageError) as caught:
        work()
    return caught.value.fault


def reference_file(name: str, folder: Path) -> Path:
    """Return a file of version 1, made from its recorded SQL."""
    file = folder / f"{name}.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript((REFERENCE / f"{name}_1.sql").read_text(encoding="utf-8"))
    connection.close()
    return file


def test_stores_written_by_version_1_open_with_all_they_hold(tmp_path: Path) -> None:
    runs = RunStore(reference_file("runs", tmp_path))
    assert {run.id: (run.state, run.methods) for run in runs.listing()} == {
        "suez": ("done", ("quco_rag",)),
        "waiting": ("queued", ("quco_rag",)),
    }
    assert runs.get("suez").diagnosis is not None
    progress = ProgressStore(reference_file("lessons", tmp_path))
    assert [(one.step, one.given) for one in progress.predictions("ann")] == [(1, "2")]
    assert progress.places("ann")["belief"].last == 2
    assert CallCache(reference_file("calls", tmp_path)).get([key_of("a")]) == {key_of("a"): b"said"}


@pytest.mark.parametrize("schema", PLACES)
def test_an_older_version_is_migrated_once_and_a_newer_one_refused(path: Path, schema: Schema) -> None:
    first = opened(path, schema)
    write(first, "a")
    assert first.version() == 1
    newer = replace(schema, steps=(FIRST, SECOND))
    assert [notes(opened(path, newer)) for _ in range(2)] == [[("a", "then")]] * 2
    assert opened(path, newer).version() == 2
    assert fault_of(lambda: opened(path, schema)) == "newer"
    assert notes(opened(path, newer)) == [("a", "then")]


def test_a_step_that_fails_leaves_the_older_version(path: Path) -> None:
    write(opened(path), "a")
    broken = replace(ONE, steps=(FIRST, SECOND, sql_step("DROP TABLE nothing")))
    assert fault_of(lambda: opened(path, broken)) == "other"
    assert notes(opened(path)) == [("a",)]


def test_opening_and_reading_an_up_to_date_file_writes_nothing(path: Path) -> None:
    writer = opened(path)  # held open: the last one to close a file empties its write-ahead log
    write(writer, "a")
    before = (path.read_bytes(), Path(f"{path}-wal").read_bytes())
    assert notes(opened(path)) == [("a",)]
    assert notes(writer) == [("a",)]
    assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == before


def test_eight_programs_may_open_a_fresh_file_at_the_same_moment(tmp_path: Path) -> None:
    schema = replace(TWO, busy_seconds=15.0)
    for attempt in range(10):
        start = threading.Barrier(8)

        def work(place: int, path: Path = tmp_path / f"{attempt}.sqlite", start: threading.Barrier = start) -> None:
            start.wait()
            write(opened(path, schema), str(place))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert len(notes(opened(tmp_path / f"{attempt}.sqlite", schema))) == 8


def test_a_transaction_is_saved_whole_or_not_at_all(path: Path) -> None:
    database = opened(path)
    with pytest.raises(KeyError), database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO notes VALUES ('a')")
        raise KeyError
    assert notes(database) == []
    write(database, "a")
    with pytest.raises(IntegrityError):
        write(database, "a")
    assert notes(database) == [("a",)]


def test_a_full_disk_leaves_what_was_there(path: Path) -> None:
    database = opened(path)
    write(database, "a")

    @event.listens_for(database.engine, "checkout")
    def shrink(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # SQLite raises it to the pages in use

    assert fault_of(lambda: write(database, "b" * 100_000)) == "full"
    assert notes(database) == [("a",)]


def test_a_locked_file_can_be_used_when_it_is_free_again(path: Path) -> None:
    database = opened(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert fault_of(lambda: write(database, "a")) == "busy"
    assert notes(database) == []
    other.execute("ROLLBACK")
    write(database, "a")
    other.close()


def test_a_file_that_is_not_a_database_is_damaged(path: Path) -> None:
    path.write_bytes(b"These are not the notes you are looking for." * 200)
    assert fault_of(lambda: opened(path)) == "damaged"


def test_a_damaged_page_is_named(path: Path) -> None:
    database = opened(path)
    for number in range(20):
        write(database, f"{number}" * 2000)
    database.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert fault_of(lambda: notes(opened(path))) == "damaged"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert fault_of(lambda: opened(tmp_path / "absent" / "notes.sqlite")) == "not opened"


@pytest.mark.skipif(os.name == "nt", reason="files are made read-only in another way on Windows")
def test_a_read_only_file_is_read_and_not_written(path: Path) -> None:
    write(opened(path), "a")
    database = Database(path, ONE)

    @event.listens_for(database.engine, "checkout")
    def forbid(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA query_only = 1")

    assert notes(database) == [("a",)]
    assert fault_of(lambda: write(database, "b")) == "read-only"


def test_no_free_connection_is_a_fault(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_free() -> None:
        raise PoolTimeout("QueuePool limit of size 5 overflow 10 reached")

    database = opened(path)
    monkeypatch.setattr(database.engine, "connect", none_free)
    assert fault_of(lambda: notes(database)) == "other"


def test_a_removed_file_is_made_anew_at_the_next_use(path: Path) -> None:
    database = opened(path)
    write(database, "a")
    database.remove()
    assert not path.exists()
    assert notes(database) == []
