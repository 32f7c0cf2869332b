"""Verdicts go back as annotations of the trace's span and as a table, without a score where nothing was measured."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from typer.testing import CliRunner

from engine import cli
from engine.core.folders import sample_data
from engine.core.records import JudgedAnswer
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json, to_json
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.diagnosis.traces.schema import Trace, read_trace
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import CheckedSentence
from engine.runs.read_trace import imported_answer
from engine.runs.sample_runs import recorded_run
from tests.viz.sample_trend_results import claim, counted
from viz.runs.scores import TABLE_COLUMNS, annotations, claims_of, langfuse_scores, scores_table

MEET = "Claims with both ends in one passage: 1 of 3; 1 without a second end."
IDS = {"trace_id": "ab" * 16, "span_id": "cd" * 8}


def read_answer(name: str) -> ImportedAnswer:
    """Return the reading of a shipped trace, under the ids of a span."""
    trace: Trace = read_trace((sample_data() / "traces" / f"{name}.json").read_bytes())
    return imported_answer(replace(trace, **IDS))


@pytest.fixture(scope="module")
def answer() -> ImportedAnswer:
    return read_answer("openai_logprobs")


@pytest.fixture(scope="module")
def run() -> Diagnosis:
    return recorded_run("suez-opening-date")


def by_name(found: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return each annotation's result by its name."""
    return {str(one["name"]): one["result"] for one in found}  # type: ignore[misc]


def test_an_answer_that_only_the_judge_calls_right_is_not_scored_as_wrong(answer: ImportedAnswer) -> None:
    said = {
        meaning: by_name(
            annotations(
                replace(answer, right=False, judged=(JudgedAnswer(text=answer.generation.text, meaning=meaning),))
            )
        )["microscope.right"]
        for meaning in (0.91, 0.79)
    }

    assert said[0.91]["label"] == "right by the judge" and said[0.91]["score"] == 0.91
    assert (said[0.79]["label"], said[0.79]["score"]) == ("wrong", 0.0)


def test_an_answer_is_scored_by_itself_and_every_score_is_a_number_of_its_reading(answer: ImportedAnswer) -> None:
    found = annotations(answer)
    assert {(one["span_id"], one["annotator_kind"]) for one in found} == {(IDS["span_id"], "CODE")}
    assert {one["metadata"]["trace_id"] for one in found} == {IDS["trace_id"]}  # type: ignore[index]
    results = by_name(found)
    assert list(results) == ["microscope.right", "microscope.etc", "microscope.flare", "microscope.claims"]
    assert results["microscope.right"]["score"] == 1.0
    assert answer.flare is not None
    assert results["microscope.flare"]["score"] == len(answer.flare.triggers)
    assert answer.trend is not None
    assert results["microscope.etc"]["score"] == len(answer.trend.triggers) == 1
    json.dumps(found, allow_nan=False)


def test_every_annotation_is_a_category_of_langfuse_and_every_measured_one_a_number_too(answer: ImportedAnswer) -> None:
    given = annotations(answer)
    found = langfuse_scores(given)
    assert [one["dataType"] for one in found].count("CATEGORICAL") == len(given)
    numbers = {one["name"]: one["value"] for one in found if one["dataType"] == "NUMERIC"}
    assert numbers["microscope.right.number"] == 1.0 and numbers["microscope.etc.number"] == 1.0
    assert {(one["traceId"], one["observationId"]) for one in found} == {(IDS["trace_id"], IDS["span_id"])}
    assert len({one["id"] for one in found}) == len(found)  # a score sent again takes the place of the first
    assert all("observationId" not in one for one in langfuse_scores(annotations(replace(answer, span_id=""))))


def test_claims_of_which_some_are_supported_are_not_called_without_evidence(answer: ImportedAnswer) -> None:
    lisbon = counted("Lisbon", 3)
    made = [claim(lisbon, "in", counted("Portugal", 2), 1), claim(lisbon, "on", counted("Tagus", 1), 0)]
    partial = claim(lisbon, "founded", None)

    def given(*claims: CountedClaim) -> ImportedAnswer:
        return replace(answer, claims=(CheckedSentence(text="A sentence.", kind="fact", claims=claims),))

    labels = [claims_of(given(*claims))[0] for claims in (made, made[:1], made[1:])]
    assert labels == ["partly supported", "supported", "no evidence"]
    assert claims_of(given(*made, partial))[2] == MEET


