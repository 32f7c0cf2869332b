"""With a keyboard alone: a number opens with its formula; a threshold moves and stands in the address."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen, Server, by_key, faded, settled
from tests.browser.test_looks import found_of_ours

pytestmark = pytest.mark.browser
RUN = "apollo-8-orbits"


def test_a_headline_number_is_opened_and_closed_by_the_keyboard(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/dense?run={RUN}")
    settled(page)
    control = by_key(page, "show.dense.dense.entropy")
    control.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".katex").first).to_be_visible(timeout=30_000)
    settled(page)
    expect(dialog).to_contain_text("engine.measures.response_graph.degree_entropy")
    faded(page)
    assert found_of_ours(page) == []
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
    by_key(page, "alpha", "input, [role=slider]").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(page).to_have_url(re.compile(r"alpha=2\.55"))
    faded(page)
    assert found_of_ours(page) == []
    by_key(page, "lab.reset").click()
    settled(page)
    expect(page).not_to_have_url(re.compile("alpha"))
    assert seen.errors == []
