"""A run bundle in a real browser, opened from a file: figures in both modes, no request, nothing of it is run."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from engine.diagnosis.serialize import from_json
from tests.browser.conftest import new_tab
from viz.bundle import run_bundle

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
    page.wait_for_selector(".rm-figure .main-svg")
    return page, asked, faults


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_it_opens_from_a_file_draws_every_figure_and_asks_for_nothing(
    browser: Browser, bundle: Path, mode: str, width: int
) -> None:
    page, asked, faults = opened(browser, bundle, mode, width)
    assert [url for url in asked if not url.startswith("data:")] == [bundle.as_uri()]
    assert faults == []
    figures = page.locator(".rm-figure").count()
    assert figures == 9
    assert page.locator(".rm-figure:has(.main-svg)").count() == figures
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if mode == "light" else "rgb(16, 21, 29)")
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
    page.goto(file.as_uri())
    page.wait_for_selector(".rm-figure .main-svg")
    assert page.evaluate("window.ran") is None
    assert [reason.lower() for reason in stopped] == ["csp"]
    assert any("Content Security Policy" in fault for fault in faults)
    page.close()


def test_a_table_is_saved_as_csv_and_a_figure_as_a_picture(browser: Browser, bundle: Path) -> None:
    page, _, _ = opened(browser, bundle, "dark", 1280)
    page.locator("details:has(a[download='dense-graph.csv']) summary").click()
    with page.expect_download() as saved:
        page.locator("a[download='dense-graph.csv']").click()
    assert Path(saved.value.path()).read_text(encoding="utf-8-sig").startswith("chunk")
    page.locator("#figure-dense-entropy").scroll_into_view_if_needed()
    page.locator("#figure-dense-entropy").hover()
    with page.expect_download() as picture:
        page.locator("#figure-dense-entropy [data-title*='ownload']").first.click()
    assert picture.value.suggested_filename == "dense-entropy.png"
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    page.close()
