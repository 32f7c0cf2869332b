"""A run as a row: the numbers that only a study has, worked out by hand from made-up runs."""

from dataclasses import replace

import pytest

from engine.core.records import Hit, JudgedAnswer, Passage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.runs.studies.records import StudyQuestion
from engine.runs.studies.row import Row, row_of
from tests.engine.conftest import belief, entropy_trend_result, generation, provenance, quco_result, seper_result
from tests.viz.sample_timing_results import timing_full
from tests.viz.sample_uncertainty import sugar_several

QUESTION = StudyQuestion(number=1, question="Who rebuilt it?", golds=("Lyra Quill",))


EMPTY = Diagnosis(
    question=QUESTION.question,
    golds=QUESTION.golds,
    hits=(),
    answer=generation("Lyra Quill"),
    closed_book=generation("Nobody"),
    outcomes=(),
    provenance=provenance(),
    seconds=1.0,
)


def row(*outcomes: Outcome) -> Row:
    """Return the row of a run with these outcomes."""
    return row_of(replace(EMPTY, outcomes=outcomes), QUESTION)[0]


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


def test_an_answer_that_the_judge_calls_right_is_right_as_on_its_page_and_wrong_by_words_alone() -> None:
    asked = replace(QUESTION, golds=("8 September 2010",))
    said = replace(EMPTY, golds=asked.golds, answer=generation("Sept. 8th of 2010"), closed_book=generation("in 2011"))
    judged = (JudgedAnswer(text="Sept. 8th of 2010", meaning=0.98), JudgedAnswer(text="in 2011", meaning=0.1))
    found = row_of(replace(said, judged=judged), asked)[0].numbers
    assert [found[f"answer.{name}"] for name in ("right", "by_words", "exact")] == [1.0, 0.0, 0.0]
    assert [found[f"memory.{name}"] for name in ("right", "by_words")] == [0.0, 0.0]
    without = row_of(said, asked)[0].numbers
    assert [without[f"answer.{name}"] for name in ("right", "by_words")] == [0.0, 0.0]


def test_a_policy_is_right_by_the_judge_as_on_its_page() -> None:
    full = timing_full()
    judged = (JudgedAnswer(text=full.runs[0].answer, meaning=0.9),)
    golds = replace(QUESTION, golds=("Somebody else",))
    asked = replace(EMPTY, golds=golds.golds, outcomes=(done(replace(full, judged=judged)),))
    found = row_of(asked, golds)[0].numbers
    stem = f"timing.runs.{full.runs[0].policy}"
    assert [found[f"{stem}.{name}"] for name in ("right", "by_words", "exact")] == [1.0, 0.0, 0.0]


def test_claims_of_the_step_by_step_answer_stand_with_whether_its_conclusion_is_right() -> None:
    whole = replace(quco_result(), generation=generation("Quill rebuilt it. So the answer is Lyra Quill."))
    found = row(done(whole))
    names = ("supported", "unsupported", "right")
    assert [found.numbers[f"quco_rag.stepwise.{name}"] for name in names] == [1.0, 0.0, 1.0]
    assert found.stepwise == (0.5,)
    open_ended = row(done(replace(whole, generation=generation("Quill rebuilt it."))))
    assert open_ended.numbers["quco_rag.stepwise.right"] is None


def test_triggers_stand_at_their_share_of_the_answer_and_a_policy_without_a_value_nowhere() -> None:
    full = timing_full()
    # Ten tokens, 0 to 9: ETC fires at 4, FLARE at 2 and 7. QuCo-RAG was not measured.
    told = {"entropy_trend": (4 / 9,), "flare": (2 / 9, 7 / 9), "dragin": (), "once": (0.0,), "never": ()}
    assert row(done(full)).triggers == told
    # What an older record has of a text that is too short for a trend: neither a signal nor a reason.
    short = replace(full, lanes=(replace(full.lanes[0], signals=(), triggers=()), *full.lanes[1:]))
    assert row(done(short)).triggers == {name: places for name, places in told.items() if name != "entropy_trend"}
    alone = entropy_trend_result()
    assert row(done(alone)).triggers == {"entropy_trend": (0.0,)}
    assert row(done(replace(alone, points=(), triggers=()))).triggers == {}


def test_loops_count_their_lookups_and_what_they_wrote_and_read() -> None:
    found = row(done(timing_full()), done(sugar_several())).numbers
    names = ("lookups", "tokens_written", "tokens_read")
    assert [found[f"timing.runs.entropy_trend.{name}"] for name in names] == [2.0, 18.0, 40.0]
    assert found["timing.runs.once.lookups"] == 1.0 and "timing.runs.flare.lookups" not in found
    assert found["sugar.steps"] == 2.0
    failed = Outcome(method="dense", status="failed", seconds=0.0, reason="The model went away.")
    assert row(failed).failed == {"dense": "The model went away."}


@pytest.mark.parametrize(
    ("utility", "supporting", "useful"),
    [(0.25, (0,), 0.25), (None, (0,), 1.0), (None, (0, 1), 0.5), (None, (1,), 0.0), (None, (), None)],
)
def test_known_utility_is_the_files_else_the_share_of_supporting_passages_read(
    utility: float | None, supporting: tuple[int, ...], useful: float | None
) -> None:
    long, other = Passage(text="Lyra Quill rebuilt the clock. It strikes at noon."), Passage(text="A river.")
    asked = replace(QUESTION, passages=(long, other), supporting=supporting, utility=utility)
    chunk = Hit(rank=1, score=1.0, retriever="bm25", passage=Passage(text=" Lyra Quill rebuilt the clock. "))
    run = replace(EMPTY, hits=(chunk,))
    assert row_of(run, asked)[0].numbers["passages.utility"] == useful


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
