"""Converting the packaged weights: once, whole or not at all, and again where a file is not as it was written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.backends.language_models import embedded
from engine.core import folders
from engine.core.errors import ModelError, StorageError
from engine.core.folder_seals import SEAL


def test_a_full_disk_while_converting_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(source: Path, target: Path, gguf: str) -> None:
        (target / "half.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(embedded, "packaged_weights", lambda: tmp_path)
    monkeypatch.setattr(embedded, "convert", full)
    with pytest.raises(StorageError, match="No space left"):
        embedded.converted_folder()
    assert list((tmp_path / "models").iterdir()) == []


WRITES_TOO_MUCH = """
import resource, signal, sys
from pathlib import Path
import torch
from safetensors.torch import save_file
from engine.core.errors import StorageError
from engine.backends.language_models import embedded

embedded.packaged_weights = lambda: Path(sys.argv[1])
embedded.convert = lambda source, target, gguf: save_file({"a": torch.zeros(100_000)}, target / "model.safetensors")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    embedded.converted_folder()
except StorageError as exc:
    print(exc)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit on the size of files")
def test_a_disk_that_takes_no_more_weights_is_a_sentence_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "MICROSCOPE_HOME": str(tmp_path), "PYTHONPATH": str(Path(folders.__file__).parents[2])}
    command = [sys.executable, "-c", WRITES_TOO_MUCH, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert "File too large" in said
    assert list((tmp_path / "models").iterdir()) == []


def test_a_conversion_that_fails_for_another_reason_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(source: Path, target: Path, gguf: str) -> None:
        raise ImportError("Please install gguf to load a GGUF checkpoint")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(embedded, "packaged_weights", lambda: tmp_path)
    monkeypatch.setattr(embedded, "convert", broken)
    with pytest.raises(ModelError, match=r"gguf.*make setup"):
        embedded.converted_folder()
    assert list((tmp_path / "models").iterdir()) == []


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_such_package_here")
    with pytest.raises(ModelError, match="no-such-package-here"):
        embedded.packaged_weights()


def made_once(monkeypatch: pytest.MonkeyPatch, home: Path) -> list[Path]:
    """Return where conversions are noted, after a first one of four small files; the process has checked nothing."""
    made: list[Path] = []

    def convert(source: Path, target: Path, gguf: str) -> None:
        made.append(target)
        for name, text in CONTENT.items():
            (target / name).write_bytes(text)

    monkeypatch.setenv("MICROSCOPE_HOME", str(home))
    monkeypatch.setattr(embedded, "packaged_weights", lambda: home)
    monkeypatch.setattr(embedded, "convert", convert)
    monkeypatch.setattr(embedded, "_CHECKED", set())
    embedded.converted_folder()
    embedded._CHECKED.clear()
    return made


CONTENT = {
    "config.json": b"{}",
    "model.safetensors": b"weights of the model",
    "chat_template.jinja": b"{{ messages }}",
    "tokenizer.json": b"[]",
}
DAMAGES = {
    "a flipped byte": lambda folder: (folder / "model.safetensors").write_bytes(b"weights of the modem"),
    "an empty template": lambda folder: (folder / "chat_template.jinja").write_bytes(b""),
    "half a file": lambda folder: (folder / "tokenizer.json").write_bytes(b"["),
    "a missing file": lambda folder: (folder / "tokenizer.json").unlink(),
    "no settings": lambda folder: (folder / "config.json").unlink(),
    "an extra file": lambda folder: (folder / "adapter_config.json").write_bytes(b"{}"),
    "an extra folder": lambda folder: (folder / "more").mkdir(),
    "a folder for a file": lambda folder: [(folder / "tokenizer.json").unlink(), (folder / "tokenizer.json").mkdir()],
    "no seal": lambda folder: (folder / SEAL).unlink(),
    "a seal of no text": lambda folder: (folder / SEAL).write_bytes(b"\xff\xfe"),
    "an empty seal": lambda folder: (folder / SEAL).write_bytes(b""),
    "an empty folder": lambda folder: [path.unlink() for path in folder.iterdir()],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_made_anew_and_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str
) -> None:
    made, stages = made_once(monkeypatch, tmp_path), []
    folder = tmp_path / "models" / embedded.FOLDER
    DAMAGES[damage](folder)
    assert embedded.converted_folder(stages.append) == folder
    assert len(made) == 2 and "again, because" in stages[0].name
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != SEAL} == CONTENT
    assert [path.name for path in folder.parent.iterdir()] == [embedded.FOLDER]


def test_a_whole_folder_is_checked_once_and_never_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = made_once(monkeypatch, tmp_path)
    (tmp_path / "models" / embedded.FOLDER / ".DS_Store").write_bytes(b"a desktop's own")
    read = []
    monkeypatch.setattr(embedded, "folder_fault", lambda folder: read.append(folder) or "")
    assert embedded.converted_folder() == embedded.converted_folder()
    assert (len(made), len(read)) == (1, 1)


@pytest.mark.parametrize("reason", [PermissionError(13, "Permission denied"), OSError(30, "Read-only file system")])
def test_a_damaged_folder_that_cannot_be_written_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: OSError
) -> None:
    made_once(monkeypatch, tmp_path)
    DAMAGES["a flipped byte"](tmp_path / "models" / embedded.FOLDER)

    def refuse(*_: object, **__: object) -> None:
        raise reason

    monkeypatch.setattr(embedded.tempfile, "TemporaryDirectory", refuse)
    with pytest.raises(StorageError, match="MICROSCOPE_HOME"):
        embedded.converted_folder()


def test_another_process_that_was_faster_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made_once(monkeypatch, tmp_path)
    folder, fresh = tmp_path / "models" / embedded.FOLDER, tmp_path / "fresh"
    fresh.mkdir()
    before = folder.stat().st_ino
    embedded.publish(fresh, folder, tmp_path / "old")
    assert folder.stat().st_ino == before and not (tmp_path / "old").exists()
