"""The Runs page: finding, opening, deleting with undo, importing."""

import gzip
import re
import time
from pathlib import Path
from threading import Event

import pytest

from engine.backends.call_cache import CallCache, key_of
from engine.core.errors import RecordError
from engine.core.progress import Report, Stage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import to_json
from engine.runs.store import RunStore
from pages.shared.theme import as_text
from pages.workspace import cache_part
from tests.pages.page_fixtures import (
    answered,
    choose_rows,
    desk_over,
    has_no_run,
    kept,
    keys_on,
    notices,
    opened,
    row_tables,
    shown_run,
    whole_diagnosis,
    words_on,
)
from tests.viz.sample_results import generation
from viz.runs.bundle import run_bundle
from viz.runs.summary import verdict_words

RUNS = "pages/workspace/runs.py"


def test_without_a_run_the_page_says_how_to_get_one(store: RunStore) -> None:
    assert has_no_run(opened(RUNS))


def test_runs_stand_newest_first_with_answer_and_verdicts(store: RunStore) -> None:
    kept(store, whole_diagnosis("First?"), "first")
    kept(store, whole_diagnosis("Second?"), "second")
    table = row_tables(opened(RUNS))[0]

    assert next(iter(table)) == "Question", "on a phone only the first column is in view"
    assert list(table["Question"]) == ["Second?", "First?"]
    assert list(table["Answer"]) == ["31 March 1889"] * 2
    assert table["Verdicts"][0] == verdict_words(whole_diagnosis("Second?")), "whole, however long"


def test_the_verdicts_of_the_chosen_run_stand_whole_below_the_table(store: RunStore) -> None:
    kept(store, whole_diagnosis("Only?"), "only")
    page = opened(RUNS)
    said = as_text(verdict_words(whole_diagnosis("Only?")))
    assert said not in [str(one.value) for one in page.caption]
    choose_rows(page, "runs.table", ("only",))
    assert said in [str(one.value) for one in page.caption]


def test_searching_leaves_what_holds_the_words(store: RunStore) -> None:
    kept(store, whole_diagnosis("Where is Suez?"), "suez")
    kept(store, whole_diagnosis("Where is Panama?"), "panama")
    page = opened(RUNS)
    page.text_input[0].set_value("suez").run()
    assert list(row_tables(page)[0]["Question"]) == ["Where is Suez?"]

    page.text_input[0].set_value("Kiel").run()
    assert not row_tables(page) and "“Kiel”" in words_on(page)


def test_a_deleted_run_is_gone_and_undo_brings_it_back(store: RunStore) -> None:
    kept(store, whole_diagnosis("Only?"), "only")
    page = opened(RUNS, "only")
    page.button(key="delete_run").click().run()
    assert store.listing() == ()
    assert shown_run(page) == ""

    page.button(key="undo_delete").click().run()
    assert [run.id for run in store.listing()] == ["only"]


def test_several_selected_runs_are_deleted_at_once_and_undo_brings_each_back(store: RunStore) -> None:
    for name in ("first", "second", "third"):
        kept(store, whole_diagnosis(f"{name}?"), name)
    page = choose_rows(opened(RUNS), "runs.table", ("first", "second", "third"))
    (button,) = [one for one in page.button if one.key == "delete_run"]
    assert button.label == "Delete 3 runs"
    button.click().run()
    assert store.listing() == () and not page.exception
    for _ in range(3):
        page.button(key="undo_delete").click().run()
    assert {run.id for run in store.listing()} == {"first", "second", "third"}


