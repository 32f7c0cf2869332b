"""Corpora are indexed in the background, go on where they stopped, and cost what is new only."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from engine.backends.retrieval import load_corpus
from engine.backends.retrieval.scripted import HashedWords
from engine.core import allowed
from engine.core.allowed import OWNER, acting_for
from engine.core.errors import Cancelled, InputError, ModelError, RecordError
from engine.core.hosting import Limits
from engine.core.progress import Event, Stage, silent
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import STOPPED, UNEXPECTED, Indexer, Pace, finish_entry


class Remembering(HashedWords):
    """An embedder with a memory of rows, as the real one has on disk; ``new`` counts what it had not seen."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, np.ndarray] = {}
        self.new = 0
        self.hold = threading.Event()
        self.hold.set()
        self.reached = threading.Event()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.reached.set()
        assert self.hold.wait(20)
        fresh = [text for text in texts if text not in self.rows]
        self.new += len(fresh)
        self.rows.update(zip(fresh, super().embed(fresh), strict=True))
        return np.stack([self.rows[text] for text in texts])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    for number in range(300):
        (made / f"{number:03}.txt").write_text(f"Note number {number} is about subject {number * 7}.")
    (made / "q.jsonl").write_text('{"question": "Which subject has note 2?", "answer": "14"}')
    (made / "film.mp4").write_bytes(b"film")
    return made


def test_a_corpus_is_indexed_in_the_background_with_a_report_of_every_file_and_its_questions(folder: Path) -> None:
    indexer = Indexer(HashedWords)
    entry = shelf.add(folder)
    indexer.submit(entry.id)
    assert indexer.wait(60)
    done = shelf.entry_of(entry.id)
    assert (done.state, done.documents, done.passages, done.questions) == ("ready", 300, 300, 1)
    assert [file.name for file in done.skipped] == ["film.mp4"] and len(done.files) == 302
    assert done.size > 10_000 and len(done.content_hash) == 64 and shelf.index_size(done) > 300 * 256 * 4
    assert [asked.golds for asked in shelf.questions_of(entry.id)] == [("14",)]
    assert indexer.progress(entry.id) is None


def test_one_file_added_to_three_hundred_costs_one_embedding(folder: Path) -> None:
    embedder = Remembering()
    entry = shelf.add(folder)
    assert finish_entry(entry.id, embedder, silent).state == "ready" and embedder.new == 300
    (folder / "new.txt").write_text("A new note.")
    done = finish_entry(entry.id, embedder, silent)
    assert (done.passages, embedder.new) == (301, 301)


def test_words_can_be_searched_while_meaning_is_still_being_embedded(folder: Path) -> None:
    embedder = Remembering()
    embedder.hold.clear()
    indexer = Indexer(lambda: embedder)
    entry = shelf.add(folder)
    indexer.submit(entry.id)
    assert embedder.reached.wait(60)
    waiting = shelf.entry_of(entry.id)
    progress = indexer.progress(entry.id)
    assert (waiting.state, waiting.passages) == ("words", 300)
    assert progress is not None and (progress.done, progress.total) == (0, 300)
    corpus = load_corpus(folder, chunk_tokens=128, chunk_overlap=16, embedder=HashedWords(), retriever="bm25")
    assert corpus.search("subject 1400", 1, "bm25")[0].passage.title == "200"
    embedder.hold.set()
    assert indexer.wait(60) and shelf.entry_of(entry.id).state == "ready"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ModelError("The embedder is not installed: run microscope prepare."), None),
        (RuntimeError("no such symbol"), UNEXPECTED),
    ],
)
def test_an_embedder_that_cannot_be_opened_is_a_failure_with_its_own_reason(
    folder: Path, fault: Exception, reason: str | None
) -> None:
    def unopened() -> HashedWords:
        raise fault

    indexer = Indexer(unopened)
    entry = shelf.add(folder)
    indexer.submit(entry.id)
    assert indexer.wait(60)
    found = shelf.entry_of(entry.id)
    assert (found.state, found.reason) == ("failed", reason or str(fault))


def more_uploads(home: Path) -> tuple[Path, Path]:
    """Return two folders of uploads, the second with the files of the first and one more."""
    folders = (home / "uploads" / "0001", home / "uploads" / "0002")
    for more, made in enumerate(folders):
        made.mkdir(parents=True)
        for number in range(3 + more):
            (made / f"{number}.txt").write_text(f"Note {number}.")
    return folders


