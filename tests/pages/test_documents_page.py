"""The Documents page: files are taken in and reported one by one, indexed, renamed, deleted, brought back, asked."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from engine.backends.retrieval.web_files import WebFile
from engine.core.errors import InputError
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import Indexer, IndexProgress
from engine.runs.store import RunStore
from engine.runs.studies.store import StudyStore
from pages.shared import corpus_view, forms, study_store
from pages.shared.draft import FILES, Draft
from pages.shared.resources import indexer
from pages.shared.theme import as_text
from tests.engine.runs.studies.study_case import damage, started
from tests.hosted import open_to_others
from tests.pages.page_fixtures import choose_rows, desk_over, keys_on, named_button, opened, row_tables, words_on

DOCUMENTS = "pages/workspace/documents.py"
SENT = [
    ("a.txt", b"Paris is a capital.", "text/plain"),
    ("b.csv", b"name,born\nAda,1815\nGrace,1906\n", "text/csv"),
    ("broken.pdf", b"%PDF-1.7", "application/pdf"),
    ("film.mp4", b"film", "video/mp4"),
    ("q.jsonl", b'{"question": "Who was born in 1815?", "answers": ["Ada"]}', "application/json"),
]


@pytest.fixture(autouse=True)
def store(tmp_store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


def indexed(page: AppTest) -> AppTest:
    """Return the page after the indexing of everything on the shelf; it may not stand still for 20 seconds."""
    stood, since = None, time.monotonic()
    while going := [one.id for one in shelf.entries() if one.state not in ("ready", "failed")]:
        stands = [indexer().progress(one) for one in going]
        if stands != stood:
            stood, since = stands, time.monotonic()
        assert time.monotonic() < since + 20, f"the indexing stands still: {stood}"
        time.sleep(0.05)
    return page.run()


def taken_in() -> AppTest:
    page = opened(DOCUMENTS)
    page.file_uploader[0].set_value(SENT).run()
    return indexed(page)


def test_without_documents_the_page_shows_what_becomes_of_them_and_takes_in_the_sample() -> None:
    page = opened(DOCUMENTS)
    assert all(kind in words_on(page) for kind in ("pdf", "html", "docx", "csv"))
    page.button(key="documents.sample").click().run()
    (entry,) = shelf.entries()
    assert entry.name == "Sample encyclopaedia" and not page.exception
    assert "documents.sample" not in keys_on(indexed(page))
    assert (shelf.entries()[0].state, shelf.entries()[0].documents) == ("ready", 124)


@pytest.mark.parametrize("way", ("path", "files"))
def test_an_indexer_is_there_before_the_corpus_it_would_take_for_unfinished_work(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.txt").write_text("Paris is a capital.")
    found_at_start: list[int] = []
    worker = Indexer()

    def begun() -> Indexer:
        found_at_start.append(len(shelf.entries()))
        return worker

    monkeypatch.setattr(corpus_view, "indexer", begun)
    if way == "path":
        corpus_view.take_in_path(str(tmp_path / "one.txt"))
    else:
        corpus_view.take_in([WebFile(name="one.txt", content=b"Paris is a capital.")])
    assert found_at_start == [0] and worker.wait(20)


def test_dropped_files_are_indexed_and_each_is_reported_with_the_reason_it_was_skipped() -> None:
    page = taken_in()
    assert not page.exception and page.file_uploader[0].value == []
    (entry,) = shelf.entries()
    assert (entry.state, entry.documents, entry.questions) == ("ready", 3, 1)
    assert [file.name for file in entry.skipped] == ["broken.pdf", "film.mp4"]
    rows = row_tables(page)[0]
    assert set(rows[rows["State"] == "skipped"]["File"]) == {"broken.pdf", "film.mp4"} and all(rows["Notes"])
    assert entry.content_hash[:12] in words_on(page)


@pytest.mark.parametrize("unreadable", [False, True])
def test_the_former_files_of_a_corpus_stay_while_a_study_cannot_be_read(
    unreadable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_view, "indexer", lambda: SimpleNamespace(submit=lambda _: None))
    studies = StudyStore(tmp_path / "studies.sqlite")
    monkeypatch.setattr(study_store, "study_store", lambda: studies)
    study = started(tmp_path, studies)
    if unreadable:
        damage(studies, study)
    former = corpus_view.take_in([WebFile(name="one.txt", content=b"Paris is a capital.")])
    now = corpus_view.extend(former.id, [WebFile(name="two.txt", content=b"Rome is a capital.")])
    studies.close()
    assert Path(former.path).exists() == unreadable
    assert sorted(file.name for file in Path(now.path).glob("*.txt")) == ["one.txt", "two.txt"]


def test_of_two_tabs_that_add_files_at_once_neither_loses_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_view, "indexer", lambda: SimpleNamespace(submit=lambda _: None))
    first = corpus_view.take_in([WebFile(name="one.txt", content=b"Paris is a capital.")])
    gather, other = corpus_view.extended_uploads, []

    def gathered_while_another_adds(folder: Path, files: list[WebFile]) -> Path:
        monkeypatch.setattr(corpus_view, "extended_uploads", gather)
        more = [WebFile(name="three.txt", content=b"Oslo is a capital.")]
        other.append(Thread(target=corpus_view.extend, args=(first.id, more)))
        other[0].start()
        other[0].join(1.0)  # it ends at once where it does not wait for this one
        return gather(folder, files)

    monkeypatch.setattr(corpus_view, "extended_uploads", gathered_while_another_adds)
    corpus_view.extend(first.id, [WebFile(name="two.txt", content=b"Rome is a capital.")])
    other[0].join(20)
    held = sorted(file.name for file in Path(shelf.entry_of(first.id).path).glob("*.txt"))
    assert held == ["one.txt", "three.txt", "two.txt"]


def test_a_corpus_is_renamed_deleted_and_brought_back() -> None:
    page = taken_in()
    entry = shelf.entries()[0]
    page.text_input(key=f"name.{entry.id}").set_value("Two ladies").run()
    page.button(key=f"rename.{entry.id}").click().run()
    assert shelf.entries()[0].name == "Two ladies" and "Two ladies" in words_on(page)
    assert page.session_state[f"renaming.{entry.id}"] is False, "the box closes over a stored name"
    named_button(page, "delete.").click().run()
    assert shelf.entries() == () and not page.exception
    page.button(key="undo_delete_corpus").click().run()
    assert [one.name for one in shelf.entries()] == ["Two ladies"] and not page.exception


def test_a_corpus_that_was_deleted_in_another_tab_is_neither_renamed_nor_asked_over() -> None:
    page = taken_in()
    (entry,) = shelf.entries()
    page.text_input(key=f"name.{entry.id}").set_value("Two ladies").run()
    shelf.delete(entry.id)
    page.button(key=f"rename.{entry.id}").click().run()
    assert [str(error.value) for error in page.error] == [as_text(shelf.DELETED)]
    assert shelf.deleted_entries()[0].name == entry.name
    draft = Draft(question="Who?", source=FILES, corpus_path=entry.path)
    with pytest.raises(InputError, match="was deleted"):
        forms.request_of(draft)
    shelf.restore(entry.id)
    assert forms.request_of(draft).corpus == entry.path


def test_a_corpus_that_was_deleted_elsewhere_is_listed_and_restored(tmp_path: Path) -> None:
    (tmp_path / "mill.txt").write_text("A mill in Selm.")
    entry = shelf.add(tmp_path / "mill.txt")
    assert "deleted" not in words_on(opened(DOCUMENTS))
    shelf.delete(entry.id)
    page = opened(DOCUMENTS)
    assert [one.label for one in page.expander] == ["1 deleted corpus"]
    choose_rows(page, "corpus.deleted", (entry.id,))
    assert "At most the last ten are kept, for a day." in words_on(page) and "erase_corpus" not in keys_on(page)
    page.button(key="restore_corpus").click().run()
    assert [one.id for one in shelf.entries()] == [entry.id] and not page.exception


def test_an_empty_name_is_not_stored_and_the_box_says_why() -> None:
    page = taken_in()
    entry = shelf.entries()[0]
    page.session_state[f"renaming.{entry.id}"] = True
    page.text_input(key=f"name.{entry.id}").set_value("  ").run()
    page.button(key=f"rename.{entry.id}").click().run()
    assert "A corpus needs a name." in [warning.value for warning in page.warning]
    assert page.session_state[f"renaming.{entry.id}"] is True
    assert shelf.entries()[0].name == entry.name


def test_what_is_gone_for_good_does_not_stand_before_what_undo_can_bring_back(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Text {name}.")
    one, two = (shelf.add(tmp_path / f"{name}.txt") for name in ("one", "two"))
    page = opened(DOCUMENTS)
    for entry in (one, two):
        page.button(key=f"delete.{entry.id}").click().run()
    shelf.remove(shelf.entry_of(two.id))
    page.button(key="undo_delete_corpus").click().run()
    assert len(page.error) == 1 and shelf.entries() == ()
    page.run().button(key="undo_delete_corpus").click().run()
    assert [entry.id for entry in shelf.entries()] == [one.id]


def test_a_click_is_not_lost_where_an_indexing_above_it_ends_in_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Text {name}.")
    one, two = (shelf.add(tmp_path / f"{name}.txt") for name in ("one", "two"))
    page = indexed(opened(DOCUMENTS))
    # The list was read before the second corpus, which stands above, was ready; its indexing has just ended.
    shelf.changed(two.id, lambda entry: replace(entry, state="words"))
    progress = iter([IndexProgress(stage="embedding"), None, None, None, None])
    monkeypatch.setattr(Indexer, "progress", lambda self, entry_id: next(progress) if entry_id == two.id else None)
    page.button(key=f"ask.{one.id}").click().run()
    assert page.session_state["microscope.draft"].corpus_path == one.path


def test_a_question_found_in_the_files_fills_the_ask_form_with_its_answers_and_the_corpus() -> None:
    page = taken_in()
    entry = shelf.entries()[0]
    page.selectbox(key=f"questions.{entry.id}").set_value(0).run()
    page.button(key=f"ask_found.{entry.id}").click().run()
    draft = page.session_state["microscope.draft"]
    assert (draft.question, draft.golds) == ("Who was born in 1815?", "Ada")
    assert (draft.source, draft.corpus_path) == (FILES, entry.path)


def test_files_are_added_to_an_uploaded_corpus_without_a_second_entry() -> None:
    page = taken_in()
    before = shelf.entries()[0]
    page.file_uploader[2].set_value([("c.txt", b"Lyon is a city.", "text/plain")]).run()
    page.button(key=f"add.{before.id}").click().run()
    indexed(page)
    (after,) = shelf.entries()
    assert (after.id, after.name, after.documents) == (before.id, before.name, before.documents + 1)
    assert Path(after.path).is_dir() and not Path(before.path).exists()


def test_a_path_that_is_not_there_is_a_sentence() -> None:
    page = opened(DOCUMENTS)
    page.text_input(key="documents.path").set_value("/nowhere/at/all").run()
    page.button(key="documents.add_path").click().run()
    assert len(page.error) == 1 and "/nowhere/at/all" in page.error[0].value.replace("\\", "")
    assert shelf.entries() == ()


def test_addresses_become_a_corpus_and_those_that_gave_nothing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fetched(addresses: list[str]) -> tuple[tuple[WebFile, ...], tuple[str, ...]]:
        asked.extend(addresses)
        return (WebFile(name="h-a.txt", content=b"Paris is a capital."),), ("http://h/b answers 404.",)

    monkeypatch.setattr("pages.shared.corpus_view.fetch_all", fetched)
    page = opened(DOCUMENTS)
    page.text_input(key="documents.addresses").set_value("http://h/a  http://h/b").run()
    page.button(key="documents.fetch").click().run()
    assert asked == ["http://h/a", "http://h/b"] and any("404" in box.value for box in page.error)
    indexed(page)
    assert any("404" in box.value for box in page.error), "it stays when the indexing is done"
    (entry,) = shelf.entries()
    assert (entry.name, entry.state, [file.name for file in entry.files]) == ("h-a.txt", "ready", ["h-a.txt"])


def test_a_visitor_is_offered_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_to_others(monkeypatch, tmp_path)
    page = opened(DOCUMENTS)
    assert "documents.fetch" not in keys_on(page) and "documents.add_path" in keys_on(page)
