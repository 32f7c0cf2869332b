"""The failure atlas in a browser: from the Ask page to a failure, its run, and a changed question; nothing leaves."""

import re

import pytest
from playwright.sync_api import expect

from engine.learning.atlas.shelf import specimens
from tests.browser.conftest import Seen, Server, by_key, settled
from tests.browser.test_looks import found_of_ours, sticking_out

pytestmark = pytest.mark.browser


def test_a_failure_is_found_looked_at_opened_and_asked_anew(server: Server, seen: Seen) -> None:
    page, shown = seen.page, specimens()[-1]
    page.goto(server.url)
    settled(page)
    page.locator('[data-testid="stMain"] a[href*="atlas"]').first.click()
    expect(page.locator(f".st-key-atlas-card-{shown.kind.word}")).to_be_visible(timeout=30_000)
    settled(page)
    assert sticking_out(page) == 0
    card = page.locator(f".st-key-atlas-card-{shown.kind.word}")
    by_key(card, f"atlas.open.{shown.kind.word}").click()
    settled(page)
    expect(page).to_have_url(re.compile(f"kind={shown.kind.word}"))
    expect(page.get_by_role("heading", name=shown.kind.title, level=2)).to_be_visible()
    assert found_of_ours(page) == []
    page.reload()
    settled(page)
    expect(by_key(page, "atlas.variant")).to_be_visible()
    page.locator(f'[data-testid="stMain"] a[href*="run={shown.kind.run_id}"]').first.click()
    settled(page)
    expect(page).to_have_url(re.compile(f"run={shown.kind.run_id}"))
    expect(page.get_by_text(shown.question.question).first).to_be_visible()
    page.goto(f"{server.url}/atlas?kind={shown.kind.word}")
    settled(page)
    by_key(page, "atlas.variant").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Your question", exact=True)).to_have_value(
        shown.question.question, timeout=30_000
    )
    assert seen.errors == []
    assert seen.hosts == {"127.0.0.1"}
