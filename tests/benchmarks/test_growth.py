"""The exponent of a power law, by hand and with noise."""

import numpy as np
import pytest

from benchmarks.growth import curve, power_law
from benchmarks.growth_records import GrowthPoint


def test_exact_power_laws_are_found_with_an_interval_of_no_width():
    law = power_law([10, 100, 1000], [5, 50, 500])
    assert law.exponent == pytest.approx(1)
    assert law.low == pytest.approx(1, abs=1e-6) and law.high == pytest.approx(1, abs=1e-6)
    assert power_law([1, 4, 16], [3, 6, 12]).exponent == pytest.approx(0.5)
    assert power_law([1, 2, 3], [7, 7, 7]).exponent == pytest.approx(0)


def test_the_interval_is_students_t_on_the_slope():
    # ln costs 0, 2, 2 over ln sizes 0, 1, 2: slope 1, residuals −1/3, 2/3, −1/3, so s² = 2/3 and the slope's error is
    # sqrt((2/3) / 2); Student's t for 1 degree of freedom is 12.7062.
    law = power_law(np.exp([0, 1, 2]), np.exp([0, 2, 2]))
    assert law.exponent == pytest.approx(1)
    assert law.high - law.exponent == pytest.approx(12.7062 * np.sqrt(1 / 3), rel=1e-4)


def test_noise_widens_the_interval_and_it_still_holds_the_exponent():
    rng = np.random.default_rng(3)
    sizes = np.logspace(2, 5, 7)
    law = power_law(sizes, sizes**0.8 * np.exp(rng.normal(0, 0.2, 7)))
    assert law.low < 0.8 < law.high and law.high - law.low > 0.05


def test_three_points_above_zero_have_a_fitted_exponent_with_students_t_and_two_have_none():
    points = [GrowthPoint(size=size, value=size * 2.0) for size in (10, 100, 1000)]
    fitted = curve("a", "s", points)
    assert fitted.exponent == pytest.approx(1) and fitted.interval.method == "t"
    assert curve("a", "s", points[:2]).exponent is None
    assert curve("a", "s", [*points[:2], GrowthPoint(size=1, value=0.0)]).exponent is None


@pytest.mark.parametrize(
    ("sizes", "costs", "said"),
    [
        ([1, 2], [1, 2], "at least 3 pairs"),
        ([1, 2, 3], [1, 2], "at least 3 pairs"),
        ([1, 2, 3], [1, 0, 2], "positive"),
        ([1, 2, np.inf], [1, 1, 2], "positive"),
        ([2, 2, 2], [1, 1, 2], "all 3 points have the size 2"),
    ],
)
def test_what_has_no_exponent_is_refused(sizes, costs, said):
    with pytest.raises(ValueError, match=said):
        power_law(sizes, costs)
