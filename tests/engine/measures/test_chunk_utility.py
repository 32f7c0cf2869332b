"""Verdicts on single chunks from the bands of two differences, by hand; and how often chance makes one."""

import numpy as np
import pytest

from engine.measures.chunk_utility import effect, shared_level, utility
from engine.measures.draw_intervals import covering_change


@pytest.mark.parametrize(
    ("delta", "low", "high", "expected"),
    [
        (0.5, 0.01, 0.9, "up"),
        (-0.5, -0.9, -0.01, "down"),
        (0.0, 0.0, 0.0, "none"),
        (0.0, -0.1, 0.1, "none"),
        (0.02, 0.01, 0.04, "none"),
        (-0.02, -0.04, -0.01, "none"),
        (0.06, 0.01, 0.15, "unclear"),
        (0.0, -0.1, 0.11, "unclear"),
        (0.0, -0.6, 0.6, "unclear"),
        (0.2, 0.0, 0.5, "unclear"),
    ],
)
def test_a_band_shows_an_effect_its_absence_or_nothing(delta: float, low: float, high: float, expected: str) -> None:
    assert effect(delta, low, high) == expected


@pytest.mark.parametrize(
    ("left_out", "alone", "expected"),
    [
        ("up", "up", "useful"),
        ("none", "up", "useful"),
        ("unclear", "up", "useful"),
        ("down", "none", "harmful"),
        ("unclear", "down", "harmful"),
        ("none", "none", "useless"),
        ("none", "unclear", "cannot tell"),
        ("unclear", "unclear", "cannot tell"),
        ("up", "down", "cannot tell"),
        ("down", "up", "cannot tell"),
    ],
)
def test_the_four_verdicts_of_two_effects(left_out: str, alone: str, expected: str) -> None:
    assert utility(left_out, alone) == expected  # type: ignore[arg-type]


def test_what_cannot_be_is_refused_with_its_values() -> None:
    with pytest.raises(ValueError, match=r"low <= high, got 0\.2 and 0\.1"):
        effect(0.1, 0.2, 0.1)
    with pytest.raises(ValueError, match="low <= high, got nan"):
        effect(0.1, float("nan"), 0.1)
    with pytest.raises(ValueError, match="margin must be positive, got 0"):
        effect(0.1, 0.1, 0.2, margin=0)
    with pytest.raises(ValueError, match="bands >= 1"):
        shared_level(0)


def test_ten_bands_hold_together_where_each_holds_at_99_5_percent() -> None:
    assert shared_level(10) == pytest.approx(0.995)
    assert shared_level(1) == pytest.approx(0.95)


def test_chunks_that_do_nothing_are_called_useful_or_harmful_in_one_of_a_hundred_bands_at_most() -> None:
    # 400 pairs of ten draws that are right half the time in both conditions; ten bands a question, 0.5% each.
    rng = np.random.default_rng(1)
    seen = []
    for number in range(400):
        one, other = rng.integers(0, 2, (2, 10)).astype(float)
        low, high = covering_change(([0.0] * 10, one), ([0.0] * 10, other), number, repeats=400, level=shared_level(10))
        seen.append(effect(one.mean() - other.mean(), low, high))
    assert seen.count("up") + seen.count("down") <= 4
    assert seen.count("unclear") >= 396


def test_a_change_of_just_the_margin_counts_however_it_is_rounded():
    assert 0.3 - 0.2 < 0.1 and effect(0.3 - 0.2, 0.01, 0.3) == "up" and effect(0.2 - 0.3, -0.3, -0.01) == "down"
    assert effect(0.099, 0.01, 0.3) == effect(-0.099, -0.3, -0.01) == "unclear"
