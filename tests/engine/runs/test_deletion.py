"""Deleted runs and studies: listed, restored, and erased so that no file holds what they held."""

from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.deletion import deleted_runs, erase_run
from engine.runs.store import RunStore, default_store
from engine.runs.studies.store import StudyStore
from tests.engine.runs.studies.study_case import started
from tests.hosted import open_to_others

SECRET = "Who lived at 17 Quince Lane?"
REQUEST = DiagnosisRequest(question=SECRET, golds=("Orla Vance",))


def bytes_beside(store: RunStore | StudyStore) -> bytes:
    """Return everything that the files of a store hold."""
    return b"".join(file.read_bytes() for file in sorted(store.path.parent.glob(f"{store.path.name}*")))


def test_deleted_runs_are_listed_the_last_deleted_one_first(tmp_store: RunStore) -> None:
    first, second, kept = (tmp_store.create(REQUEST) for _ in range(3))
    for run in (second, first):
        tmp_store.delete(run)
    assert [run.id for run in deleted_runs(tmp_store)] == [first, second]
    assert all(run.deleted_at for run in deleted_runs(tmp_store)) and not tmp_store.summary(kept).deleted_at
    tmp_store.restore(first)
    assert [run.id for run in deleted_runs(tmp_store)] == [second]


def test_an_erased_run_is_in_no_file_and_cannot_come_back(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    run = tmp_store.create(REQUEST)
    tmp_store.finish(run, "done", diagnosis=example_diagnosis)
    assert SECRET.encode() in bytes_beside(tmp_store)
    tmp_store.delete(run)
    erase_run(tmp_store, run)
    left = bytes_beside(tmp_store)
    assert SECRET.encode() not in left and b"Orla Vance" not in left
    assert deleted_runs(tmp_store) == () and tmp_store.listing() == ()
    with pytest.raises(RecordError, match="deleted for good"):
        tmp_store.get(run)
    for way in (tmp_store.restore, lambda one: erase_run(tmp_store, one)):
        with pytest.raises(RecordError, match="no run with the id"):
            way(run)


def test_only_what_is_deleted_and_at_rest_is_erased(tmp_store: RunStore) -> None:
    run = tmp_store.create(REQUEST)
    with pytest.raises(RecordError, match="not deleted"):
        erase_run(tmp_store, run)
    tmp_store.start(run)
    tmp_store.delete(run)
    with pytest.raises(RecordError, match="still stopping"):
        erase_run(tmp_store, run)
    assert tmp_store.mark_interrupted() == (run,), "no worker lives that could stop it"
    erase_run(tmp_store, run)


def test_a_studys_run_goes_whole_so_that_its_question_can_be_asked_again(tmp_store: RunStore) -> None:
    run = tmp_store.create(REQUEST, run_id="s1", origin="study")
    tmp_store.finish(run, "done")
    tmp_store.delete(run)
    erase_run(tmp_store, run)
    assert SECRET.encode() not in bytes_beside(tmp_store)
    assert tmp_store.create(REQUEST, run_id="s1", origin="study") == "s1"


def test_a_recorded_example_is_hidden_and_never_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    store = default_store()
    run = store.recorded()[0].id
    store.delete(run)
    (hidden,) = deleted_runs(store)
    assert hidden.answer == store.sample_runs()[run].answer != ""
    with pytest.raises(RecordError, match="part of the program"):
        erase_run(store, run)
    store.restore(run)
    assert store.get(run).diagnosis is not None
    store.close()


def test_an_erased_run_is_its_persons_alone_and_counts_against_their_limit(
    tmp_store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = open_to_others(monkeypatch, tmp_path)
    visit("ann")
    run = tmp_store.create(REQUEST)
    tmp_store.finish(run, "done")
    tmp_store.delete(run)
    visit("ben")
    assert deleted_runs(tmp_store) == ()
    with pytest.raises(RecordError, match="no run with the id"):
        erase_run(tmp_store, run)
    visit("ann")
    erase_run(tmp_store, run)
    assert len(tmp_store.usage("ann", "")[2]) == 1 and deleted_runs(tmp_store) == ()


def test_an_erased_study_leaves_no_question_and_no_other_study_is_touched(tmp_path: Path) -> None:
    studies = StudyStore(tmp_path / "studies.sqlite")
    gone, kept = started(tmp_path, studies), started(tmp_path, studies)
    with pytest.raises(RecordError, match="not deleted"):
        studies.erase(gone)
    studies.delete(gone)
    assert [one.id for one in studies.deleted()] == [gone]
    with pytest.raises(RecordError, match="was deleted but can be restored"):
        studies.get(gone)
    studies.beat(gone)
    with pytest.raises(RecordError, match="still stopping"):
        studies.erase(gone)
    studies.beat(gone, 0.0)
    studies.erase(gone)
    assert studies.deleted() == () and [one.id for one in studies.listing()] == [kept]
    assert gone.encode() not in bytes_beside(studies) and len(studies.waiting(kept)) == 6
    with pytest.raises(RecordError, match="no study with the id"):
        studies.restore(gone)
    studies.close()
