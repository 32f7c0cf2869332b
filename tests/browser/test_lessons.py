"""One lesson as a learner and as a presenter: predict, reveal, keys, reload, larger type, no sideways scrolling."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Seen, Server, by_key, close_tab, new_tab, settled

pytestmark = pytest.mark.browser
LESSON = "lessons?lesson=entailment-graph"
SMALL_LETTERS = """() => [...document.querySelectorAll('.js-plotly-plot text, .js-plotly-plot tspan')]
    .filter(one => one.textContent.trim() && parseFloat(getComputedStyle(one).fontSize) < 22)
    .map(one => one.textContent)"""


def step_is(page: Page, number: int) -> None:
    """Wait until the page shows this step."""
    expect(page.get_by_text(re.compile(rf"^Step {number} of \d$"))).to_be_visible(timeout=30_000)
    settled(page)


def sideways(page: Page) -> int:
    """Return by how many pixels the page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_a_learner_predicts_sees_why_turns_steps_by_key_and_finds_it_all_again(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/lessons")
    settled(page)
    page.locator(".st-key-lesson-entailment-graph").get_by_role("button").click()
    step_is(page, 1)
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    by_key(page, "lessons.send").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(page)

    page.keyboard.press("ArrowRight")
    step_is(page, 2)
    page.keyboard.press("ArrowLeft")
    step_is(page, 1)
    page.reload()
    step_is(page, 1)
    expect(by_key(page, "lessons.send")).to_have_count(0)

    by_key(page, "lessons.reset").click()
    expect(by_key(page, "lessons.send")).to_be_visible(timeout=30_000)
    by_key(page, "lessons.undo").click()
    expect(by_key(page, "lessons.send")).to_have_count(0, timeout=30_000)
    assert seen.errors == [] and seen.hosts == {"127.0.0.1"}


def test_an_arrow_in_a_field_moves_within_it_and_turns_no_step(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/lessons?lesson=entailment-graph&step=3&learner=arrows")
    step_is(page, 3)
    page.get_by_test_id("stForm").locator("input").first.fill("1.8")
    page.keyboard.press("ArrowLeft")
    page.goto(f"{server.url}/lessons?lesson=entailment-graph&step=1&learner=arrows")
    step_is(page, 1)
    page.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(700)
    step_is(page, 1)


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 720, "light"), (1920, 1080, "dark")])
def test_a_presenter_is_read_from_the_last_row(
    browser: Browser, server: Server, width: int, height: int, scheme: str
) -> None:
    page = new_tab(browser, width, height, scheme)
    page.goto(f"{server.url}/{LESSON}&step=1&present=1&learner=teacher-{width}")
    step_is(page, 1)
    by_key(page, "lessons.look").click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    assert page.evaluate(SMALL_LETTERS) == []
    assert sideways(page) <= 0
    prose = page.get_by_test_id("stMarkdownContainer").locator("p").first
    assert float(prose.evaluate("one => getComputedStyle(one).fontSize").removesuffix("px")) >= 22

    page.keyboard.press("PageDown")
    step_is(page, 2)
    page.keyboard.press("PageUp")
    step_is(page, 1)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible(timeout=30_000)
    assert "present" not in page.url
    close_tab(page)


def test_a_presenters_remote_turns_the_pages_of_a_run(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run=capital-of-japan&present=1")
    settled(page)
    page.goto(f"{server.url}/seper?run=capital-of-japan&present=1")
    expect(page.get_by_role("heading", name="SePer")).to_be_visible(timeout=30_000)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(page)
    assert page.evaluate(SMALL_LETTERS) == []
    page.keyboard.press("PageDown")
    expect(page.get_by_role("heading", name="ETC", exact=True)).to_be_visible(timeout=30_000)
    assert "run=capital-of-japan" in page.url and "present=1" in page.url
    assert sideways(page) <= 0
