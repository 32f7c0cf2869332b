"""A judge behind its judgements: each pair is judged once, and a second look does not open the judge."""

from pathlib import Path

import numpy as np
import pytest

from engine.backends.call_cache import CallCache
from engine.backends.entailment.cached import kept_judge
from engine.backends.entailment.scripted import ScriptedJudge
from engine.core.errors import ModelError


def test_only_new_pairs_are_put_to_the_judge_and_rows_come_back_exactly(tmp_path: Path) -> None:
    cache, inner = CallCache(tmp_path / "c.sqlite"), ScriptedJudge(lambda one, two: (0.1, 0.2, 0.7))
    judge = kept_judge(cache, "j", lambda: inner)
    first = judge.entailment("Who?", ["a", "b", "a"], ["b", "a", "b"])
    assert first.tolist() == [[0.1, 0.2, 0.7]] * 3
    judge.entailment("Who?", ["a", "a"], ["b", "c"])
    assert inner.asked == [("Who?", "a", "b"), ("Who?", "b", "a"), ("Who?", "a", "c")]


def test_a_second_look_does_not_open_the_judge_and_knows_its_name_and_note(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    first = kept_judge(cache, "j", lambda: ScriptedJudge(lambda one, two: 2))
    rows = first.entailment("Who?", ["a"], ["b"])
    again = kept_judge(cache, "j", lambda: pytest.fail("opened"))
    assert np.array_equal(again.entailment("Who?", ["a"], ["b"]), rows)
    assert (again.name, again.note, again.pairs_at_once) == (first.name, first.note, 32)
    assert again.entailment("Who?", [], []).shape == (0, 3)


def test_another_question_or_judge_is_asked_anew(tmp_path: Path) -> None:
    cache, one, two = CallCache(tmp_path / "c.sqlite"), ScriptedJudge(lambda a, b: 0), ScriptedJudge(lambda a, b: 2)
    kept_judge(cache, "one", lambda: one).entailment("Who?", ["a"], ["b"])
    kept_judge(cache, "one", lambda: one).entailment("Where?", ["a"], ["b"])
    assert len(one.asked) == 2
    assert kept_judge(cache, "two", lambda: two).entailment("Who?", ["a"], ["b"]).tolist() == [[0.0, 0.0, 1.0]]


def test_a_judge_that_is_another_one_by_now_is_refused(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    kept_judge(cache, "j", lambda: ScriptedJudge({}))
    changed = ScriptedJudge({})
    changed.note = "Other weights."
    with pytest.raises(ModelError, match="changed"):
        kept_judge(cache, "j", lambda: changed).entailment("Who?", ["a"], ["b"])


def test_rows_of_another_shape_are_refused_and_not_kept(tmp_path: Path) -> None:
    cache, inner = CallCache(tmp_path / "c.sqlite"), ScriptedJudge({})
    inner.entailment = lambda question, premises, hypotheses: np.zeros((1, 2))  # type: ignore[method-assign]
    with pytest.raises(ModelError, match=r"\(1, 2\)"):
        kept_judge(cache, "j", lambda: inner).entailment("Who?", ["a"], ["b"])


def test_a_row_that_is_no_number_is_asked_for_anew(tmp_path: Path) -> None:
    cache, nan = CallCache(tmp_path / "c.sqlite"), float("nan")
    first = kept_judge(cache, "j", lambda: ScriptedJudge(lambda a, b: (nan, nan, nan)))
    assert np.isnan(first.entailment("Who?", ["a"], ["b"])).all()
    second = kept_judge(cache, "j", lambda: ScriptedJudge(lambda a, b: 2))
    assert second.entailment("Who?", ["a"], ["b"]).tolist() == [[0.0, 0.0, 1.0]]
