"""What models answered, on disk under what they were asked, so a second look and a resumed run compute nothing.

One SQLite file for several threads and processes, one transaction per batch, so a killed process leaves whole entries
only. A key is a SHA-256 over everything the answer depends on; a value is compressed bytes with a checksum, never code.
The file stays under a size limit: what was used longest ago goes first.

A damaged file or a full disk never stops a run. The cache says it once, in the log and by ``fault``.
"""

import json
import logging
import os
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np
from sqlalchemy import Connection

from engine.core.database import Database, Schema, sql_step, sqlite_driver
from engine.core.errors import StorageError
from engine.core.folders import data_folder

FORMAT = 1
LIMIT_VARIABLE = "MICROSCOPE_CACHE_MB"
MEGABYTE = 10**6
DEFAULT_MEGABYTES = 500
# A hit is written down as use at most this often: reading should not cost a write each time.
USE_SECONDS = 60.0
ASKED_AT_ONCE = 500
ROOM_AFTER_CLEARING = 0.9
LARGEST_SHARE = 0.1
LOG_BYTES = 8 * MEGABYTE

SCHEMA = Schema(
    name="the call cache",
    busy_seconds=2.0,
    steps=(
        sql_step(
            "CREATE TABLE IF NOT EXISTS calls (key BLOB PRIMARY KEY, kind TEXT NOT NULL, used_at REAL NOT NULL, "
            "size INTEGER NOT NULL, value BLOB NOT NULL)",
            "CREATE INDEX IF NOT EXISTS calls_by_use ON calls (used_at, size)",
        ),
    ),
    # Saved entries survive a killed process; a power cut may cost the last ones, which are computed again.
    pragmas=("auto_vacuum = INCREMENTAL", f"journal_size_limit = {LOG_BYTES}", "synchronous = NORMAL"),
)
WITHOUT_CACHE = "Model calls are not stored until then."
READABLE = ("full", "read-only")
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
        self.database = Database(self.path, SCHEMA)
        self._reads = self._writes = self.limit > 0

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return key -> value of those that are there. A damaged value is not there."""
        if not self._reads or not keys:
            return {}
        nothing: tuple[dict[str, bytes], list[bytes]] = ({}, [])
        found, stale = self._tried(lambda: self._found(keys), nothing)
        self._note_use(stale)
        return found

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
        self._tried(lambda: self._keep(rows), None)

    def size(self) -> CacheSize:
        """Return how much the cache holds; nothing where it cannot be read."""
        calls, used = self._tried(self._counted, (0, 0))
        return CacheSize(calls=calls, used=used, limit=self.limit)

    def clear(self) -> None:
        """Forget everything; a damaged file is removed. Raises StorageError where that cannot be done.

        A file that another program holds is left to it: removed, that program would go on with one of its own.
        """
        try:
            with self.database.transaction() as connection:
                connection.exec_driver_sql("DELETE FROM calls")
            with self.database.connect() as connection:
                give_back(connection)
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        except StorageError as exc:
            if exc.fault == "busy":
                raise
            self._remove()
        self.fault, self._reads, self._writes = "", self.limit > 0, self.limit > 0

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close()

    def _remove(self) -> None:
        """Delete the file. Raises StorageError where that cannot be done."""
        try:
            self.database.remove()
        except OSError as exc:
            raise StorageError(f"The call cache cannot be cleared: {exc.strerror or exc}.") from exc

    def _tried(self, work: Callable[[], Result], default: Result) -> Result:
        """Return what the work gives; where the file fails, note it and return the default."""
        try:
            return work()
        except StorageError as exc:
            self._note_fault(exc)
            return default

    def _counted(self) -> tuple[int, int]:
        """Return the number of calls in the file, and the bytes in use."""
        with self.database.reading() as connection:
            calls = connection.exec_driver_sql("SELECT count(*) FROM calls").scalar_one()
            return int(calls), bytes_used(connection)

    def _found(self, keys: Sequence[str]) -> tuple[dict[str, bytes], list[bytes]]:
        """Return the entries that are there, and the keys whose last use was noted too long ago."""
        found: dict[str, bytes] = {}
        stale: list[bytes] = []
        with self.database.reading() as connection:
            for first in range(0, len(keys), ASKED_AT_ONCE):
                asked = tuple(bytes.fromhex(key) for key in keys[first : first + ASKED_AT_ONCE])
                query = f"SELECT key, value, used_at FROM calls WHERE key IN ({marks(asked)})"
                for row in connection.exec_driver_sql(query, asked):
                    value = unpacked(row.value)
                    if value is not None:
                        found[row.key.hex()] = value
                    if row.used_at < self._clock() - USE_SECONDS:
                        stale.append(row.key)
        return found, stale[:ASKED_AT_ONCE]

    def _keep(self, rows: Sequence[tuple[object, ...]]) -> None:
        """Write rows and stay under the limit, in one transaction."""
        with self.database.transaction() as connection:
            for row in rows:
                connection.exec_driver_sql("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)", row)
            cleared = self._make_room(connection)
        if cleared:
            with self.database.connect() as connection:
                give_back(connection)

    def _note_fault(self, error: StorageError) -> None:
        """Remember what is wrong and stop what cannot work; another program's lock passes by itself."""
        if error.fault == "busy":
            log.info("%s", error)
            return
        self._writes = False
        self._reads = self._reads and error.fault in READABLE
        if not self.fault:
            self.fault = f"{error} {WITHOUT_CACHE}"
            log.warning("%s", self.fault)

    def _note_use(self, keys: Sequence[bytes]) -> None:
        """Write down that entries were used now."""
        if not keys or not self._writes:
            return
        query = f"UPDATE calls SET used_at = ? WHERE key IN ({marks(keys)})"

        def note() -> None:
            with self.database.transaction() as connection:
                connection.exec_driver_sql(query, (self._clock(), *keys))

        self._tried(note, None)

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


def give_back(connection: Connection) -> None:
    """Give free pages back to the disk. SQLite frees one with each step, and only a script takes all steps."""
    sqlite_driver(connection).executescript("PRAGMA incremental_vacuum")


def marks(values: Sequence[object]) -> str:
    """Return as many question marks as there are values.

    >>> marks((1, 2))
    '?, ?'
    """
    return ", ".join("?" * len(values))


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
