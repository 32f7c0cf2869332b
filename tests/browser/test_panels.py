"""Figures of panels and maps of cells: on a phone each scrolls in a box of its own, and nothing in it is squeezed."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Seen, Server, loaded, read_until, settled
from tests.browser.test_looks import sticking_out

pytestmark = pytest.mark.browser
SLOW = 60_000
# The narrowest column of a heat map, in pixels.
NARROWEST = """one => Math.min(...[...one.querySelectorAll('.heatmaplayer image')]
    .map(map => map.getBoundingClientRect().width / one.data[0].x.length))"""
# How far words begin and end from the edges of their figure, in pixels; below 0 they are cut.
STARTS = "all => all.map(one => one.getBoundingClientRect().left - one.closest('svg').getBoundingClientRect().left)"
ENDS = "all => all.map(one => one.closest('svg').getBoundingClientRect().right - one.getBoundingClientRect().right)"
# How wide the content of a box is, and whether the box scrolls it.
WIDE = "one => [one.scrollWidth, one.clientWidth < one.scrollWidth]"


def opened(page: Page, question: str) -> Locator:
    """Return the figure of a question of the page Measured."""
    page.get_by_role("radio", name=question).click()
    settled(page, SLOW)
    loaded(page)
    figure = page.locator(".js-plotly-plot").first
    expect(figure).to_be_visible(timeout=SLOW)
    return figure


@pytest.mark.parametrize("width", [390, 768])
def test_a_map_of_cells_scrolls_and_keeps_the_width_of_its_words(server: Server, seen: Seen, width: int) -> None:
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{server.url}/measured")
    settled(page, SLOW)
    figure = opened(page, "Planted defects")
    box = page.locator('[class*="st-key-wide-panels-"]')
    wide = read_until(lambda: box.evaluate(WIDE), lambda wide: wide == [832, True])
    assert wide == [832, True]
    assert read_until(lambda: figure.evaluate(NARROWEST), lambda width: width >= 60) >= 60, (
        "of 5 writes its share in a cell"
    )
    assert sticking_out(page) == 0
    opened(page, "Fitted thresholds")
    beside = page.locator(".js-plotly-plot .annotation-text")
    expect(beside).to_have_count(5, timeout=SLOW)
    ends = read_until(lambda: beside.evaluate_all(ENDS), lambda ends: min(ends, default=-1) >= 0, 5)
    assert min(ends) >= 0, "what is written beside an interval was cut"
    assert seen.errors == []


def test_on_a_phone_every_name_of_a_comparison_is_whole(server: Server, seen: Seen) -> None:
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{server.url}/compare?first=suez-empress&second=moon-landing-date")
    settled(page, SLOW)
    loaded(page, SLOW)
    names = page.locator(".js-plotly-plot .ytick text")
    expect(names.first).to_be_visible(timeout=SLOW)
    # A figure is drawn once more where the page's font came after it.
    starts = read_until(lambda: names.evaluate_all(STARTS), lambda starts: min(starts, default=-1) >= 0, 5)
    assert len(starts) >= 10 and min(starts) >= 0
    assert sticking_out(page) == 0
    assert seen.errors == []


@pytest.mark.parametrize("method", ["seper", "sufficiency"])
def test_the_name_of_an_axis_is_whole_on_the_smallest_phone(server: Server, seen: Seen, method: str) -> None:
    page = seen.page
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(f"{server.url}/{method}?run=suez-empress")
    settled(page, 60_000)
    expect(page.locator(".js-plotly-plot .xtitle").first).to_be_visible(timeout=60_000)
    # A figure is drawn once more where the page's font came after it.
    page.wait_for_function(
        """() => document.fonts.status === 'loaded' && [...document.querySelectorAll('.js-plotly-plot .xtitle')].every(
            one => one.getBoundingClientRect().right
                <= one.closest('.js-plotly-plot').getBoundingClientRect().right + 1)""",
        timeout=20_000,
    )
