"""A page on paper: no list of pages, figures as wide as the sheet; and a hash in a table of facts, which is whole."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seen, Server, loaded, read_until, settled, unfold
from tests.browser.test_looks import found_of_ours

pytestmark = pytest.mark.browser
RUN = "suez-empress"
SLOW = 60_000
PAPER = 703  # pixels between the margins of A4
ENDS = """all => all.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().right)"""
# Asks for paper, and returns whether each figure was told how far to shrink: the script that does so comes last.
PRINTED = """() => window.dispatchEvent(new Event('beforeprint'))
    && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
        .every(one => one.style.getPropertyValue('--paper'))"""


def opened(page: Page, address: str) -> None:
    """Open a page and wait until everything on it is drawn."""
    page.goto(address)
    settled(page, SLOW)
    loaded(page, SLOW)


def inks(page: Page) -> tuple[float, float]:
    """Return how light the ground of a page is and how dark its darkest ink, from 0 (black) to 255."""
    grey = np.asarray(Image.open(BytesIO(page.screenshot())).convert("L"))
    return float(np.median(grey)), float(grey.min())


@pytest.mark.parametrize("method", ["quco_rag", "seper"])
def test_a_method_is_printed_without_the_list_of_pages_and_with_its_whole_figures(
    server: Server, seen: Seen, method: str
) -> None:
    page = seen.page
    opened(page, f"{server.url}/{method}?run={RUN}")
    figures = page.locator(".js-plotly-plot")
    expect(figures.first).to_be_visible(timeout=SLOW)
    page.wait_for_function(PRINTED)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(figures.first).to_be_visible()
    drawn = page.locator(".js-plotly-plot .main-svg")
    ends = read_until(lambda: drawn.evaluate_all(ENDS), lambda ends: max(ends, default=PAPER + 1) <= PAPER, 5)
    assert ends and max(ends) <= PAPER
    assert seen.errors == []


def test_a_page_of_the_dark_scheme_is_printed_in_dark_ink_on_white(server: Server, seen: Seen) -> None:
    page = seen.page
    page.emulate_media(color_scheme="dark")
    opened(page, f"{server.url}/seper?run={RUN}")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=SLOW)
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    lightest, darkest = read_until(lambda: inks(page), lambda grey: grey[0] >= 250 and grey[1] <= 60, 5)
    assert lightest >= 250 and darkest <= 60


def test_no_card_of_a_run_is_cut_by_the_end_of_a_sheet_and_no_heading_stands_last_on_one(
    server: Server, seen: Seen
) -> None:
    page = seen.page
    opened(page, f"{server.url}/?run={RUN}")
    page.emulate_media(media="print")
    rows = page.locator('[data-testid="stHorizontalBlock"]:has([class*="st-key-card-"])')
    heads = page.locator('[data-testid="stElementContainer"]:has([data-testid="stHeading"])')
    for parts, where in ((rows, "breakInside"), (heads, "breakAfter")):
        found = parts.evaluate_all("(all, where) => all.map(one => getComputedStyle(one)[where])", where)
        assert found and set(found) == {"avoid"}
    assert seen.errors == []


def test_a_run_on_paper_has_its_texts_whole_and_no_buttons(server: Server, seen: Seen) -> None:
    page = seen.page
    opened(page, f"{server.url}/?run={RUN}")
    button = page.get_by_test_id("stMain").get_by_role("button", name="New question")
    expect(button).to_be_visible(timeout=SLOW)
    page.evaluate("""() => document.querySelector('h1.rm-question').classList.add('rm-long')""")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    expect(button).to_be_hidden()
    expect(page.locator("h1.rm-question")).to_have_css("overflow-y", "visible")
    expect(page.locator("h1.rm-question")).to_have_css("max-height", "none")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_hash_is_whole_in_the_table_of_a_prompt(server: Server, seen: Seen, width: int) -> None:
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, f"{server.url}/prompts?run={RUN}")
    unfold(page)
    cells = page.locator('[data-testid="stTable"] td [data-testid="stMarkdownContainer"]')
    expect(cells.filter(has_text="one turn").first).to_be_visible(timeout=SLOW)
    assert cells.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth + 1)") == []
    assert found_of_ours(page, "scrollable-region-focusable") == []
    assert seen.errors == []


def test_a_table_is_whole_on_paper_though_it_scrolls_on_the_screen(server: Server, seen: Seen) -> None:
    page = seen.page
    opened(page, f"{server.url}/numbers?run={RUN}")
    table = page.locator(".rm-rows").first
    expect(table).to_be_visible(timeout=SLOW)
    beyond = "one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]"
    assert table.evaluate(beyond)[1] > 0
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    assert read_until(lambda: table.evaluate(beyond), lambda pixels: pixels == [0, 0], 5) == [0, 0]
    assert table.evaluate("one => getComputedStyle(one).overflow") == "visible"