def test_deleting_a_run_that_is_worked_on_stops_it_and_the_next_one_is_asked(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Event()

    def endless(request: DiagnosisRequest, report: Report) -> Diagnosis:
        begun.set()
        while request.question == "Endless?":
            time.sleep(0.02)
            report(Stage(method="dense", name="waiting"))
        return whole_diagnosis(request.question)

    desk = desk_over(tmp_store, monkeypatch, endless)
    first, second = (desk.submit(DiagnosisRequest(question=question)) for question in ("Endless?", "Next?"))
    assert begun.wait(10)
    opened(RUNS, first).button(key="delete_run").click().run()

    ended = [desk.wait_for(run, 10.0) for run in (first, second)]
    desk.shutdown()
    assert [one.state for one in ended if one is not None] == ["cancelled", "done"]
    assert tmp_store.usage("", "")[0] == 0, "nothing waits behind what nobody sees"


def test_undo_reaches_back_over_several_deletions_the_last_one_first(store: RunStore) -> None:
    for word in ("one", "two"):
        kept(store, whole_diagnosis(f"{word}?"), word)
    page = opened(RUNS, "one")
    page.button(key="delete_run").click().run()
    page.query_params["run"] = "two"
    page.run()
    page.button(key="delete_run").click().run()
    assert store.listing() == ()
    page.button(key="undo_delete").click().run()
    assert [run.id for run in store.listing()] == ["two"]
    page.button(key="undo_delete").click().run()
    assert {run.id for run in store.listing()} == {"one", "two"}
    assert "undo_delete" not in [button.key for button in page.button]


def test_the_run_in_the_address_is_selected_and_can_be_opened(store: RunStore) -> None:
    kept(store, whole_diagnosis("One?"), "one")
    page = opened(RUNS, "one")

    page.button(key="open_run").click().run()
    assert shown_run(page) == "one"


def test_an_export_comes_back_as_a_run_of_its_own(store: RunStore) -> None:
    page = opened(RUNS)
    page.file_uploader[0].upload("run.json", to_json(whole_diagnosis()).encode(), "application/json").run()
    page.button(key="import_run").click().run()

    (run,) = store.listing()
    assert run.origin == "imported"
    assert store.get(run.id).diagnosis == whole_diagnosis()


def test_a_packed_export_is_imported_too(store: RunStore) -> None:
    page = opened(RUNS)
    packed = gzip.compress(to_json(whole_diagnosis()).encode())
    page.file_uploader[0].upload("run.json.gz", packed, "application/gzip").run()
    page.button(key="import_run").click().run()

    (run,) = store.listing()
    assert store.get(run.id).diagnosis == whole_diagnosis()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'{"schema_version": 99}', "99"),
        (b"[]", "list"),
        (b'{"a": 1}', "run record"),
    ],
)
def test_a_bad_import_gets_a_sentence_and_stores_nothing(store: RunStore, content: bytes, sentence: str) -> None:
    page = opened(RUNS)
    page.file_uploader[0].upload("run.json", content, "application/json").run()
    page.button(key="import_run").click().run()

    assert sentence in re.sub(r"\\(.)", r"\1", page.error[0].value)
    assert store.listing() == ()


def test_shipped_runs_follow_their_files_stay_deleted_and_are_restored(tmp_path: Path) -> None:
    (tmp_path / "diagnoses").mkdir()
    (tmp_path / "diagnoses" / "a-tower.json").write_text(to_json(whole_diagnosis("Tower?")))
    (tmp_path / "diagnoses" / "b-broken.json").write_text("{")
    store = RunStore(tmp_path / "runs.sqlite", tmp_path)
    assert [(run.id, run.origin) for run in store.listing()] == [("a-tower", "sample")]
    assert store.summary("a-tower").created_at == "2025-01-01T00:00:00.000000+00:00"

    (tmp_path / "diagnoses" / "a-tower.json").write_text(to_json(whole_diagnosis("Tower again?")))
    again = store.get("a-tower").diagnosis
    assert again is not None and again.question == store.listing()[0].question == "Tower again?"

    store.delete("a-tower")
    assert store.listing() == ()
    with pytest.raises(RecordError):
        store.get("a-tower")
    store.restore("a-tower")
    assert [run.id for run in store.listing()] == ["a-tower"]
    assert store.get("a-tower").diagnosis == again


def test_a_copy_that_an_earlier_version_made_gives_way_to_the_shipped_run(tmp_path: Path) -> None:
    (tmp_path / "diagnoses").mkdir()
    (tmp_path / "diagnoses" / "a-tower.json").write_text(to_json(whole_diagnosis("Tower?")))
    store = RunStore(tmp_path / "runs.sqlite", tmp_path)
    store.import_json(to_json(whole_diagnosis("Older?")), run_id="a-tower", origin="sample")
    assert [run.question for run in store.listing()] == [store.get("a-tower").request.question] == ["Tower?"]


