"""Each predicate on a run that shows its kind, and on a neighbour that does not."""

from dataclasses import replace

import pytest

from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.kinds import KINDS
from engine.learning.atlas.predicates import judge_errors, needless_runs
from engine.runs.sample_questions import SampleQuestion
from tests.engine.learning.atlas.failure_case import ELSEWHERE, OTHER, RIGHT, planted, question, run
from tests.viz.sample_rag_results import chunks, refined_result, step
from tests.viz.sample_results import belief, chunk, dense_full, dense_result, dense_understood, seper_helped, seper_hurt
from tests.viz.sample_timing_results import lookup, policy_run, timing_full
from tests.viz.sample_trend_results import GAMA, SINES, ZAMORIN, claim, quco_result, voyage_result

WRONG = "1,768 metres"
GOLD = "1,914 metres"
REMOVED = planted("answer_removed", ("d1",))
CONFLICT = planted("contradiction", ("d1", "d2"), WRONG)
HALVED = planted("split_answer", ("d1", "d3"))
TURNED = dense_result(WRONG, (chunk(0, GOLD, 0.0, "necessary", GOLD, 0.0),), ((1, 0), (0, 1)))
DIVIDED = replace(seper_hurt(), delta_hard=0.0)
CALM = replace(dense_understood(), entropy_interval=Interval(low=0.0, high=0.19))


def drawn(*groups: tuple[str, int, bool | None]) -> object:
    """Return SePer's result with these samples over the passages: text, how many, whether they count as right."""
    without = belief((("no idea", 10, False),), {}, 0.5, (0.4, 0.6))
    return replace(seper_helped(), without=without, with_passages=belief(groups, {}, 0.5, (0.4, 0.6)))


def supported_by(documents: int) -> object:
    """Return the result of co-occurrence for a short answer whose one claim has ends that meet this often."""
    tail = SINES if documents else ZAMORIN
    sentence = replace(quco_short(), claims=(claim(GAMA, "is", tail, documents),))
    return quco_result((GAMA,), (sentence,))


def quco_short():  # type: ignore[no-untyped-def]
    """Return a short answer without a claim."""
    from engine.methods.quco_rag import CheckedSentence

    return CheckedSentence(text="x", kind="short answer", claims=())


def needless(right: str, lookups: int) -> object:
    """Return retrieval timing whose step-by-step answer is ``right``, and ETC looked up this often."""
    made = tuple(lookup(1, 1, 1.0, "q") for _ in range(lookups))
    return replace(timing_full(), answer=right, runs=(policy_run("entropy_trend", "x", True, made),))


def trusting(yes: float, answer: str) -> object:
    """Return a refinement whose one context holds no height, with the model's word on whether it suffices."""
    only = step("first", (0, 1), answer, 0.5, ("certain", "certain"), yes)
    return replace(refined_result(), steps=(only,), final=0, ended="cap", chunks=chunks())


def late(conclusion: str) -> object:
    """Return ETC's result that looks up before "Lisbon" and concludes so."""
    return replace(voyage_result(), answer=conclusion)


