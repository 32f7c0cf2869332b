"""Layout shifts: every page has an address, and shifts add up in windows."""

from benchmarks.layout_shift import PAGES, cumulative_shift
from pages.shared.links import PAGES as LISTED


def test_every_page_of_the_workbench_is_opened() -> None:
    assert {address.split("?")[0] or "ask" for address in PAGES.values()} == set(LISTED)


def test_a_second_without_a_shift_or_five_seconds_end_a_window() -> None:
    assert cumulative_shift([(0.0, 0.05), (0.9, 0.02), (2.0, 0.04)]) == 0.07
    assert cumulative_shift([(n * 0.9, 0.01) for n in range(8)]) == 0.06
    assert cumulative_shift([]) == 0.0
