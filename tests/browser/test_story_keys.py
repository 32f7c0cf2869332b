"""The page of a run by keyboard: what each key does, and where a key does nothing."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seen, Server, by_key, read_until, settled
from tests.browser.test_looks import STYLED_IN, found_of_ours, switch_scheme
from viz.parts.theme import DARK, LIGHT

pytestmark = pytest.mark.browser
RUN = "capital-of-japan"
SLOW = 60_000
LINK = '[class*="st-key-story-figure-"] [data-testid="stPageLink"] a'


def open_run(page: Page, server: Server) -> None:
    """Open the recorded run, and wait until its keys are heard."""
    page.goto(f"{server.url}/?run={RUN}")
    expect(keys_button(page)).to_be_visible(timeout=SLOW)
    settled(page)


def keys_heard(page: Page) -> None:
    """Wait until a run's keys are heard where their button is not shown, as in presenter mode."""
    expect(page.locator('button[aria-label="Keys of this page"]')).to_be_attached(timeout=SLOW)


def keys_button(page: Page):  # type: ignore[no-untyped-def]
    """Return the button that lists the keys."""
    return page.get_by_role("button", name="Keys of this page")


def open_rows(page: Page) -> list[int]:
    """Return the numbers of the passages that are open in the flow."""
    return [int(one) for one in page.locator(".rm-row[open] .rm-rank").all_inner_texts()]


def test_the_keys_of_a_run_walk_its_passages_and_do_nothing_where_somebody_types(server: Server, seen: Seen) -> None:
    page = seen.page
    open_run(page, server)
    for key, numbers in (("j", [1]), ("j", [2]), ("k", [1]), ("k", [1])):
        page.keyboard.press(key)
        assert open_rows(page) == numbers
    expect(page.locator(".rm-row summary").first).to_be_focused()
    expect(page.locator(".rm-row .rm-text").first).to_be_in_viewport()
    for key in ("Control+j", "Alt+n", "Meta+w", "5", "x"):
        page.keyboard.press(key)
    assert open_rows(page) == [1]
    page.keyboard.press("Control+k")
    palette = page.get_by_role("combobox", name="Page, run or number")
    expect(palette).to_be_focused()
    page.keyboard.type("nw?j1")
    expect(palette).to_have_value("nw?j1")
    page.keyboard.press("Escape")
    expect(page.locator(LINK)).to_have_count(4)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys of this page")
    expect(keys.locator("dt")).to_have_count(5 + 4 + 2)
    assert found_of_ours(page) == []
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    assert f"run={RUN}" in page.url and open_rows(page) == [1]
    assert seen.errors == [] and seen.hosts == {"127.0.0.1"}


def test_each_key_opens_its_page_and_n_the_form(server: Server, seen: Seen) -> None:
    page = seen.page
    open_run(page, server)
    expect(page.locator(LINK)).to_have_count(4)
    pages = [one.get_attribute("href") or "" for one in page.locator(LINK).all()]
    for key, path in (("4", pages[3]), ("w", "what_if")):
        page.keyboard.press(key)
        page.wait_for_url(re.compile(rf"/{path.split('/')[-1].split('?')[0]}\?.*run={RUN}"), timeout=SLOW)
        page.get_by_test_id("stSidebarNav").get_by_text("Ask", exact=True).click()
        expect(keys_button(page)).to_be_visible(timeout=SLOW)
        settled(page)
    page.keyboard.press("n")
    box = page.get_by_role("textbox", name="Your question", exact=True)
    expect(box).to_be_visible(timeout=SLOW)
    settled(page)
    expect(page).not_to_have_url(re.compile("run="))
    box.click()
    page.keyboard.type("nwjk1?")
    expect(box).to_have_value("nwjk1?")


def test_a_change_of_the_colour_scheme_leaves_no_key_behind_on_other_pages(server: Server, seen: Seen) -> None:
    page = seen.page
    open_run(page, server)
    for _ in range(2):
        switch_scheme(page)
    page.keyboard.press("j")
    assert open_rows(page) == [1]
    page.get_by_test_id("stSidebar").get_by_role("link", name="Guide").click()
    expect(page.get_by_role("heading", name="Guide", exact=True)).to_be_visible(timeout=SLOW)
    settled(page)
    page.keyboard.press("?")
    settled(page)
    expect(page.get_by_role("dialog", name="Keys of this page")).to_be_hidden()


def test_a_table_chooses_once_after_the_colour_scheme_changed(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/runs")
    row = page.locator(".rm-rows tbody tr").first
    expect(row).to_be_visible(timeout=SLOW)
    settled(page)
    for _ in range(2):
        switch_scheme(page)
    row.locator("td").nth(1).click()
    expect(page.get_by_role("button", name="Verify the numbers")).to_be_visible(timeout=SLOW)
    settled(page)
    row.locator("td").nth(1).click()
    expect(page.get_by_role("button", name="Verify the numbers")).to_be_hidden(timeout=SLOW)


LOSES_ONE = """() => {
  const send = WebSocket.prototype.send;
  let lost = false;
  WebSocket.prototype.send = function (data) {
    if (lost) send.call(this, data);
    lost = true;
  };
}"""


def test_a_page_follows_the_colour_scheme_though_its_first_message_comes_to_nothing(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/runs")
    expect(page.locator(".rm-rows tbody tr").first).to_be_visible(timeout=SLOW)
    settled(page)
    page.evaluate(LOSES_ONE)
    switch_scheme(page)
    switch_scheme(page)


def test_a_page_follows_a_colour_scheme_that_changes_while_its_scripts_still_load(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/runs")
    row = page.locator(".rm-rows tbody tr").first
    for scheme, theme in (("dark", DARK), ("light", LIGHT)):
        page.reload()
        expect(row).to_be_visible(timeout=SLOW)
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_function(STYLED_IN, arg=theme.text, timeout=SLOW)


def test_in_presenter_mode_n_turns_the_pages_as_before(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run={RUN}&present=1")
    expect(by_key(page, "present.next")).to_be_visible(timeout=SLOW)
    expect(page.locator(".rm-flow")).to_be_visible(timeout=SLOW)
    keys_heard(page)
    settled(page)
    page.keyboard.press("j")
    expect(page.locator(".rm-row[open]")).to_have_count(1)
    page.keyboard.press("n")
    page.wait_for_url(re.compile(r"/dense\?"), timeout=SLOW)


def test_a_word_of_the_answer_opens_its_passage_and_beside_the_story_scrolls_the_column(
    server: Server, seen: Seen
) -> None:
    page = seen.page
    page.set_viewport_size({"width": 1920, "height": 640})
    open_run(page, server)
    column = page.locator(".st-key-story-passages")
    column.evaluate("one => one.scrollTo(0, one.scrollHeight)")
    scrolled = column.evaluate("one => one.scrollTop")
    assert scrolled > 0, "at this height the passages are longer than their column"
    page.locator("a.rm-word").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".rm-row[open] mark.rm-here")).to_be_in_viewport()
    expect(column.locator("mark.rm-here")).to_be_in_viewport()
    assert read_until(lambda: column.evaluate("one => one.scrollTop"), lambda top: top < scrolled, 5) < scrolled
    expect(page.locator(".rm-row[open] summary")).to_be_focused()
    assert "#" not in page.url
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="2", exact=True).click()
    assert open_rows(page) == [2]
    assert found_of_ours(page) == [] and seen.errors == []
