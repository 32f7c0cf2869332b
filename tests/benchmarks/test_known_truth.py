"""The benchmark of planted defects asks what it should, and its stored result follows from the stored facts."""

import json

import pytest
from pydantic import TypeAdapter

from benchmarks.known_truth import asked, request_of, written
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.learning.known_truth import RESULTS, Facts, Sighting, sightings, stored_scoreboard, with_known_twin
from engine.runs.sample_questions import planted_questions
from tests.pages.page_fixtures import whole_diagnosis

QUESTIONS = planted_questions()
stored = pytest.mark.skipif(not RESULTS.is_file(), reason="python -m benchmarks.known_truth has not been run")


def test_a_question_is_asked_over_its_own_passages_and_else_over_the_sample_corpus() -> None:
    for question in QUESTIONS:
        request = request_of(question, "embedded", "embedded")
        assert (request.corpus == "sample") == (not question.passages)
        assert request.passages == question.passages and request.golds == question.golds


def test_what_is_written_holds_facts_and_sightings_of_every_question_asked(capsys: pytest.CaptureFixture[str]) -> None:
    def run(request: DiagnosisRequest) -> Diagnosis:
        return whole_diagnosis(request.question, request.golds)

    some = QUESTIONS[:3]
    found = written(asked(some, "embedded", "embedded", run), some)
    assert list(found["facts"]) == [question.id for question in some]
    assert found["origin"] == "3 questions asked of embedded (r1), judge similarity, seed 0, 2025-01-01"
    assert {row["question"] for row in found["sightings"]} == {question.id for question in some}
    assert some[0].id in capsys.readouterr().out


@stored
def test_the_stored_result_covers_every_planted_question() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert set(found["facts"]) == {question.id for question in QUESTIONS}


@stored
def test_the_stored_sightings_follow_from_the_stored_facts_by_todays_rules() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    facts = {name: TypeAdapter(Facts).validate_python(row) for name, row in found["facts"].items()}
    twins = {name: TypeAdapter(Facts).validate_python(row) for name, row in found.get("twins", {}).items()}
    kept = TypeAdapter(tuple[Sighting, ...]).validate_python(found["sightings"])
    assert sightings(facts, QUESTIONS, twins) == tuple(with_known_twin(one) for one in kept)


@stored
def test_every_kind_that_a_method_has_a_rule_for_was_measured_more_often_than_not() -> None:
    board = stored_scoreboard()
    assert board is not None
    asked_of = [(cell, cell.measured + len(cell.not_measured)) for cell in board.cells]
    assert all(total >= 5 for _, total in asked_of)
    assert sum(cell.measured for cell, _ in asked_of) > 0.5 * sum(total for _, total in asked_of)
