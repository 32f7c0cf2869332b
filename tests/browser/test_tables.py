"""Tables that scroll: no row is cut by the edge of its box, and a chosen run takes no more room than the others."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seen, Server, read_until, settled

pytestmark = pytest.mark.browser
ROOM = 460
# The pixels of the last row in view that lie below the edge of the box, how tall the box is, and whether more is said
# to follow.
EDGE = """() => {
  const box = document.querySelector('.rm-rows[style*=max-height]');
  const rows = [...box.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect());
  const edge = box.getBoundingClientRect().top + box.clientTop + box.clientHeight;
  const last = rows.filter((row) => row.top < edge - 1).at(-1);
  return [Math.max(0, last.bottom - edge), box.offsetHeight, box.classList.contains('rm-more')];
}"""


def edge_of(page: Page) -> tuple[float, float, bool]:
    """Return what is cut off the last row in view, in pixels, the height of its box, and whether more follows."""
    cut, height, more = page.evaluate(EDGE)
    return float(cut), float(height), bool(more)


@pytest.mark.parametrize("address", ["numbers?run=apollo-8-orbits", "runs?run=capital-of-japan"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_box_of_rows_ends_below_a_whole_row_and_says_that_more_follow(
    server: Server, seen: Seen, address: str, width: int
) -> None:
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{server.url}/{address}")
    settled(page)
    page.wait_for_selector(".rm-rows.rm-more")
    # Shadows at the sides stay, what covers them goes along: where columns are out of view, one is seen.
    assert (
        page.evaluate("() => getComputedStyle(document.querySelector('.rm-rows')).backgroundAttachment")
        == "local, local, scroll, scroll"
    )
    cut, height, more = read_until(lambda: edge_of(page), lambda edge: edge[0] <= 1)
    assert cut <= 1 and more
    assert ROOM / 2 < height <= ROOM
    page.evaluate("() => { const box = document.querySelector('.rm-more'); box.scrollTop = box.scrollHeight; }")
    page.wait_for_function("() => !document.querySelector('.rm-rows.rm-more')")
    assert seen.errors == []


def test_a_chosen_run_is_three_lines_high_as_the_others_are(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/runs?run=capital-of-japan")
    settled(page)
    expect(page.locator(".rm-picked-row")).to_have_count(1)
    heights = page.evaluate(
        "() => [...document.querySelectorAll('.rm-rows tbody tr')].map((row) => [row.offsetHeight,"
        " row.classList.contains('rm-picked-row')])"
    )
    chosen = [height for height, picked in heights if picked]
    assert len(chosen) == 1 and chosen[0] <= max(height for height, picked in heights if not picked)
