"""The one way into a database: open, migrate, read, write, and turn faults into sentences.

SQLite writes ahead, so readers go on while one connection writes. A write transaction takes the only write lock when it
begins, and waits for it. PostgreSQL takes a lock by name for each write transaction, so what was checked is still true
when it is written. Every write is one transaction: a killed process leaves what was saved before.

A database has a version, the number of migration steps it has seen. SQLite stores it as ``PRAGMA user_version``, the
labels (also PostgreSQL) in a table. Steps run in order, in one transaction, when the database is first used. Opening a
database of today's version writes nothing.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from engine.core.allowed import acting_person
from engine.core.errors import StorageError

BUSY_SECONDS = 15.0
MEND = "Restore a copy, or move the file away; microscope doctor says where it is."
FAULTS = {
    "SQLITE_FULL": ("full", "The disk is full, so {name} cannot grow. Free some space and try again."),
    "SQLITE_READONLY": ("read-only", "The program may not write to {name}. Make the file and its folder writable."),
    "SQLITE_BUSY": ("busy", "Another program has locked {name}. Close it there, or try again in a moment."),
    "SQLITE_LOCKED": ("busy", "Another program has locked {name}. Close it there, or try again in a moment."),
    # No path: a visitor of a hosted workbench may read the sentence.
    "SQLITE_CORRUPT": ("damaged", f"The file of {{name}} is damaged. {MEND}"),
    "SQLITE_NOTADB": ("damaged", f"The file of {{name}} is not a SQLite database. {MEND}"),
    "SQLITE_CANTOPEN": ("not opened", "The program cannot open {name}. Check that its folder exists and is writable."),
    "SQLITE_IOERR": ("disk", "The disk failed while the program used {name}. Check the disk and try again."),
}

Step = Callable[[Connection], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The tables of one database, as the steps that make them; ``steps[n]`` turns version n into n + 1.

    ``name`` is what messages call the database, such as "the run store". ``version_table`` names a table with the
    version in a column ``version_num``; "" = ``PRAGMA user_version``. ``pragmas`` are set on every SQLite connection;
    by default what is removed is overwritten with zeros.
    """

    name: str
    steps: tuple[Step, ...]
    version_table: str = ""
    busy_seconds: float = BUSY_SECONDS
    pragmas: tuple[str, ...] = ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")

    @property
    def version(self) -> int:
        """The newest version."""
        return len(self.steps)


