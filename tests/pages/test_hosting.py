"""Pages of a workbench that is open to others: every entry attacked by a visitor, each person's things their own."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.annotations.exchange import export_text, import_text
from engine.annotations.schema import ARRIVALS
from engine.annotations.store import AnnotationStore
from engine.annotations.tasks import run_hash
from engine.backends import added_models
from engine.core import allowed
from engine.core.allowed import NOBODY, OWNER, acting_for, acting_person, refuse_unlisted
from engine.core.errors import InputError
from engine.diagnosis.serialize import to_json
from engine.learning.lessons.base import Question
from engine.learning.lessons.polls import PollStore, vote_on
from engine.learning.lessons.progress import Prediction, ProgressStore
from engine.runs.corpora import shelf
from engine.runs.store import RunStore
from pages.annotating.key_queue import parse_message
from pages.annotating.projects import key_map
from pages.annotating.sitting import run_behind, save_message
from pages.shared import corpus_view, downloads, forms
from pages.shared.draft import FILES
from pages.shared.uploads import StoredFile, keep_uploads
from tests.engine.backends.language_models.scripted_server import running
from tests.hosted import Visit, open_to_others
from tests.pages.annotation_fixtures import project_with
from tests.pages.page_fixtures import (
    PROJECT,
    desk_over,
    kept,
    notices,
    opened,
    row_tables,
    shown_run,
    whole_diagnosis,
    words_on,
)

PAGES = str(PROJECT / "pages")
ASK, DOCUMENTS = "pages/workspace/ask.py", "pages/workspace/documents.py"
SECRET = "Where is the hidden Vesper Clock?"
RUN_PAGES = ("workspace/ask", "workspace/compare", "workspace/what_if", "workspace/numbers")


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Visit:
    """Return how to say who visits; Ann does at first."""
    return open_to_others(monkeypatch, tmp_path, "[hosting.limits]\ncorpora = 2\nupload_mb = 1")


@pytest.fixture
def store(visit: Visit, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model."""
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()
    st.cache_resource.clear()


def asked_with(**filled: object) -> AppTest:
    """Return the Ask page after a question was asked with this in its form."""
    page = opened(ASK)
    draft = replace(page.session_state["microscope.draft"], question="Who?", **filled)
    page.session_state["microscope.draft"] = draft
    page.session_state["microscope.draft_generation"] = 7
    page.run()
    page.button(key="ask").click().run()
    assert not page.exception
    return page


def everybodys(store: RunStore) -> tuple[str, ...]:
    """Return the ids of everybody's runs."""
    with acting_for(OWNER):
        return tuple(run.id for run in store.listing())


@pytest.mark.parametrize(
    "filled",
    [
        {"model": "org/private-model"},
        {"model": "/etc"},
        {"judge": "org/private-judge"},
        {"source": FILES, "corpus_path": "/etc"},
        {"source": FILES, "corpus_path": "/no/such/folder"},
    ],
)
def test_the_ask_form_refuses_what_is_not_listed_and_tells_no_path_from_another(
    store: RunStore, filled: dict[str, object]
) -> None:
    page = asked_with(**filled)
    assert any("owner's list" in words.replace("\\", "") for words in notices(page))
    assert everybodys(store) == ()


def test_the_ask_form_neither_tests_nor_asks_an_inner_server_and_takes_no_key(store: RunStore) -> None:
    with running() as server:
        page = asked_with(model=server.name)
        page.button(key="server.test").click().run()
        assert not page.exception and page.error
        assert not [field for field in page.text_input if field.proto.type == 1], "no field for a key"
        assert server.bodies == [] and not server.headers
    assert everybodys(store) == ()


def test_a_path_on_the_documents_page_is_refused_unless_it_is_listed(store: RunStore, tmp_path: Path) -> None:
    for path in ("/etc", str(tmp_path), str(tmp_path / "uploads")):
        page = opened(DOCUMENTS)
        page.text_input(key="documents.path").set_value(path)
        page.button(key="documents.add_path").click().run()
        assert page.error and shelf.all_entries() == ()


