"""What a question is asked over, and what that is called."""

from pathlib import Path

import pytest

from engine.backends.retrieval.scripted import HashedWords
from engine.core.progress import silent
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.profiles import EMBEDDED
from engine.runs.corpora import shelf
from engine.runs.ground import find_ground


def test_a_corpus_is_called_by_its_name_on_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "canal.txt").write_text("The Suez Canal opened in 1869.\n", encoding="utf-8")
    request = DiagnosisRequest(question="When did the Suez Canal open?", corpus=str(folder), retriever="bm25")

    def called() -> tuple[str, str]:
        ground = find_ground(request, EMBEDDED, HashedWords(), silent)
        return ground.corpus_name, ground.counter.name

    assert called() == ("docs", "docs")
    entry = shelf.add(folder, "Norwind")
    assert called() == ("Norwind", "Norwind")
    shelf.rename(entry.id, "Norwind 2026")
    assert called() == ("Norwind 2026", "Norwind 2026")
