"""What models answered, on disk by request, so a second look and a resumed run compute nothing.

One SQLite file for several threads and processes, one transaction per batch, so a killed process leaves whole entries
only. A key is a SHA-256 over everything the answer depends on; a value is compressed bytes with a checksum, never code.
The file stays under a size limit: what was used longest ago goes first.

A damaged file or a full disk never stops a run. The cache says it once, in the log and by ``fault``. It leaves the last
of the disk free: what cannot be computed again, runs and labels, needs it.
"""

import json
import logging
import os
import shutil
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import Connection

from engine.core.database import Database, Schema, sql_step, sqlite_driver
from engine.core.errors import StorageError
from engine.core.folders import data_folder

FORMAT = 1
LIMIT_VARIABLE = "MICROSCOPE_CACHE_MB"
MEGABYTE = 10**6
DEFAULT_MEGABYTES = 500
MEGABYTES = TypeAdapter(Annotated[float, Field(ge=0, allow_inf_nan=False)])
# A hit is written down as use at most this often: reading should not cost a write each time.
USE_SECONDS = 60.0
KEYS_AT_ONCE = 500
ROOM_AFTER_CLEARING = 0.9
LARGEST_SHARE = 0.1
LOG_BYTES = 8 * MEGABYTE
LEFT_FREE = 64 * MEGABYTE

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
    """The open cache. Nothing here raises for a broken file or a full disk: see ``fault``.

    ``limit`` in bytes; 0 turns it off, None takes the environment's. The file is made at the first use.
    """

    def __init__(
        self, path: Path | None = None, limit: int | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path or data_folder() / "calls.sqlite"
        self.limit = limit_from_environment() if limit is None else limit
        self.fault = ""
        self._clock = clock
        self.database = Database(self.path, SCHEMA)
        self._reads = self._writes = self.limit > 0

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return key -> value of those that are there. A damaged value is not there."""
        found: dict[str, bytes] = {}
        if not self._reads or not keys:
            return found
        stale: list[bytes] = []
        with self._faults_noted(), self.database.reading() as connection:
            for first in range(0, len(keys), KEYS_AT_ONCE):
                wanted = tuple(bytes.fromhex(key) for key in keys[first : first + KEYS_AT_ONCE])
                query = f"SELECT key, value, used_at FROM calls WHERE key IN ({', '.join('?' * len(wanted))})"
                for row in connection.exec_driver_sql(query, wanted):
                    with suppress(zlib.error):  # a damaged value: zlib checks its own checksum
                        found[row.key.hex()] = zlib.decompress(row.value)
                    if row.used_at < self._clock() - USE_SECONDS:
                        stale.append(row.key)
        if stale and self._writes:
            now = self._clock()
            with self._faults_noted(), self.database.transaction() as connection:
                connection.exec_driver_sql(
                    "UPDATE calls SET used_at = ? WHERE key = ?", [(now, key) for key in stale[:KEYS_AT_ONCE]]
                )
        return found

    def put(self, kind: str, entries: Mapping[str, bytes]) -> None:
        """Keep the entries, all of them or none; one larger than a tenth of the limit is not kept."""
        packed = {bytes.fromhex(key): zlib.compress(value, 1) for key, value in entries.items()} if self._writes else {}
        now, largest = self._clock(), self.limit * LARGEST_SHARE
        rows = [(key, kind, now, len(value), value) for key, value in packed.items() if len(value) <= largest]
        if not rows:
            return
        with self._faults_noted():
            refuse_last_room(self.path.parent)
            with self.database.transaction() as connection:
                connection.exec_driver_sql("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)", rows)
                cleared = self._make_room(connection)
            if cleared:
                with self.database.connect() as connection:
                    give_back(connection)

    def size(self) -> CacheSize:
        """Return how much the cache holds; nothing where it cannot be read."""
        calls = used = 0
        with self._faults_noted(), self.database.reading() as connection:
            calls = int(connection.exec_driver_sql("SELECT count(*) FROM calls").scalar_one())
            used = bytes_used(connection)
        return CacheSize(calls=calls, used=used, limit=self.limit)

    def clear(self) -> None:
        """Forget everything; a damaged file is removed. Raises StorageError where that cannot be done.

        A file that another program uses stays: if it were removed, that program would go on with one of its own.
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
            try:
                self.database.remove()
            except OSError as failure:
                reason = failure.strerror or failure
                raise StorageError(f"The call cache cannot be cleared: {reason}.") from failure
        self.fault, self._reads, self._writes = "", self.limit > 0, self.limit > 0

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close()

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """Note a fault of the file and stop what cannot work; another program's lock passes by itself."""
        try:
            yield
        except StorageError as exc:
            if exc.fault == "busy":
                log.info("%s", exc)
                return
            self._writes = False
            self._reads = self._reads and exc.fault in READABLE
            if not self.fault:
                self.fault = f"{exc} {WITHOUT_CACHE}"
                log.warning("%s", self.fault)

    def _make_room(self, connection: Connection) -> bool:
        """Return whether the file was above its limit, after deleting the least recently used to a tenth below it."""
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


def refuse_last_room(folder: Path) -> None:
    """Raise StorageError where so little of a folder's disk is free that runs and labels need it."""
    with suppress(OSError):  # where the folder cannot be looked at, opening the file in it says why
        if shutil.disk_usage(folder).free < LEFT_FREE:
            raise StorageError(
                f"Less than {LEFT_FREE // MEGABYTE} MB of the disk are free, so the call cache does not grow. "
                "Free some space.",
                "full",
            )


def key_of(*parts: object) -> str:
    """Return the key of a call: 64 hexadecimal digits over the format of this cache and everything given.

    Parts are text, numbers, truth values, None, and lists or tuples of them.

    >>> key_of("generation", 1) == key_of("generation", 1), key_of("a", "b") == key_of("ab")
    (True, False)
    """
    return sha256(json.dumps([FORMAT, *parts], separators=(",", ":")).encode()).hexdigest()


def limit_from_environment() -> int:
    """Return the bound in bytes by MICROSCOPE_CACHE_MB, 500 MB without it. Raises StorageError for no number."""
    text = os.environ.get(LIMIT_VARIABLE, "").strip() or str(DEFAULT_MEGABYTES)
    try:
        return int(MEGABYTES.validate_python(text) * MEGABYTE)
    except ValidationError as exc:
        raise StorageError(f"{LIMIT_VARIABLE} must be a number of megabytes, 0 for no cache, got {text!r}.") from exc


def default_cache() -> CallCache:
    """Return this process's cache in the data folder, opened once for each folder and bound."""
    return cache_at(data_folder() / "calls.sqlite", limit_from_environment())


@lru_cache(maxsize=8)
def cache_at(path: Path, limit: int) -> CallCache:
    """Return the cache in a file, opened once per process."""
    return CallCache(path, limit)


def give_back(connection: Connection) -> None:
    """Give free pages back to the disk. SQLite frees one with each step, and only a script takes all steps."""
    sqlite_driver(connection).executescript("PRAGMA incremental_vacuum")


def bytes_used(connection: Connection) -> int:
    """Return the bytes of the file's pages that hold something."""
    pages, free, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


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
        layout = json.loads(head)
        kept = np.frombuffer(rest, dtype=np.dtype(layout["kept"])).reshape(layout["shape"])
        return kept.astype(np.dtype(layout["was"]))
    except (KeyError, TypeError) as exc:
        raise ValueError("these bytes are no array") from exc
