"""A run as a row: the numbers that only a study has, worked out by hand from made-up runs."""

from dataclasses import replace

import pytest

from engine.diagnosis.record import Diagnosis, Outcome
from engine.runs.studies.records import StudyQuestion
from engine.runs.studies.row import Row, row_of
from tests.engine.conftest import belief, generation, provenance, quco_result, seper_result

QUESTION = StudyQuestion(number=1, question="Who rebuilt it?", golds=("Lyra Quill",))


def row(*outcomes: Outcome) -> Row:
    """Return the row of a run with these outcomes."""
    run = Diagnosis(
        question=QUESTION.question,
        golds=QUESTION.golds,
        hits=(),
        answer=generation("Lyra Quill"),
        closed_book=generation("Nobody"),
        outcomes=outcomes,
        provenance=provenance(),
        seconds=1.0,
    )
    return row_of(run, QUESTION)[0]


def done(result: object) -> Outcome:
    """Return a method that is done with this result."""
    return Outcome(method=result.method, status="done", seconds=1.0, result=result)  # type: ignore[attr-defined,arg-type]


def test_the_samples_of_seper_are_scored_as_its_table_scores_its_baselines() -> None:
    drawn = (generation("Lyra Quill", logprob=-1.0), generation("it was Lyra Quill", logprob=-2.0))
    found = row(done(replace(seper_result(), with_passages=replace(belief(), samples=drawn)))).numbers
    stem = "seper.with_passages.samples"
    assert (found[f"{stem}.exact"], found[f"{stem}.right"]) == (0.5, 1.0)
    assert found[f"{stem}.f1"] == pytest.approx((1 + 2 / 3) / 2)  # two of four words: precision 1/2, recall 1
    assert found[f"{stem}.perplexity"] == pytest.approx((2.718282 + 7.389056) / 2, abs=1e-6)
    assert found[f"{stem}.entropy"] == pytest.approx(1.5)


def test_claims_of_the_step_by_step_answer_stand_with_whether_its_conclusion_is_right() -> None:
    whole = replace(quco_result(), generation=generation("Quill rebuilt it. So the answer is Lyra Quill."))
    found = row(done(whole))
    names = ("supported", "unsupported", "right")
    assert [found.numbers[f"quco_rag.stepwise.{name}"] for name in names] == [1.0, 0.0, 1.0]
    assert found.stepwise == (0.5,)
    open_ended = row(done(replace(whole, generation=generation("Quill rebuilt it."))))
    assert open_ended.numbers["quco_rag.stepwise.right"] is None
