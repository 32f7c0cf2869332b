"""Every page with a run open, light and dark, at 1280 and 1920: axe finds nothing of ours, nothing sticks out.

Plain pages without a run, the keyboard's way through Ask and DENSE, and the first link a fresh server is given.
"""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from engine.runs.store import RunStore
from tests.browser.conftest import Server, close_tab, faded, go_to, loaded, new_tab, read_until, settled, start_server
from tests.engine.catalogue.nine_methods import nine
from viz.parts.figure_parts import COMPACT
from viz.parts.theme import DARK, LIGHT

pytestmark = pytest.mark.browser
RUN = "nine-methods"
PAGES = (
    "",
    "documents",
    "models",
    "runs",
    "studies",
    "compare",
    "what_if",
    "trace",
    "numbers",
    "prompts",
    "thresholds",
    "annotate",
    "guide",
    "lessons",
    "atlas",
    "measured",
    "dense",
    "dense_rag",
    "seper",
    "entropy_trend",
    "timing",
    "quco_rag",
    "sugar",
    "uncertainty",
    "chunk_utility",
    "sufficiency",
    "contradictions",
    "question_parts",
)
METHODS = PAGES[PAGES.index("dense") :]
ON_A_PHONE = ("dense", "timing", "uncertainty", "quco_rag")
WIDTHS = (1280, 1920)
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# What axe finds in Streamlit's own widgets, which no page of ours can change: rule -> where, and why it is theirs.
STREAMLITS_OWN = {
    "list": ("stSidebarNavItems", "the page list is a ul whose groups are div elements between it and its items"),
    "listitem": ("stSidebarNavItems", "the same list, seen from its items"),
    "presentation-role-conflict": ("stFileUploaderDropzone", "the drop zone of files has role, name and tabindex"),
}
NARROW = (800, 390)
# Whether a part is what one sees at its own place.
SEEN = """one => { const box = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(box.x + 20, box.y + box.height / 2)); }"""
# Letters of figures and grids below 10 px, and figures wider than their column that no box of their own scrolls.
UNREADABLE = """() => [
    ...[...document.querySelectorAll('.js-plotly-plot text, .rm-grid :is(td, th)')]
        .filter(one => one.checkVisibility() && one.textContent.trim())
        .filter(one => parseFloat(getComputedStyle(one).fontSize) < 10)
        .map(one => one.textContent),
    ...[...document.querySelectorAll('.js-plotly-plot, .rm-grid')]
        .filter(one => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1
            && !one.closest('[class*="st-key-wide-"], .rm-grid-wide'))
        .map(one => one.className)]"""
# The page's own style sheet names the colours of the scheme that its script was told.
STYLED_IN = "colour => [...document.querySelectorAll('.stHtml style')].some(one => one.textContent.includes(colour))"
WIDER = """() => Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]
    .map(part => part.scrollWidth - part.clientWidth))"""
IN_STREAMLITS_LIST = "target => target.every(selector => !!document.querySelector(selector)?.closest(%r))"


@pytest.fixture(scope="module")
def with_run(server: Server) -> Server:
    """Return the workbench with a run of all methods in its store."""
    store = RunStore(server.home / "runs.sqlite")
    store.import_json(nine().to_json(), run_id=RUN)
    store.close()
    return server


def open_page(
    browser: Browser, address: str, scheme: str = "light", width: int = WIDTHS[0], height: int = 900
) -> Iterator[Page]:
    """Yield a page that has been drawn, and assert afterwards that no script of it failed."""
    page = new_tab(browser, width, height, scheme)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    settled(page, timeout=90_000)
    loaded(page, timeout=90_000)
    assert page.get_by_test_id("stException").count() == 0
    # A button fades from one colour to the next; axe would measure a colour in between.
    faded(page)
    yield page
    close_tab(page)
    assert errors == []


def found_of_ours(page: Page, *rules: str) -> list[str]:
    """Return what axe finds, of any impact, and is not among Streamlit's own, as rule and element.

    Looked for are the rules of every standard in ``RULES``, or only those named here. What is found is looked for
    again: a page that a table has just asked to be drawn anew is pale for a moment.
    """
    if not seen_by_axe(page, *rules):
        return []
    page.wait_for_timeout(1500)
    settled(page)
    faded(page)
    return seen_by_axe(page, *rules)


