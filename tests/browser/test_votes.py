"""A teacher's screen and two phones: join, vote, change, reveal, close; the phones follow without being reloaded."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.learning.lessons.polls import PollStore
from engine.learning.lessons.progress import FILE
from tests.browser.conftest import FIRST_MS, Server, by_key, faded, loaded, read_until, settled, start_server
from tests.browser.test_lessons import below_the_window, sideways, slide_is
from tests.browser.test_looks import found_of_ours

pytestmark = pytest.mark.browser
LESSON = "lessons?lesson=entailment-graph&step=1&slide=2&present=1&learner=reed"
FOLLOWS_MS = 10_000
OPTIONS = '[class*="st-key-vote-option"] button'


@pytest.fixture(scope="module")
def open_server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a workbench that listens on every address of the machine, as it does for a class."""
    started = start_server(tmp_path_factory.mktemp("class"), address="0.0.0.0")
    page = browser.new_context().new_page()
    page.goto(started.url)
    settled(page, FIRST_MS)
    page.context.close()
    yield started
    started.kill()


class Tab:
    """A browser of its own, with what failed in it and how often it was loaded."""

    def __init__(self, browser: Browser, address: str, width: int, height: int, scheme: str) -> None:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
        self.page: Page = context.new_page()
        self.errors: list[str] = []
        self.loads = 0
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("load", lambda _: self.loaded())
        self.page.goto(address)
        settled(self.page, FIRST_MS)

    def loaded(self) -> None:
        self.loads += 1

    def leave(self) -> None:
        self.page.context.close()
        assert self.errors == [] and self.loads == 1


def ballots_counted(teacher: Page, count: int) -> None:
    """Wait until the bar below the slide says how many have voted."""
    expect(teacher.get_by_role("status").filter(has_text=f"{count} vote")).to_be_visible(timeout=FOLLOWS_MS)


def tabs_to(page: Page, part: Locator) -> int:
    """Go by Tab to a part of the page; return after how many."""
    for tabs in range(1, 10):
        page.keyboard.press("Tab")
        if part.evaluate("one => one === document.activeElement"):
            return tabs
    raise AssertionError("the keyboard does not get there")


def quiet(page: Page) -> None:
    """Wait until a phone stands still."""
    settled(page)
    faded(page)


