"""Paired right and wrong: a published interval, agreement with the sign test, and coverage counted exactly."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import multinomial

from engine.measures.paired_shares import paired_share_interval, sign_test


@cache
def intervals(n: int) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the interval of every outcome of n pairs."""
    return {(up, down): paired_share_interval(up, down, n) for up in range(n + 1) for down in range(n + 1 - up)}


def test_the_interval_is_the_published_one_and_reaches_zero_where_the_sign_test_finds_nothing() -> None:
    # Bentur et al. 2009: 1 and 7 of 21 children changed; Tango's interval is -0.517 to -0.026 in Fagerland et al. 2014.
    low, high = paired_share_interval(1, 7, 21)
    assert (round(low, 3), high) == (-0.517, 0.0)
    assert sign_test(1, 7) == pytest.approx(0.0703125)


@pytest.mark.parametrize("n", [1, 2, 6, 20])
def test_an_interval_leaves_out_zero_exactly_where_the_sign_test_says_so(n: int) -> None:
    for (up, down), (low, high) in intervals(n).items():
        assert -1 <= low <= (up - down) / n <= high <= 1 and low < high
        assert (low > 0 or high < 0) == (sign_test(up, down) < 0.05), (up, down)
        assert intervals(n)[down, up] == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize(("n", "least", "mean"), [(10, 0.933, 0.977), (20, 0.942, 0.968), (40, 0.932, 0.958)])
def test_the_interval_holds_the_true_difference_about_as_often_as_its_level_says(
    n: int, least: float, mean: float
) -> None:
    found = []
    for changes in np.linspace(0.02, 0.98, 17):
        for upwards in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98):
            p_up, p_down = changes * upwards, changes * (1 - upwards)
            law = multinomial(n, [p_up, p_down, 1 - changes])
            held = [
                counts for counts, (low, high) in intervals(n).items() if low - 1e-9 <= p_up - p_down <= high + 1e-9
            ]
            found.append(float(np.sum(law.pmf([[up, down, n - up - down] for up, down in held]))))
    assert min(found) == pytest.approx(least, abs=0.001) and np.mean(found) == pytest.approx(mean, abs=0.001)


@pytest.mark.parametrize("counts", [(0, 0, 0), (3, 2, 4), (-1, 0, 4)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="cannot have changed"):
        paired_share_interval(*counts)
