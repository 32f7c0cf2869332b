"""Every page, light and dark: no exception, no console error, and contrast that passes WCAG AA by axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Server, settled

pytestmark = pytest.mark.browser
PAGES = (
    "",
    "runs",
    "compare",
    "trace",
    "numbers",
    "prompts",
    "thresholds",
    "annotate",
    "guide",
    "atlas",
    "dense",
    "dense_rag",
    "seper",
    "entropy_trend",
    "timing",
    "quco_rag",
    "sugar",
    "uncertainty",
    "chunk_utility",
)


def poor_contrast(page: Page) -> list[str]:
    """Return the elements whose text axe finds too faint."""
    result = Axe().run(page, options={"runOnly": ["color-contrast"]})
    return [node["html"][:160] for violation in result.response["violations"] for node in violation["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_with_something_real_and_readable(
    browser: Browser, server: Server, path: str, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server.url}/{path}")
    settled(page)
    assert page.get_by_test_id("stException").count() == 0
    # A button fades from one colour to the next; axe would measure a colour in between.
    page.evaluate("Promise.allSettled(document.getAnimations().map(animation => animation.finished))")
    poor = poor_contrast(page)
    context.close()
    assert errors == []
    assert poor == []
