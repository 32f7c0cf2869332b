"""The whole label store in one file, and back; also the way between SQLite and PostgreSQL.

The file is gzipped JSON lines: a header with the revision of the tables, one line per row of every table, and a last
line with the number of rows and a checksum, which reveals a truncated file. An older revision is restored into an empty
database of that revision, which is then migrated.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import pydantic_core
from sqlalchemy import Connection, MetaData, Table, func, select, text
from sqlalchemy.exc import DataError, IntegrityError

from engine.annotations.database import VERSION_TABLE, open_database, revision_name
from engine.annotations.schema import TABLES
from engine.core.database import Database
from engine.core.errors import InputError, RecordError, StorageError
from engine.core.json_text import too_large
from engine.core.words import reason_of

KIND = "retrieval-microscope labels"
BATCH = 500
LONGEST_LINE = 2**29  # bytes of one row; what commands read otherwise has as many at most
# The JSON values that a column of each type may have.
KINDS: dict[type, tuple[type, ...]] = {str: (str,), int: (int,), float: (int, float), bool: (bool,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSummary:
    """The content of a backup: rows per table, and the revision of the tables."""

    revision: str
    rows: tuple[tuple[str, int], ...]

    @property
    def labels(self) -> int:
        """The number of labels in it."""
        return dict(self.rows).get("labels", 0)


def backup(path: Path, url: str | None = None) -> BackupSummary:
    """Write the whole store at one moment to a file and return a summary.

    The file gets its name when it is complete. Raises StorageError if it cannot be written.
    """
    database = open_database(url)
    try:
        return write_file(database, path)
    except OSError as exc:
        raise StorageError(f"The backup could not be written to {path.name}: {exc.strerror}.") from exc
    finally:
        database.close()


def write_file(database: Database, path: Path) -> BackupSummary:
    """Write a temporary file, rename it when it is complete, and return a summary; delete it on failure."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".labels-", delete=False) as unfinished:
        try:
            saved = write_all(database, unfinished.file)
            os.replace(unfinished.name, path)
        finally:
            Path(unfinished.name).unlink(missing_ok=True)
    return saved


def write_all(database: Database, file: IO[bytes]) -> BackupSummary:
    """Write header, rows in an order that can be inserted again, and the last line; return a summary."""
    revision = revision_name(database.version())
    digest, rows = hashlib.sha256(), []
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed, database.reading() as connection:
        packed.write(line_of({"kind": KIND, "revision": revision}))
        for table in TABLES.sorted_tables:
            count = 0
            for row in connection.execute(table.select().order_by(*table.primary_key)):
                line = line_of({"table": table.name, "row": row._asdict()})
                packed.write(line)
                digest.update(line)
                count += 1
            rows.append((table.name, count))
        packed.write(line_of({"rows": sum(count for _, count in rows), "sha256": digest.hexdigest()}))
    file.flush()
    os.fsync(file.fileno())
    return BackupSummary(revision=revision, rows=tuple(rows))


def line_of(fields: dict[str, Any]) -> bytes:
    """Return an object as a line of JSON."""
    return json.dumps(fields, ensure_ascii=True).encode() + b"\n"


def restore(path: Path, url: str | None = None) -> BackupSummary:
    """Bring a file back into an empty store, all of it or nothing, and return a summary.

    The file is read twice, line by line, so it may be of any size. Raises InputError if it cannot be read, RecordError
    if it is not a complete backup, and StorageError if the store is not empty.
    """
    with open_backup(path) as file:
        revision = checked_revision(file, path.name)
        database = open_database(url)
        try:
            with database.transaction("restore") as connection:
                empty = reflected(connection)
                refuse_filled(connection, empty)
                if int(revision) != database.version_in(connection):
                    empty.drop_all(connection)
            database.migrate(int(revision))
            with database.transaction("restore") as connection:
                tables = reflected(connection)
                refuse_filled(connection, tables)
                rows = insert_all(connection, tables, whole_backup(file, path.name))
            database.migrate()
        finally:
            database.close()
    return BackupSummary(revision=revision, rows=rows)


