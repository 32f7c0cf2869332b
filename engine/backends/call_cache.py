"""What models have said, on disk under what they were asked, so that a second look and a resumed run compute nothing.

One SQLite file, used by several threads and processes at once: write-ahead logging, a busy time-out, one transaction
per batch, so a killed process leaves whole entries only. A key is a SHA-256 over everything the answer depends on and
says nothing by itself; a value is compressed bytes with a checksum, never anything that could run code. The file is
kept under a bound: what was used longest ago goes first.

It is a convenience and never a condition. A damaged file or a full disk is said once, in the log and by ``fault``, and
the run goes on without it.
"""

import json
import logging
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from engine.core.errors import StorageError
from engine.core.folders import data_folder

FORMAT = 1
LIMIT_VARIABLE = "MICROSCOPE_CACHE_MB"
MEGABYTE = 10**6
DEFAULT_MEGABYTES = 500
BUSY_SECONDS = 2.0
# A hit is written down as use at most this often: reading should not cost a write each time.
USE_SECONDS = 60.0
ASKED_AT_ONCE = 500
ROOM_AFTER_CLEARING = 0.9
LARGEST_SHARE = 0.1
LOG_BYTES = 8 * MEGABYTE

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS calls (key BLOB PRIMARY KEY, kind TEXT NOT NULL, used_at REAL NOT NULL, "
    "size INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS calls_by_use ON calls (used_at, size)",
)
FAULTS = (
    ("SQLITE_FULL", "The disk is full, so what models say is no longer kept: later looks compute it anew."),
    ("SQLITE_READONLY", "The cache of model calls is read-only, so what models say is not kept."),
    ("SQLITE_CORRUPT", "The cache of model calls is damaged and is not used. Empty it to start a new one."),
    ("SQLITE_NOTADB", "The cache of model calls is damaged and is not used. Empty it to start a new one."),
    ("SQLITE_CANTOPEN", "The cache of model calls cannot be opened, so what models say is not kept."),
    ("SQLITE_IOERR", "The disk failed under the cache of model calls, so what models say is not kept."),
)
BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
READABLE = ("SQLITE_FULL", "SQLITE_READONLY")
Result = TypeVar("Result")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSize:
    """What the cache holds: calls, bytes in use and the bytes it may use (0 = it is turned off)."""

    calls: int
    used: int
    limit: int

    @property
    def words(self) -> str:
        """How much that is, in megabytes.

        >>> CacheSize(calls=1200, used=2_340_000, limit=500_000_000).words
        '1,200 calls take 2.3 of 500 MB'
        """
        calls = "1 call takes" if self.calls == 1 else f"{self.calls:,} calls take"
        return f"{calls} {self.used / MEGABYTE:.1f} of {self.limit / MEGABYTE:,.0f} MB"


