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
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import pydantic_core
from sqlalchemy import Connection, MetaData, Table, func, select, text
from sqlalchemy.exc import DataError, IntegrityError

from engine.annotations.database import VERSION_TABLE, open_database, revision_name
from engine.annotations.schema import TABLES
from engine.core.database import Database
from engine.core.errors import RecordError, StorageError
from engine.core.folders import read_at_most
from engine.core.json_text import too_large
from engine.core.words import reason_of

KIND = "retrieval-microscope labels"
BATCH = 500
LARGEST_BACKUP, PART = 2**31, 2**20  # bytes: of a whole backup, packed or unpacked, and of what is unpacked at once
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

    Raises RecordError if the file is not a complete backup, and StorageError if the store is not empty.
    """
    revision, lines = read_whole(path)
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
            rows = insert_all(connection, tables, lines)
        database.migrate()
    finally:
        database.close()
    return BackupSummary(revision=revision, rows=rows)


def read_whole(path: Path) -> tuple[str, list[Any]]:
    """Return the revision and the rows of a backup. Raises RecordError if it is none or not complete."""
    lines = unpacked(path).splitlines(keepends=True)
    try:
        first, *rows, last = map(pydantic_core.from_json, lines)
    except ValueError as exc:  # no JSON, half a letter, or a single line
        raise RecordError(f"{path.name} is not a readable backup of labels: {reason_of(exc)}.") from exc
    if not isinstance(first, dict) or first.get("kind") != KIND or not isinstance(last, dict):
        raise RecordError(f"{path.name} is not a backup of labels.")
    digest = hashlib.sha256(b"".join(lines[1:-1])).hexdigest()
    if last.get("rows") != len(rows) or last.get("sha256") != digest:
        raise RecordError(f"{path.name} is truncated or damaged: its rows do not match its checksum.")
    revision = first.get("revision")
    if not isinstance(revision, str) or not re.fullmatch("[0-9]{4,9}", revision):
        raise RecordError(f"{path.name} does not name the version of its tables.")
    return revision, rows


def unpacked(path: Path) -> bytes:
    """Return what a packed file holds. Raises InputError where it cannot be read, RecordError where it is damaged."""
    packed, content = read_at_most(path, LARGEST_BACKUP), bytearray()
    try:
        with gzip.open(BytesIO(packed)) as opened:
            while len(content) <= LARGEST_BACKUP and (part := opened.read(PART)):
                content += part
    except (OSError, EOFError, zlib.error) as exc:
        raise RecordError(f"{path.name} is not a readable backup of labels: {reason_of(exc)}.") from exc
    if len(content) > LARGEST_BACKUP:
        raise RecordError(f"{path.name} unpacks to more than {LARGEST_BACKUP // PART:,} MiB, so it is not read.")
    return bytes(content)


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


def insert_all(connection: Connection, tables: MetaData, lines: list[Any]) -> tuple[tuple[str, int], ...]:
    """Insert the rows and return how many per table. Raises RecordError if a row fits no table, or not the others."""
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table in own_tables(tables)}
    for line in lines:
        name, row = (line.get("table"), line.get("row")) if isinstance(line, dict) else (None, None)
        known = isinstance(name, str) and name in found
        if not known or not isinstance(row, dict) or not fits(row, tables.tables[str(name)]):
            raise RecordError(f"A row of the backup fits no table of its revision: {str(name)[:40]!r}.")
        found[str(name)].append(row)
    for table in own_tables(tables):
        for begin in range(0, len(found[table.name]), BATCH):
            with faults_as_sentences(table):
                connection.execute(table.insert(), found[table.name][begin : begin + BATCH])
    if connection.dialect.name == "postgresql" and found.get("events"):
        # Rows with their own number do not advance PostgreSQL's counter.
        connection.execute(text("SELECT setval(pg_get_serial_sequence('events', 'number'), max(number)) FROM events"))
    return tuple((name, len(rows)) for name, rows in found.items())


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
