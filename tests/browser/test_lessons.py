"""One lesson as a learner and as a presenter: predict, reveal, keys, reload, larger type, no sideways scrolling."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Seen, Server, by_key, close_tab, new_tab, read_until, settled

pytestmark = pytest.mark.browser
LESSON = "lessons?lesson=entailment-graph"
VOTE = "&step=1&slide=2"
SMALL_LETTERS = """() => [...document.querySelectorAll('.js-plotly-plot text, .js-plotly-plot tspan')]
    .filter(one => one.textContent.trim() && parseFloat(getComputedStyle(one).fontSize) < 22)
    .map(one => one.textContent)"""


def slide_is(page: Page, number: int) -> None:
    """Wait until the page shows this slide."""
    way = page.get_by_role("progressbar", name="Slide")
    expect(way).to_have_attribute("aria-valuenow", str(number), timeout=30_000)
    settled(page)


def sideways(page: Page) -> int:
    """Return by how many pixels the page is wider than its window, once it has followed that."""
    wider = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return read_until(lambda: int(page.evaluate(wider)), lambda pixels: pixels <= 0, 3)


def below_the_window(page: Page) -> int:
    """Return by how many pixels a slide is taller than its window, once all of it is drawn."""
    taller = "one => one.scrollHeight - one.clientHeight"
    return read_until(lambda: int(page.get_by_test_id("stMain").evaluate(taller)), lambda pixels: pixels <= 2, 5)


def test_a_learner_predicts_sees_why_turns_slides_by_key_and_finds_it_all_again(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/lessons")
    settled(page)
    by_key(page, "open.entailment-graph").click()
    slide_is(page, 1)
    page.keyboard.press("ArrowRight")
    slide_is(page, 2)
    # An arrow in a field moves within it and turns no slide.
    page.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    slide_is(page, 2)
    by_key(page, "lessons.send").focus()
    page.keyboard.press("Enter")
    slide_is(page, 3)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    page.keyboard.press("PageDown")
    slide_is(page, 4)
    page.keyboard.press("ArrowLeft")
    slide_is(page, 3)
    page.reload()
    slide_is(page, 3)
    assert seen.errors == [] and seen.hosts == {"127.0.0.1"}


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 720, "light"), (1920, 1080, "dark")])
def test_a_presenter_is_read_from_the_last_row(
    browser: Browser, server: Server, width: int, height: int, scheme: str
) -> None:
    page = new_tab(browser, width, height, scheme)
    page.goto(f"{server.url}/{LESSON}{VOTE}&present=1&learner=teacher-{width}")
    slide_is(page, 2)
    page.keyboard.press("PageDown")
    slide_is(page, 3)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    assert read_until(lambda: page.evaluate(SMALL_LETTERS), lambda small: not small) == []
    assert sideways(page) <= 0
    prose = page.get_by_test_id("stMarkdownContainer").locator("p").first
    assert float(prose.evaluate("one => getComputedStyle(one).fontSize").removesuffix("px")) >= 22

    # One screen: nothing of the slide is scrolled to.
    assert below_the_window(page) <= 2

    page.keyboard.press("PageDown")
    slide_is(page, 4)
    page.keyboard.press("PageUp")
    slide_is(page, 3)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible(timeout=30_000)
    expect(page).not_to_have_url(re.compile("present"))
    close_tab(page)


def test_a_presenter_turns_the_pages_of_a_run_and_page_down_scrolls(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run=capital-of-japan&present=1")
    settled(page)
    page.goto(f"{server.url}/seper?run=capital-of-japan&present=1")
    expect(page.get_by_role("heading", name="SePer")).to_be_visible(timeout=30_000)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(page)
    assert read_until(lambda: page.evaluate(SMALL_LETTERS), lambda small: not small) == []
    page.keyboard.press("PageDown")
    settled(page)
    assert "seper" in page.url
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="ETC", exact=True)).to_be_visible(timeout=30_000)
    expect(page).to_have_url(re.compile("run=capital-of-japan"))
    expect(page).to_have_url(re.compile("present=1"))
    assert sideways(page) <= 0