def test_files_added_while_a_corpus_is_embedded_are_indexed_with_it(home: Path) -> None:
    embedder = Remembering()
    embedder.hold.clear()
    indexer = Indexer(lambda: embedder)
    first, second = more_uploads(home)
    entry = shelf.add(first)
    indexer.submit(entry.id)
    assert embedder.reached.wait(60)
    shelf.changed(entry.id, lambda one: replace(one, path=str(second), state="waiting"))
    shelf.remove_former(str(first), OWNER)
    indexer.submit(entry.id)
    embedder.hold.set()
    assert indexer.wait(60)
    done = shelf.entry_of(entry.id)
    assert (done.path, done.state, done.documents, done.passages) == (str(second), "ready", 4, 4)
    assert not first.exists() and second.is_dir() and embedder.new == 4


def test_files_added_while_a_corpus_is_read_are_not_overwritten(home: Path) -> None:
    first, second = more_uploads(home)
    entry = shelf.add(first)

    def add_meanwhile(event: Event) -> None:
        if isinstance(event, Stage) and event.done == 1:
            shelf.changed(entry.id, lambda one: replace(one, path=str(second), state="waiting"))

    left = finish_entry(entry.id, HashedWords(), add_meanwhile)
    assert (left.path, left.state, left.documents) == (str(second), "waiting", 0)
    assert finish_entry(entry.id, HashedWords(), silent).documents == 4


def test_only_a_folder_of_uploads_that_no_corpus_has_is_removed(home: Path, folder: Path) -> None:
    first, second = more_uploads(home)
    shelf.delete(shelf.add(first).id)
    for path in (first, second, folder):
        shelf.remove_former(str(path), OWNER)
    assert first.is_dir() and not second.exists() and folder.is_dir()


def test_a_cancelled_corpus_goes_on_where_it_stopped(folder: Path) -> None:
    embedder = Remembering()

    def stop_half_way(event: Event) -> None:
        if isinstance(event, Stage) and event.name == "embedding passages" and event.done >= 128:
            raise Cancelled("stopped")

    entry = shelf.add(folder)
    assert finish_entry(entry.id, embedder, stop_half_way).state == "stopped" and embedder.new == 128
    assert finish_entry(entry.id, embedder, silent).state == "ready" and embedder.new == 300


def test_what_a_killed_program_left_is_taken_up_and_a_corpus_that_is_gone_says_why(folder: Path) -> None:
    entry = shelf.add(folder)
    indexer = Indexer(HashedWords)
    indexer.resume()
    assert indexer.wait(60) and shelf.entry_of(entry.id).state == "ready"
    folder.rename(folder.with_name("moved"))
    indexer.submit(entry.id)
    assert indexer.wait(60)
    gone = shelf.entry_of(entry.id)
    assert gone.state == "failed" and "notes" in gone.reason


def test_indexing_waits_while_a_run_is_at_work_and_can_be_cancelled_meanwhile(folder: Path) -> None:
    indexer = Indexer(HashedWords, busy=lambda: True)
    entry = shelf.add(folder)
    indexer.submit(entry.id)
    paused = threading.Event()
    for _ in range(200):
        progress = indexer.progress(entry.id)
        if progress is not None and progress.paused:
            paused.set()
            break
        threading.Event().wait(0.02)
    assert paused.is_set()
    indexer.cancel(entry.id)
    assert indexer.wait(20) and shelf.entry_of(entry.id).state == "stopped"


def test_a_corpus_that_waits_is_stopped_at_once_and_can_be_asked_for_again(folder: Path, tmp_path: Path) -> None:
    embedder = Remembering()
    embedder.hold.clear()
    indexer = Indexer(lambda: embedder)
    first = shelf.add(folder)
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "a.txt").write_text("The tower was built in 1871.")
    second = shelf.add(tmp_path / "second")
    indexer.submit(first.id)
    assert embedder.reached.wait(60)
    indexer.submit(second.id)
    indexer.cancel(second.id)
    stopped = shelf.entry_of(second.id)
    assert (stopped.state, stopped.reason) == ("stopped", STOPPED)
    assert indexer.progress(second.id) is None
    indexer.submit(second.id)
    embedder.hold.set()
    assert indexer.wait(60) and shelf.entry_of(second.id).state == "ready"


def test_a_corpus_that_is_finished_while_it_is_looked_at_was_not_cut_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = shelf.add(folder)
    shelf.changed(entry.id, lambda one: replace(one, state="words"))

    def finished_meanwhile(file: Path) -> bool:
        shelf.keep(replace(entry, state="ready"))
        return False

    monkeypatch.setattr(shelf, "is_held", finished_meanwhile)
    assert [(one.state, one.reason) for one in shelf.entries()] == [("ready", "")]


