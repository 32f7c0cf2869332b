"""A clock that was ahead is set back: what was noted meanwhile does not count until the clock is there again."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.annotations.store import AnnotationStore
from engine.cli.health import worker
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import limits
from engine.runs.store import RunStore
from engine.runs.studies.store import StudyStore, state_of
from tests.engine.annotations.sample_items import correctness
from tests.engine.runs.test_deletion import started
from tests.hosted import open_to_others

REQUEST = DiagnosisRequest(question="Who?")
NOW = time.time()


@pytest.fixture
def back(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Return what sets the clock back when it is undone; until then it is two hours ahead."""
    monkeypatch.setattr(time, "time", lambda: NOW + 7200)
    return monkeypatch


def test_a_worker_that_died_before_keeps_no_run_and_is_not_well(tmp_store: RunStore, back: pytest.MonkeyPatch) -> None:
    run = tmp_store.create(REQUEST, owner="dead")
    tmp_store.beat("dead")
    assert tmp_store.mark_interrupted() == ()
    back.undo()
    assert tmp_store.mark_interrupted() == (run,)
    assert not worker(NOW + 7200).well and worker(time.time() + 2).well


def test_a_study_that_nobody_works_on_is_stopped_and_can_be_erased(tmp_path: Path, back: pytest.MonkeyPatch) -> None:
    store = StudyStore(tmp_path / "studies.sqlite")
    study = started(tmp_path, store)
    store.beat(study)
    store.delete(study)
    assert state_of("go", NOW + 7200, 3) == "running"
    back.undo()
    assert state_of("go", NOW + 7200, 3) == "stopped"
    store.erase(study)
    assert store.deleted() == ()
    store.close()


def test_an_item_that_somebody_claimed_is_offered_to_others(tmp_path: Path, back: pytest.MonkeyPatch) -> None:
    store = AnnotationStore(f"sqlite:///{tmp_path / 'labels.sqlite'}")
    project = store.create_project("Towers", overlap=1).id
    store.add_items(project, [correctness(project, 0)])
    assert len(store.next_items(project, "Ada")) == 1 and store.next_items(project, "Ben") == ()
    back.undo()
    assert len(store.next_items(project, "Ben")) == 1
    store.close()


def test_a_visitor_may_ask_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_to_others(monkeypatch, tmp_path, "[hosting.limits]\nan_hour = 1")
    later = limits.as_stored(datetime.now(UTC) + timedelta(hours=2))
    limits.refuse_beyond_limits(lambda _person, _since: (0, 0, (later,)))