def test_the_cache_of_model_calls_says_its_size_and_is_emptied(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    held = CallCache(tmp_path / "calls.sqlite", limit=10_000_000)
    held.put("generation", {key_of(place): b"said" for place in range(12)})
    monkeypatch.setattr(cache_part, "default_cache", lambda: held)
    page = opened(RUNS)
    assert "12 calls" in words_on(page) and "10 MB" in words_on(page)
    page.button(key="empty_cache").click().run()
    assert held.size().calls == 0


def test_a_broken_cache_says_so_on_the_page(store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite").write_bytes(b"no database " * 1000)
    held = CallCache(tmp_path / "calls.sqlite")
    monkeypatch.setattr(cache_part, "default_cache", lambda: held)
    page = opened(RUNS)
    assert held.fault and as_text(held.fault) in words_on(page)
    page.button(key="empty_cache").click().run()
    assert held.fault == ""


def test_a_cache_that_is_turned_off_says_so(store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache_part, "default_cache", lambda: CallCache(tmp_path / "calls.sqlite", limit=0))
    assert "MICROSCOPE_CACHE_MB is 0" in words_on(opened(RUNS))


def test_a_bundle_is_imported_like_a_record(store: RunStore) -> None:
    page = opened(RUNS)
    page.file_uploader[0].upload("run.html", run_bundle(whole_diagnosis(), "x").encode(), "text/html").run()
    page.button(key="import_run").click().run()

    (run,) = store.listing()
    assert store.get(run.id).diagnosis == whole_diagnosis()


def test_a_run_of_the_same_question_says_what_changed(store: RunStore) -> None:
    kept(store, whole_diagnosis("Which tower?"), "first")
    kept(store, answered(whole_diagnosis("Which tower?"), generation("May 1889")), "second")
    kept(store, whole_diagnosis("Another?"), "third")
    changed = list(row_tables(opened(RUNS))[0]["What changed"].fillna(""))

    assert changed[0] == changed[2] == ""
    assert changed[1]
    assert "“31 March 1889”" in words_on(opened(RUNS, "second"))


def test_two_selected_runs_are_offered_for_comparison_older_first(store: RunStore) -> None:
    kept(store, whole_diagnosis("First?"), "first")
    kept(store, whole_diagnosis("Second?"), "second")
    page = opened(RUNS)
    choose_rows(page, "runs.table", ("second", "first"))

    assert [button.key for button in page.button if button.key == "compare_runs"] == ["compare_runs"]


def test_the_numbers_of_a_run_can_be_checked(store: RunStore) -> None:
    kept(store, whole_diagnosis("One?"), "one")
    page = opened(RUNS, "one")
    page.button(key="check_run").click().run()

    # The record was written by hand: its numbers do not follow from its made-up judgements.
    assert len(row_tables(page)) > 1


def test_the_numbers_stay_checked_while_another_page_of_them_is_shown(store: RunStore) -> None:
    kept(store, whole_diagnosis("One?"), "one")
    kept(store, whole_diagnosis("Two?"), "two")
    page = opened(RUNS, "one")
    page.button(key="check_run").click().run()
    checked = len(row_tables(page))
    assert len(row_tables(page.run())) == checked > 1
    choose_rows(page, "runs.table", ("two",), start=("one",))
    assert len(row_tables(page)) == 1, "another run is not checked by that"


def test_a_chosen_run_that_is_deleted_leaves_no_other_one_chosen(store: RunStore) -> None:
    for name in ("first", "second", "third"):
        kept(store, whole_diagnosis(f"{name}?"), name)
    page = choose_rows(opened(RUNS), "runs.table", ("second",))
    store.delete("second")
    assert "open_run" not in keys_on(page.run())
    store.restore("second")
    assert "open_run" in keys_on(page.run())


def test_a_deleted_run_comes_back_from_the_list_of_deleted_ones_in_another_visit(store: RunStore) -> None:
    for word in ("one", "two"):
        kept(store, whole_diagnosis(f"{word}?"), word)
        store.delete(word)
    page = opened(RUNS)
    assert "2 deleted runs" in [one.label for one in page.expander]
    assert "Every run was deleted; restore one below." in words_on(page) and "No runs yet" not in words_on(page)
    choose_rows(page, "run.deleted", ("one",))
    page.button(key="restore_run").click().run()
    assert [run.id for run in store.listing()] == ["one"] and "The run is back in the list." in notices(page)
    assert "1 deleted run" in [one.label for one in page.expander]


def test_a_run_that_is_deleted_for_good_leaves_the_list_and_its_undo(store: RunStore) -> None:
    kept(store, whole_diagnosis("Only?"), "only")
    page = opened(RUNS, "only")
    page.button(key="delete_run").click().run()
    choose_rows(page, "run.deleted", ("only",))
    page.button(key="erase_run").click().run()
    assert "gone for good" in words_on(page)
    assert not [one.label for one in page.expander if "deleted" in one.label]
    assert "undo_delete" not in keys_on(page)
    with pytest.raises(RecordError, match="for good"):
        store.get("only")
