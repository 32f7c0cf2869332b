"""What was typed and not sent is still there after the page is loaded anew, in this tab alone."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Seen, Server, close_tab, new_tab, settled

pytestmark = pytest.mark.browser
CHANGED = re.compile("Changed: passage 1, .* is left out")


def typed_question(page: Page) -> str:
    """Return what stands in the box for the question once the page is drawn."""
    settled(page)
    return page.get_by_role("textbox", name="Your question").input_value()


def test_a_form_that_was_not_sent_is_found_again_though_the_box_was_never_left(
    server: Server, seen: Seen, browser: Browser
) -> None:
    page = seen.page
    page.goto(server.url)
    settled(page)
    page.get_by_role("textbox", name="Passages, an empty line between").fill("Title: Oslo\nOslo is a town.")
    page.get_by_role("textbox", name="Your question").click()
    expect(page.get_by_text("Reads 1 passage.")).to_be_visible(timeout=30_000)
    settled(page)
    page.keyboard.type("Which town is this?")
    page.wait_for_function("() => sessionStorage.getItem('microscope.tab')")
    page.reload()
    box = page.get_by_role("textbox", name="Your question")
    expect(box).to_have_value("Which town is this?", timeout=30_000)
    expect(page.get_by_role("textbox", name="Passages, an empty line between")).to_have_value(
        "Title: Oslo\nOslo is a town."
    )
    expect(page.get_by_text("Reads 1 passage.")).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_text("As you left it, before the page was loaded again.")).to_be_visible()
    page.get_by_role("button", name="Start empty").click()
    expect(box).to_have_value("", timeout=30_000)
    other = new_tab(browser)
    other.goto(server.url)
    assert typed_question(other) == "", "another tab is another question"
    close_tab(other)
    assert seen.errors == []


def test_edits_on_what_if_are_found_again_with_their_undo(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/what_if")
    settled(page, 90_000)
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_text(CHANGED)).to_be_visible(timeout=30_000)
    settled(page)
    page.reload()
    expect(page.get_by_text(CHANGED)).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("Nothing changed yet")).to_be_visible(timeout=30_000)
    assert seen.errors == []


def test_a_choice_that_is_clicked_twice_stays_and_is_found_again(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/trace")
    settled(page, 90_000)
    page.get_by_role("radio", name="A file").dblclick()
    upload = page.get_by_text("A trace", exact=True)
    expect(upload).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_role("radio", name="A file")).to_be_checked()
    page.reload()
    expect(page.get_by_role("radio", name="A file")).to_be_checked(timeout=30_000)
    settled(page)
    expect(upload).to_be_visible()
    assert seen.errors == []
