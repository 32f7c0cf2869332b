"""A run as a row: the numbers that only a study has, worked out by hand from made-up runs."""

from dataclasses import replace

import pytest

from engine.core.records import Hit, Passage
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


def read_over(answer: str, golds: tuple[str, ...], *passages: Passage) -> Row:
    """Return the row of a question with this answer over these passages."""
    run = Diagnosis(
        question="Which town?",
        golds=golds,
        hits=tuple(Hit(rank=at, score=1.0, retriever="bm25", passage=one) for at, one in enumerate(passages, 1)),
        answer=generation(answer),
        closed_book=generation("Nobody"),
        outcomes=(),
        provenance=provenance(),
        seconds=1.0,
    )
    return row_of(run, StudyQuestion(number=1, question=run.question, golds=golds))[0]


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [("It is Paris.", "Paris", 1.0), ("not Paris but Lyon", "Paris", 0.0), ("Yes, no doubt.", "no", 0.0)],
)
def test_an_answer_is_right_by_the_rule_of_every_page(answer: str, gold: str, right: float) -> None:
    assert read_over(answer, (gold,)).numbers["answer.right"] == right


@pytest.mark.parametrize(
    ("title", "text", "gold", "holds"),
    [
        ("Towns", "Paris lies on it.", "Paris", 1.0),
        ("Paris", "It lies on a river.", "Paris", 1.0),
        ("Towns", "Parish councils meet there.", "Paris", 0.0),
        ("Towns", "There is no river.", "no", None),
    ],
)
def test_passages_hold_an_answer_only_where_words_can_tell(
    title: str, text: str, gold: str, holds: float | None
) -> None:
    passage = Passage(title=title, text=text)
    assert read_over("Somewhere", (gold,), passage).numbers["passages.hold"] == holds
