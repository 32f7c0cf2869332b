"""Data live where MICROSCOPE_HOME says, and a folder that cannot be made is a sentence."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from engine.core import folders
from engine.core.errors import InputError, ModelError, StorageError
from engine.core.folders import (
    data_folder,
    make_folder,
    package_folder,
    read_at_most,
    sample_data,
    size_of,
    write_whole,
)


def test_the_variable_names_the_folder_and_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "a" / "b"))
    assert data_folder() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_a_tilde_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("MICROSCOPE_HOME", "~/microscope")
    assert data_folder() == tmp_path / "microscope"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_the_variable_it_is_the_platforms_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.setattr(folders, "user_data_path", lambda name, appauthor: tmp_path / name)
    monkeypatch.delenv("MICROSCOPE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("MICROSCOPE_HOME", value)
    assert data_folder() == tmp_path / "retrieval-microscope"


def test_a_folder_that_cannot_be_made_names_the_reason_and_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError, match="MICROSCOPE_HOME"):
        make_folder(tmp_path / "file" / "folder")


def test_the_sample_encyclopaedia_lies_in_the_project() -> None:
    assert sample_data().parent == Path(folders.__file__).resolve().parents[2]


def test_a_missing_package_is_named_with_what_to_do() -> None:
    with pytest.raises(ModelError, match=r"no-such-parser is missing.*prepare --install"):
        package_folder("no_such_parser", "The English parser")


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "new" / "a.json"
    write_whole(file, "old é")
    assert file.read_text(encoding="utf-8") == "old é"

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full_disk)
        with pytest.raises(StorageError, match="No space left"):
            write_whole(file, "new")
    assert [(one.name, one.read_text(encoding="utf-8")) for one in file.parent.iterdir()] == [("a.json", "old é")]


def test_a_file_below_a_file_cannot_be_written_and_that_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be written"):
        write_whole(tmp_path / "file" / "a.json", b"x")


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such permissions")
def test_a_private_file_is_for_nobody_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"x", private=True)
    assert (tmp_path / "a").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="devices and pipes have such names on Linux")
def test_a_file_and_a_pipe_are_read_up_to_a_limit(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"1234")
    assert (read_at_most(file, 4), read_at_most(Path("/proc/self/statm"), 400) != b"") == (b"1234", True)
    reading, writing = os.pipe()
    os.write(writing, b"56")
    os.close(writing)
    assert read_at_most(Path(f"/dev/fd/{reading}"), 4) == b"56"
    os.close(reading)
    for place, most in (
        (file, 3),
        (tmp_path, 9),
        (tmp_path / "none", 9),
        (tmp_path / "a\0b", 9),
        (Path("x" * 5000), 9),
    ):
        with pytest.raises(InputError):
            read_at_most(place, most)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="devices and pipes have such names on Linux")
def test_what_never_ends_is_not_read() -> None:
    with pytest.raises(InputError, match="neither"):
        read_at_most(Path("/dev/zero"), 2**40)
    reading, writing = os.pipe()

    def fill() -> None:
        for _ in range(40):
            os.write(writing, b"x" * 2**16)
        os.close(writing)

    filling = threading.Thread(target=fill)
    filling.start()
    with pytest.raises(InputError, match="larger"):
        read_at_most(Path(f"/dev/fd/{reading}"), 2**20)
    while os.read(reading, 2**20):
        pass  # until the other end is closed
    filling.join()
    os.close(reading)


def test_the_bytes_of_a_folder_can_be_counted_while_its_files_come_and_go(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a").write_bytes(b"1234")
    (tmp_path / "kept" / "b").write_bytes(b"12")
    assert [size_of(tmp_path / name) for name in ("", "kept", "kept/a", "none")] == [6, 6, 4, 0]
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            (tmp_path / "passing" / "deep").mkdir(parents=True)
            (tmp_path / "passing" / "deep" / "c").write_bytes(b"1")
            shutil.rmtree(tmp_path / "passing")

    going = threading.Thread(target=come_and_go)
    going.start()
    try:
        counted = {size_of(tmp_path) for _ in range(3_000)}
    finally:
        over.set()
        going.join()
    assert counted <= {6, 7} and 6 in counted
