"""Converting the packaged weights: once, whole or not at all."""

from pathlib import Path

import pytest

from engine.errors import ModelError, StorageError
from engine.language_models import embedded


def test_a_finished_conversion_is_not_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    folder = tmp_path / "models" / embedded.FOLDER
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr(embedded, "convert", lambda *_: pytest.fail("converted again"))
    assert embedded.converted() == folder


def test_a_full_disk_while_converting_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(source: Path, target: Path) -> None:
        (target / "half.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(embedded, "packaged_weights", lambda: tmp_path)
    monkeypatch.setattr(embedded, "convert", full)
    with pytest.raises(StorageError, match="No space left on device"):
        embedded.converted()
    assert list((tmp_path / "models").iterdir()) == []


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_such_package_here")
    with pytest.raises(ModelError, match="make setup"):
        embedded.packaged_weights()
