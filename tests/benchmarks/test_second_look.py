"""A second look at a question, in another process: the same record, and nothing opened that a model needs."""

import json
from pathlib import Path

import pytest

from benchmarks.second_look import SHARED, looked
from engine.backends.language_models.embedded import converted_folder
from engine.core.folders import data_folder


@pytest.mark.weights
def test_a_second_look_in_a_fresh_process_is_the_same_record_and_opens_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_DTYPE", "auto")
    converted_folder()
    for name in SHARED:
        (data_folder() / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(data_folder() / name)
    question, golds = "What is the capital of Turkey?", ("Ankara",)
    methods = ("sufficiency",)
    (first,) = looked(tmp_path, question, golds, 1, methods)
    (second,) = looked(tmp_path, question, golds, 1, methods)
    assert "torch" in first["opened"]
    assert second["opened"] == []
    assert json.loads(second["record"]) == json.loads(first["record"])
