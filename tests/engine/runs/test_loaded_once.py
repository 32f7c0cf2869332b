"""Two runs at one desk open each model once, and a run whose calls are all known opens none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.backends.language_models as language_models
from engine.backends.call_cache import cache_at
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import LanguageModel
from engine.backends.language_models.embedded import FOLDER
from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.retrieval.scripted import HashedWords
from engine.core.folder_seals import seal_folder
from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.runs import run as road
from engine.runs.jobs.desk import JobDesk
from engine.runs.run import run_request
from engine.runs.store import RunStore
from tests.engine.runs.jobs.gated_runs import waited

PASSAGES = (Passage(text="The Vesper Clock was rebuilt by Lyra Quill."), Passage(text="Bremen has a harbour."))


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the names of the models that were opened, in a data folder of the test's own."""
    folder = tmp_path / "models" / FOLDER
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    seal_folder(folder)
    names: list[str] = []

    def opening(name: str) -> LanguageModel:
        names.append(name)
        return ScriptedModel(lambda request: "Lyra Quill rebuilt the Vesper Clock.")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(language_models, "_open_adapted", lambda name, *_: opening(name))
    monkeypatch.setattr(language_models, "_open_folder", lambda folder, name, *_: opening(name))
    monkeypatch.setattr(road, "load_judge", lambda name, model, device: ScriptedJudge({}))
    monkeypatch.setattr(road, "load_embedder", lambda device: HashedWords())
    language_models._load_from_files.cache_clear()
    yield names
    language_models._load_from_files.cache_clear()
    cache_at.cache_clear()


def test_two_runs_open_each_model_once_and_a_second_process_none(opened: list[str], tmp_store: RunStore) -> None:
    requests = [
        DiagnosisRequest(question=question, passages=PASSAGES, methods=("dense", "seper"), golds=("Lyra Quill",))
        for question in ("Who rebuilt the Vesper Clock?", "Where is Bremen?")
    ]
    desk = JobDesk(tmp_store, run_request)
    ids = [desk.submit(request) for request in requests]
    for run_id in ids:
        waited(desk, run_id, "done")
    desk.shutdown()
    assert sorted(opened) == ["embedded", "embedded-base", "embedded-writer"]
    first = tmp_store.get(ids[0]).diagnosis
    assert first is not None
    language_models._load_from_files.cache_clear()  # as another process begins
    cache_at.cache_clear()
    again = run_request(requests[0])
    assert sorted(opened) == ["embedded", "embedded-base", "embedded-writer"]
    assert [(o.method, o.result) for o in again.outcomes] == [(o.method, o.result) for o in first.outcomes]
    assert (again.answer, again.closed_book) == (first.answer, first.closed_book)
