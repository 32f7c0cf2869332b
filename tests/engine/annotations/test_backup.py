"""A backup brings everything back, into either database, and a file that is not whole is seen."""

import gzip
import hashlib
import json
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.annotations import backup as backups
from engine.annotations.backup import KIND, backup, restore
from engine.annotations.database import open_database
from engine.annotations.portable import collect_project
from engine.annotations.records import Action
from engine.annotations.schema import TABLES
from engine.annotations.store import AnnotationStore
from engine.core.errors import InputError, RecordError, StorageError
from tests.engine.annotations.steps import undo
from tests.engine.annotations.test_exchange import filled


def test_a_backup_brings_everything_back_history_and_undo_included(
    store: AnnotationStore, database_url: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    project = filled(store)
    store.set_preference("Ada", "keys", "{}")
    saved = backup(tmp_path / "labels.backup", database_url)
    assert (saved.labels, dict(saved.rows)["events"], dict(saved.rows)["preferences"]) == (5, 6, 1)
    other = new_database()
    assert restore(tmp_path / "labels.backup", other).labels == 5
    back = AnnotationStore(other)
    assert collect_project(back, project) == collect_project(store, project)
    assert back.history(project) == store.history(project)
    # The next event gets a number of its own, and what was done before can still be undone.
    item = store.item_ids(project)[1]
    assert back.apply(project, "Cleo", [Action(id="c", item=item, base="")])[0].status == "kept"
    undone = undo(back, project, "Ada", "u")
    assert undone is not None and undone.status == "kept"
    back.close()


def test_labels_move_from_sqlite_to_postgresql_and_back(
    sqlite_store: AnnotationStore, postgres_database: str, tmp_path: Path
) -> None:
    project = filled(sqlite_store)
    there, back = tmp_path / "there.backup", tmp_path / "back.backup"
    backup(there, str(sqlite_store.database.url))
    restore(there, postgres_database)
    backup(back, postgres_database)
    assert gzip.decompress(back.read_bytes()) == gzip.decompress(there.read_bytes())
    restore(back, f"sqlite:///{tmp_path / 'again.sqlite'}")
    again = AnnotationStore(f"sqlite:///{tmp_path / 'again.sqlite'}")
    assert collect_project(again, project) == collect_project(sqlite_store, project)
    again.close()


def test_a_store_that_holds_something_is_not_restored_over(sqlite_store: AnnotationStore, tmp_path: Path) -> None:
    project = filled(sqlite_store)
    url, file = str(sqlite_store.database.url), tmp_path / "labels.backup"
    backup(file, url)
    before = collect_project(sqlite_store, project)
    with pytest.raises(StorageError):
        restore(file, url)
    assert collect_project(sqlite_store, project) == before


def test_a_backup_that_was_cut_off_or_changed_is_refused_before_anything_is_written(
    sqlite_store: AnnotationStore, tmp_path: Path
) -> None:
    filled(sqlite_store)
    file, other = tmp_path / "labels.backup", f"sqlite:///{tmp_path / 'other.sqlite'}"
    backup(file, str(sqlite_store.database.url))
    whole = file.read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    broken = {
        "truncated": whole[:-20],
        "a row less": gzip.compress(b"".join(lines[:2] + lines[3:])),
        "a word changed": gzip.compress(b"".join(lines).replace(b"delayed", b"timely ")),
        "text": b"hello",
        "another file": gzip.compress(b"{}\n{}\n"),
    }
    for content in broken.values():
        file.write_bytes(content)
        with pytest.raises(RecordError, match=r"labels\.backup"):
            restore(file, other)
    store = AnnotationStore(other)
    assert store.projects() == ()
    store.close()


def packed(rows: list[object], revision: object = "0004") -> bytes:
    """Return a backup of these rows, whole under its checksum."""
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    head = json.dumps({"kind": KIND, "revision": revision}).encode() + b"\n"
    tail = json.dumps({"rows": len(rows), "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}).encode() + b"\n"
    return gzip.compress(head + b"".join(lines) + tail)


PROJECT = {"id": "p", "name": "Towers", "overlap": 1, "blind": True, "created_at": "t", "person": ""}
GUIDELINES = {"project": "p", "version": 1, "text": "Look.", "at": "t"}


@pytest.mark.parametrize(
    "rows",
    [
        [[1]],
        [{"table": "projects", "row": [1]}],
        [{"table": ["projects"], "row": PROJECT}],
        [{"table": "projects", "row": PROJECT | {"overlap": 10**400}}],
        [{"table": "projects", "row": PROJECT | {"overlap": 2**63}}],
        [{"table": "projects", "row": PROJECT | {"overlap": "one"}}],
        [{"table": "projects", "row": PROJECT | {"blind": 7}}],
        [{"table": "projects", "row": PROJECT | {"name": "\ud800"}}],
        [{"table": "projects", "row": PROJECT | {"name": ["a"]}}],
        [{"table": "projects", "row": PROJECT | {"name": None}}],
        [{"table": "projects", "row": PROJECT}, {"table": "projects", "row": PROJECT}],
        [{"table": "guidelines", "row": GUIDELINES}],
    ],
)
def test_rows_that_no_backup_has_are_a_sentence_and_nothing_is_written(rows: list[object], tmp_path: Path) -> None:
    file, url = tmp_path / "labels.backup", f"sqlite:///{tmp_path / 'new.sqlite'}"
    file.write_bytes(packed(rows))
    with pytest.raises(RecordError):
        restore(file, url)
    file.write_bytes(packed([{"table": "projects", "row": PROJECT}, {"table": "guidelines", "row": GUIDELINES}]))
    assert dict(restore(file, url).rows)["guidelines"] == 1


@pytest.mark.parametrize("revision", ["9" * 5000, "٣", "-1", 4, "0000000000004", ""])
def test_a_version_that_is_none_is_a_sentence(revision: object, tmp_path: Path) -> None:
    (tmp_path / "labels.backup").write_bytes(packed([], revision))
    with pytest.raises(RecordError, match="version"):
        restore(tmp_path / "labels.backup", f"sqlite:///{tmp_path / 'new.sqlite'}")


def read_whole(path: Path) -> list[object]:
    """Return the revision and the rows of a backup."""
    with backups.open_backup(path) as file:
        return [*backups.whole_backup(file, path.name)]


def test_a_flipped_bit_anywhere_and_a_row_that_never_ends_are_a_sentence(
    sqlite_store: AnnotationStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(sqlite_store)
    file, other = tmp_path / "labels.backup", f"sqlite:///{tmp_path / 'other.sqlite'}"
    backup(file, str(sqlite_store.database.url))
    whole = file.read_bytes()
    good, refused = read_whole(file), []
    for place in range(60, len(whole) - 8):  # behind the header, which holds a name
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            assert read_whole(file) == good, "a copy may be packed in more than one way"
        except RecordError:
            refused.append(place)
    assert len(refused) > 0.99 * (len(whole) - 68)
    monkeypatch.setattr(backups, "LONGEST_LINE", 100)
    file.write_bytes(whole)
    with pytest.raises(RecordError, match="a row of more"):
        restore(file, other)


def test_what_was_written_is_restored_at_any_size_in_little_memory(tmp_path: Path) -> None:
    """A file of 40 MB unpacked, read within a tenth of that: one of 3 GB, which memory would not hold, is no other."""
    first, file = f"sqlite:///{tmp_path / 'first.sqlite'}", tmp_path / "labels.backup"
    database = open_database(first)
    with database.transaction("test") as connection:
        connection.execute(TABLES.tables["projects"].insert(), [PROJECT])
        wordings = [GUIDELINES | {"version": number, "text": "Look. " * 1000} for number in range(1, 6501)]
        connection.execute(TABLES.tables["guidelines"].insert(), wordings)
    database.close()
    backup(file, first)
    assert len(gzip.decompress(file.read_bytes())) > 39e6
    tracemalloc.start()
    restored = restore(file, f"sqlite:///{tmp_path / 'second.sqlite'}")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert dict(restored.rows)["guidelines"] == 6500 and most < 12e6


def test_a_backup_comes_through_a_pipe_too_and_a_device_is_refused(
    sqlite_store: AnnotationStore, tmp_path: Path
) -> None:
    filled(sqlite_store)
    file, pipe = tmp_path / "labels.backup", tmp_path / "pipe"
    backup(file, str(sqlite_store.database.url))
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(file.read_bytes()))
    writer.start()
    assert restore(pipe, f"sqlite:///{tmp_path / 'other.sqlite'}").labels == 5
    writer.join()
    for path in (Path("/dev/zero"), tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError):
            restore(path, f"sqlite:///{tmp_path / 'third.sqlite'}")


def test_a_backup_that_cannot_be_written_is_a_sentence_and_leaves_no_part(
    sqlite_store: AnnotationStore, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match="could not be written to labels"):
        backup(tmp_path / "no" / "labels.backup", str(sqlite_store.database.url))


def test_a_backup_of_older_tables_is_restored_and_migrated(tmp_path: Path) -> None:
    lines = [b'{"kind": "retrieval-microscope labels", "revision": "0001"}\n']
    rows = b'{"table": "projects", "row": {"id": "p", "name": "Old", "overlap": 1, "blind": true, "created_at": "t"}}\n'
    rows += b'{"table": "guidelines", "row": {"project": "p", "version": 1, "text": "Look.", "at": "t"}}\n'
    lines += [rows, b'{"rows": 2, "sha256": "%s"}\n' % hashlib.sha256(rows).hexdigest().encode()]
    file = tmp_path / "old.backup"
    file.write_bytes(gzip.compress(b"".join(lines)))
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    AnnotationStore(url).close()
    restore(file, url)
    store = AnnotationStore(url)
    assert [project.name for project in store.projects()] == ["Old"]
    assert store.database.version() == 4
    store.close()
