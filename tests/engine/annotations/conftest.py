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


def new_postgres_database(server: str) -> str:
    """Return the address of a new, empty database of a server."""
    name = f"labels_{next(NUMBERS)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.rsplit("/", 1)[0] + f"/{name}"


@pytest.fixture
def postgres_database(postgres_server: str) -> str:
    """Return the address of an empty PostgreSQL database."""
    return new_postgres_database(postgres_server)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return a function that makes an empty database and returns its address; once for each kind of database."""
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path / f'labels_{next(NUMBERS)}.sqlite'}"
    server: str = request.getfixturevalue("postgres_server")
    return lambda: new_postgres_database(server)


@pytest.fixture
def database_url(new_database: Callable[[], str]) -> str:
    """Return the address of an empty database."""
    return new_database()


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


@pytest.fixture
def other_store(new_database: Callable[[], str]) -> Iterator[AnnotationStore]:
    """Return another empty store, of the same kind."""
    opened = AnnotationStore(new_database())
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[AnnotationStore]:
    """Return an empty store in SQLite, for what does not depend on the database."""
    opened = AnnotationStore(f"sqlite:///{tmp_path / 'one.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture
def other_sqlite_store(tmp_path: Path) -> Iterator[AnnotationStore]:
    """Return another empty store in SQLite."""
    opened = AnnotationStore(f"sqlite:///{tmp_path / 'two.sqlite'}")
    yield opened
    opened.close()
