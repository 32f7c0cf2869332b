"""Saved figures: the page's font goes into the picture, so that no word lies over another one."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seen, Server, loaded, settled, unmoved

pytestmark = pytest.mark.browser
# The width that the legend's words have in an SVG that stands alone, without the page's own fonts.
WORDS = """async (text) => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.contentDocument.body.innerHTML = text;
  await frame.contentDocument.fonts.load('14px "Source Sans"');
  const width = (root) => root.querySelector('.legendtext').getBoundingClientRect().width;
  return [width(frame.contentDocument), width(document)];
}"""


def saved(page: Page, path: Path, modifiers: list[str]) -> tuple[str, bytes]:
    """Return the name and the content of what the figure's only button saves, pressed with these keys."""
    page.locator(".js-plotly-plot").first.hover()
    with page.expect_download() as download:
        page.locator(".modebar-btn").first.click(modifiers=modifiers)  # type: ignore[arg-type]
    download.value.save_as(path)
    return download.value.suggested_filename, path.read_bytes()


def test_a_saved_figure_has_the_letters_of_the_page(server: Server, seen: Seen, tmp_path: Path) -> None:
    page = seen.page
    page.goto(f"{server.url}/dense?run=apollo-8-orbits")
    settled(page)
    expect(page.locator(".js-plotly-plot .legendtext").first).to_be_visible(timeout=30_000)
    loaded(page)
    box = unmoved(page.locator(".js-plotly-plot .main-svg").first).bounding_box()
    name, png = saved(page, tmp_path / "png", [])
    assert name == "dense-graph.png" and box is not None
    wide, high = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    # Twice as large as on the page, with an edge of 16 pixels all around.
    assert (wide, high) == (2 * round(box["width"] + 32), 2 * round(box["height"] + 32))
    name, svg = saved(page, tmp_path / "svg", ["Shift"])
    assert name == "dense-graph.svg" and b"font/woff2" in svg
    alone, shown = page.evaluate(WORDS, svg.decode())
    assert alone == pytest.approx(shown, abs=1)
    assert seen.errors == []