def seen_by_axe(page: Page, *rules: str) -> list[str]:
    """Return what axe finds on the page as it stands now, but for Streamlit's own."""
    found = []
    only = {"type": "rule", "values": list(rules)} if rules else list(RULES)
    result = Axe().run(page, options={"runOnly": only, "resultTypes": ["violations"]})
    for violation in result.response["violations"]:
        theirs = STREAMLITS_OWN.get(violation["id"])
        for node in violation["nodes"]:
            place = f'[data-testid="{theirs[0]}"]' if theirs else ""
            if not theirs or not page.evaluate(IN_STREAMLITS_LIST % place, node["target"]):
                found.append(f"{violation['id']}: {node['html'][:160]}")
    return found


def sticking_out(page: Page) -> int:
    """Return by how many pixels the page or its main part is wider than what is seen of it.

    A table takes a moment to follow a window that has become narrower, so a page may have three seconds.
    """
    return read_until(lambda: int(page.evaluate(WIDER)), lambda wider: wider == 0, 3)


def tops(page: Page, selector: str) -> list[float]:
    """Return where the parts that a selector finds begin, in pixels from the top of the window, once nothing moves."""
    expect(page.locator(selector).first).to_be_visible()
    seen: list[float] = [-1.0]
    for _ in range(20):
        now = [box["y"] for one in page.locator(selector).all() if (box := one.bounding_box()) is not None]
        if now == seen:
            break
        seen = now
        page.wait_for_timeout(250)
    return seen


def assert_figure_first(page: Page, method: str) -> None:
    """Assert that the picture begins in the upper third of a laptop's screen, under one bar and one short sentence."""
    # The checks of sentences and of parts show words; nothing contradicts anything in this run.
    words = {"contradictions": ".rm-brief", "question_parts": ".rm-verdict"}
    shown = {**words, "timing": ".rm-lanes", "uncertainty": ".rm-measures"}.get(method, ".js-plotly-plot")
    assert tops(page, shown)[0] <= 300
    assert tops(page, ".st-key-method-bar")[0] + page.locator(".st-key-method-bar").bounding_box()["height"] <= 110
    assert len(page.locator(".rm-brief").inner_text().split()) <= 15


def assert_figure_early(page: Page, method: str, width: int) -> None:
    """Assert on a narrow screen that the figure or its title begins within 300 px, nothing sticks out, and all is seen.

    The line that stays while one scrolls is one line, in view and nowhere else. A figure wider than a phone scrolls in
    its own box.
    """
    page.set_viewport_size({"width": width, "height": 900})
    assert sticking_out(page) == 0
    words = {"contradictions": ".rm-brief", "question_parts": ".rm-brief", "uncertainty": ".rm-measures"}
    drawn = f"{words.get(method, '.js-plotly-plot, .rm-figure-title, .rm-grid-title')} >> visible=true"
    assert tops(page, drawn)[0] <= 300
    assert read_until(lambda: page.evaluate(UNREADABLE), lambda found: not found, 3) == []
    line, main = page.locator(".rm-run-line"), page.get_by_test_id("stMain")
    assert not read_until(lambda: line.evaluate(SEEN), lambda seen: not seen, 3)
    room = main.evaluate("one => (one.scrollTop = 600, one.scrollTop)")
    if room >= 400:  # else the page is too short to scroll past its bar
        assert read_until(lambda: line.evaluate(SEEN), bool, 3) and line.bounding_box()["height"] <= 64  # type: ignore[index]
    main.evaluate("one => one.scrollTop = 0")


def assert_title_free(page: Page) -> None:
    """Assert that nothing lies over the title of a method on a phone, and that nothing sticks out."""
    page.set_viewport_size({"width": 390, "height": 800})
    faded(page)
    heads, bar = tops(page, ".st-key-method-bar h1"), page.get_by_test_id("stHeader").bounding_box()
    assert bar is not None and heads[0] >= bar["y"] + bar["height"]
    assert sticking_out(page) == 0