def test_what_a_trace_does_not_hold_has_no_score() -> None:
    results = by_name(annotations(read_answer("langchain")))
    for name in ("right", "etc", "flare"):
        assert results[f"microscope.{name}"]["label"] == "not measured"
        assert "score" not in results[f"microscope.{name}"]


def test_methods_that_a_model_was_asked_for_say_whose_answers_they_judge(
    answer: ImportedAnswer, run: Diagnosis
) -> None:
    found = annotations(answer, run)[4:]
    assert [one["name"] for one in found] == [f"microscope.{one.method}" for one in run.outcomes]
    for one, outcome in zip(found, run.outcomes, strict=True):
        assert run.provenance.model in one["metadata"]["about"]  # type: ignore[index]
        if outcome.status != "done":
            assert "score" not in one["result"]  # type: ignore[operator]
    dense = run.outcome("dense")
    assert dense is not None and dense.result is not None
    assert by_name(found)["microscope.dense"]["score"] == dense.result.entropy  # type: ignore[attr-defined]


def test_the_table_has_a_row_a_run_with_the_columns_of_ragas_first(run: Diagnosis, answer: ImportedAnswer) -> None:
    other = replace(run, golds=(), outcomes=run.outcomes[:1], imported=answer)
    table = scores_table([run, other])
    assert list(table.columns[:4]) == TABLE_COLUMNS == ["user_input", "retrieved_contexts", "response", "reference"]
    assert table["response"].tolist() == [run.answer.text.strip(), answer.generation.text.strip()]
    assert table["reference"].tolist()[0] == run.golds[0] and pd.isna(table["reference"].tolist()[1])
    assert len(table["retrieved_contexts"][0]) == len(run.hits)
    assert table["dense.entropy"].notna().all()
    assert math.isnan(table["seper.delta_soft"][1])


def test_the_command_writes_both_and_a_run_that_came_from_nowhere_has_no_annotation(
    run: Diagnosis, answer: ImportedAnswer, tmp_path
) -> None:
    imported, own = tmp_path / "imported.json", tmp_path / "own.json"
    imported.write_text(to_json(replace(run, imported=answer)), encoding="utf-8")
    own.write_text(to_json(run), encoding="utf-8")
    notes, table = tmp_path / "notes.json", tmp_path / "table.csv"
    given = ["scores", str(imported), str(own), "--annotations", str(notes), "--table", str(table)]
    given += ["--langfuse", str(tmp_path / "scores.jsonl")]
    result = CliRunner().invoke(cli.app, given)
    assert result.exit_code == 0, result.output
    data = json.loads(notes.read_text(encoding="utf-8"))["data"]
    assert len(data) == 4 + len(run.outcomes)
    assert len(pd.read_csv(table)) == 2
    scores = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum(one["dataType"] == "CATEGORICAL" for one in scores) == len(data)
    assert len(data) < len(scores) <= 2 * len(data)
    assert "Left out: 1 run of no trace with an id." in result.output
    assert CliRunner().invoke(cli.app, ["scores", str(own)]).exit_code == 0
    refused = CliRunner().invoke(cli.app, ["scores", str(own), "--annotations", str(tmp_path / "none.json")])
    assert refused.exit_code == 1 and "nowhere to go back to" in " ".join(refused.output.split())
    assert not (tmp_path / "none.json").exists()
    assert CliRunner().invoke(cli.app, ["scores", "no-such-run"]).exit_code == 1
    assert CliRunner().invoke(cli.app, ["listen", "--method", "nothing"]).exit_code == 1


def test_a_stored_imported_answer_keeps_its_notes_and_ids(run: Diagnosis, answer: ImportedAnswer) -> None:
    noted = replace(answer, notes=("The pipeline gave 42 passages; the first 20 of them are kept.",))
    again = from_json(to_json(replace(run, imported=noted))).imported
    assert again is not None
    assert (again.notes, again.trace_id, again.span_id) == (noted.notes, IDS["trace_id"], IDS["span_id"])
