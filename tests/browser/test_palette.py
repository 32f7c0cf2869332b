"""The command palette in a browser: opened by Ctrl-K, filtered, left by Escape, and gone through by Enter."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen, Server, settled

pytestmark = pytest.mark.browser


def test_ctrl_k_filters_goes_by_enter_and_is_left_by_escape(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/prompts?run=capital-of-japan")
    palette = page.locator("dialog.rm-palette")
    expect(palette).to_be_attached(timeout=30_000)
    settled(page)
    page.keyboard.press("Control+k")
    expect(palette.get_by_role("combobox")).to_be_focused(timeout=10_000)
    page.keyboard.type("seper soft")
    expect(palette.get_by_role("option").first).to_contain_text("number")
    palette.get_by_role("combobox").fill("seper")
    expect(palette.get_by_role("option").first).to_contain_text("page")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("guid")
    page.keyboard.press("Enter")
    page.wait_for_url("**/guide?run=capital-of-japan", timeout=30_000)
    assert seen.errors == [] and seen.hosts == {"127.0.0.1"}