def switch_scheme(page: Page) -> None:
    """Switch an open page from light to dark or back; the page follows by itself. A second load takes seconds."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.wait_for_function(STYLED_IN, arg=(LIGHT if dark else DARK).text, timeout=60_000)
    settled(page)
    loaded(page)
    faded(page)


def wider_at(page: Page, width: int) -> int:
    """Return by how many pixels the page sticks out of a screen this wide."""
    page.set_viewport_size({"width": width, "height": 900})
    wider = sticking_out(page)
    settled(page)
    return wider


@pytest.fixture(scope="module")
def walked(browser: Browser, with_run: Server) -> Iterator[Page]:
    """Yield one tab for all pages of the run: the tests below go from page to page by the list of pages."""
    yield from open_page(browser, f"{with_run.url}/?run={RUN}")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_with_a_run_is_accessible_and_never_wider_than_the_screen(walked: Page, path: str) -> None:
    page = walked
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    go_to(page, path)
    assert f"run={RUN}" in page.url and page.get_by_test_id("stException").count() == 0
    if path in METHODS:
        assert_figure_first(page, path)
    assert {width: wider_at(page, width) for width in reversed(WIDTHS)} == dict.fromkeys(WIDTHS, 0)
    faded(page)
    assert found_of_ours(page) == []
    # Between the schemes only colours differ, so the places of things are looked at once, in the scheme left before.
    switch_scheme(page)
    assert found_of_ours(page, "color-contrast") == []
    if path in ON_A_PHONE:
        assert_title_free(page)
    if path in METHODS:
        for width in NARROW:
            assert_figure_early(page, path, width)


@pytest.mark.parametrize("path", ["", "runs", "annotate"])
def test_a_page_without_a_run_is_accessible_too(browser: Browser, with_run: Server, path: str) -> None:
    for page in open_page(browser, f"{with_run.url}/{path}"):
        assert (found_of_ours(page), sticking_out(page)) == ([], 0)


def walk(page: Page, steps: int) -> list[dict[str, str]]:
    """Return what the tab key reaches, one after another: its words, its kind, and the ring drawn round it."""
    reached = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => {
                    let one = document.activeElement;
                    const kind = one.closest('[data-testid]')?.dataset.testid ?? '';
                    while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
                    const style = getComputedStyle(one);
                    // The link of a card rings the whole card.
                    const ringed = (drawn) => drawn.outlineStyle !== 'none' && parseFloat(drawn.outlineWidth) >= 2;
                    const after = getComputedStyle(one, '::after');
                    const ring = ringed(style) || ringed(after) || style.boxShadow !== 'none';
                    const edge = getComputedStyle(one.closest('[data-testid$=RootElement]') ?? one).borderTopColor;
                    const words = one.getAttribute('aria-label') || one.innerText || one.title || '';
                    return {words, kind, ring: String(ring), edge, tag: one.tagName};
                }"""
            )
        )
        if reached[-1]["tag"] == "BODY":
            return reached[:-1]
    return reached


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (
            "?",
            ("capital of France", "Your question", "Sample encyclopaedia", "Retriever", "Model, judge and seed", "Ask"),
        ),
        (
            f"dense?run={RUN}",
            ("Run", "Tables as CSV", "All numbers of this run", "Graph", "passage 1", "Wording"),
        ),
        (
            f"?run={RUN}",
            ("New question", "What if …", "More", "Keys of this page", "DENSE", "Provenance of this run", "Go to …"),
        ),
    ],
)
def test_the_tab_key_reaches_every_part_and_shows_where_it_is(
    browser: Browser, with_run: Server, path: str, wanted: tuple[str, ...]
) -> None:
    for page in open_page(browser, f"{with_run.url}/{path}"):
        reached = walk(page, 140)
        assert reached[0]["kind"] == "stSkipToContent"
        assert [part for part in wanted if not any(part in one["words"] for one in reached)] == []
        unmarked = [one for one in reached if one["ring"] == "false" and "TextArea" not in one["kind"]]
        assert [one for one in unmarked if one["tag"] not in ("INPUT", "TEXTAREA")] == []


def test_the_skip_link_leads_past_the_page_list(browser: Browser, with_run: Server) -> None:
    for page in open_page(browser, f"{with_run.url}/seper?run={RUN}"):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("() => !!document.activeElement.closest('[data-testid=stMain]')")


def test_the_twin_table_of_a_graph_opens_with_the_keyboard_alone(browser: Browser, with_run: Server) -> None:
    for page in open_page(browser, f"{with_run.url}/dense?run={RUN}"):
        page.get_by_role("tab", name="Graph").focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        settled(page)
        expect(page.get_by_role("tab", name="Table")).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel").locator(".rm-rows").filter(visible=True).first).to_be_visible()


def test_the_verdict_is_seen_without_scrolling_on_a_projector_at_150_percent(
    browser: Browser, with_run: Server
) -> None:
    for page in open_page(browser, f"{with_run.url}/dense?run={RUN}", width=853, height=480):
        tops(page, ".rm-line")  # what stands above has its last height
        box = page.locator(".rm-line").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 480
        assert sticking_out(page) == 0


