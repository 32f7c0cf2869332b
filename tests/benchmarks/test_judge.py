"""The judge's benchmark on a handful of made-up rows, numbers by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks import judge as benchmark
from benchmarks.judge import (
    Verdicts,
    accuracies,
    best_threshold,
    by_question,
    confusions,
    difficulty,
    lexical,
    reliability,
    verdicts,
)
from training.evouna import Row


def row(answer: str, right: bool, system: str = "fid", question: str = "who flew", golds: tuple[str, ...] = ()) -> Row:
    """Return a judged answer."""
    return Row(system=system, question=question, answer=answer, golds=golds or ("Yuri Gagarin",), right=right, split=0)


ROWS = [
    row("It was yuri  gagarin!", True),
    row("Gagarin", True, "gpt4"),
    row("Alan Shepard", False, "gpt4"),
    row("1961", True, question="when did he fly", golds=("12 April 1961", "1961")),
]


class Letters:
    """A judge that entails what it contains, with 0.9."""

    name, note, pairs_at_once = "letters", "", 8

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        inside = [two.lower() in one.lower() for one, two in zip(premises, hypotheses, strict=True)]
        return np.array([[0.05, 0.05, 0.9] if found else [0.6, 0.2, 0.2] for found in inside])


def test_an_answer_is_right_where_one_alias_is_entailed() -> None:
    found = verdicts(Letters(), ROWS)
    assert found.says.tolist() == [False, False, False, True]
    assert found.entailment.tolist() == [0.2, 0.2, 0.2, 0.9] and found.pairs == 5


def test_rows_are_asked_question_by_question() -> None:
    assert by_question(ROWS) == [[0, 1, 2], [3]]


def test_lexical_match_compares_letters_only() -> None:
    assert lexical(ROWS).tolist() == [True, False, False, True]


def test_accuracy_is_per_system_and_the_mean_is_of_systems() -> None:
    found = accuracies(np.array([True, False, False, True]), ROWS)
    assert (found["fid"], found["gpt4"], found["mean"], found["answers"]) == (100.0, 50.0, 75.0, 4)
    assert found["types"] == {"dates": 100.0, "people": pytest.approx(66.67)}


def test_the_threshold_with_the_highest_accuracy_is_found() -> None:
    assert best_threshold(np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, False, True, True])) == 0.6


def test_reliability_is_the_gap_between_what_is_said_and_what_is_right() -> None:
    found = reliability(np.array([0.05, 0.15, 0.95, 0.95]), np.array([False, False, True, False]))
    assert [part["answers"] for part in found["bins"]] == [1, 1, 2]
    assert found["expected_calibration_error"] == pytest.approx((0.05 + 0.15 + 2 * 0.45) / 4)
    assert found["brier"] == pytest.approx((0.05**2 + 0.15**2 + 0.05**2 + 0.95**2) / 4, abs=1e-4)


def test_a_fifth_is_as_hard_as_lexical_match_finds_it_and_people_may_disagree_with_themselves() -> None:
    rows = [*ROWS, row("Gagarin.", False, "chatgpt")]
    found = difficulty(rows)[0]
    assert found["pairs_with_same_words"] == 1 and found["same_words_judged_apart"] == 1.0
    assert found["lexical"] == pytest.approx((100.0 + 50.0 + 100.0) / 3, abs=0.01)


def test_what_was_left_out_is_named_and_scored_beside_the_whole_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "load_embedded_judge", lambda path: Letters())
    (tmp_path / "settings.json").write_text('{"leave_out_system": "gpt4", "leave_out_type": "dates"}')
    found = benchmark.left_out(tmp_path, ROWS, np.array([True, True, False, True]))
    assert (found["left_out_system"], found["left_out_type"]) == ("gpt4", "dates")
    assert found["system"] == {"answers": 2, "left_out": 50.0, "trained_on": 100.0}
    assert found["type"] == {"answers": 1, "left_out": 100.0, "trained_on": 100.0}


def test_confusions_are_the_surest_mistakes_first() -> None:
    found = Verdicts(
        says=np.array([True, False, True, True]),
        entailment=np.array([0.9, 0.3, 0.8, 0.9]),
        meaning=np.array([0.9, 0.3, 0.8, 0.9]),
        pairs=5,
        seconds=1.0,
    )
    named = [(entry["answer"], entry["people"]) for entry in confusions(found, ROWS)]
    assert named == [("Alan Shepard", "wrong"), ("Gagarin", "right")]


def test_what_is_not_measured_anew_is_kept_and_listed() -> None:
    stored = {"accuracy": {"embedded": 1, "llm": 2}, "pairs_per_second": 3, "speed": 4, "left_out": 5, "difficulty": 6}
    found = {"accuracy": {"embedded": 7}, "pairs_per_second": 8, "speed": 9}
    merged = benchmark.beside_stored(stored, found)
    assert merged["accuracy"] == {"embedded": 7, "llm": 2}
    assert (merged["pairs_per_second"], merged["speed"]) == (3, 4)
    assert merged["kept"] == ["accuracy: llm", "pairs_per_second", "speed", "left_out", "difficulty"]
