"""SePer at each lookup of a run: what is measured once, what is within noise, and what has no staircase."""

import pytest

from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.core.records import Passage
from engine.methods.timing.base import PolicyContext, PolicyRun, Retrieval
from engine.methods.timing.loop import NO_CORPUS
from engine.methods.timing.staircase import NEEDS_GOLD, NOTHING_FOUND, read_until, with_stairs
from tests.engine.methods.scripted_case import PASSAGES
from tests.engine.methods.timing.timing_case import ScriptedCorpus, scene, with_tools, writer_of

RIGHT, WRONG = "Lyra Quill", "Nobody"


def speaks(request: Request) -> str:
    """Return the right answer where the passage that names it is read, a wrong one otherwise."""
    return RIGHT if "Lyra Quill rebuilt it" in request.prompt.text else WRONG


def says_the_same(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """Return certain entailment of equal texts, certain contradiction of others."""
    return (0.0, 0.0, 1.0) if premise == hypothesis else (1.0, 0.0, 0.0)


def run_with(*found: tuple[Passage, ...], failed: str = "") -> PolicyRun:
    """Return a run whose lookups found these passages."""
    corpora = [ScriptedCorpus(passages) for passages in found]
    lookups = tuple(
        Retrieval(
            characters=0,
            tokens=0,
            value=None,
            query="q",
            hits=corpus.search("q", 3) if corpus.passages else (),
            failed="" if corpus.passages else failed,
        )
        for corpus in corpora
    )
    return PolicyRun(
        policy="once", text="x", answer="x", right=None, ended="answered", used_up=False, retrievals=lookups,
        written=(), tokens_kept=1, tokens_written=1, prompt_tokens=1,
    )  # fmt: skip


def staircase_scene(golds: tuple[str, ...] = (RIGHT,)) -> PolicyContext:
    """Return a scene whose judge knows equal texts only."""
    found = scene(speaks, ScriptedCorpus(), golds=golds)
    return with_tools(found, judge=ScriptedJudge(says_the_same), model=found.backends.writer)


def test_belief_climbs_with_the_passage_that_holds_the_answer_and_a_repeat_is_within_noise() -> None:
    (run,) = with_stairs((run_with((PASSAGES[2],), (PASSAGES[0],), (PASSAGES[0],)),), staircase_scene())
    assert [(stair.retrieval, stair.passages) for stair in run.stairs] == [(0, 0), (1, 1), (2, 2), (3, 2)]
    assert [stair.soft for stair in run.stairs] == pytest.approx([0.0, 0.0, 1.0, 1.0])
    assert [stair.gain for stair in run.stairs] == [None, pytest.approx(0.0), pytest.approx(1.0), pytest.approx(0.0)]
    assert [stair.worth for stair in run.stairs] == [None, "within noise", "helped", "within noise"]


def test_the_same_passages_are_sampled_once_for_all_runs() -> None:
    found = staircase_scene()
    with_stairs((run_with((PASSAGES[0],)), run_with((PASSAGES[0],))), found)
    assert len(writer_of(found).requests) == 20, "ten without and ten with, whichever policy found the passage"


def test_a_lookup_that_found_nothing_is_no_stair() -> None:
    (run,) = with_stairs((run_with((), (PASSAGES[0],), failed=NO_CORPUS),), staircase_scene())
    assert [stair.retrieval for stair in run.stairs] == [0, 2]
    (none,) = with_stairs((run_with((), failed=NO_CORPUS),), staircase_scene())
    assert (none.stairs, none.stair_note) == ((), NOTHING_FOUND)


def test_without_a_gold_answer_there_is_no_staircase_and_it_says_so() -> None:
    found = staircase_scene(golds=())
    (run,) = with_stairs((run_with((PASSAGES[0],)),), found)
    assert (run.stairs, run.stair_note) == ((), NEEDS_GOLD)
    assert writer_of(found).requests == []


def test_passages_add_up_each_once_in_the_order_they_were_found() -> None:
    run = run_with((PASSAGES[1], PASSAGES[0]), (PASSAGES[0], PASSAGES[2]))
    assert read_until(run, 0) == (PASSAGES[1], PASSAGES[0])
    assert read_until(run, 1) == (PASSAGES[1], PASSAGES[0], PASSAGES[2])
