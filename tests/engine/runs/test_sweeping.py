"""A start removes what can no longer be brought back, and only that."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.backends import added_models
from engine.core import allowed
from engine.core.errors import StorageError
from engine.runs import sweeping
from engine.runs.corpora import shelf
from engine.runs.listening import received

YESTERDAY = (datetime.now(UTC) - timedelta(days=1, hours=1)).isoformat()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty data folder."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def hidden_corpus(file: Path, at: str) -> str:
    """Return the id of a corpus that was deleted at a moment."""
    file.write_text("Text.")
    entry = shelf.add(file)
    shelf.delete(entry.id)
    shelf.changed(entry.id, lambda one: replace(one, deleted_at=at))
    return entry.id


def hidden_model(folder: Path, at: str) -> str:
    """Return the id of a model in a folder of this program's that was removed at a moment."""
    folder.mkdir(parents=True)
    entry = added_models.add(str(folder))
    added_models.hide(entry.id)
    added_models.changed(entry.id, lambda one: replace(one, deleted_at=at))
    return entry.id


def test_corpora_models_and_traces_of_yesterday_go_and_those_of_today_stay(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC).isoformat()
    hidden_corpus(tmp_path / "old.txt", YESTERDAY)
    fresh = hidden_corpus(tmp_path / "new.txt", now)
    hidden_model(home / "models" / "hub-org--old", YESTERDAY)
    kept = hidden_model(home / "models" / "hub-org--new", now)
    trace = received.received_folder() / f"one.json{received.DELETED}"
    trace.parent.mkdir()
    trace.write_text("{}")
    monkeypatch.setitem(allowed._STATE, "restricted", True)  # a start acts for the owner, whoever comes
    sweeping.sweep_deletions()
    with allowed.acting_for(allowed.OWNER):
        assert [one.id for one in shelf.hidden_too()] == [fresh]
        assert [one.id for one in added_models.entries(deleted=True)] == [kept]
    assert not (home / "models" / "hub-org--old").exists() and (home / "models" / "hub-org--new").exists()
    assert trace.exists() and (tmp_path / "old.txt").exists()
    monkeypatch.setattr(received.time, "time", lambda now=time.time: now() + received.KEPT_SECONDS + 60)
    sweeping.sweep_deletions()
    assert not trace.exists()


def test_a_list_that_cannot_be_read_keeps_no_other_from_being_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise StorageError("The list of models cannot be read.")

    trace = received.received_folder() / f"one.json{received.DELETED}"
    trace.parent.mkdir(parents=True)
    trace.write_text("{}")
    monkeypatch.setattr(sweeping.listing, "remove_for_good", broken)
    monkeypatch.setattr(received, "KEPT_SECONDS", -1.0)
    hidden_corpus(tmp_path / "old.txt", YESTERDAY)
    sweeping.sweep_deletions()
    assert not trace.exists() and shelf.hidden_too() == []
