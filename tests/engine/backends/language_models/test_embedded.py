"""Converting the packaged weights: once, whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.backends.language_models import embedded
from engine.core import folders
from engine.core.errors import ModelError, StorageError


def test_a_finished_conversion_is_not_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    folder = tmp_path / "models" / embedded.FOLDER
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr(embedded, "convert", lambda *_: pytest.fail("converted again"))
    assert embedded.converted_folder() == folder


def test_a_full_disk_while_converting_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(source: Path, target: Path) -> None:
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
embedded.convert = lambda source, target: save_file({"a": torch.zeros(100_000)}, target / "model.safetensors")
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
    def broken(source: Path, target: Path) -> None:
        raise ImportError("Please install gguf to load a GGUF checkpoint")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(embedded, "packaged_weights", lambda: tmp_path)
    monkeypatch.setattr(embedded, "convert", broken)
    with pytest.raises(ModelError, match=r"gguf.*make setup"):
        embedded.converted_folder()
    assert list((tmp_path / "models").iterdir()) == []


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_such_package_here")
    with pytest.raises(ModelError, match="make setup"):
        embedded.packaged_weights()
