"""Both intervals of a share against their tables; the exact one is never the narrower."""

import pytest

from engine.measures.share_intervals import clopper_pearson_interval, wilson_interval


def test_no_success_in_ten_is_at_most_twenty_eight_percent_and_ten_in_ten_mirrors_it() -> None:
    # Wilson: z²/(n + z²) = 3.8415 / 13.8415.
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert wilson_interval(10, 10) == pytest.approx((0.722467, 1.0), abs=1e-6)


def test_the_exact_interval_is_the_tables() -> None:
    # Clopper and Pearson's table: 8 of 10 gives 0.4439 to 0.9748.
    assert clopper_pearson_interval(8, 10) == pytest.approx((0.4439, 0.9748), abs=5e-5)


@pytest.mark.parametrize("count", range(11))
def test_the_exact_interval_holds_wilsons_share_and_is_no_narrower(count: int) -> None:
    (low, high), (exact_low, exact_high) = wilson_interval(count, 10), clopper_pearson_interval(count, 10)
    assert low <= count / 10 <= high and exact_low <= count / 10 <= exact_high
    assert exact_high - exact_low > high - low


def test_a_share_of_nothing_has_no_interval() -> None:
    for interval in (wilson_interval, clopper_pearson_interval):
        with pytest.raises(ValueError):
            interval(0, 0)
