"""Where the labels are: a SQLite file or a PostgreSQL database, with its tables as migration steps.

The version is in a table that both kinds of database have. Its name and form, ``alembic_version`` with "0002", are
those of existing label databases and of their backups.
"""

import os
from pathlib import Path

from sqlalchemy import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError

from engine.core.allowed import OWNER
from engine.core.database import Database, Schema, sql_step
from engine.core.errors import StorageError
from engine.core.folders import data_place, make_folder

URL_VARIABLE = "MICROSCOPE_ANNOTATIONS_URL"
VERSION_TABLE = "alembic_version"


def make_first_tables(connection: Connection) -> None:
    """Make projects with their guidelines, items, labels and events; PostgreSQL numbers events by a counter."""
    number = "INTEGER" if connection.dialect.name == "sqlite" else "SERIAL"
    sql_step(
        "CREATE TABLE projects (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, overlap INTEGER NOT NULL, "
        "blind BOOLEAN NOT NULL, created_at TEXT NOT NULL)",
        "CREATE TABLE guidelines (project TEXT NOT NULL REFERENCES projects (id), version INTEGER NOT NULL, "
        "text TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (project, version))",
        "CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, project TEXT NOT NULL REFERENCES projects (id), "
        "number INTEGER NOT NULL, kind TEXT NOT NULL, run_id TEXT NOT NULL, run_hash TEXT NOT NULL, "
        "source TEXT NOT NULL, policy TEXT NOT NULL, place INTEGER NOT NULL, token INTEGER, "
        "markable INTEGER NOT NULL, searchable TEXT NOT NULL, view_json TEXT NOT NULL, "
        "CONSTRAINT items_in_order UNIQUE (project, number))",
        "CREATE TABLE labels (item TEXT NOT NULL REFERENCES items (id), annotator TEXT NOT NULL, "
        "values_json TEXT NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL, seconds FLOAT NOT NULL, "
        "action TEXT NOT NULL, version INTEGER NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (item, annotator))",
        f"CREATE TABLE events (number {number} NOT NULL PRIMARY KEY, project TEXT NOT NULL REFERENCES projects (id), "
        "item TEXT NOT NULL REFERENCES items (id), annotator TEXT NOT NULL, action TEXT NOT NULL, "
        'verb TEXT NOT NULL, "of" TEXT NOT NULL, before_json TEXT NOT NULL, after_json TEXT NOT NULL, '
        "at TEXT NOT NULL, undone BOOLEAN NOT NULL, CONSTRAINT events_once UNIQUE (item, annotator, action))",
        "CREATE INDEX events_of_person ON events (project, annotator, number)",
    )(connection)


# Labels made before take the newest guidelines written by their last change, at least the first ones.
add_adjudication = sql_step(
    "ALTER TABLE labels ADD COLUMN guidelines INTEGER NOT NULL DEFAULT 0",
    "UPDATE labels SET guidelines = COALESCE((SELECT MAX(g.version) FROM guidelines AS g "
    "JOIN items AS i ON i.project = g.project WHERE i.id = labels.item AND g.at <= labels.updated_at), 1) "
    "WHERE version > 0",
    "CREATE TABLE adjudications (item TEXT NOT NULL PRIMARY KEY REFERENCES items (id), by TEXT NOT NULL, "
    "values_json TEXT NOT NULL, reason TEXT NOT NULL, version INTEGER NOT NULL, at TEXT NOT NULL)",
    "CREATE TABLE assignments (item TEXT NOT NULL REFERENCES items (id), annotator TEXT NOT NULL, "
    "PRIMARY KEY (item, annotator))",
    "CREATE TABLE claims (item TEXT NOT NULL REFERENCES items (id), annotator TEXT NOT NULL, "
    "claimed_at FLOAT NOT NULL, PRIMARY KEY (item, annotator))",
    "CREATE TABLE preferences (annotator TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, "
    "PRIMARY KEY (annotator, name))",
)
# Whose a project is, where the workbench is open to others; the owner's bear no name.
add_person = sql_step(f"ALTER TABLE projects ADD COLUMN person TEXT NOT NULL DEFAULT '{OWNER}'")
# When visitors made or imported something, for the limit of an hour.
add_arrivals = sql_step(
    "CREATE TABLE arrivals (id TEXT NOT NULL PRIMARY KEY, person TEXT NOT NULL, at TEXT NOT NULL)",
)
SCHEMA = Schema(
    name="the label database",
    version_table=VERSION_TABLE,
    steps=(make_first_tables, add_adjudication, add_person, add_arrivals),
)


def open_database(url: str | None = None) -> Database:
    """Return the label database, migrated. Raises StorageError where it cannot be used."""
    database = Database(database_url(url), SCHEMA)
    database.open()
    return database


def revision_name(version: int) -> str:
    """Return a version as backups write it.

    >>> revision_name(2)
    '0002'
    """
    return f"{version:04}"


def label_file() -> Path | None:
    """Return the file of the label database, there or not; None where it is no file. Raises StorageError."""
    return file_at(named_url(None))


def file_at(url: URL) -> Path | None:
    """Return the file at an address, None for that of a server."""
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def database_url(url: str | None) -> URL:
    """Return the address of the database, as ``named_url`` does; the folder of a file is made. Raises StorageError."""
    found = named_url(url)
    if (file := file_at(found)) is not None:
        make_folder(file.parent)
    return found


def named_url(url: str | None) -> URL:
    """Return the address of the database: the one given, the environment's, or a file in the data folder.

    Raises StorageError where it names neither SQLite nor PostgreSQL.
    """
    named = (url if url is not None else os.environ.get(URL_VARIABLE, "")).strip()
    if not named:
        return URL.create("sqlite", database=str(data_place() / "annotations.sqlite"))
    try:
        found = make_url(named)
    except (ArgumentError, ValueError) as exc:
        raise StorageError(
            f"{URL_VARIABLE} is not the address of a database, such as postgresql://user@host/name."
        ) from exc
    kind = found.get_backend_name()
    if kind == "sqlite" and found.database and found.database != ":memory:":
        return found.set(drivername="sqlite")
    if kind == "postgresql":
        return found.set(drivername="postgresql+psycopg")
    raise StorageError("Labels need a SQLite file (sqlite:///FILE) or PostgreSQL (postgresql://HOST/NAME).")
