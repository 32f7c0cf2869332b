"""Files from the browser: none is lost for its name, none is kept by half, and the same files are one folder."""

import os
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pytest

from engine.backends.retrieval.documents import read_documents
from engine.core.errors import StorageError
from engine.core.folders import PASSING
from pages.shared.uploads import keep_uploads, uploaded_files


@dataclass(frozen=True, slots=True)
class File:
    """A file as the browser sends it."""

    name: str
    content: bytes

    def getvalue(self) -> bytes:
        """Return the file's bytes."""
        return self.content


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data folder of the test."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    """Return name -> text of the documents that a corpus of this folder holds."""
    return {document.document_id: document.text for document in read_documents(folder)}


def test_the_same_files_are_kept_once_and_a_name_cannot_leave_its_folder(home: Path) -> None:
    first = keep_uploads([File("../../a.txt", b"one"), File("b.md", b"two")])
    second = keep_uploads([File("b.md", b"two"), File("../../a.txt", b"one")])
    assert first == second and first.parent == home / "uploads"
    assert uploaded_files(first) == ("a.txt", "b.md")


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (("notes.txt", "notes.txt"), ("notes-2.txt", "notes.txt")),
        (("a b.txt", "a_b.txt"), ("a_b-2.txt", "a_b.txt")),
        (("Notes.txt", "notes.txt"), ("Notes.txt", "notes-2.txt")),
        (("here\\a.txt", "there\\a.txt"), ("a-2.txt", "a.txt")),
        (("a.txt", "a.txt", "a-2.txt"), ("a-2.txt", "a-3.txt", "a.txt")),
    ],
)
def test_files_whose_names_collide_are_all_kept_in_one_folder_whatever_their_order(
    names: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    files = [File(name, f"Text {place}".encode()) for place, name in enumerate(names)]
    folders = {keep_uploads(list(order)) for order in permutations(files)}
    (folder,) = folders
    assert uploaded_files(folder) == kept
    assert sorted(texts(folder).values()) == sorted(file.content.decode() for file in files)


def test_a_name_that_is_too_long_for_a_disk_is_cut_and_keeps_its_ending() -> None:
    names = ["語" * 90 + "甲.txt", "語" * 90 + "乙.txt", "n" * 300 + ".txt", "a." + "e" * 300]
    folder = keep_uploads([File(name, name.encode()) for name in names])
    kept = uploaded_files(folder)
    assert len(kept) == 4 and sum(name.endswith(".txt") for name in kept) == 3
    assert max(len(name.encode()) for name in kept) <= 202 and len(texts(folder)) >= 3


def test_the_same_file_twice_is_one_document() -> None:
    once, twice = [File("a.txt", b"Paris")], [File("a.txt", b"Paris"), File("a.txt", b"Paris")]
    assert keep_uploads(once) == keep_uploads(twice)
    assert texts(keep_uploads(twice)) == {"a.txt": "Paris"}


def test_other_contents_under_the_same_names_are_another_folder() -> None:
    assert keep_uploads([File("a.txt", b"one"), File("a.txt", b"two")]) != keep_uploads(
        [File("a.txt", b"one"), File("a.txt", b"three")]
    )


def test_a_file_that_cannot_be_finished_leaves_nothing_and_the_next_try_writes_it_whole(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full_disk)
        with pytest.raises(StorageError, match="No space left"):
            keep_uploads([File("a.txt", b"Paris")])
    assert [file for file in (home / "uploads").rglob("*") if file.is_file()] == []
    assert texts(keep_uploads([File("a.txt", b"Paris")])) == {"a.txt": "Paris"}


def test_what_a_killed_process_left_is_neither_read_nor_counted_and_a_half_file_is_written_anew() -> None:
    files = [File("a.txt", b"Paris"), File("b.txt", b"Lyon")]
    folder = keep_uploads(files)
    (folder / "a.txt").write_bytes(b"Par")
    (folder / f"{PASSING}x.txt").write_bytes(b"Ly")
    assert keep_uploads(files) == folder
    assert texts(folder) == {"a.txt": "Paris", "b.txt": "Lyon"}
    assert uploaded_files(folder) == ("a.txt", "b.txt")