def test_a_class_votes_from_two_phones_which_follow_the_teacher(open_server: Server, browser: Browser) -> None:
    teacher = Tab(browser, f"{open_server.url}/{LESSON}", 1280, 720, "dark")
    screen = teacher.page
    slide_is(screen, 2)
    by_key(screen, "class.open").click()
    letters = screen.locator(".rm-join-code")
    expect(letters).to_be_visible(timeout=FOLLOWS_MS)
    code = letters.inner_text()
    assert float(letters.evaluate("one => getComputedStyle(one).fontSize").removesuffix("px")) >= 100
    picture = screen.get_by_role("img", name="QR code of http")
    assert read_until(lambda: picture.evaluate("one => one.complete && one.naturalWidth > 0"), bool)
    box = picture.bounding_box()
    assert box is not None and box["width"] == pytest.approx(box["height"], abs=1) and box["height"] >= 300
    assert box["y"] + box["height"] <= 720

    phones = [Tab(browser, f"{open_server.url}/vote?class={code}", 390, 844, one) for one in ("light", "dark")]
    ann, ben = (phone.page for phone in phones)
    for page in (ann, ben):
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=FOLLOWS_MS)
        assert page.locator(OPTIONS).count() == 0
        assert page.locator('[data-testid="stSidebar"]:visible, [data-testid="stSidebarNavLink"]').count() == 0

    screen.keyboard.press("PageDown")
    for page in (ann, ben):
        expect(page.locator(OPTIONS)).to_have_count(6, timeout=FOLLOWS_MS)
        quiet(page)
        assert all((one.bounding_box() or {})["height"] >= 44 for one in page.locator(OPTIONS).all())
        assert sideways(page) <= 0
        assert found_of_ours(page) == []

    # By keyboard alone; then another answer, which takes the place of the first.
    assert tabs_to(ann, ann.locator(OPTIONS).first) <= 3
    ann.keyboard.press("Enter")
    expect(ann.get_by_test_id("stAlert")).to_be_visible(timeout=FOLLOWS_MS)
    ann.locator(OPTIONS).nth(1).click()
    expect(ann.get_by_test_id("stAlert")).to_contain_text("1975", timeout=FOLLOWS_MS)
    ballots_counted(screen, 1)
    ben.locator(OPTIONS).nth(0).click()
    expect(ben.get_by_test_id("stAlert")).to_be_visible(timeout=FOLLOWS_MS)
    ballots_counted(screen, 2)
    assert screen.locator(".rm-votes").count() == 0
    quiet(ann)
    assert found_of_ours(ann) == []

    screen.keyboard.press("PageDown")
    slide_is(screen, 3)
    expect(screen.locator(".rm-votes figcaption")).to_have_text("1 of 2 votes right (50%)")
    expect(screen.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    settled(screen)
    assert below_the_window(screen) <= 2
    for page in (ann, ben):
        expect(page.locator(OPTIONS)).to_have_count(0, timeout=FOLLOWS_MS)
        expect(page.get_by_test_id("stAlert")).to_contain_text("degree", timeout=FOLLOWS_MS)
        quiet(page)
        assert found_of_ours(page) == []

    by_key(screen, "class.code").click()
    settled(screen)
    by_key(screen, "class.close").click()
    for page in (ann, ben):
        expect(page.get_by_role("textbox")).to_be_visible(timeout=FOLLOWS_MS)
        quiet(page)
        expect(page.get_by_test_id("stAlert")).to_be_visible()
        assert found_of_ours(page) == []
    slide_is(screen, 3)
    expect(screen.locator(".rm-votes")).to_have_count(0)
    for tab in (*phones, teacher):
        tab.leave()


def test_a_phone_that_is_loaded_again_has_its_vote_and_not_a_second_one(open_server: Server, browser: Browser) -> None:
    teacher = Tab(browser, f"{open_server.url}/{LESSON}-two", 1280, 720, "light")
    by_key(teacher.page, "class.open").click()
    code = teacher.page.locator(".rm-join-code").inner_text(timeout=FOLLOWS_MS)
    settled(teacher.page)
    teacher.page.keyboard.press("PageDown")
    phone = Tab(browser, f"{open_server.url}/vote", 390, 844, "light").page
    phone.get_by_role("textbox").fill(code.lower())
    phone.keyboard.press("Enter")
    expect(phone.locator(OPTIONS)).to_have_count(6, timeout=FOLLOWS_MS)
    phone.locator(OPTIONS).nth(2).click()
    expect(phone.get_by_test_id("stAlert")).to_be_visible(timeout=FOLLOWS_MS)
    phone.reload()
    expect(phone.get_by_test_id("stAlert")).to_be_visible(timeout=30_000)
    phone.locator(OPTIONS).nth(1).click()
    expect(phone.get_by_test_id("stAlert")).to_contain_text("1975", timeout=FOLLOWS_MS)
    teacher.page.keyboard.press("PageDown")
    slide_is(teacher.page, 3)
    expect(teacher.page.locator(".rm-votes figcaption")).to_have_text("1 of 1 vote right (100%)")
    phone.context.close()
    teacher.leave()


# Pairs of letters of a slide that lie over each other, without formulas and names that end in three dots.
LETTERS_OVER_LETTERS = """() => {
  const slide = document.querySelector('.st-key-slide'), boxes = [];
  const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || !parent.checkVisibility()) continue;
    if (parent.closest('.katex, .rm-vote-name, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) boxes.push([node.textContent.trim(), box]);
  }
  return boxes.flatMap(([said, a], place) => boxes.slice(place + 1).filter(([other, b]) =>
    other !== said
    && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.4 * Math.min(a.height, b.height)
  ).map(([other]) => `${said} / ${other}`));
}"""


@pytest.mark.parametrize(
    ("lesson", "step"),
    [("entailment-graph", 1), ("low-entropy", 4), ("co-occurrence", 2)],
)
def test_a_reveal_with_votes_fits_a_low_projector_and_draws_nothing_over_itself(
    open_server: Server, browser: Browser, lesson: str, step: int
) -> None:
    address = f"{open_server.url}/lessons?lesson={lesson}&step={step}&slide=1&present=1&learner=fit-{lesson}-{step}"
    teacher = Tab(browser, address, 1280, 720, "light")
    screen = teacher.page
    way = screen.get_by_role("progressbar", name="Slide")
    while "Reveal" not in by_key(screen, "lessons.next").inner_text():
        number = int(way.get_attribute("aria-valuenow") or 0)
        screen.keyboard.press("PageDown")
        slide_is(screen, number + 1)
    by_key(screen, "class.open").click()
    code = screen.locator(".rm-join-code").inner_text(timeout=FOLLOWS_MS)
    settled(screen)
    by_key(screen, "lessons.next").click()
    expect(screen.locator(".rm-vote-count")).to_be_visible(timeout=FOLLOWS_MS)
    polls = PollStore(open_server.home / FILE)
    poll = polls.find(code)
    assert poll is not None and poll.vote is not None and poll.question is not None
    for voter in range(8):
        given = str(voter % len(poll.question.options)) if poll.question.options else str(voter / 10)
        polls.cast(code, f"voter {voter}", poll.vote, given)
    by_key(screen, "lessons.next").click()
    expect(screen.locator(".rm-votes figcaption")).to_be_visible(timeout=FOLLOWS_MS)
    expect(screen.locator(".js-plotly-plot").first).to_be_visible(timeout=FIRST_MS)
    settled(screen, FIRST_MS)
    loaded(screen)
    assert below_the_window(screen) <= 2
    assert read_until(lambda: screen.evaluate(LETTERS_OVER_LETTERS), lambda found: not found, 5) == []
    teacher.leave()


def test_a_vote_on_many_words_leaves_the_slide_on_one_low_screen(open_server: Server, browser: Browser) -> None:
    lesson = "lessons?lesson=second-difference&step=1&slide=2&present=1&learner=lowe"
    teacher = Tab(browser, f"{open_server.url}/{lesson}", 1280, 720, "light")
    screen = teacher.page
    slide_is(screen, 2)
    by_key(screen, "class.open").click()
    code = screen.locator(".rm-join-code").inner_text()
    settled(screen)
    screen.keyboard.press("PageDown")
    store = PollStore(open_server.home / FILE)
    for _ in range(100):
        poll = store.find(code)
        if poll is not None and poll.vote is not None:
            break
        screen.wait_for_timeout(100)
    assert poll is not None and poll.vote is not None
    for word in range(12):
        store.cast(poll.code, f"voter {word}", poll.vote, str(word))
    ballots_counted(screen, 12)
    screen.keyboard.press("PageDown")
    slide_is(screen, 3)
    expect(screen.locator(".rm-vote-row").first).to_be_visible(timeout=30_000)
    settled(screen)
    assert below_the_window(screen) <= 2
    teacher.leave()
