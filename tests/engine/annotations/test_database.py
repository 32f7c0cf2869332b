"""Opening migrates an older schema with nothing lost, a newer one is refused, and failures are sentences."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, text

from engine.annotations.database import URL_VARIABLE, Database, wanted_url
from engine.annotations.schema import TABLES
from engine.annotations.store import AnnotationStore
from engine.core.errors import StorageError

OLDER = Path(__file__).resolve().parents[2] / "reference" / "annotations_0001.sql"
NEWEST = "0002"


def older_file(path: Path) -> Path:
    """Return a SQLite file with the tables and labels of revision 0001."""
    connection = sqlite3.connect(path)
    connection.executescript(OLDER.read_text(encoding="utf-8"))
    connection.close()
    return path


def older_database(url: str, folder: Path) -> str:
    """Return the address after filling the database with the tables and labels of revision 0001."""
    file = older_file(folder / "older.sqlite")
    if url.startswith("sqlite"):
        return f"sqlite:///{file}"
    source, target = sqlite3.connect(file), Database(url, "0001")
    source.row_factory = sqlite3.Row
    with target.transaction("test") as connection:
        tables = MetaData()
        tables.reflect(connection)
        for table in (one for one in tables.sorted_tables if one.name != "alembic_version"):
            for row in source.execute(f"SELECT * FROM {table.name}"):
                kept = {**row, **{name: bool(row[name]) for name in ("blind", "undone") if name in dict(row)}}
                connection.execute(table.insert().values(kept))
        connection.execute(text("SELECT setval(pg_get_serial_sequence('events', 'number'), max(number)) FROM events"))
    source.close()
    target.close()
    return url


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
    undone = store.undo(project.id, "Ada", "later")
    assert undone is not None and undone.status == "kept"
    assert store.adjudications(project.id) == ()
    assert store.database.revision() == NEWEST
    store.close()


def test_the_migrated_tables_are_those_the_store_uses(database_url: str, tmp_path: Path) -> None:
    database = Database(older_database(database_url, tmp_path))
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), TABLES) == []
    database.close()


def test_two_programs_that_open_an_empty_database_at_once_both_get_it(database_url: str) -> None:
    together = threading.Barrier(4)

    def opened(_place: int) -> str:
        together.wait()
        database = Database(database_url)
        revision = database.revision()
        database.close()
        return revision

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(opened, range(4))) == [NEWEST] * 4


def test_a_newer_schema_is_refused_with_what_to_do(database_url: str) -> None:
    database = Database(database_url)
    with database.transaction("test") as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StorageError, match="written by a newer version of this program"):
        AnnotationStore(database_url)


def test_a_transaction_that_fails_leaves_nothing(open_store: Callable[[], AnnotationStore]) -> None:
    store = open_store()
    with pytest.raises(KeyError), store.database.transaction("test") as connection:
        connection.execute(text("INSERT INTO preferences VALUES ('Ada', 'keys', '{}')"))
        raise KeyError
    assert store.preference("Ada", "keys") == ""
    store.set_preference("Ada", "keys", "[]")
    assert store.preference("Ada", "keys") == "[]"


def test_a_server_that_cannot_be_reached_is_a_sentence() -> None:
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        AnnotationStore("postgresql://anna:secret@127.0.0.1:1/labels")
    assert URL_VARIABLE in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "labels.sqlite").write_text("This is a letter, and a long one, to nobody in particular." * 20)
    with pytest.raises(StorageError, match="is no SQLite database"):
        AnnotationStore(f"sqlite:///{tmp_path / 'labels.sqlite'}")


def test_without_an_address_the_labels_lie_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    assert wanted_url(None).database == str(tmp_path / "home" / "annotations.sqlite")
    monkeypatch.setenv(URL_VARIABLE, "postgresql://anna@example.org/labels")
    assert wanted_url(None).drivername == "postgresql+psycopg"


@pytest.mark.parametrize("url", ["nonsense", "mysql://example.org/labels", "sqlite://", "sqlite:///:memory:"])
def test_another_kind_of_address_is_refused(url: str) -> None:
    with pytest.raises(StorageError):
        wanted_url(url)
