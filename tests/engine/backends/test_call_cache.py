"""The cache of model calls: exact, whole, bounded, shared between processes, and never a reason to fail."""

import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engine.backends import call_cache
from engine.backends.call_cache import LEFT_FREE, CallCache, array_from_bytes, array_to_bytes, key_of
from engine.core.errors import StorageError

PROJECT = Path(call_cache.__file__).parents[2]
KEY, OTHER = key_of("a"), key_of("b")


def noise(size: int, seed: int = 0) -> bytes:
    """Return bytes that no compression makes smaller."""
    return np.random.default_rng(seed).bytes(size)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_what_was_kept_comes_back_byte_for_byte_in_another_program(tmp_path: Path) -> None:
    CallCache(tmp_path / "c.sqlite").put("generation", {KEY: b"\x00\xff abc", OTHER: b""})
    assert CallCache(tmp_path / "c.sqlite").get([KEY, OTHER, key_of("c")]) == {KEY: b"\x00\xff abc", OTHER: b""}


def test_keys_differ_by_every_part_and_say_nothing() -> None:
    parts = [("a", "b"), ("ab",), ("a", 1), ("a", "1"), ("a", 1.5), ("a", None), ("a", True), (["a"],), ("a", ["b"])]
    assert len({key_of(*part) for part in parts}) == len(parts)
    assert all(len(key_of(*part)) == 64 for part in parts)


def test_the_file_holds_no_name_of_a_file_and_no_key_in_plain_text(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {key_of("secret-model-path", "sk-secret"): b"said"})
    cache.close()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret" not in written


def test_the_bound_holds_and_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    clock = Clock()
    cache = CallCache(tmp_path / "c.sqlite", limit=1_000_000, clock=clock)
    keys = [key_of(place) for place in range(30)]
    for place, key in enumerate(keys):
        clock.now += 100
        cache.put("generation", {key: noise(50_000, place)})
        assert cache.get([keys[0]]), "what is used each time is never the oldest"
    kept = cache.get(keys)
    assert 12 <= len(kept) < 20
    assert set(kept) == {keys[0], *keys[-len(kept) + 1 :]}
    assert cache.size().used <= 1_000_000
    cache.close()
    assert (tmp_path / "c.sqlite").stat().st_size <= 1_050_000


def test_one_entry_above_a_tenth_of_the_bound_is_not_kept(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite", limit=100_000)
    cache.put("attention", {KEY: noise(20_000), OTHER: b"small"})
    assert set(cache.get([KEY, OTHER])) == {OTHER}


def test_a_bound_of_zero_turns_it_off_and_makes_no_file(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite", limit=0)
    cache.put("generation", {KEY: b"said"})
    assert cache.get([KEY]) == {}
    assert not (tmp_path / "c.sqlite").exists()


@pytest.mark.parametrize(("asked", "limit"), [("", 500_000_000), ("0", 0), ("1.5", 1_500_000)])
def test_the_environment_sets_the_bound(asked: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_CACHE_MB", asked)
    assert call_cache.limit_from_environment() == limit


@pytest.mark.parametrize("asked", ["much", "-1", "nan", "inf"])
def test_a_bound_that_is_no_number_is_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_CACHE_MB", asked)
    with pytest.raises(StorageError, match="MICROSCOPE_CACHE_MB"):
        call_cache.limit_from_environment()


def test_a_file_that_is_no_database_is_said_once_and_emptying_mends_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "c.sqlite").write_bytes(b"no database at all " * 500)
    cache = CallCache(tmp_path / "c.sqlite")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            cache.put("generation", {KEY: b"said"})
            assert cache.get([KEY]) == {}
    assert cache.fault and caplog.text.count(cache.fault) == 1
    assert (cache.size().calls, cache.size().used) == (0, 0)
    cache.clear()
    cache.put("generation", {KEY: b"said"})
    assert (cache.get([KEY]), cache.fault) == ({KEY: b"said"}, "")


def test_pages_overwritten_in_the_middle_break_nothing(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {key_of(place): noise(3_000, place) for place in range(200)})
    cache.close()
    with (tmp_path / "c.sqlite").open("r+b") as file:
        file.seek(100_000)
        file.write(b"\xa5" * 200_000)
    again = CallCache(tmp_path / "c.sqlite")
    found = again.get([key_of(place) for place in range(200)])
    again.put("generation", {KEY: b"said"})
    assert all(value == noise(3_000, place) for place in range(200) if (value := found.get(key_of(place))) is not None)


def test_a_value_whose_bytes_changed_is_not_there(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {KEY: b"said" * 50, OTHER: b"whole"})
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        (value,) = connection.execute("SELECT value FROM calls WHERE key = ?", (bytes.fromhex(KEY),)).fetchone()
        damaged = value[:-1] + bytes([value[-1] ^ 1])
        connection.execute("UPDATE calls SET value = ? WHERE key = ?", (damaged, bytes.fromhex(KEY)))
    assert cache.get([KEY, OTHER]) == {OTHER: b"whole"}


def test_the_last_of_a_disk_is_left_to_what_cannot_be_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {KEY: b"said"})
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=LEFT_FREE - 1))
    cache.put("generation", {OTHER: b"more"})
    assert "64 MB of the disk" in cache.fault and cache.get([KEY, OTHER]) == {KEY: b"said"}
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=LEFT_FREE))
    other = CallCache(tmp_path / "c.sqlite")
    other.put("generation", {OTHER: b"more"})
    assert other.get([OTHER]) == {OTHER: b"more"} and not other.fault