def test_the_first_screen_of_a_run_tells_its_story_at_every_width(browser: Browser, with_run: Server) -> None:
    for page in open_page(browser, f"{with_run.url}/?run={RUN}"):
        expect(page.locator(".js-plotly-plot")).to_have_count(4)
        figures = tops(page, ".js-plotly-plot")
        assert len(figures) == 4 and max(figures) + COMPACT <= 900, "all four are whole on the first screen"
        for part in ("h1.rm-question", ".rm-headline", ".rm-flow"):
            box = page.locator(part).bounding_box()
            assert box is not None and box["y"] + box["height"] < 450
        assert page.locator(".rm-end .rm-mark").count() == 2
        assert page.locator(".rm-flow details").count() == 3
        for width in (1920, 1280, 800, 390):
            page.set_viewport_size({"width": width, "height": 900})
            tops(page, ".rm-flow")
            story, passages = (page.locator(f".st-key-{name}").bounding_box() for name in ("story", "story-passages"))
            assert story is not None and passages is not None
            assert (passages["x"] > story["x"] + story["width"]) == (width == 1920)
            assert sticking_out(page) == 0
            left = "ends => ends.map(end => end.getBoundingClientRect().x)"
            flow = page.locator(".rm-end").evaluate_all(left)
            assert (flow[0] == flow[1]) == (width < 1000), "on a narrow screen the answers stand below each other"
        # The last of these widths is a phone's.
        actions = page.locator(".st-key-story-actions > *").evaluate_all(
            "parts => parts.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().y)"
        )
        assert len(actions) == 4 and max(actions) - min(actions) < 3, "the button of the keys stands beside the others"


def colours(page: Page, first: str, second: str, what: str = "backgroundColor") -> tuple[str, str]:
    """Return one computed colour of two elements."""
    found = [page.locator(one).first.evaluate(f"one => getComputedStyle(one).{what}") for one in (first, second)]
    return found[0], found[1]


def test_with_a_persons_own_colours_it_is_seen_what_is_chosen_ticked_and_set(
    browser: Browser, with_run: Server
) -> None:
    """Forced colours take every background away, which is all that Streamlit's widgets show it by."""
    page = new_tab(browser)
    page.emulate_media(forced_colors="active")
    page.goto(f"{with_run.url}/timing?run={RUN}")
    settled(page)
    loaded(page)
    tab, others = '[role="tab"][aria-selected="true"]', '[role="tab"][aria-selected="false"]'
    assert len(set(colours(page, tab, others, "borderBottomWidth"))) == 2
    groove = '[data-testid="stSlider"] [role="group"] > [data-orientation] > div:not([data-rac])'
    assert len(set(colours(page, groove, "body"))) == 2
    go_to(page, "trace")
    part = '[data-testid="stButtonGroup"] [role="radio"]'
    assert len(set(colours(page, f'{part}[aria-checked="true"]', f'{part}[aria-checked="false"]'))) == 2
    page.goto(with_run.url)
    settled(page)
    page.get_by_text("Methods one by one").click()
    ticked = page.locator('[data-testid="stCheckbox"] label[data-selected]').first
    expect(ticked).to_be_visible()
    stroke = ticked.locator("polyline").evaluate("one => getComputedStyle(one).stroke")
    assert stroke != page.locator("body").evaluate("one => getComputedStyle(one).backgroundColor")
    close_tab(page)


def test_the_first_link_a_fresh_server_is_given_finds_its_page(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fresh = start_server(tmp_path_factory.mktemp("fresh"), launcher=True)
    try:
        for page in open_page(browser, f"{fresh.url}/guide"):
            expect(page.get_by_role("heading", name="Guide", exact=True)).to_be_visible()
            assert page.get_by_text(re.compile("Page not found")).count() == 0
            page.goto(f"{fresh.url}/ask?run=capital-of-japan")
            expect(page.locator(".rm-flow")).to_be_visible(timeout=60_000)
            expect(page).to_have_url(f"{fresh.url}/?run=capital-of-japan")
            # The style of the first bytes comes last on a page: it must not outdo the projector's.
            page.set_viewport_size({"width": 1280, "height": 720})
            page.goto(f"{fresh.url}/lessons?lesson=belief&slide=1&step=2&present=1")
            expect(page.locator(".st-key-slide")).to_be_visible(timeout=60_000)
            settled(page)
            # 0.3 rem of the projector's 22 px, on a low screen.
            expect(page.get_by_test_id("stMainBlockContainer")).to_have_css("padding-top", "6.6px")
    finally:
        fresh.kill()
