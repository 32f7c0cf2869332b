"""The benchmark of DSE against right and wrong answers: what each score is, by hand."""

import math

import numpy as np
import pytest

from benchmarks.dense_correctness import Row, compared, dense_scores


def row(right: bool, score: float) -> Row:
    """Return a question with one score."""
    known = {"judge": right, "exact": right, "contains": True}
    return Row(question="?", answer="", right=known, scores={"DSE": score}, wordings=2, seconds=0.0)


def test_a_chunk_with_one_wording_that_changes_the_answer_and_one_that_keeps_it_gives_half() -> None:
    weights = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1.0]])
    found = dense_scores(weights, [-1, 0, 0])
    assert found["paper"] == pytest.approx(math.log(2)) and found["share"] == 1.0
    assert (found["mean"], found["changed"]) == (pytest.approx(0.5), 0.5)
    # Degrees 2, 1 and 2 of 3 answers.
    assert found["all"] == pytest.approx(-(2 * math.log(2 / 3) + math.log(1 / 3)) / 3 / math.log(3))


def test_three_of_four_pairs_in_order_are_an_auroc_of_three_quarters_and_one_class_has_none() -> None:
    rows = [row(True, 0.1), row(True, 0.3), row(False, 0.2), row(False, 0.4)]
    found = compared(rows)["DSE"]
    assert found["judge"]["auroc"] == 0.75 and found["judge"]["low"] <= 0.75 <= found["judge"]["high"]
    assert found["contains"] == {"questions": 4, "wrong": 0}
