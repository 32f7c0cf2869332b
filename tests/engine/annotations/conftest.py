"""What every test of labels is given: an empty store in SQLite, and the same in a real PostgreSQL."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from engine.annotations.store import AnnotationStore
from tests.engine.annotations.postgres_server import postgres_programs, running_server

NUMBERS = count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Return the address of a PostgreSQL server; skips where none is installed."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    with running_server(programs) as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'annotations.sqlite'}"
    server: str = request.getfixturevalue("postgres_server")
    name = f"labels_{next(NUMBERS)}"
    with create_engine(server, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    return server.rsplit("/", 1)[0] + f"/{name}"


@pytest.fixture
def open_store(database_url: str) -> Iterator[Callable[[], AnnotationStore]]:
    """Return a function that opens the same database again, as another process would."""
    opened: list[AnnotationStore] = []

    def again() -> AnnotationStore:
        opened.append(AnnotationStore(database_url))
        return opened[-1]

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], AnnotationStore]) -> AnnotationStore:
    """Return an empty store."""
    return open_store()
