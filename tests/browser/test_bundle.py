"""A run bundle in a real browser, opened from a file: figures in both modes, no request, nothing of it is run."""

from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from engine.diagnosis.serialize import from_json
from tests.browser.conftest import new_tab, read_until
from tests.browser.test_looks import RULES
from viz.runs.bundle import run_bundle

RECORD = Path(__file__).resolve().parents[2] / "sample_data" / "diagnoses" / "suez-empress.json"
HOSTILE = (
    '</script><script>window.ran = 1</script><img src=x onerror="window.ran = 1"><svg onload="window.ran = 1">'
    "<iframe src='http://example.org'></iframe><!--"
)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle whose question, gold answer, passages and answers try to break out of it."""
    diagnosis = from_json(RECORD.read_text(encoding="utf-8"))
    hits = tuple(replace(hit, passage=replace(hit.passage, text=HOSTILE, title=HOSTILE)) for hit in diagnosis.hits)
    spoilt = replace(diagnosis, question=HOSTILE, golds=(HOSTILE,), hits=hits)
    spoilt = replace(spoilt, answer=replace(spoilt.answer, text=HOSTILE, rendered=HOSTILE))
    file = tmp_path_factory.mktemp("bundle") / "run.html"
    file.write_text(run_bundle(spoilt, "hostile"), encoding="utf-8", newline="")
    return file


def opened(browser: Browser, file: Path, mode: str, width: int) -> tuple[Page, list[str], list[str]]:
    """Return a page opened from a file, what it asked for, and what went wrong."""
    page = new_tab(browser, width, scheme=mode)
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    every_figure_is_drawn(page)
    return page, asked, faults


def every_figure_is_drawn(page: Page) -> None:
    """Wait until each of the nine figures is drawn: they come one after another."""
    expect(page.locator(".rm-figure:has(.main-svg)")).to_have_count(9, timeout=30_000)


@pytest.mark.parametrize(("mode", "width"), [("dark", 1280), ("light", 1920)])
def test_it_opens_from_a_file_draws_every_figure_and_asks_for_nothing(
    browser: Browser, bundle: Path, mode: str, width: int
) -> None:
    page, asked, faults = opened(browser, bundle, mode, width)
    assert [url for url in asked if not url.startswith("data:")] == [bundle.as_uri()]
    assert faults == []
    assert page.locator(".rm-figure").count() == page.locator(".rm-figure:has(.main-svg)").count() == 9
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if mode == "light" else "rgb(16, 21, 29)")
    page.close()


PAPER = 703  # pixels between the margins of A4


def for_paper(page: Page) -> None:
    """Lay the page out as a printer of A4 sees it."""
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})


def has_width(page: Page, width: int) -> None:
    """Wait until the first figure has this width, in pixels."""
    drawn = "width => document.querySelector('.rm-figure .main-svg').getBoundingClientRect().width === width"
    page.wait_for_function(drawn, arg=width, timeout=5000)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_after_printing_figures_have_the_width_of_the_window_again(browser: Browser, bundle: Path, mode: str) -> None:
    page, _, faults = opened(browser, bundle, mode, 1280)
    has_width(page, 1216)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    has_width(page, 900)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")  # a print dialog changes no size of the window
    has_width(page, 1216)
    assert faults == []
    page.close()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_printed_page_is_light_and_no_figure_is_cut_at_its_edge(browser: Browser, bundle: Path, mode: str) -> None:
    page, _, faults = opened(browser, bundle, mode, 1280)
    for_paper(page)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    inks = page.eval_on_selector_all(".xtick text", "all => [...new Set(all.map(one => getComputedStyle(one).fill))]")
    assert "rgb(23, 32, 46)" in inks and "rgb(238, 242, 248)" not in inks
    right = "all => all.map(one => one.getBoundingClientRect().right)"
    ends = read_until(
        lambda: page.eval_on_selector_all(".rm-figure .main-svg", right), lambda ends: max(ends, default=0) <= PAPER
    )
    assert len(ends) >= 9 and max(ends) <= PAPER
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    has_width(page, 1216)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground, faults) == ("rgb(255, 255, 255)" if mode == "light" else "rgb(16, 21, 29)", [])
    page.close()


def test_on_a_phone_a_figures_title_wraps_and_a_figure_scrolls_in_its_own_box(browser: Browser, bundle: Path) -> None:
    page, _, _ = opened(browser, bundle, "light", 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    titles = page.locator(".rm-figure-title")
    assert titles.count() == page.locator(".rm-figure").count() == 9
    assert max(titles.evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")) <= 390
    assert page.locator(".gtitle").evaluate_all("all => all.filter(one => one.checkVisibility())") == []
    widths = page.locator(".rm-figure-wide").evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
    # Only the trend of entropy has three panels.
    assert sorted(tuple(one) for one in widths) == [(592, 326)] * 8 + [(900, 326)]
    page.close()


def test_axe_finds_nothing_in_an_exported_run(browser: Browser, bundle: Path) -> None:
    page = browser.new_page(bypass_csp=True)
    page.goto(bundle.as_uri())
    every_figure_is_drawn(page)
    assert Axe().run(page, options={"runOnly": list(RULES)}).response["violations"] == []
    page.close()


def test_nothing_that_a_passage_or_an_answer_says_is_run(browser: Browser, bundle: Path) -> None:
    page, _, _ = opened(browser, bundle, "light", 1280)
    assert page.evaluate("window.ran") is None
    assert page.locator("iframe, svg[onload], img").count() == 0
    page.close()


def test_its_policy_stops_a_script_that_was_put_in_and_every_connection(
    browser: Browser, bundle: Path, tmp_path: Path
) -> None:
    smuggled = bundle.read_text(encoding="utf-8").replace(
        "</main>", '<script>window.ran = 1</script><img src="http://127.0.0.1:9/x.png"></main>'
    )
    file = tmp_path / "smuggled.html"
    file.write_text(smuggled, encoding="utf-8", newline="")
    page = browser.new_page()
    stopped: list[str] = []
    faults: list[str] = []
    page.on("requestfailed", lambda request: stopped.append(request.failure or ""))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    with page.expect_event("requestfailed"):
        page.goto(file.as_uri())
    every_figure_is_drawn(page)
    assert page.evaluate("window.ran") is None
    assert [reason.lower() for reason in stopped] == ["csp"]
    assert any("Content Security Policy" in fault for fault in faults)
    page.close()


def test_a_table_is_saved_as_csv_and_a_figure_as_a_picture(browser: Browser, bundle: Path) -> None:
    page, _, _ = opened(browser, bundle, "dark", 1280)
    page.locator("details:has(a[download='dense-graph.csv']) summary").click()
    with page.expect_download() as saved:
        page.locator("a[download='dense-graph.csv']").click()
    assert Path(saved.value.path()).read_text(encoding="utf-8-sig").startswith("passage")
    page.locator("#figure-dense-entropy").scroll_into_view_if_needed()
    page.locator("#figure-dense-entropy").hover()
    with page.expect_download() as picture:
        page.locator("#figure-dense-entropy [data-title*='ownload']").first.click()
    assert picture.value.suggested_filename == "dense-entropy.png"
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    page.close()