class Database:
    """One database, open for any number of threads. Raises StorageError where it cannot be used.

    A broken constraint (``IntegrityError``) passes through: it is the caller's to explain.
    """

    def __init__(self, address: Path | URL, schema: Schema) -> None:
        """Name the database. Nothing is opened before ``open`` or the first use."""
        self.url = URL.create("sqlite", database=str(address)) if isinstance(address, Path) else address
        self.schema = schema
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = sqlite_engine(self.url, schema) if self.is_sqlite else create_engine(self.url, pool_pre_ping=True)
        self._ready = False
        self._lock = threading.RLock()

    def open(self) -> None:
        """Migrate the database where its version is older, once. Raises StorageError where it is newer."""
        with self._lock:
            if not self._ready:
                self.migrate()
                self._ready = True

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection outside any transaction. Faults become StorageError."""
        self.open()
        with self._faults_as_sentences(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def transaction(self, lock: str = "") -> Iterator[Connection]:
        """Yield the only connection that writes: all of it is saved, or nothing.

        ``lock`` names what nobody else may change now; SQLite locks the whole file.
        """
        with self.connect() as connection:
            if self.is_sqlite:
                with sqlite_transaction(connection, "BEGIN IMMEDIATE"):
                    yield connection
            else:
                with connection.begin():
                    connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": lock})
                    yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database and waits for no writer."""
        with self.connect() as connection:
            if self.is_sqlite:
                with sqlite_transaction(connection, "BEGIN"):
                    yield connection
            else:
                with connection.execution_options(isolation_level="REPEATABLE READ").begin():
                    yield connection

    def migrate(self, to: int | None = None) -> None:
        """Run the steps up to a version, by default the newest. A database of that version is not written to."""
        wanted = self.schema.version if to is None else to
        with self._as_it_is():
            with self.reading() as connection:
                if self._known_version(connection, wanted) == wanted:
                    return
            with self.transaction("migration") as connection:
                found = self._known_version(connection, wanted)
                for step in self.schema.steps[found:wanted]:
                    step(connection)
                if found < wanted:
                    self._set_version(connection, wanted)

    @contextmanager
    def _as_it_is(self) -> Iterator[None]:
        """Let the block use the database without migrating it first."""
        with self._lock:
            ready, self._ready = self._ready, True
            try:
                yield
            finally:
                self._ready = ready

    def _known_version(self, connection: Connection, wanted: int) -> int:
        """Return the version that a connection sees. Raises StorageError where it or the wanted one is too new."""
        found = self.version_in(connection)
        if max(found, wanted) > self.schema.version:
            raise StorageError(
                f"A newer version of this program wrote {self.schema.name} (version {max(found, wanted)}, this "
                f"program reads up to {self.schema.version}). Update the program.",
                "newer",
            )
        return found

    def version(self) -> int:
        """Return the version of the database as it is."""
        with self._as_it_is(), self.reading() as connection:
            return self.version_in(connection)

    def version_in(self, connection: Connection) -> int:
        """Return the version that a connection sees, 0 in an empty database."""
        table = self.schema.version_table
        if not table:
            return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if not inspect(connection).has_table(table):
            return 0
        return int(connection.exec_driver_sql(f"SELECT version_num FROM {table}").scalar() or 0)

    def empty_log(self) -> None:
        """Move SQLite's write-ahead log into the file and cut it to nothing: it holds what was removed since.

        A reader that stays longer than the busy time-out keeps the log until it is cut the next time.
        """
        if self.is_sqlite:
            with self.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()

    def remove(self) -> None:
        """Delete the SQLite file with its log; the next use makes a new one. Raises OSError."""
        self.close()
        self._ready = False
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.url.database}{suffix}").unlink(missing_ok=True)

    def _set_version(self, connection: Connection, version: int) -> None:
        table = self.schema.version_table
        if not table:
            connection.exec_driver_sql(f"PRAGMA user_version = {version}")
            return
        connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {table} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.exec_driver_sql(f"DELETE FROM {table}")
        connection.exec_driver_sql(f"INSERT INTO {table} VALUES ('{version:04}')")

    @contextmanager
    def _faults_as_sentences(self) -> Iterator[None]:
        """Turn a database's fault into a StorageError that names it; a broken constraint passes through."""
        try:
            yield
        except IntegrityError:
            raise
        except (SQLAlchemyError, sqlite3.Error) as exc:
            raise self._storage_error(exc) from exc

    def _storage_error(self, error: Exception) -> StorageError:
        cause = error.orig if isinstance(error, DBAPIError) else error
        code = plain_code(cause)
        reason = " ".join(str(cause).split())
        if code in FAULTS:
            fault, sentence = FAULTS[code]
            return StorageError(sentence.format(name=self.schema.name), fault)
        if not self.is_sqlite and type(cause).__name__ == "OperationalError":
            # The reason names hosts inside the owner's network.
            advice = f"Check its server: {reason}" if acting_person() is None else "Tell the owner of this workbench."
            return StorageError(f"The program cannot reach {self.schema.name}. {advice}", "unreachable")
        return StorageError(f"The program cannot use {self.schema.name}: {reason}.", "other")


def check_file(file: Path, name: str) -> None:
    """Raise StorageError where a SQLite file cannot be read or a page of it is damaged; nothing is migrated.

    Every page is read: about a second for 500 MB.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as exc:
        fault, sentence = FAULTS.get(plain_code(exc), ("other", f"The program cannot use {{name}}: {exc}."))
        raise StorageError(sentence.format(name=name), fault) from exc
    if found != "ok":
        fault, sentence = FAULTS["SQLITE_CORRUPT"]
        raise StorageError(sentence.format(name=name), fault)


def sql_step(*statements: str) -> Step:
    """Return the migration step that runs SQL statements."""

    def run(connection: Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    return run


def sqlite_engine(url: URL, schema: Schema) -> Engine:
    """Return connections to a SQLite file that wait for each other and write ahead."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args={"timeout": schema.busy_seconds})

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        # Before the first table is made: only then can SQLite be set to give freed pages back.
        for pragma in schema.pragmas:
            connection.execute(f"PRAGMA {pragma}")
        write_ahead(connection)

    return engine


def error_code(error: BaseException | None) -> str:
    """Return SQLite's name of an error, such as "SQLITE_BUSY"; "" where it is no error of SQLite."""
    return str(getattr(error, "sqlite_errorname", ""))


def plain_code(error: BaseException | None) -> str:
    """Return the plain name of SQLite's error, with which an extended one such as SQLITE_BUSY_SNAPSHOT begins."""
    return "_".join(error_code(error).split("_")[:2])


@retry(
    retry=retry_if_exception(lambda error: error_code(error).startswith("SQLITE_BUSY")),
    stop=stop_after_delay(BUSY_SECONDS),
    wait=wait_random(0.01, 0.1),
    reraise=True,
)
def write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a connection to write-ahead logging.

    Where two connections switch a fresh file at once, SQLite refuses one of them without waiting for its busy time-out.
    """
    connection.execute("PRAGMA journal_mode = WAL")


@contextmanager
def sqlite_transaction(connection: Connection, begin: str) -> Iterator[None]:
    """Run a block as one transaction; after an error SQLite may have closed it already."""
    connection.exec_driver_sql(begin)
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    finally:
        driver = sqlite_driver(connection)
        if driver.in_transaction:
            driver.rollback()


def sqlite_driver(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection."""
    return cast(sqlite3.Connection, connection.connection.driver_connection)
