"""The doctor says where something can be stored and where not, with the paths that errors elsewhere leave out."""

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.backends import doctor
from engine.backends.added_models import add, store_in
from engine.backends.doctor import STORES, Finding, findings
from engine.cli import app
from engine.core.errors import StorageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def looked_at() -> dict[str, Finding]:
    """Return what the doctor finds, by its name."""
    return {one.what: one for one in findings()}


def test_a_data_folder_that_is_not_there_yet_is_well_and_not_made(home: Path) -> None:
    found = looked_at()
    assert all(found[name].well for name in ("Data folder", "Free disk", *STORES.values()))
    assert str(home) in found["Data folder"].found and not home.exists()


@pytest.mark.parametrize("damage", [b"\x8f\x02" * 9000, b"SQLite format 3\x00" + b"\xff" * 9000])
def test_a_store_that_cannot_be_read_is_named_by_its_path_and_ends_with_status_1(home: Path, damage: bytes) -> None:
    add("http://localhost:1/v1#m")
    well = looked_at()["List of models"]
    assert well.well and well.found.startswith(str(home / "models.sqlite"))
    store_in(home).close()  # its log, from which the file could be mended, goes with it
    for file in STORES:
        (home / file).write_bytes(damage)
    found = looked_at()
    for file, name in STORES.items():
        assert not found[name].well and str(home / file) in found[name].found, name
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1 and str(home / "runs.sqlite") in result.output


def test_a_page_in_the_middle_of_a_store_is_looked_at_too(home: Path) -> None:
    for number in range(40):
        add(f"http://localhost:{number + 1}/v1#m", "n" * 80)
    store_in(home).close()
    file = home / "models.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    assert len(content) > 8192 and not looked_at()["List of models"].well


def test_what_may_not_be_written_to_is_not_well(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add("http://localhost:1/v1#m")
    allowed = os.access
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: not mode & os.W_OK and allowed(path, mode))
    found = looked_at()
    assert not found["Data folder"].well and not found["List of models"].well and found["Run store"].well


def test_a_file_in_the_place_of_the_data_folder_is_not_well(home: Path) -> None:
    home.write_text("no folder")
    assert not looked_at()["Data folder"].well
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1 and "Data folder" in result.output


def test_the_doctor_knows_every_store_that_the_list_of_files_names() -> None:
    named = set(re.findall(r"^\| `(\w+\.sqlite)`", Path("docs/files.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(STORES)


def test_an_error_of_a_store_repeats_no_path_as_a_visitor_may_read_it(home: Path) -> None:
    home.mkdir()
    (home / "models.sqlite").write_bytes(b"\x8f" * 9000)
    with pytest.raises(StorageError) as damaged:
        add("http://localhost:1/v1#m")
    assert str(home) not in str(damaged.value) and "microscope doctor" in str(damaged.value)
