"""The question mark and the rule for empties."""

import numpy as np
import pytest

from engine.backends.entailment.base import with_question_mark, with_rules


def test_a_question_mark_is_added_once() -> None:
    assert [with_question_mark(q) for q in ("who", "who?", " who? ")] == ["who?", "who?", "who?"]


def test_only_pairs_with_two_texts_are_asked_and_rows_stay_in_place() -> None:
    seen: list[tuple[list[str], list[str]]] = []

    def ask(premises: list[str], hypotheses: list[str]) -> np.ndarray:
        seen.append((premises, hypotheses))
        return np.array([[0.5, 0.25, 0.25]])

    rows = with_rules(["", "a", " ", "c"], ["", "b", "x", "\n"], ask)  # type: ignore[arg-type]
    assert rows.tolist() == [[0, 0, 1], [0.5, 0.25, 0.25], [0, 1, 0], [0, 1, 0]]
    assert seen == [(["a"], ["b"])]


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"2.*1"):
        with_rules(["a", "b"], ["c"], lambda left, right: np.zeros((0, 3)))
