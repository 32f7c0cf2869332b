"""What browsers send is held in memory: a stranger sends nothing, a person no more than they may keep."""

from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared import visitors
from pages.upload_guard import MOST_TABS, guard_uploads
from tests.hosted import open_to_others

LIMITS = "[hosting.limits]\ncorpora = 2\nupload_mb = 1"
SIGN_IN = '[hosting.sign_in]\nsecrets = "secrets.toml"\n'


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Return what holds the files that browsers send."""
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", MemoryUploadedFileManager.add_file)
    monkeypatch.setattr(visitors, "LET_IN", {})
    guard_uploads()
    return MemoryUploadedFileManager("/upload")


def status_of(manager: MemoryUploadedFileManager, tab: str, file: str, size: int = 2**20) -> int:
    """Return the status that a browser gets which sends a file."""
    try:
        manager.add_file(tab, UploadedFileRec(file_id=file, name="a.txt", type="text/plain", data=bytes(size)))
    except HTTPException as exc:
        return exc.status_code
    return 204


def test_a_tab_sends_what_one_person_may_keep_and_all_tabs_together_some_of_it(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_to_others(monkeypatch, tmp_path, LIMITS)
    assert [status_of(manager, "ann", file) for file in "abc"] == [204, 204, 413]
    manager.remove_file("ann", "a")
    assert status_of(manager, "ann", "c") == 204
    others = [status_of(manager, f"tab-{number}", file) for number in range(MOST_TABS) for file in "ab"]
    assert others == [204] * 2 * (MOST_TABS - 1) + [413, 413]
    assert sum(len(file.data) for files in manager.file_storage.values() for file in files.values()) == 8 * 2**20


def test_who_has_not_signed_in_sends_nothing(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "secrets.toml").write_text("[auth]")
    open_to_others(monkeypatch, tmp_path, SIGN_IN + LIMITS)
    assert status_of(manager, "stranger", "a", 1) == 403 and not manager.file_storage.get("stranger")
    visitors.LET_IN["ann"] = None
    assert status_of(manager, "ann", "a", 1) == 204


def test_on_ones_own_machine_nothing_is_counted(manager: MemoryUploadedFileManager) -> None:
    assert [status_of(manager, "own", str(number), 2**22) for number in range(30)] == [204] * 30
