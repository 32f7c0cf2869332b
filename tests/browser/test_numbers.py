"""With a keyboard alone: a number opens with its formula; a threshold moves and stands in the address."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen, Server, faded, settled
from tests.browser.test_looks import serious

pytestmark = pytest.mark.browser
RUN = "apollo-8-orbits"


def test_a_headline_number_is_opened_and_closed_by_the_keyboard(server: Server, seen: Seen) -> None:
    page = seen.page
    # The first deep link to a fresh server shows a notice of Streamlit's own.
    page.goto(server.url)
    settled(page)
    page.goto(f"{server.url}/dense?run={RUN}")
    settled(page)
    control = page.get_by_role("button", name=re.compile("^DSE: "))
    control.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Computed again from what is stored beside it")
    expect(dialog.locator(".katex").first).to_be_visible()
    expect(dialog).to_contain_text("engine.measures.response_graph.degree_entropy")
    faded(page)
    assert serious(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert seen.errors == []
    assert seen.hosts == {"127.0.0.1"}


def test_a_threshold_moved_by_the_keyboard_stands_in_the_address_and_marks_the_answer(
    server: Server, seen: Seen
) -> None:
    page = seen.page
    page.goto(f"{server.url}/thresholds?run={RUN}&alpha=2.5")
    settled(page)
    expect(page.get_by_text("ETC no longer fires before")).to_be_visible()
    page.get_by_role("slider", name=re.compile("α of ETC")).focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"alpha=2\.55"))
    settled(page)
    faded(page)
    assert serious(page) == []
    page.get_by_role("button", name="Reset to this run's").click()
    expect(page.get_by_text("as in the run")).to_be_visible()
    expect(page).not_to_have_url(re.compile("alpha"))
    assert seen.errors == []
