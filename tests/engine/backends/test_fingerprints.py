"""What makes two computations the same: files by content, code, settings, threads; and never where they lie."""

import os
import sys
from pathlib import Path

import pytest
import torch

from engine.backends import fingerprints
from engine.backends.call_cache import CallCache
from engine.backends.fingerprints import content_of, fingerprint, processor_threads, source_of
from engine.core.errors import ModelError


@pytest.fixture
def cache(tmp_path: Path) -> CallCache:
    """Return an empty cache."""
    return CallCache(tmp_path / "calls.sqlite")


def written(folder: Path, text: str) -> Path:
    """Return a file of weights with this content."""
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_text(text)
    return folder / "model.safetensors"


def test_a_copy_elsewhere_is_the_same_and_another_byte_is_not(cache: CallCache, tmp_path: Path) -> None:
    one, copy, other = (written(tmp_path / name, text) for name, text in (("a", "w"), ("b", "w"), ("c", "v")))
    assert content_of(cache, [one]) == content_of(cache, [copy]) != content_of(cache, [other])


def test_files_are_read_once_until_they_change(
    cache: CallCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "a", "w")
    before = content_of(cache, [file])
    with monkeypatch.context() as patch:
        patch.setattr(fingerprints, "file_hash", lambda *_: pytest.fail("read again"))
        assert content_of(cache, [file]) == before
    written(tmp_path / "a", "v")
    os.utime(file, ns=(1, 1))
    assert content_of(cache, [file]) != before


def test_settings_threads_and_code_make_another_name(
    cache: CallCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, code = written(tmp_path / "a", "w"), tmp_path / "code"
    code.mkdir()
    (code / "a.py").write_text("x = 1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    first = fingerprint(cache, [file], (code,), ("numpy",), "float32")
    assert first == fingerprint(cache, [file], (code,), ("numpy",), "float32")
    names = {first, fingerprint(cache, [file], (code,), ("numpy",), "bfloat16")}
    names.add(fingerprint(cache, [file], (code,), ("numpy", "scipy"), "float32"))
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    names.add(fingerprint(cache, [file], (code,), ("numpy",), "float32"))
    (code / "a.py").write_text("x = 2")
    source_of.cache_clear()
    names.add(fingerprint(cache, [file], (code,), ("numpy",), "float32"))
    assert len(names) == 5


def test_a_file_that_is_gone_is_a_sentence(cache: CallCache, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        content_of(cache, [tmp_path / "gone"])


def test_the_threads_that_torch_takes_are_known_without_it_from_the_second_time(
    cache: CallCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprints, "default_cache", lambda: cache)
    assert processor_threads() == torch.get_num_threads()
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(cache, "put", lambda *_: pytest.fail("torch was loaded and asked again"))
    assert processor_threads() == torch.get_num_threads()
