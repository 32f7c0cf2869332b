"""Opening migrates an older schema with nothing lost, a newer one is refused, and failures are sentences."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import MetaData, create_engine, text

from engine.annotations.database import URL_VARIABLE, open_database
from engine.annotations.database import database_url as database_url_of
from engine.annotations.schema import TABLES
from engine.annotations.store import AnnotationStore
from engine.core.database import Database
from engine.core.errors import StorageError
from tests.engine.annotations.steps import undo

OLDER = Path(__file__).resolve().parents[2] / "reference" / "annotations_0001.sql"
NEWEST = 4


def older_file(path: Path) -> Path:
    """Return a SQLite file with the tables and labels of revision 0001."""
    connection = sqlite3.connect(path)
    connection.executescript(OLDER.read_text(encoding="utf-8"))
    connection.close()
    return path


def older_database(url: str, folder: Path) -> str:
    """Return the address after filling the database with the tables and labels of version 1."""
    file = f"sqlite:///{older_file(folder / 'older.sqlite')}"
    if url.startswith("sqlite"):
        return file
    source, target = create_engine(file), create_engine(database_url_of(url))
    tables = MetaData()
    with source.connect() as read, target.begin() as write:
        tables.reflect(read)
        tables.create_all(write)
        for table in tables.sorted_tables:
            write.execute(table.insert(), [row._asdict() for row in read.execute(table.select())])
        write.execute(text("SELECT setval(pg_get_serial_sequence('events', 'number'), max(number)) FROM events"))
    source.dispose()
    target.dispose()
    return url


def columns(database: Database) -> dict[str, list[tuple[str, str, bool, bool]]]:
    """Return the columns of every table: name, type, whether it may be empty, whether it is part of the key."""
    tables = MetaData()
    with database.reading() as connection:
        tables.reflect(connection)
    return {
        name: [(c.name, str(c.type), bool(c.nullable), c.primary_key) for c in table.columns]
        for name, table in tables.tables.items()
    }


def test_an_older_schema_is_migrated_with_nothing_lost(database_url: str, tmp_path: Path) -> None:
    url = older_database(database_url, tmp_path)
    store = AnnotationStore(url)
    (project,) = store.projects()
    assert (project.name, project.overlap, project.blind, project.version) == ("Timing", 3, False, 2)
    assert store.guidelines(project.id, 2) == "Look twice."
    assert len(store.items(project.id)) == 3
    labels = store.labels(project.id)
    found = [(label.annotator, label.state, label.version, label.guidelines) for label in labels]
    # Ada labelled before the guidelines were changed, Ben after.
    assert found == [
        ("=Ben", "submitted", 1, 2),
        ("Ada", "submitted", 1, 1),
        ("Ada", "draft", 1, 1),
        ("=Ben", "discarded", 1, 2),
        ("Ada", "untouched", 2, 1),
    ]
    assert labels[1].values == (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "redundant"))
    assert labels[1].note.startswith("=HYPERLINK") and labels[1].seconds == 0.1 + 0.2
    assert [event.verb for event in store.history(project.id)] == ["set", "set", "undo", "set", "set", "set"]
    undone = undo(store, project.id, "Ada", "later")
    assert undone is not None and undone.status == "kept"
    assert store.adjudications(project.id) == ()
    assert store.database.version() == NEWEST
    store.close()


def test_the_migrated_tables_are_those_the_store_uses(
    database_url: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    migrated, fresh = open_database(older_database(database_url, tmp_path)), open_database(new_database())
    assert columns(migrated) == columns(fresh)
    used = {name: sorted(table.columns.keys()) for name, table in TABLES.tables.items()}
    found = {name: sorted(c[0] for c in of_table) for name, of_table in columns(fresh).items() if name in used}
    assert found == used
    migrated.close()
    fresh.close()


def test_two_programs_that_open_an_empty_database_at_once_both_get_it(database_url: str) -> None:
    together = threading.Barrier(4)

    def opened(_place: int) -> int:
        together.wait()
        database = open_database(database_url)
        version = database.version()
        database.close()
        return version

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(opened, range(4))) == [NEWEST] * 4


def test_a_newer_schema_is_refused(database_url: str) -> None:
    database = open_database(database_url)
    with database.transaction("test") as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StorageError) as caught:
        AnnotationStore(database_url)
    assert caught.value.fault == "newer"


def test_a_server_that_cannot_be_reached_is_a_sentence() -> None:
    with pytest.raises(StorageError) as caught:
        AnnotationStore("postgresql://anna:secret@127.0.0.1:1/labels")
    assert caught.value.fault == "unreachable"
    assert "secret" not in str(caught.value)


def test_without_an_address_the_labels_lie_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    assert database_url_of(None).database == str(tmp_path / "home" / "annotations.sqlite")
    monkeypatch.setenv(URL_VARIABLE, "postgresql://anna@example.org/labels")
    assert database_url_of(None).drivername == "postgresql+psycopg"


@pytest.mark.parametrize("url", ["nonsense", "mysql://example.org/labels", "sqlite://", "sqlite:///:memory:"])
def test_another_kind_of_address_is_refused(url: str) -> None:
    with pytest.raises(StorageError):
        database_url_of(url)