class CallCache:
    """The cache held open. Nothing here raises for a broken file or a full disk: see ``fault``."""

    def __init__(
        self, path: Path | None = None, limit: int | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Open the cache, made at the first use; ``limit`` in bytes, 0 turns it off, None takes the environment's."""
        self.path = path or data_folder() / "calls.sqlite"
        self.limit = limit_asked() if limit is None else limit
        self.fault = ""
        self._clock = clock
        self._engine = opened(self.path)
        self._prepared = False
        self._reads = self._writes = self.limit > 0
        self._lock = threading.Lock()

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return key -> value of those that are there. A damaged value is not there."""
        if not self._reads or not keys:
            return {}
        return self._tried(lambda connection: self._found(connection, keys), {})

    def put(self, kind: str, entries: Mapping[str, bytes]) -> None:
        """Keep the entries, all of them or none; one larger than a tenth of the bound is not kept."""
        if not self._writes or not entries:
            return
        packed = [(bytes.fromhex(key), zlib.compress(value, 1)) for key, value in entries.items()]
        rows = [
            (key, kind, self._clock(), len(value), value)
            for key, value in packed
            if len(value) <= self.limit * LARGEST_SHARE
        ]
        self._tried(lambda connection: self._keep(connection, rows), None)

    def size(self) -> CacheSize:
        """Return how much the cache holds; nothing where it cannot be read."""
        calls, used = self._tried(counted, (0, 0))
        return CacheSize(calls=calls, used=used, limit=self.limit)

    def clear(self) -> None:
        """Forget everything; a damaged file is removed. Raises StorageError where that cannot be done.

        A file that another program holds is left to it: removed, that program would go on with one of its own.
        """
        try:
            with self._connected() as connection:
                with transaction(connection):
                    connection.exec_driver_sql("DELETE FROM calls")
                give_back(connection)
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        except (SQLAlchemyError, sqlite3.Error, OSError) as exc:
            if is_busy(cause_of(exc)):
                raise StorageError(
                    "The cache of model calls is in use by another program. Try again in a moment."
                ) from exc
            self._remove()
        self.fault, self._reads, self._writes = "", self.limit > 0, self.limit > 0

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._engine.dispose()

    def _remove(self) -> None:
        """Remove the file with its log, and start anew at the next use."""
        self._engine.dispose()
        self._prepared = False
        try:
            for name in (self.path.name, f"{self.path.name}-wal", f"{self.path.name}-shm"):
                self.path.with_name(name).unlink(missing_ok=True)
        except OSError as exc:
            raise StorageError(f"The cache of model calls cannot be emptied: {exc.strerror or exc}.") from exc

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Hold a connection to a file that has its table."""
        with self._engine.connect() as connection:
            with self._lock:
                if not self._prepared:
                    prepare(connection)
                    self._prepared = True
            yield connection

    def _tried(self, work: Callable[[Connection], Result], otherwise: Result) -> Result:
        """Return what the work gives over a connection; where the file fails, note it and return ``otherwise``."""
        try:
            with self._connected() as connection:
                return work(connection)
        except (SQLAlchemyError, sqlite3.Error, OSError) as exc:
            self._note_fault(exc)
            return otherwise

    def _found(self, connection: Connection, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the entries that are there, and write down that they were used."""
        found: dict[str, bytes] = {}
        stale: list[bytes] = []
        for first in range(0, len(keys), ASKED_AT_ONCE):
            asked = tuple(bytes.fromhex(key) for key in keys[first : first + ASKED_AT_ONCE])
            query = f"SELECT key, value, used_at FROM calls WHERE key IN ({marks(asked)})"
            for row in connection.exec_driver_sql(query, asked):
                value = unpacked(row.value)
                if value is not None:
                    found[row.key.hex()] = value
                if row.used_at < self._clock() - USE_SECONDS:
                    stale.append(row.key)
        self._note_use(connection, stale[:ASKED_AT_ONCE])
        return found

    def _keep(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> None:
        """Write rows and stay under the bound, in one transaction."""
        with transaction(connection):
            for row in rows:
                connection.exec_driver_sql("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)", row)
            cleared = self._make_room(connection)
        if cleared:
            give_back(connection)

    def _note_fault(self, exc: Exception) -> None:
        """Remember what is wrong and stop doing what cannot work; another program's lock passes by itself."""
        cause = cause_of(exc)
        code = str(getattr(cause, "sqlite_errorname", ""))
        if is_busy(cause):
            log.info("the cache of model calls was busy: %s", cause)
            return
        self._writes = False
        self._reads = self._reads and code.startswith(READABLE)
        sentence = next((text for start, text in FAULTS if code.startswith(start)), "")
        if not self.fault:
            self.fault = sentence or f"The cache of model calls failed and is not used: {cause}."
            log.warning("%s", self.fault)

    def _note_use(self, connection: Connection, keys: Sequence[bytes]) -> None:
        """Write down that entries were used now. On a full or read-only disk they are still read."""
        if not keys or not self._writes:
            return
        query = f"UPDATE calls SET used_at = ? WHERE key IN ({marks(keys)})"
        try:
            connection.exec_driver_sql(query, (self._clock(), *keys))
        except (SQLAlchemyError, sqlite3.Error) as exc:
            self._note_fault(exc)

    def _make_room(self, connection: Connection) -> bool:
        """Return whether the file was above its bound, after deleting what was used longest ago to a tenth below it."""
        excess = bytes_used(connection) - self.limit
        if excess <= 0:
            return False
        wanted = excess + (1 - ROOM_AFTER_CLEARING) * self.limit
        connection.exec_driver_sql(
            "DELETE FROM calls WHERE key IN (SELECT key FROM (SELECT key, sum(size) OVER (ORDER BY used_at, rowid) "
            "- size AS before FROM calls) WHERE before < ?)",
            (wanted,),
        )
        return True


def key_of(*parts: object) -> str:
    """Return the key of a call: 64 hexadecimal digits over the format of this cache and everything given.

    Parts are text, numbers, truth values, None, and lists or tuples of them.

    >>> key_of("generation", 1) == key_of("generation", 1), key_of("a", "b") == key_of("ab")
    (True, False)
    """
    return sha256(json.dumps([FORMAT, *parts], separators=(",", ":")).encode()).hexdigest()


def limit_asked() -> int:
    """Return the bound in bytes by MICROSCOPE_CACHE_MB, 500 MB without it. Raises StorageError for no number."""
    asked = os.environ.get(LIMIT_VARIABLE, "").strip() or str(DEFAULT_MEGABYTES)
    try:
        megabytes = float(asked)
    except ValueError:
        megabytes = -1.0
    if not 0 <= megabytes < float("inf"):
        raise StorageError(f"{LIMIT_VARIABLE} must be a number of megabytes, 0 for no cache, got {asked!r}.")
    return int(megabytes * MEGABYTE)


def default_cache() -> CallCache:
    """Return this process's cache in the data folder, opened once for each folder and bound."""
    return cache_at(data_folder() / "calls.sqlite", limit_asked())


@lru_cache(maxsize=8)
def cache_at(path: Path, limit: int) -> CallCache:
    """Return the cache in a file, opened once per process."""
    return CallCache(path, limit)


def opened(path: Path) -> Engine:
    """Return connections to a file that wait for each other and log ahead. Nothing is opened yet."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)), isolation_level="AUTOCOMMIT", connect_args={"timeout": BUSY_SECONDS}
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        # Only before the first table is made can a file be told to give freed pages back.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        log_ahead(connection)
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        # Whole after a killed process; a power cut may cost the last entries, which are computed again.
        connection.execute("PRAGMA synchronous = NORMAL")

    return engine


def cause_of(error: Exception) -> BaseException:
    """Return SQLite's own error where another one is around it."""
    return error.orig or error if isinstance(error, DBAPIError) else error


def is_busy(error: BaseException) -> bool:
    """Return whether SQLite gave up because another connection holds the file."""
    return str(getattr(error, "sqlite_errorname", "")).startswith(BUSY)


@retry(
    retry=retry_if_exception(is_busy), stop=stop_after_delay(BUSY_SECONDS), wait=wait_random(0.01, 0.1), reraise=True
)
def log_ahead(connection: sqlite3.Connection) -> None:
    """Switch a connection to write-ahead logging; of two that switch a fresh file at once SQLite refuses one."""
    connection.execute("PRAGMA journal_mode = WAL")


def prepare(connection: Connection) -> None:
    """Make the table where there is none; what another format of this cache wrote is thrown away."""
    if format_of(connection) == FORMAT:
        return
    with transaction(connection):
        if format_of(connection) == FORMAT:  # another program was faster, and may have kept something already
            return
        connection.exec_driver_sql("DROP TABLE IF EXISTS calls")
        for statement in SCHEMA:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(f"PRAGMA user_version = {FORMAT}")


def format_of(connection: Connection) -> int:
    """Return the format the file says it has; 0 for a new one."""
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Hold the only write transaction: all of it is kept, or nothing."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    finally:
        if driver_of(connection).in_transaction:
            driver_of(connection).rollback()


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection."""
    return cast(sqlite3.Connection, connection.connection.driver_connection)


def give_back(connection: Connection) -> None:
    """Give free pages back to the disk. SQLite frees one with each step, and only a script takes all steps."""
    driver_of(connection).executescript("PRAGMA incremental_vacuum")


def marks(values: Sequence[object]) -> str:
    """Return as many question marks as there are values.

    >>> marks((1, 2))
    '?, ?'
    """
    return ", ".join("?" * len(values))


def counted(connection: Connection) -> tuple[int, int]:
    """Return how many calls the file holds, and the bytes in use."""
    return int(connection.exec_driver_sql("SELECT count(*) FROM calls").scalar_one()), bytes_used(connection)


def bytes_used(connection: Connection) -> int:
    """Return the bytes of the file's pages that hold something."""
    pages, free, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def unpacked(value: bytes) -> bytes | None:
    """Return a stored value, None where its bytes are damaged: zlib checks its own checksum."""
    try:
        return zlib.decompress(value)
    except zlib.error:
        return None


def array_to_bytes(array: np.ndarray) -> bytes:
    """Return an array of floats as bytes that bring back every bit; in single precision where that loses nothing."""
    wide = np.ascontiguousarray(array)
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    single = wide.dtype == np.float32 or np.array_equal(narrow.astype(wide.dtype), wide, equal_nan=True)
    head = json.dumps({"shape": wide.shape, "was": str(wide.dtype), "kept": "float32" if single else str(wide.dtype)})
    return head.encode() + b"\n" + (narrow if single else wide).tobytes()


def array_from_bytes(value: bytes) -> np.ndarray:
    """Return the array that ``array_to_bytes`` wrote. Raises ValueError where the bytes are none."""
    head, _, rest = value.partition(b"\n")
    try:
        said = json.loads(head)
        kept = np.frombuffer(rest, dtype=np.dtype(said["kept"])).reshape(said["shape"])
        return kept.astype(np.dtype(said["was"]))
    except (KeyError, TypeError) as exc:
        raise ValueError("these bytes are no array") from exc