def test_a_variant_and_a_duplicate_of_a_run_that_names_a_server_ask_nothing(store: RunStore) -> None:
    with running() as server:
        diagnosis = whole_diagnosis(SECRET)
        origin = replace(diagnosis.provenance, model=server.name)
        run_id = store.import_json(to_json(replace(diagnosis, provenance=origin)))
        for script in RUN_PAGES:
            opened(f"pages/{script}.py", run_id)
        page = opened("pages/workspace/what_if.py", run_id)
        next(area for area in page.text_area if area.label == "Question").set_value("Who else?").run()
        page.button(key=f"what_if.ask.{run_id}").click().run()
        assert any("owner's list" in words for words in notices(page)), notices(page)
        page = opened(ASK, run_id)
        page.button(key="ask_again").click().run()
        page.button(key="ask").click().run()
        assert not page.exception and shown_run(page) == ""
        assert server.bodies == [] and not server.headers
    assert everybodys(store) == (run_id,)


def test_a_trace_is_not_asked_of_a_server(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as server:
        # Typing a new name into the box, as the page's test cannot.
        monkeypatch.setattr("engine.backends.language_models.EMBEDDED_NAMES", ("embedded", server.name))
        page = opened("pages/workspace/trace.py")
        (sources,) = [one for one in page.button_group if one.key == "trace.from"]
        assert list(sources.options) == ["A file", "Pasted text", "An example"]  # what came in is the owner's
        page.selectbox(key="trace.source").set_value("haystack").run(timeout=60)
        next(box for box in page.selectbox if box.label == "Model").set_value(server.name)
        page.button(key="trace.ask").click().run()
        assert page.error and not server.headers
    assert everybodys(store) == ()


def test_studies_models_and_the_cache_are_the_owners(store: RunStore) -> None:
    page = opened("pages/workspace/studies.py")
    assert not page.button and not page.get("file_uploader") and page.info
    assert page.info[0].value == "Only the owner of this shared workbench can start and read studies."
    page = opened("pages/workspace/models.py")
    assert not page.button and not page.text_input and page.info
    for change in (lambda: added_models.add("org/model"), lambda: added_models.purge("x")):
        with pytest.raises(InputError):
            change()
    assert "empty_cache" not in [button.key for button in opened("pages/workspace/runs.py").button]


@pytest.mark.parametrize("script", RUN_PAGES)
def test_a_run_of_somebody_else_opens_from_no_address(store: RunStore, visit: Visit, script: str) -> None:
    run_id = kept(store, whole_diagnosis(SECRET), "anns-run")
    assert SECRET in words_on(opened(ASK, run_id)).replace("\\", "")
    visit("ben")
    page = AppTest.from_file(str(PROJECT / f"pages/{script}.py"), default_timeout=30)
    page.query_params["run"] = page.query_params["a"] = page.query_params["b"] = run_id
    page.run()
    assert not page.exception
    shown = " ".join([words_on(page), *(str(table) for table in row_tables(page))]).replace("\\", "")
    assert "Vesper" not in shown and not page.get("plotly_chart")


def test_runs_of_others_are_not_listed(store: RunStore, visit: Visit) -> None:
    kept(store, whole_diagnosis(SECRET), "anns-run")
    assert len(row_tables(opened("pages/workspace/runs.py"))[0]) == 1
    visit("ben")
    page = opened("pages/workspace/runs.py")
    page.text_input[0].set_value("Vesper").run()
    assert not row_tables(page)


def test_uploads_are_their_persons_in_list_address_and_form(store: RunStore, visit: Visit, tmp_path: Path) -> None:
    folder = keep_uploads([StoredFile("a.txt", b"Ann's secret text.")])
    entry = shelf.add(folder, "Ann's notes")
    assert folder.is_relative_to(tmp_path / "uploads" / "ann")
    visit("ben")
    assert shelf.entries() == () and shelf.questions_of(entry.id) == ()
    assert "Ann" not in words_on(opened(DOCUMENTS))
    page = asked_with(source=FILES, corpus_path=str(folder))
    assert any("owner's list" in words.replace("\\", "") for words in notices(page))
    for door in (shelf.entry_of, shelf.delete, shelf.restore, lambda one: shelf.rename(one, "Ben's")):
        with pytest.raises(Exception, match="no longer"):
            door(entry.id)
    visit("ann")
    assert shelf.entries() == (entry,)


def test_a_person_keeps_so_many_corpora_of_so_many_bytes(store: RunStore, visit: Visit) -> None:
    for name in ("a", "b"):
        shelf.add(keep_uploads([StoredFile(f"{name}.txt", name.encode())]))
    with pytest.raises(InputError, match="2 corpora"):
        shelf.add(keep_uploads([StoredFile("c.txt", b"c")]))
    visit("ben")
    with pytest.raises(InputError, match="1 MB"):
        keep_uploads([StoredFile("d.txt", b"x" * 1_100_000)])


def test_files_beyond_the_last_corpus_are_not_kept_and_those_on_the_list_are_found(
    store: RunStore, visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(corpus_view, "indexer", lambda: SimpleNamespace(submit=lambda _: None))
    sent = [[StoredFile(f"{name}.txt", name.encode())] for name in "abcd"]
    first, second = (forms.uploaded_corpus(files) for files in sent[:2])
    for files in sent[2:]:
        with pytest.raises(InputError, match="2 corpora"):
            forms.uploaded_corpus(files)
    kept_folders = {str(folder) for folder in (tmp_path / "uploads" / "ann").iterdir()}
    assert kept_folders == {first.path, second.path}
    assert forms.uploaded_corpus(sent[0]) == first


def test_a_corpus_of_the_owners_that_is_listed_is_seen_by_all_and_changed_by_none(
    store: RunStore, visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    with acting_for(OWNER):
        listed, hidden = shelf.add(tmp_path / "texts"), shelf.add(tmp_path / "other")
    assert shelf.entries() == ()
    monkeypatch.setenv("MICROSCOPE_ALLOWED", str(tmp_path / "texts"))
    assert shelf.entries() == (listed,) and hidden.id not in {one.id for one in shelf.entries()}
    with pytest.raises(InputError):
        shelf.delete(listed.id)


def test_a_path_that_leads_out_of_the_uploads_is_nobodys_upload(
    store: RunStore, visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("The owner's text.")
    monkeypatch.setenv("MICROSCOPE_ALLOWED", str(texts))
    monkeypatch.setattr(corpus_view, "indexer", lambda: SimpleNamespace(submit=lambda _: None))
    (tmp_path / "uploads").mkdir()
    entry = corpus_view.take_in_path(f"{tmp_path}/uploads/../texts")
    assert (entry.path, entry.person, entry.uploaded) == (str(texts), "ann", False)
    crooked = replace(entry, path=f"{tmp_path}/uploads/ann/../../texts")
    shelf.keep(crooked)
    shelf.rename(entry.id, "Ann's")
    shelf.keep(replace(crooked, deleted=True))
    shelf.remove(crooked)
    shelf.remove_former(crooked.path, "ann")
    assert [file.name for file in texts.iterdir()] == ["a.txt"]


def test_only_a_folder_of_its_persons_own_uploads_is_an_upload(store: RunStore, visit: Visit, tmp_path: Path) -> None:
    kept_files = keep_uploads([StoredFile("a.txt", b"Ann's text.")])
    entry = shelf.add(kept_files)
    places = (kept_files, kept_files / "a.txt", kept_files.parent, tmp_path / "uploads", tmp_path / "uploads" / "ben")
    assert [replace(entry, path=str(place)).uploaded for place in places] == [True, False, False, False, False]
    assert not replace(entry, person="ben").uploaded


def test_labels_are_their_persons_and_a_name_may_be_had_twice(store: RunStore, visit: Visit, tmp_path: Path) -> None:
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, lookups=2, answers=1)
    item = labels.items("towers")[0].id
    export = export_text(labels, "towers", "jsonl")
    visit("ben")
    assert labels.projects() == () and labels.annotators() == () and labels.items("towers") == ()
    assert labels.labels("towers") == () and labels.history("towers") == () and labels.count("towers") == 0
    doors = (
        lambda: labels.project("towers"),
        lambda: labels.item(item),
        lambda: export_text(labels, "towers", "jsonl"),
        lambda: labels.guidelines("towers", 1),
        lambda: labels.next_items("towers", "Ben", 3),
        lambda: labels.change_project("towers", overlap=5),
        lambda: import_text(labels, export, "jsonl", "towers"),
    )
    for door in doors:
        with pytest.raises(InputError):
            door()
    page = AppTest.from_file(PAGES + "/workspace/annotate.py", default_timeout=30)
    page.query_params["project"] = "towers"
    page.run()
    assert not page.exception and "towers" not in [str(box.value) for box in page.selectbox]
    made = import_text(labels, export, "jsonl")
    assert [one.id for one in labels.projects()] == [made.project], "Ann has a project of that name too"
    visit("ann")
    assert [one.id for one in labels.projects()] == ["towers"]
    labels.close()


def test_a_file_is_written_later_for_whom_its_button_was_drawn(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, lookups=1)
    drawn: list[Callable[[], str]] = []
    monkeypatch.setattr(downloads.st, "download_button", lambda *_, data, **__: drawn.append(data))
    monkeypatch.setattr(allowed, "_WHO", [lambda: "ann" if current_thread() is main_thread() else NOBODY])
    downloads.save_button("Labels", partial(export_text, labels, "towers", "jsonl"), "labels.jsonl")
    # As Streamlit calls it once the button is pressed: in another thread, with a copy of the context.
    with ThreadPoolExecutor() as threads:
        assert threads.submit(copy_context().run, drawn[0]).result() == export_text(labels, "towers", "jsonl")
    labels.close()


def test_the_run_behind_a_label_is_its_persons_whoever_asks_first(store: RunStore, visit: Visit) -> None:
    st.cache_resource.clear()
    diagnosis = whole_diagnosis(SECRET)
    first, second = kept(store, diagnosis, "anns-first"), kept(store, diagnosis, "anns-second")
    found = []
    for person, run_id in (("ben", first), ("ann", first), ("ann", second), ("ben", second)):
        visit(person)
        found.append(run_behind(run_id, run_hash(diagnosis)))
    assert [one is None for one in found] == [True, False, False, True]


def test_a_run_behind_a_label_that_was_restored_is_found_again(store: RunStore) -> None:
    diagnosis = whole_diagnosis(SECRET)
    run_id = kept(store, diagnosis, "anns-run")
    store.delete(run_id)
    assert run_behind(run_id, run_hash(diagnosis)) is None
    store.restore(run_id)
    assert run_behind(run_id, run_hash(diagnosis)) is not None


def test_a_person_makes_and_imports_so_many_projects_an_hour_of_so_many_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    visit = open_to_others(monkeypatch, tmp_path, "labels = 'shared'\n[hosting.limits]\nan_hour = 3\nupload_mb = 1")
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, lookups=1)
    export = export_text(labels, "towers", "jsonl")
    with pytest.raises(InputError, match="1 MB"):
        import_text(labels, export + " " * 1_000_000, "jsonl")
    for into in ("towers", ""):
        import_text(labels, export, "jsonl", into)
    doors = (
        lambda: labels.create_project("More"),
        lambda: import_text(labels, export, "jsonl"),
        lambda: import_text(labels, export, "jsonl", "towers"),
    )
    for door in doors:
        with pytest.raises(InputError, match="60 minutes"):
            door()
    later = (datetime.now(UTC) - timedelta(minutes=61)).isoformat(timespec="microseconds")
    with labels.database.transaction("arrivals") as connection:
        connection.execute(ARRIVALS.update().values(at=later))
    doors[0]()
    with labels.database.reading() as connection:
        assert len(connection.execute(ARRIVALS.select()).all()) == 1, "what is an hour old is forgotten"
    visit("ben")
    for _ in range(3):
        import_text(labels, export, "jsonl")
    with acting_for(OWNER):
        assert [import_text(labels, export, "jsonl").items for _ in range(4)] == [1] * 4
    labels.close()


def test_labels_are_everybodys_where_the_owner_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = open_to_others(monkeypatch, tmp_path, "labels = 'shared'")
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, lookups=1, answers=1)
    visit("ben")
    assert [one.id for one in labels.projects()] == ["towers"]
    labels.close()


@pytest.mark.parametrize(("stated", "seen"), [("", {}), ("labels = 'shared'", {"discard": "-"})])
def test_keys_are_their_persons_whatever_name_is_typed_unless_labels_are_shared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stated: str, seen: dict[str, str]
) -> None:
    visit = open_to_others(monkeypatch, tmp_path, stated)
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, answers=1)

    def status_of_keys(project: str, note: str) -> object:
        sent = {"id": note, "project": project, "annotator": "Ann", "item": "", "base": "", "verb": "keys", "of": ""}
        sent |= {"values": {}, "state": "untouched", "note": note, "seconds": 0, "at": 0, "turn": 0}
        receipts, _ = save_message(labels, parse_message({"number": 1, "entries": [sent]}), {})
        return receipts[note]["status"]

    assert status_of_keys("towers", '{"discard": "-"}') == "kept"
    visit("ben")
    assert key_map(labels, "Ann") == seen
    assert status_of_keys("towers", '{"discard": "x"}') == ("kept" if seen else "refused")
    assert status_of_keys("nowhere", '{"discard": "y"}') == "refused"
    labels.set_preference("Ann", "keys", '{"discard": "b"}')
    assert key_map(labels, "Ann") == {"discard": "b"}
    visit("ann")
    assert key_map(labels, "Ann") == {"discard": "b" if seen else "-"}
    with acting_for(OWNER):
        assert key_map(labels, "Ann") == ({"discard": "b"} if seen else {})
    labels.close()


