"""A run whose every text is an attack, on all pages in a real browser: no stranger is asked, all is drawn as text."""

import pytest
from playwright.sync_api import Page

from engine.runs.store import RunStore
from tests.browser.conftest import Seen, Server, go_to, settled, unfold
from tests.browser.test_looks import PAGES
from tests.engine.catalogue.nine_methods import nine
from tests.pages.hostile_run import HOST, hostile_copy

pytestmark = pytest.mark.browser
RUN = "hostile-run"
# What the attack would be drawn as: images, links, the icon and the emoji it names, tags.
MORE_THAN_TEXT = (
    f'[src*="{HOST}"], a[href*="{HOST}"], a[href*="stranger"], [role="img"][aria-label="home icon"], img[src="x"], '
    'img[alt="Streamlit logo"]'
)


@pytest.fixture(scope="module")
def attacked(server: Server) -> Server:
    """Return the workbench with the run in its store, and one made from it."""
    store = RunStore(server.home / "runs.sqlite")
    store.import_json(hostile_copy(nine()).to_json(), run_id=RUN)
    store.import_json(hostile_copy(nine()).to_json(), run_id=f"{RUN}-2")
    store.close()
    return server


def drawn(page: Page) -> dict[str, object]:
    """Return what of the attack is more than text on the page with everything unfolded, {} where nothing is."""
    unfold(page)
    more = page.locator(MORE_THAN_TEXT)
    found: dict[str, object] = {"elements": more.evaluate_all("all => all.map(one => one.outerHTML.slice(0, 160))")}
    words = page.locator("body").inner_text()
    found["emoji"] = [one for one in ("😄", "→ " + HOST) if one in words]
    found["faults"] = page.get_by_test_id("stException").count()
    return {name: value for name, value in found.items() if value}


def test_a_run_full_of_attacks_asks_no_stranger_and_is_drawn_as_text(attacked: Server, seen: Seen) -> None:
    found = {}
    for address in (f"compare?a={RUN}&b={RUN}-2", f"?run={RUN}"):
        seen.page.goto(f"{attacked.url}/{address}")
        settled(seen.page, 90_000)
        found[address] = drawn(seen.page)
    for path in filter(None, PAGES):
        go_to(seen.page, path)
        assert f"run={RUN}" in seen.page.url, path
        found[path] = drawn(seen.page)
    assert {place: more for place, more in found.items() if more} == {}
    assert seen.hosts <= {"127.0.0.1", "", "localhost"}
    assert seen.page.evaluate("window.hacked") is None


def test_the_attack_is_one(attacked: Server, seen: Seen) -> None:
    """An image of the stranger's is asked for and found: the test above can fail."""
    seen.page.goto(attacked.url)
    settled(seen.page, 90_000)
    image = f"Object.assign(new Image(), {{src: 'http://{HOST}/i.png'}})"
    with seen.page.expect_request(lambda request: HOST in request.url):
        seen.page.evaluate(f"() => {{ document.body.append({image}) }}")
    assert HOST in seen.hosts
    assert seen.page.locator(MORE_THAN_TEXT).count() == 1
