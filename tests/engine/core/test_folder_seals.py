"""A sealed folder: what ``sha256sum`` reads too, and the first fault by its file's name."""

from hashlib import sha256
from pathlib import Path

from engine.core.folder_seals import SEAL, folder_fault, seal_folder


def test_a_seal_is_written_as_sha256sum_writes_it(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"two")
    (tmp_path / "a b.txt").write_bytes(b"one")
    seal_folder(tmp_path)
    one, two = sha256(b"one").hexdigest(), sha256(b"two").hexdigest()
    assert (tmp_path / SEAL).read_text() == f"{one}  a b.txt\n{two}  b.txt\n"
    assert folder_fault(tmp_path) == ""


def test_a_fault_names_its_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(name.encode())
    seal_folder(tmp_path)
    (tmp_path / "b").write_bytes(b"c")
    assert folder_fault(tmp_path).startswith("b ")
    (tmp_path / "a").unlink()
    assert folder_fault(tmp_path).startswith("a ")
    assert folder_fault(tmp_path / "gone") != ""