def test_a_visitor_keeps_keys_under_so_many_names_and_no_label_is_lost_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("engine.annotations.store.MOST_NAMES", 2)
    visit = open_to_others(monkeypatch, tmp_path)
    labels = AnnotationStore(f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    project_with(labels, answers=1)
    item = labels.item_ids("towers")[0]

    def sent(annotator: str, verb: str, note: str) -> dict[str, object]:
        entry = {"id": f"{annotator} {verb}", "project": "towers", "annotator": annotator, "item": item, "base": ""}
        entry |= {"verb": verb, "of": "", "values": {}, "state": "discarded" if verb == "set" else "untouched"}
        return entry | {"note": note, "seconds": 0, "at": 0, "turn": 0}

    def statuses(*entries: dict[str, object]) -> list[object]:
        receipts, _ = save_message(labels, parse_message({"number": 1, "entries": list(entries)}), {})
        return [receipts[one["id"]]["status"] for one in entries]

    assert statuses(sent("Ann", "keys", "{}"), sent("Bea", "keys", "{}")) == ["kept", "kept"]
    assert statuses(sent("Cleo", "keys", "{}"), sent("Cleo", "set", "")) == ["refused", "kept"]
    assert statuses(sent("Bea", "keys", '{"discard": "x"}')) == ["kept"]
    visit("ben")
    assert statuses(sent("Cleo", "keys", "{}")) == ["refused"]  # the project is not ben's
    with acting_for(OWNER):
        for name in ("Ann", "Bea", "Cleo"):
            labels.set_preference(name, "keys", "{}")
        assert labels.preference("Cleo", "keys") == "{}"
    labels.close()


def test_a_name_in_the_address_opens_nobody_elses_place_in_a_lesson(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    st.cache_resource.clear()
    progress = ProgressStore(tmp_path / "lessons.sqlite")
    monkeypatch.setattr("engine.learning.lessons.progress.ProgressStore", lambda: progress)
    for person in ("ann", "ben"):
        visit(person)
        page = AppTest.from_file(PAGES + "/learn/lessons.py", default_timeout=60)
        page.query_params["learner"], page.query_params["lesson"] = "Kim", "low-entropy"
        page.run()
        assert not page.exception
    assert set(progress.places("ann:kim")) == set(progress.places("ben:kim")) != set()
    assert progress.places("name:kim") == {}
    progress.keep("ann:kim", Prediction(lesson="low-entropy", step=1, asked="q", given="x", right=True))
    assert progress.predictions("ben:kim") == ()
    st.cache_resource.clear()


def test_phones_vote_as_visitors_and_only_the_teacher_leads(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    st.cache_resource.clear()
    polls = PollStore(tmp_path / "lessons.sqlite")
    monkeypatch.setattr("engine.learning.lessons.polls.PollStore", lambda: polls)
    question = Question(kind="number", text="How many?", value=2.0)
    vote = vote_on("belief", 1, question)
    code = polls.open("reed")
    polls.show(code, "reed", vote, question)
    for person, given in (("ann", "1"), ("ben", "2"), ("ann", "3")):
        visit(person)
        page = AppTest.from_file(PAGES + "/learn/vote.py", default_timeout=60)
        page.query_params["class"] = code
        page.run()
        page.text_input[0].set_value(given)
        page.button(key="vote.send").click().run()
        assert not page.exception and page.success
    assert polls.counts(code, vote) == {"2.0": 1, "3.0": 1}
    kept = (tmp_path / "lessons.sqlite").read_bytes() + (tmp_path / "lessons.sqlite-wal").read_bytes()
    assert b"reed" in kept and b"ann" not in kept and b"ben" not in kept
    lesson = AppTest.from_file(PAGES + "/learn/lessons.py", default_timeout=60)
    lesson.query_params["lesson"], lesson.query_params["class"] = "belief", code
    lesson.run()
    assert not lesson.exception and "class" not in lesson.query_params
    poll = polls.find(code)
    assert poll is not None and poll.vote == vote
    st.cache_resource.clear()


def test_unrestricted_everything_is_as_before(tmp_store: RunStore) -> None:
    assert acting_person() is None
    refuse_unlisted("/etc", "corpus")
