"""The benchmark of SePer's utility on made-up numbers: what is read, which questions count, what r is."""

import numpy as np
import pytest

from benchmarks import seper_utility
from benchmarks.seper_utility import (
    GOLD,
    NEAR,
    RANDOM,
    WITHOUT,
    at_size,
    correlation,
    passages_of,
    related,
    scores,
    summary,
)
from engine.measures.answer_match import contains
from tests.training.test_reader_examples import ROWS
from tests.viz.sample_results import generation
from training.reader_examples import Neighbours


def row(gold: float, random: float, known: float = 0.0) -> dict[str, object]:
    """Return one question with SePer 0.1 without a passage."""
    values = {WITHOUT: 0.1, GOLD: 0.1 + gold, RANDOM: 0.1 + random, NEAR: 0.1 + random}
    return {name: {"soft": value, "equal": value, "right": known} for name, value in values.items()}


def test_the_right_passage_is_read_beside_two_that_hold_no_answer() -> None:
    made = passages_of(ROWS, 0, Neighbours(ROWS))
    assert contains(made[GOLD][0].text, ROWS[0].answers) and made[WITHOUT] == ()
    for name in (RANDOM, NEAR):
        assert not any(contains(f"{one.title} {one.text}", ROWS[0].answers) for one in made[name])


def test_r_of_changes_that_part_fully_is_one_and_its_interval_too() -> None:
    found = related([row(0.8, 0.0)] * 4, RANDOM, "soft")
    assert (found["questions"], found["r"], found["interval"]) == (4, 1.0, [1.0, 1.0])
    assert (found["mean_gold"], found["mean_other"]) == (0.8, 0.0)


def test_r_by_hand_and_questions_that_are_known_by_heart_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seper_utility, "RESAMPLES", 2)  # the interval of r is the test's above
    # Changes 1, 0 with utility 1 and 0, 0 with utility 0: r = 1/4 / sqrt(3/16 · 1/4) = 0.57735.
    rows = [row(1.0, 0.0), row(0.0, 0.0)]
    assert correlation(np.array([1.0, 0.0]), np.array([0.0, 0.0])) == pytest.approx(3**-0.5)
    found = summary([*rows, row(0.5, 0.0), row(0.0, 0.5, known=0.6)])
    assert found["random, soft, unknown questions"]["questions"] == 3
    assert found["bm25, equal, all questions"]["questions"] == 4


def test_scores_by_hand_and_rows_at_another_number_of_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two samples, log-probabilities equal: kernel .9 and .1 with the one answer give .5 by both weights.
    texts = ("in Selm", "Karst")
    samples = [generation(text) for text in texts]
    found = scores(samples, np.array([[0.9], [0.1]]), ["Selm"])
    assert found == {"soft": 0.5, "equal": 0.5, "right": 0.5, "effective": 2.0}

    first = row(0.8, 0.0)
    more = row(0.6, 0.1)
    both = {name: first[name] | {"sizes": {"20": more[name]}} for name in first}
    assert at_size([both, first], 20) == [both | more], "a row without that size is left out"
    assert at_size([both], 10) == [both]
    monkeypatch.setattr(seper_utility, "RESAMPLES", 2)
    found = summary([both] * 3)
    assert found["random, soft, unknown questions"]["mean_gold"] == pytest.approx(0.8)
    assert found["random, soft, unknown questions, 20 samples"]["mean_gold"] == pytest.approx(0.6)
    # Equal rows part useful from useless fully at either size, so r is 1 with both and nothing is gained.
    assert found["gain, 20 samples for 10"] == {"questions": 3, "gain": 0.0, "interval": [0.0, 0.0]}
    assert found["gain, 40 samples for 10"] == {"questions": 0, "gain": None}