def test_persons_take_turns_however_many_corpora_one_of_them_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowed, "_STATE", {"restricted": True})
    embedder, ids = Remembering(), {}
    embedder.hold.clear()
    for name in ("ann-1", "ann-2", "ann-3", "ben-1"):
        with acting_for(name[:3]):
            folder = allowed.uploads_of(name[:3]) / name
            folder.mkdir(parents=True)
            (folder / "a.txt").write_text(f"A note of {name}.")
            ids[name] = shelf.add(folder).id
    indexer = Indexer(lambda: embedder)
    for entry_id in ids.values():
        indexer.submit(entry_id)
    assert embedder.reached.wait(60)
    places = [indexer.progress(one) for one in ids.values()]
    assert [one and one.position for one in places] == [0, 2, 3, 1], "Ben comes before Ann's second"
    embedder.hold.set()
    assert indexer.wait(60)


def test_two_that_add_one_folder_at_once_get_one_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids: list[str] = []
    moment = shelf.now()

    def added_meanwhile() -> str:
        monkeypatch.setattr(shelf, "now", lambda: moment)
        with ThreadPoolExecutor(1) as other:
            ids.append(other.submit(shelf.add, folder).result(20).id)
        return moment

    monkeypatch.setattr(shelf, "now", added_meanwhile)
    assert [shelf.add(folder).id] == ids == [one.id for one in shelf.entries()]


def test_an_entry_is_renamed_deleted_and_brought_back_for_a_day(tmp_path: Path, home: Path) -> None:
    made = []
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"Text {name}.")
        made.append(shelf.add(tmp_path / f"{name}.txt"))
    assert shelf.add(tmp_path / "a.txt").id == made[0].id, "the same file is one entry"
    assert (
        shelf.rename(made[0].id, "  My\nnotes ").name == "My notes" and shelf.rename(made[0].id, " ").name == "My notes"
    )
    for one in made:
        finish_entry(one.id, HashedWords(), silent)
    shelf.delete(made[0].id)
    assert [entry.id for entry in shelf.entries()] == [made[1].id]
    assert shelf.restore(made[0].id).name == "My notes" and len(shelf.entries()) == 2
    shelf.delete(made[0].id)
    hidden = shelf.entry_of(made[0].id)
    assert all(shelf.index_size(shelf.entry_of(one.id)) > 0 for one in made)
    shelf.delete(made[1].id)
    for one in made:
        shelf.restore(one.id)
    deleted_days_ago(made[0].id, 2)
    shelf.delete(made[1].id)
    with pytest.raises(RecordError):
        shelf.restore(made[0].id)
    assert shelf.index_size(hidden) == 0 and (tmp_path / "a.txt").exists(), "a person's own file is never removed"


def test_what_a_page_and_the_indexer_change_at_once_is_both_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    entry = shelf.add(tmp_path / "a.txt")

    def add_one(field: str) -> None:
        for _ in range(25):
            shelf.changed(entry.id, lambda one: replace(one, **{field: getattr(one, field) + 1}))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add_one, ["documents", "passages", "questions", "size"]))
    done = shelf.entry_of(entry.id)
    assert (done.documents, done.passages, done.questions, done.size) == (25, 25, 25, 25)


def test_an_uploaded_corpus_keeps_its_name_in_runs_and_its_files_go_with_it(home: Path) -> None:
    folder = home / "uploads" / "0123"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("Text.")
    entry = shelf.add(folder, "Reports")
    shelf.rename(entry.id, "Reports of 2025")
    corpus = load_corpus(folder, chunk_tokens=64, chunk_overlap=4, embedder=HashedWords(), retriever="bm25")
    assert (corpus.name, len(corpus.documents)) == ("Reports of 2025", 1)
    deleted_days_ago(entry.id, 2)
    (home / "b.txt").write_text("Other.")
    shelf.delete(shelf.add(home / "b.txt").id)
    assert not folder.exists()


def test_ten_deleted_corpora_are_kept_and_an_index_that_a_kept_one_shares(tmp_path: Path) -> None:
    made = []
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text("One text." if number < 2 else f"Text {number}.")
        made.append(shelf.add(tmp_path / f"{number}.txt"))
    for one in made[:2]:
        finish_entry(one.id, HashedWords(), silent)
    for one in made[:2]:
        deleted_days_ago(one.id, 2 if one is made[0] else 0)
    for one in made[2:11]:
        shelf.delete(one.id)
    assert shelf.index_size(shelf.restore(made[1].id)) > 0, "the other of the same text is gone for good"
    shelf.delete(made[1].id)
    shelf.delete(made[11].id)
    assert [shelf.restore(one.id).id for one in made[3:]] == [one.id for one in made[3:]]
    with pytest.raises(RecordError):
        shelf.restore(made[2].id)