SHOWN = [
    ("made_up", run(WRONG, OTHER), question("number", REMOVED)),
    ("made_up", run("Eagle", OTHER), question("not_in_corpus")),
    ("retriever_miss", run(WRONG, OTHER, retriever="hybrid"), question()),
    ("duplicate", run(GOLD, RIGHT, OTHER, RIGHT, results=(CALM,)), question()),
    ("distractor", run(WRONG, OTHER, RIGHT), question()),
    ("contradiction", run(WRONG, RIGHT, OTHER), question("number", CONFLICT)),
    ("misread", run("1866", RIGHT, OTHER), question()),
    ("not_extracted", run("7 metres", RIGHT, OTHER), question()),
    ("split_answer", run(WRONG, RIGHT, OTHER, ELSEWHERE), question("multi_hop", HALVED)),
    ("wording", run(WRONG, RIGHT, results=(TURNED,)), question()),
    ("memory_against_context", run(WRONG, OTHER, memory=GOLD), question()),
    ("talked_out", run(WRONG, RIGHT, OTHER, memory=GOLD), question()),
    ("talked_out", run(WRONG, RIGHT, OTHER, memory=GOLD, results=(seper_hurt(),)), question()),
    ("delayed", run(WRONG, OTHER, results=(late("Portuguese voyage"),)), question()),
    ("redundant", run(WRONG, OTHER, memory=GOLD, results=(needless(GOLD, 2),)), question()),
    ("confidently_wrong", run(WRONG, OTHER, results=(CALM, drawn((WRONG, 10, False)))), question()),
    ("true_without_evidence", run(GOLD, RIGHT, results=(supported_by(0),)), question()),
    ("false_with_evidence", run(WRONG, OTHER, results=(supported_by(2),)), question()),
    ("too_kind", run(WRONG, OTHER, results=(trusting(0.9, WRONG),)), question()),
    ("judge_mistake", run(WRONG, OTHER, results=(drawn((GOLD, 5, False), (WRONG, 5, False)),)), question()),
]
NOT_SHOWN = [
    ("made_up", run(GOLD, OTHER), question("number", REMOVED)),
    ("made_up", run(WRONG, OTHER), question()),
    ("retriever_miss", run(WRONG, OTHER), question()),
    ("retriever_miss", run(WRONG, OTHER, retriever="hybrid"), question("not_in_corpus")),
    ("retriever_miss", run("yes", OTHER, retriever="hybrid"), question("yes_no", golds=("no",))),
    ("duplicate", run(GOLD, RIGHT, OTHER, ELSEWHERE, results=(CALM,)), question()),
    ("duplicate", run(GOLD, OTHER, RIGHT, RIGHT, results=(dense_full(),)), question()),
    ("distractor", run(GOLD, OTHER, RIGHT), question()),
    ("distractor", run("1866", RIGHT, f"{OTHER} It was named in 1866."), question()),
    ("distractor", run(WRONG, RIGHT, OTHER), question("number", CONFLICT)),
    ("contradiction", run(GOLD, RIGHT, OTHER), question("number", CONFLICT)),
    ("misread", run(WRONG, RIGHT, OTHER), question()),
    ("not_extracted", run("1866", RIGHT, OTHER), question()),
    ("split_answer", run(WRONG, RIGHT, OTHER), question("multi_hop", HALVED)),
    ("wording", run(GOLD, RIGHT, results=(CALM,)), question()),
    ("memory_against_context", run(WRONG, OTHER, RIGHT, memory=GOLD), question()),
    ("memory_against_context", run(WRONG, OTHER), question()),
    ("talked_out", run(WRONG, RIGHT, OTHER), question()),
    ("talked_out", run(WRONG, RIGHT, OTHER, memory=GOLD, results=(DIVIDED,)), question()),
    ("delayed", run(WRONG, OTHER, results=(late("Cochin"),)), question()),
    ("delayed", run(WRONG, OTHER, results=(late("Mount Ildan"),)), question()),
    ("delayed", run(WRONG, OTHER, results=(late("Portuguese voyage"),)), question(golds=("voyage",))),
    ("redundant", run(WRONG, OTHER, memory=GOLD, results=(needless(GOLD, 0),)), question()),
    ("redundant", run(WRONG, OTHER, memory=GOLD, results=(needless(WRONG, 2),)), question()),
    ("redundant", run(WRONG, OTHER, results=(needless(GOLD, 2),)), question()),
    ("confidently_wrong", run(WRONG, OTHER, results=(CALM, drawn((WRONG, 5, False), ("x", 5, False)))), question()),
    ("confidently_wrong", run(WRONG, OTHER, results=(dense_full(), drawn((WRONG, 10, False)))), question()),
    ("true_without_evidence", run(GOLD, RIGHT, results=(supported_by(2),)), question()),
    ("false_with_evidence", run(WRONG, OTHER, results=(supported_by(0),)), question()),
    ("too_kind", run(WRONG, OTHER, results=(trusting(0.4, WRONG),)), question()),
    ("too_kind", run(WRONG, OTHER, results=(trusting(0.9, WRONG),)), question(golds=("15 May 1889",))),
    ("judge_mistake", run(WRONG, OTHER, results=(drawn((GOLD, 5, True), (WRONG, 5, False)),)), question()),
]


@pytest.mark.parametrize(("kind", "made", "asked"), SHOWN, ids=[row[0] for row in SHOWN])
def test_a_run_that_shows_a_kind_is_told(kind: str, made: Diagnosis, asked: SampleQuestion) -> None:
    assert KINDS[kind].shows(made, asked)


@pytest.mark.parametrize(("kind", "made", "asked"), NOT_SHOWN, ids=[row[0] for row in NOT_SHOWN])
def test_a_neighbouring_run_is_not_taken_for_it(kind: str, made: Diagnosis, asked: SampleQuestion) -> None:
    assert not KINDS[kind].shows(made, asked)


def test_every_kind_is_tested_both_ways() -> None:
    assert {row[0] for row in SHOWN} == {row[0] for row in NOT_SHOWN} == set(KINDS)


def test_a_right_answer_never_shows_a_kind_that_is_a_wrong_answer() -> None:
    made = run(GOLD, RIGHT, OTHER, memory=GOLD)
    fine = ("duplicate", "wording", "delayed", "redundant", "true_without_evidence", "too_kind", "judge_mistake")
    assert not [word for word, kind in KINDS.items() if word not in fine and kind.shows(made, question())]


@pytest.mark.parametrize(
    ("groups", "error"),
    [
        (((GOLD, 5, False),), "right counts as wrong"),
        (((WRONG, 5, True),), "wrong counts as right"),
    ],
)
def test_a_slip_of_the_judge_says_how_it_erred(groups: tuple[tuple[str, int, bool], ...], error: str) -> None:
    found = judge_errors(run(WRONG, OTHER, results=(drawn(*groups),)), question())
    assert [slip.error for slip in found] == [error]


def test_two_numbers_in_one_meaning_are_a_slip() -> None:
    result = drawn((WRONG, 1, False), ("12 metres", 1, False))
    after = result.with_passages  # type: ignore[attr-defined]
    merged = replace(after, meanings=(replace(after.meanings[0], members=(0, 1)),))
    found = judge_errors(run(WRONG, OTHER, results=(replace(result, with_passages=merged),)), question())  # type: ignore[type-var]
    assert [(slip.text, slip.against, slip.error) for slip in found] == [(WRONG, "12 metres", "two taken for one")]


def test_a_schedule_that_looks_up_decides_nothing() -> None:
    made = [
        policy_run(word, GOLD, right=True, lookups=(lookup(0, 2, 0.1, "q"),)) for word in ("every_sentence", "once")
    ]
    deciding = policy_run("flare", GOLD, right=True, lookups=(lookup(0, 2, 0.1, "q"),))
    assert needless_runs((*made, deciding)) == (deciding,)