def test_a_full_disk_stops_the_writing_and_not_the_reading(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {KEY: b"said"})
    # A bound on the pages of a database is how SQLite itself simulates a disk that takes no more.
    with cache.database.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with caplog.at_level(logging.WARNING):
        for place in range(3):
            cache.put("generation", {key_of(place): noise(100_000, place)})
    assert cache.fault and caplog.text.count(cache.fault) == 1
    assert cache.get([KEY]) == {KEY: b"said"}


def test_a_folder_that_may_not_be_written_to_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file stands where the folder should be")
    cache = CallCache(tmp_path / "folder" / "c.sqlite")
    cache.put("generation", {KEY: b"said"})
    assert cache.get([KEY]) == {}
    assert cache.fault


def test_a_cache_of_a_newer_program_is_left_alone_until_it_is_cleared(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {KEY: b"said"})
    assert (cache.get([KEY]), bool(cache.fault)) == ({}, True)
    cache.clear()
    cache.put("generation", {KEY: b"said"})
    assert (cache.get([KEY]), cache.fault) == ({KEY: b"said"}, "")


def test_emptying_gives_the_bytes_back(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("generation", {key_of(place): noise(10_000, place) for place in range(100)})
    assert (cache.size().calls, cache.size().used > 1_000_000) == (100, True)
    cache.clear()
    assert cache.size().calls == 0
    assert (tmp_path / "c.sqlite").stat().st_size < 50_000


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from engine.backends.call_cache import LEFT_FREE, CallCache, key_of
cache = CallCache(Path(sys.argv[1]), limit=10**8)
who = sys.argv[2]
print("ready", flush=True)
for place in range(int(sys.argv[3])):
    cache.put("generation", {key_of(who, place, part): f"{who} {place} {part}".encode() * 200 for part in range(5)})
print("fault:" + cache.fault, flush=True)
"""


def writer(path: Path, who: str, batches: int) -> "subprocess.Popen[str]":
    """Return a program that writes batches of five entries."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", WRITER, str(path), who, str(batches)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_two_programs_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    programs = [writer(path, who, 150) for who in ("one", "two")]
    for program in programs:
        assert "fault:\n" in program.communicate(timeout=120)[0]
    cache = CallCache(path)
    for who in ("one", "two"):
        wanted = {key_of(who, n, p): f"{who} {n} {p}".encode() * 200 for n in range(150) for p in range(5)}
        assert cache.get(list(wanted)) == wanted


def test_a_cache_that_another_program_is_writing_is_not_emptied_under_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_cache, "SCHEMA", replace(call_cache.SCHEMA, busy_seconds=0.1))
    one, other = CallCache(tmp_path / "c.sqlite"), CallCache(tmp_path / "c.sqlite")
    one.put("generation", {KEY: b"said"})
    assert other.get([KEY]) == {KEY: b"said"}
    writing = sqlite3.connect(tmp_path / "c.sqlite", isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError) as caught:
        other.clear()
    assert caught.value.fault == "busy"
    writing.execute("ROLLBACK")
    writing.close()
    one.put("generation", {OTHER: b"more"})
    assert other.get([KEY, OTHER]) == {KEY: b"said", OTHER: b"more"}, "both still look at one file"
    other.clear()
    assert one.get([KEY, OTHER]) == {}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_killed_program_leaves_whole_batches_only(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    cache = CallCache(path)
    with writer(path, "killed", 1_000_000) as program:
        assert program.stdout is not None and program.stdout.readline() == "ready\n"
        while not cache.get([key_of("killed", 40, 4)]):
            assert program.poll() is None
        program.send_signal(signal.SIGKILL)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (rows,) = connection.execute("SELECT count(*) FROM calls").fetchone()
    assert rows >= 205 and rows % 5 == 0
    assert cache.get([key_of("killed", 40, 0)]) == {key_of("killed", 40, 0): b"killed 40 0" * 200}


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0.1, -np.inf, np.nan]]),
        np.array([0.5, 0.25], dtype=np.float32),
        np.array([np.float32(0.1)], dtype=np.float64),
        np.zeros((0, 3)),
        np.array([1e300]),
    ],
)
def test_an_array_comes_back_bit_for_bit(array: np.ndarray) -> None:
    back = array_from_bytes(array_to_bytes(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


def test_attention_computed_in_single_precision_takes_half_the_bytes() -> None:
    single = np.random.default_rng(0).random((50, 40), dtype=np.float32).astype(np.float64)
    assert len(array_to_bytes(single)) < 50 * 40 * 4 + 100 < len(array_to_bytes(single + 1e-12))


@pytest.mark.parametrize("value", [b"", b"{}", b"[1]\nabcd", b'{"shape":[9],"was":"float64","kept":"float64"}\nabc'])
def test_bytes_that_are_no_array_are_refused(value: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        array_from_bytes(value)