def test_what_takes_too_much_room_goes_before_its_day_but_never_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "MOST_DELETED", 0)
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"Text {name}.")
    made = [shelf.add(tmp_path / f"{name}.txt") for name in ("a", "b")]
    for one in made:
        finish_entry(one.id, HashedWords(), silent)
        shelf.delete(one.id)
    assert shelf.restore(made[1].id)
    with pytest.raises(RecordError):
        shelf.restore(made[0].id)


def test_an_index_that_deleted_corpora_share_counts_once_and_one_in_use_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.txt").write_text("One text for all.")
        made.append(shelf.add(tmp_path / name))
        finish_entry(made[-1].id, HashedWords(), silent)
    for one in made[:2]:
        shelf.delete(one.id)
    size = shelf.index_size(shelf.entry_of(made[0].id))
    hidden = [one for one in shelf.hidden_too() if one.deleted]
    assert size > 0 and sum(one.size for one in shelf.with_sizes(hidden, ())) == size
    assert [one.size for one in shelf.with_sizes(hidden, shelf.all_entries())] == [0, 0], "the third uses it"
    monkeypatch.setattr(shelf, "MOST_DELETED", size)
    shelf.delete(made[2].id)
    assert all(shelf.restore(one.id) for one in made), "three of one index take no more room than one"


def test_a_start_removes_what_was_deleted_a_day_ago_and_leaves_the_rest(tmp_path: Path) -> None:
    made = []
    for number, (person, days) in enumerate(((allowed.OWNER, 2), ("ann", 3), (allowed.OWNER, 0))):
        (tmp_path / f"{number}.txt").write_text(f"Text {number}.")
        made.append(shelf.add(tmp_path / f"{number}.txt"))
        finish_entry(made[-1].id, HashedWords(), silent)
        at = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        hidden = replace(shelf.entry_of(made[-1].id), person=person, deleted=True, deleted_at=at)
        made[-1] = shelf.changed(hidden.id, lambda _, wanted=hidden: wanted)
    shelf.sweep_deletions()
    assert [one.id for one in shelf.hidden_too()] == [made[2].id]
    assert [shelf.index_size(one) > 0 for one in made] == [False, False, True]


def test_a_visitor_brings_back_no_more_corpora_than_the_owner_grants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(allowed._STATE, "restricted", True)
    most = Limits().corpora
    for number in range(most + 1):
        (tmp_path / f"{number}.txt").write_text(f"Text {number}.")
    with acting_for("ann"):
        made = [shelf.add(tmp_path / f"{number}.txt") for number in range(most)]
        shelf.delete(made[0].id)
        shelf.add(tmp_path / f"{most}.txt")
        with pytest.raises(InputError):
            shelf.restore(made[0].id)
        shelf.delete(made[1].id)
        assert shelf.restore(made[0].id)
    assert shelf.most_deleted("ann") == most * Limits().upload_mb * 2**20
    assert shelf.most_deleted(allowed.OWNER) == shelf.MOST_DELETED


def test_what_was_brought_back_meanwhile_is_not_removed_for_good(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    entry = shelf.add(tmp_path / "a.txt")
    finish_entry(entry.id, HashedWords(), silent)
    shelf.delete(entry.id)
    (hidden,) = [one for one in shelf.hidden_too() if one.id == entry.id]
    shelf.restore(entry.id)
    shelf.remove(hidden)
    assert shelf.index_size(shelf.entry_of(entry.id)) > 0


def deleted_days_ago(entry_id: str, days: int) -> None:
    """Delete an entry as if so many days ago."""
    shelf.delete(entry_id)
    moment = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    shelf.changed(entry_id, lambda one: replace(one, deleted_at=moment))


def test_the_time_left_follows_the_pace_of_the_last_minute() -> None:
    moments = iter([0.0, 10.0, 20.0, 100.0])
    pace = Pace(lambda: next(moments))
    pace.see("embedding", 0)
    assert pace.seconds_left(1000) is None
    pace.see("embedding", 100)
    assert pace.seconds_left(1000) == pytest.approx(90.0)
    pace.see("embedding", 300)
    pace.see("embedding", 700)  # 400 in the 80 seconds since the last look: the first minute counts no more
    assert pace.seconds_left(1000) == pytest.approx(300 * 80 / 400)


def test_the_time_left_counts_no_pause() -> None:
    moments = iter([0.0, 10.0, 610.0, 620.0])
    pace = Pace(lambda: next(moments))
    pace.see("embedding", 0)
    pace.see("embedding", 100)
    pace.forget()  # a run was at work for ten minutes
    pace.see("embedding", 110)
    assert pace.seconds_left(1000) is None
    pace.see("embedding", 210)
    assert pace.seconds_left(1000) == pytest.approx(79.0)