@contextmanager
def open_backup(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that can be read from its beginning again; what comes through a pipe is copied first.

    Raises InputError where it cannot be read, or is a device: its bytes might never end.
    """
    with ExitStack() as held:
        try:
            file: IO[bytes] = held.enter_context(path.open("rb"))
            kind = os.fstat(file.fileno()).st_mode
            if stat.S_ISFIFO(kind):
                copy = held.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(file, copy)
                file = copy
            elif not stat.S_ISREG(kind):
                raise InputError(f"{path} is neither a file nor a pipe, so it is not read.")
        except (OSError, ValueError) as exc:  # ValueError: no path can be called so
            raise InputError(f"{path} could not be read: {getattr(exc, 'strerror', None) or exc}.") from exc
        yield file


def checked_revision(file: IO[bytes], name: str) -> str:
    """Return the revision of a backup after reading all of it. Raises RecordError if it is none or not complete."""
    whole = whole_backup(file, name)
    revision = str(next(whole))
    for _row in whole:
        pass
    return revision


def whole_backup(file: IO[bytes], name: str) -> Iterator[Any]:
    """Yield the revision of a backup, then its rows. Raises RecordError if it is none, and at its end if it is cut."""
    lines = lines_of(file, name)
    first = parsed(next(lines, b""), name)
    if not isinstance(first, dict) or first.get("kind") != KIND:
        raise RecordError(f"{name} is not a backup of labels.")
    revision = first.get("revision")
    if not isinstance(revision, str) or not re.fullmatch("[0-9]{4,9}", revision):
        raise RecordError(f"{name} does not name the version of its tables.")
    yield revision
    digest, rows, line = hashlib.sha256(), 0, next(lines, b"")
    for after in lines:
        digest.update(line)
        rows += 1
        yield parsed(line, name)
        line = after
    last = parsed(line, name)
    if not isinstance(last, dict) or last.get("rows") != rows or last.get("sha256") != digest.hexdigest():
        raise RecordError(f"{name} is truncated or damaged: its rows do not match its checksum.")


def lines_of(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines that a packed file holds, from its beginning. Raises RecordError where it is damaged."""
    file.seek(0)
    try:
        with gzip.open(file) as opened:
            while line := opened.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise RecordError(f"{name} has a row of more than {LONGEST_LINE // 2**20:,} MiB.")
                yield line
    except (OSError, EOFError, zlib.error) as exc:
        raise RecordError(f"{name} is not a readable backup of labels: {reason_of(exc)}.") from exc


def parsed(line: bytes, name: str) -> Any:
    """Return what a line of a backup says. Raises RecordError where it is no JSON, or half a letter."""
    try:
        return pydantic_core.from_json(line)
    except ValueError as exc:
        raise RecordError(f"{name} is not a readable backup of labels: {reason_of(exc)}.") from exc


def reflected(connection: Connection) -> MetaData:
    """Return the tables as they are in the database."""
    tables = MetaData()
    tables.reflect(connection)
    return tables


def refuse_filled(connection: Connection, tables: MetaData) -> None:
    """Raise StorageError if a table has a row."""
    for table in own_tables(tables):
        if connection.execute(select(func.count()).select_from(table)).scalar_one():
            raise StorageError(
                "This store already has labels. Restore into an empty one: name another data folder or "
                "database, or move the file of labels away."
            )


def own_tables(tables: MetaData) -> Iterator[Table]:
    """Yield the tables with labels, in an order in which rows can be inserted."""
    yield from (table for table in tables.sorted_tables if table.name != VERSION_TABLE)


def insert_all(connection: Connection, tables: MetaData, whole: Iterator[Any]) -> tuple[tuple[str, int], ...]:
    """Insert the rows of a whole backup and return how many per table.

    They come in an order that can be inserted. Raises RecordError if a row fits no table, or not the others.
    """
    counts = {table.name: 0 for table in own_tables(tables)}
    next(whole)  # the revision, which the tables have
    for name, same in groupby((fitting(line, tables, counts) for line in whole), key=itemgetter(0)):
        while batch := [row for _, row in islice(same, BATCH)]:
            with faults_as_sentences(tables.tables[name]):
                connection.execute(tables.tables[name].insert(), batch)
            counts[name] += len(batch)
    if connection.dialect.name == "postgresql" and counts.get("events"):
        # Rows with their own number do not advance PostgreSQL's counter.
        connection.execute(text("SELECT setval(pg_get_serial_sequence('events', 'number'), max(number)) FROM events"))
    return tuple(counts.items())


def fitting(line: object, tables: MetaData, known: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return the name of the table that a row of a backup goes into, and the row. Raises RecordError for none."""
    name, row = (line.get("table"), line.get("row")) if isinstance(line, dict) else (None, None)
    if (
        not isinstance(name, str)
        or name not in known
        or not isinstance(row, dict)
        or not fits(row, tables.tables[name])
    ):
        raise RecordError(f"A row of the backup fits no table of its revision: {str(name)[:40]!r}.")
    return name, row


def fits(row: dict[str, Any], table: Table) -> bool:
    """Return whether a row has the columns of a table, and in each a value of its type that a database can hold."""
    kinds = {column.name: KINDS[column.type.python_type] for column in table.columns}
    return set(row) == set(kinds) and all(
        value is None or (type(value) in kinds[name] and not (type(value) is int and too_large(value)))
        for name, value in row.items()
    )


@contextmanager
def faults_as_sentences(table: Table) -> Iterator[None]:
    """Turn what a database refuses of the rows of a table into a RecordError; its own faults pass through."""
    try:
        yield
    except (IntegrityError, DataError) as exc:
        reason = reason_of(exc.orig or exc)
        raise RecordError(f"The rows of the backup do not fit together, in the table {table.name}: {reason}.") from exc
