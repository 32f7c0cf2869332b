"""The whole label store in one file, and back; also the way between SQLite and PostgreSQL.

The file is gzipped JSON lines: a header with the revision of the tables, one line per row of every table, and a last
line with the number of rows and a checksum, which reveals a truncated file. An older revision is restored into an empty
database of that revision, which is then migrated.
"""

import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, MetaData, Table, func, select, text

from engine.annotations.database import VERSION_TABLE, open_database, revision_name
from engine.annotations.schema import TABLES
from engine.core.database import Database
from engine.core.errors import RecordError, StorageError

KIND = "retrieval-microscope labels"
BATCH = 500


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


def read_whole(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return the revision and the rows of a backup. Raises RecordError if it is none or not complete."""
    try:
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        first, last = json.loads(lines[0]), json.loads(lines[-1])
        rows = [json.loads(line) for line in lines[1:-1]]
    except (OSError, EOFError, ValueError, IndexError, RecursionError) as exc:
        raise RecordError(f"{path.name} is not a readable backup of labels: {exc}.") from exc
    if not isinstance(first, dict) or first.get("kind") != KIND or not isinstance(last, dict):
        raise RecordError(f"{path.name} is not a backup of labels.")
    digest = hashlib.sha256(b"".join(lines[1:-1])).hexdigest()
    if last.get("rows") != len(rows) or last.get("sha256") != digest:
        raise RecordError(f"{path.name} is truncated or damaged: its rows do not match its checksum.")
    revision = str(first.get("revision"))
    if not revision.isdecimal():
        raise RecordError(f"{path.name} does not name the version of its tables.")
    return revision, rows


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


def insert_all(connection: Connection, tables: MetaData, lines: list[dict[str, Any]]) -> tuple[tuple[str, int], ...]:
    """Insert the rows and return how many per table. Raises RecordError if a row fits no table."""
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table in own_tables(tables)}
    for line in lines:
        name, row = line.get("table"), line.get("row")
        if name not in found or not isinstance(row, dict) or set(row) != set(tables.tables[name].columns.keys()):
            raise RecordError(f"A row of the backup fits no table of its revision: {str(name)[:40]!r}.")
        found[name].append(row)
    for table in own_tables(tables):
        for begin in range(0, len(found[table.name]), BATCH):
            connection.execute(table.insert(), found[table.name][begin : begin + BATCH])
    if connection.dialect.name == "postgresql" and found.get("events"):
        # Rows with their own number do not advance PostgreSQL's counter.
        connection.execute(text("SELECT setval(pg_get_serial_sequence('events', 'number'), max(number)) FROM events"))
    return tuple((name, len(rows)) for name, rows in found.items())
