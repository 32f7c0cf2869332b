"""A study's table: its settings are told apart, and every number of an export comes back as it was."""

import io
import json
import math
from pathlib import Path

import pandas as pd
import pytest

from engine.runs.store import RunStore
from engine.runs.studies.pairs import Side, paired
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import StudyTable, json_lines, parquet_bytes, read_table, setting_frame
from engine.runs.studies.views import view_named
from tests.engine.runs.studies.study_case import Engine, started, worked
from viz.parts.csv_text import csv_text
from viz.parts.theme import LIGHT
from viz.studies.numbers import distribution_figure, scatter_figure, scatter_sentence
from viz.studies.table import ordered, shown_table


def varied(folder: Path, runs: RunStore, vary: str) -> StudyTable:
    """Return the table of six questions under each of these values, worked through."""
    studies = StudyStore(folder / "studies.sqlite")
    try:
        return worked(studies, runs, started(folder, studies, (vary,)), Engine().run)
    finally:
        studies.close()


@pytest.mark.parametrize(
    ("vary", "asked"),
    [("dense.temperature=0.5,1", [0.5, 1.0]), ("dense.threshold=0.1,0.4", [0.1, 0.4]), ("k=1,3", ["1", "3"])],
)
def test_settings_are_told_apart_where_their_name_is_a_number_too(
    tmp_path: Path, tmp_store: RunStore, vary: str, asked: list[object]
) -> None:
    table, name = varied(tmp_path, tmp_store, vary), vary.partition("=")[0]
    assert [len(table.of_variant(place).frame) for place in (0, 1)] == [6, 6]
    assert [table.of_variant(place).frame[name].tolist() for place in (0, 1)] == [[value] * 6 for value in asked]
    pairs = paired(Side(table, 0), Side(table, 1))
    assert (len(pairs), pairs[f"{name} A"].tolist(), pairs[f"{name} B"].tolist()) == (6, [asked[0]] * 6, [asked[1]] * 6)
    swept = view_named("sweep").measure(table)
    assert swept.finding == "Every setting has the same right answers. The settings give the same numbers."
    frame = setting_frame(table)
    assert list(frame.columns).count(name) == 1
    for told in (
        pd.DataFrame(json.loads(json_lines(frame))),
        pd.read_csv(io.StringIO(csv_text(frame)), dtype={"k": str}),
        pd.read_parquet(io.BytesIO(parquet_bytes(frame))),
    ):
        assert told[name].tolist() == asked * 6


def test_a_setting_that_is_a_number_is_drawn_and_ordered_as_one(tmp_path: Path, tmp_store: RunStore) -> None:
    table = varied(tmp_path, tmp_store, "dense.temperature=10,9")
    name = "dense.temperature"
    assert table.has(name) and table.values(name).tolist() == [10.0, 9.0] * 6
    assert ordered(table.frame, name)[name].tolist() == [9.0] * 6 + [10.0] * 6
    assert shown_table(table, table.frame, (name,))[name].tolist() == [10.0, 9.0] * 6
    assert sorted(set(scatter_figure(table, table.frame, name, "answer.f1", LIGHT).data[0].x)) == [9.0, 10.0]
    assert scatter_sentence(table, table.frame, name, "answer.f1").endswith("r = 0.00 (n = 12)")
    assert sum(len(trace.x) for trace in distribution_figure(table, table.frame, name, LIGHT).data) == 12


def test_a_point_that_waits_keeps_the_value_it_is_asked_with(tmp_path: Path, tmp_store: RunStore) -> None:
    studies = StudyStore(tmp_path / "studies.sqlite")
    study = started(tmp_path, studies, ("dense.temperature=0.5,1",))
    worked(studies, tmp_store, study, Engine(failing=("Who built tower 4?",)).run)
    studies.ask_again(study)
    table = read_table(study, studies)
    studies.close()
    waits = table.frame[table.frame["state"] == "waiting"]
    assert (waits["number"].tolist(), waits["dense.temperature"].tolist()) == ([4, 4], [0.5, 1.0])


def test_json_keeps_every_decimal_and_tells_infinity_from_what_was_not_measured() -> None:
    third = 1 / 3
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3],
            "question": ["Wer baute „Babel“?", "Who?", "Why?"],
            "dense.entropy": [third, 1.5e-13, math.nan],
            "answer.logprob": [-math.inf, math.inf, -0.25],
        }
    )
    first, second, last = json.loads(json_lines(frame))
    assert (first["number"], first["question"], first["dense.entropy"]) == (1, "Wer baute „Babel“?", third)
    assert (second["dense.entropy"], last["dense.entropy"]) == (1.5e-13, None)
    assert [one["answer.logprob"] for one in (first, second, last)] == ["-Infinity", "Infinity", -0.25]
    assert [float(one["answer.logprob"]) for one in (first, second)] == [-math.inf, math.inf]
