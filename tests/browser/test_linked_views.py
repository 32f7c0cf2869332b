"""A passage chosen with the keyboard alone is chosen on every page, stands in the address, and goes with one click."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seen, Server, faded, loaded, settled, unmoved
from tests.browser.test_looks import found_of_ours

pytestmark = pytest.mark.browser
RUN = "suez-empress"
SLOW = 60_000


def chosen(page: Page, words: str) -> None:
    """Expect a chip that says so."""
    expect(page.get_by_role("button", name=re.compile(f"{words} selected"))).to_be_visible(timeout=SLOW)


def step_into(page: Page, table: str, down: int) -> None:
    """Walk into a table with the keyboard and choose a row; the first has the focus at once."""
    mark = page.locator(f'[data-grid="{table}"] button[tabindex="0"]')
    expect(mark).to_be_attached(timeout=SLOW)
    settled(page)
    mark.focus()
    for key in (*["ArrowDown"] * down, "Enter"):
        page.keyboard.press(key)


def test_a_passage_chosen_by_the_keyboard_is_chosen_everywhere_until_it_is_cleared(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/dense?run={RUN}")
    settled(page, SLOW)
    page.get_by_role("tab", name="Table").press("Enter")
    step_into(page, "dense.table", 2)
    expect(page).to_have_url(re.compile(r"chunk=3"), timeout=SLOW)
    chosen(page, "Passage 3")
    settled(page, SLOW)
    expect(page.get_by_role("radio", name=re.compile("passage 3"))).to_be_checked()
    expect(page.locator('[data-grid="dense.table"] .rm-picked-row')).to_be_visible()
    page.get_by_role("tab", name="Graph").click()
    expect(page.locator(".js-plotly-plot .annotation").filter(has_text="◆ chosen")).to_have_count(1, timeout=SLOW)
    faded(page)
    assert found_of_ours(page) == []
    page.get_by_test_id("stSidebarNav").get_by_text("Prompts").click()
    chosen(page, "Passage 3")
    expect(page).to_have_url(re.compile(rf"prompts\?.*(chunk=3.*run={RUN}|run={RUN}.*chunk=3)"), timeout=SLOW)
    page.reload()
    chosen(page, "Passage 3")
    page.get_by_test_id("stSidebarNav").get_by_text("Ask").click()
    chosen(page, "Passage 3")
    settled(page, SLOW)
    expect(page.locator(".rm-chosen")).to_contain_text("passage chosen")
    page.get_by_role("button", name=re.compile("Passage 3 selected")).click()
    settled(page, SLOW)
    expect(page.locator(".rm-chosen")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("chunk="))
    assert seen.errors == []


def test_a_click_in_a_figure_opens_the_tab_it_lands_in_and_a_tab_that_was_turned_to_stays(
    server: Server, seen: Seen
) -> None:
    page = seen.page
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server.url}/entropy_trend?run={RUN}")
    settled(page, SLOW)
    loaded(page, SLOW)
    answer, words = page.get_by_role("tablist").last.get_by_role("tab").all()
    expect(answer).to_have_attribute("aria-selected", "true")
    place = unmoved(page.locator(".js-plotly-plot .points path").first).bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page).to_have_url(re.compile("token="), timeout=SLOW)
    settled(page, SLOW)
    expect(words).to_have_attribute("aria-selected", "true")
    expect(page.locator('[data-grid^="etc.words"] .rm-picked-row')).to_be_visible()
    answer.click()
    settled(page, SLOW)
    expect(answer).to_have_attribute("aria-selected", "true")
    assert seen.errors == []
