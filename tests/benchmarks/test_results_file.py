"""Rows that a benchmark kept are gone on with under their own settings only; no other run puts its name on them."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from benchmarks import checks, dense_correctness, seper_utility, uncertainty_base
from benchmarks.question_keys import key_of
from benchmarks.results_file import refuse_other_settings
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.scripted import ScriptedModel
from tests.training.test_reader_examples import ROWS

MODEL = ScriptedModel(lambda request: "")
HELD = {"judge": "Judged by hand.", "dtype": "float32", "rows": []}


def test_rows_of_the_same_settings_are_gone_on_with_and_others_are_refused_by_name(tmp_path: Path) -> None:
    into = tmp_path / "held.json"
    refuse_other_settings(into, {"judge": "any"})
    into.write_text(json.dumps(HELD | {"libraries": [["torch", "2"]]}), encoding="utf-8")
    refuse_other_settings(into, {"dtype": "float32", "libraries": (("torch", "2"),)})
    for settings, named in (({"dtype": "bfloat16"}, "dtype"), ({"model": "m"}, "model")):
        with pytest.raises(SystemExit, match=f"other settings .{named}."):
            refuse_other_settings(into, settings)


@pytest.mark.parametrize("program", [dense_correctness, uncertainty_base])
def test_a_later_run_does_not_call_stored_rows_its_own(
    tmp_path: Path, program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*given: Any) -> Any:
        pytest.fail("a question was asked")

    into = tmp_path / "held.json"
    into.write_text(json.dumps(HELD), encoding="utf-8")
    backends = SimpleNamespace(model=MODEL, judge=ScriptedJudge({}))
    monkeypatch.setattr(program, "oracle_path", Path)
    monkeypatch.setattr(program, "read_oracle", lambda path: ROWS)
    monkeypatch.setattr(program, "load_backends", lambda *given: (backends, None))
    monkeypatch.setattr(program, "measured", measured)
    monkeypatch.setattr(sys, "argv", ["x", ".", "--into", str(into)])
    with pytest.raises(SystemExit, match="other settings"):
        program.main()
    assert json.loads(into.read_text(encoding="utf-8")) == HELD


def test_a_judge_described_by_hand_is_not_written_over(tmp_path: Path) -> None:
    into = tmp_path / "held.json"
    into.write_text(json.dumps(HELD), encoding="utf-8")
    with pytest.raises(SystemExit, match="judge"):
        seper_utility.run(ROWS, into, lambda: False, MODEL, ScriptedJudge({}))
    assert json.loads(into.read_text(encoding="utf-8")) == HELD


def test_a_row_of_another_model_is_not_taken_for_this_one_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, backends = tmp_path / "rows.jsonl", SimpleNamespace(model=MODEL)
    monkeypatch.setattr(checks, "ROWS", file)
    row = {"question": key_of(ROWS[0].question), "gold": 0.5}
    for named, same in (({}, False), ({"model": "another"}, False), ({"model": "scripted scripted none"}, True)):
        file.write_text(json.dumps(row | named) + "\n", encoding="utf-8")
        if same:
            assert list(checks.measured_rows(ROWS, [0], backends)) == [row | named]
            continue
        with pytest.raises(SystemExit, match="another model"):
            list(checks.measured_rows(ROWS, [0], backends))
