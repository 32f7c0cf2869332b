"""The database behind the label store: opening, migrating, transactions, and its failures as sentences.

SQLite logs ahead, so that readers go on while one writes, and takes its only write lock at the beginning of a
transaction. PostgreSQL takes a lock per project for as long as a transaction lasts: what is checked is still true when
it is written.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from engine.core.errors import StorageError
from engine.core.folders import data_folder, made
from engine.runs.store import log_ahead, roll_back

URL_VARIABLE = "MICROSCOPE_ANNOTATIONS_URL"
BUSY_SECONDS = 15.0
MIGRATIONS = Path(__file__).parent / "migrations"
SQLITE_FAULTS = (
    ("SQLITE_FULL", "The disk is full: no label can be kept. Free some space and try again."),
    ("SQLITE_READONLY", "The file of labels is read-only. Make it and its folder writable, or name another folder."),
    ("SQLITE_BUSY", "The file of labels is locked by another program. Close it there, or try again in a moment."),
    ("SQLITE_LOCKED", "The file of labels is locked by another program. Close it there, or try again in a moment."),
    ("SQLITE_CORRUPT", "The file of labels is damaged. Move it away and restore a backup."),
    ("SQLITE_NOTADB", "The file of labels is no SQLite database. Move it away and restore a backup."),
    ("SQLITE_CANTOPEN", "The file of labels cannot be opened. Check that its folder exists and may be written to."),
    ("SQLITE_IOERR", "The disk failed while labels were read or written. Check the disk and try again."),
)
UNREACHABLE = f"The database of labels cannot be reached. Check {URL_VARIABLE} and that the server runs: "


def wanted_url(url: str | None) -> URL:
    """Return the address of the database: the one given, the environment's, or a file in the data folder.

    Raises StorageError where it names neither SQLite nor PostgreSQL.
    """
    named = (url if url is not None else os.environ.get(URL_VARIABLE, "")).strip()
    if not named:
        return URL.create("sqlite", database=str(data_folder() / "annotations.sqlite"))
    try:
        found = make_url(named)
    except (ArgumentError, ValueError) as exc:
        raise StorageError(f"{URL_VARIABLE} is no address of a database, like postgresql://user@host/name.") from exc
    kind = found.get_backend_name()
    if kind == "sqlite" and found.database and found.database != ":memory:":
        made(Path(found.database).parent)
        return found.set(drivername="sqlite")
    if kind == "postgresql":
        return found.set(drivername="postgresql+psycopg")
    raise StorageError("Labels are kept in a SQLite file (sqlite:///FILE) or in PostgreSQL (postgresql://HOST/NAME).")


class Database:
    """One database, held open by any number of threads."""

    def __init__(self, url: str | None = None, revision: str = "head") -> None:
        """Open the database and migrate it. Raises StorageError with a sentence."""
        self.url = wanted_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = sqlite_engine(self.url) if self.is_sqlite else create_engine(self.url, pool_pre_ping=True)
        self.migrate(revision)

    @contextmanager
    def transaction(self, lock: str) -> Iterator[Connection]:
        """Hold a write transaction: all of it is kept, or nothing. ``lock`` names what nobody else may change now."""
        with translated():
            if self.is_sqlite:
                with self.engine.connect() as connection:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    try:
                        yield connection
                        connection.exec_driver_sql("COMMIT")
                    finally:
                        roll_back(connection)
            else:
                with self.engine.begin() as connection:
                    connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": lock})
                    yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Hold a connection that sees one state of the database and waits for no writer."""
        with translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
                try:
                    yield connection
                finally:
                    roll_back(connection)
            else:
                with connection.execution_options(isolation_level="REPEATABLE READ").begin():
                    yield connection

    def migrate(self, revision: str = "head") -> None:
        """Bring the tables up to a revision. Raises StorageError where a newer version of this program made them."""
        config = Config(attributes={})
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        scripts = ScriptDirectory.from_config(config)
        known = {script.revision for script in scripts.walk_revisions()}
        wanted = scripts.get_current_head() if revision == "head" else revision
        if wanted not in known:
            raise StorageError(
                f"The labels were written by a newer version of this program (tables {wanted}). Update it."
            )
        with self.reading() as connection:
            if self.revision_in(connection) == wanted:
                return
        with self.transaction("migration") as connection:
            found = self.revision_in(connection)
            if found is not None and found not in known:
                raise StorageError(
                    f"The labels were written by a newer version of this program (tables {found}, this one knows up "
                    f"to {scripts.get_current_head()}). Update the program."
                )
            config.attributes["connection"] = connection
            command.upgrade(config, revision)

    def revision(self) -> str:
        """Return the revision of the tables as they are."""
        with self.reading() as connection:
            return self.revision_in(connection) or ""

    @staticmethod
    def revision_in(connection: Connection) -> str | None:
        """Return the revision a connection sees, None in an empty database."""
        return MigrationContext.configure(connection).get_current_revision()

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()


def sqlite_engine(url: URL) -> Engine:
    """Return connections to a file that wait for each other, log ahead and keep references whole."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        log_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    return engine


@contextmanager
def translated() -> Iterator[None]:
    """Turn a database's failure into a StorageError with a sentence."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as exc:
        cause = exc.orig if isinstance(exc, DBAPIError) else exc
        code = str(getattr(cause, "sqlite_errorname", ""))
        sentence = next((said for start, said in SQLITE_FAULTS if code.startswith(start)), "")
        if not sentence and type(cause).__name__ == "OperationalError" and not code:
            sentence = UNREACHABLE + " ".join(str(cause).split())
        raise StorageError(sentence or f"The database of labels failed: {' '.join(str(cause).split())}.") from exc
