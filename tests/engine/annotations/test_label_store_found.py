"""The doctor looks at the labels where they are kept, in a file or in PostgreSQL, and changes nothing there."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, make_url
from typer.testing import CliRunner

from engine.annotations.database import SCHEMA, URL_VARIABLE, VERSION_TABLE, open_database
from engine.cli import app
from engine.cli.health import label_store
from engine.core import allowed
from engine.core.allowed import OWNER, acting_for
from engine.core.errors import StorageError
from tests.ports import free_port


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_labels_in_postgresql_are_looked_at_and_neither_made_nor_migrated(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(URL_VARIABLE, postgres_database)
    assert label_store().well and "no tables yet" in label_store().found
    engine = create_engine(make_url(postgres_database).set(drivername="postgresql+psycopg"))
    assert inspect(engine).get_table_names() == []
    open_database().close()
    named = make_url(postgres_database).database
    assert label_store().found.endswith(f"database {named}, tables of version {SCHEMA.version}")
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '0099'")
    assert not label_store().well and "newer" in label_store().found
    engine.dispose()


def test_a_server_of_labels_that_is_silent_ends_the_doctor_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"postgresql://ann:pass-word-of-ann@localhost:{free_port()}/labels"
    monkeypatch.setenv(URL_VARIABLE, address)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    line = next(line for line in result.output.splitlines() if line.startswith("Label store"))
    assert "cannot be used" in line and "Check its server" in line and "pass-word-of-ann" not in result.output


def test_a_visitor_is_not_told_which_server_inside_the_network_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    address = f"postgresql://ann@localhost:{port}/labels"
    monkeypatch.setattr(allowed, "_STATE", {"restricted": True})
    for person, told in (("browser-1", False), (OWNER, True)):
        with acting_for(person), pytest.raises(StorageError) as caught:
            open_database(address)
        assert (str(port) in str(caught.value)) is told


def test_labels_in_a_file_elsewhere_are_looked_at_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "labels.sqlite"
    monkeypatch.setenv(URL_VARIABLE, f"sqlite:///{file}")
    assert label_store().found == "not there yet" and not file.exists()
    file.write_bytes(b"\x8f\x02" * 9000)
    assert not label_store().well and label_store().found == str(file)
    monkeypatch.setenv(URL_VARIABLE, "mysql://host/labels")
    assert not label_store().well and "PostgreSQL" in label_store().advice
