"""What a person does in the browser, with real models: ask, watch, look, paste, cancel, come back."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FIRST_MS, Seen, Server, close_tab, new_tab, settled, unmoved

pytestmark = [pytest.mark.browser, pytest.mark.weights]

# Each step of a run is bounded by this: two busy cores and a cold model.
RUN_MS = 420_000
METHOD_PAGES = {
    "dense": "DENSE",
    "seper": "SePer",
    "entropy_trend": "ETC",
    "quco_rag": "QuCo-RAG",
}


def open_form(page: Page, server: Server) -> None:
    """Open the empty Ask form."""
    page.goto(server.url)
    settled(page)
    expect(page.get_by_role("textbox", name="Your question", exact=True)).to_be_visible(timeout=30_000)


def run_id_of(page: Page) -> str:
    """Return the run that the address names."""
    page.wait_for_url(re.compile(r"[?&]run="), timeout=30_000)
    found = re.search(r"[?&]run=([\w-]+)", page.url)
    assert found
    return found.group(1)


def fill(page: Page, label: str, text: str) -> None:
    """Type into a box and leave it, as a person does before pressing a button."""
    box = page.get_by_role("textbox", name=label, exact=True)
    box.fill(text)
    box.press("Tab")
    settled(page)


def toggle(page: Page, *titles: str) -> None:
    """Tick methods that are not ticked, and take the tick from those that are."""
    page.get_by_text("Custom", exact=True).click()
    settled(page)
    for title in titles:
        page.get_by_test_id("stCheckbox").filter(has_text=re.compile(rf"^{re.escape(title)}$")).locator("label").click()
        settled(page)


def ended(page: Page) -> None:
    """Wait until the run shown has ended: no Cancel button, and none comes back when the page is drawn anew."""
    cancel = page.get_by_role("button", name="Cancel")
    for _ in range(20):
        expect(cancel).to_have_count(0, timeout=RUN_MS)
        page.wait_for_timeout(2_000)
        settled(page)
        if cancel.count() == 0:
            return
    raise AssertionError("the run did not end")


def under_way(page: Page) -> None:
    """Wait until the page shows the run as it goes on, or whole: a fast machine ends it while pages change."""
    cancel, whole = page.get_by_role("button", name="Cancel"), page.get_by_text("Provenance of this run")
    expect(cancel.or_(whole).first).to_be_visible(timeout=20_000)
    if cancel.count():
        expect(page.get_by_role("progressbar").or_(whole).first).to_be_visible()


@pytest.fixture(scope="module")
def finished_run(server: Server, browser) -> str:
    """Return a run of a sample question with all four methods, asked for and watched in the browser."""
    page = new_tab(browser)
    open_form(page, server)
    page.get_by_text("Use a sample question").click()
    box = page.get_by_role("combobox", name="Sample question")
    expect(box).to_be_visible()
    unmoved(page.get_by_test_id("stExpander").filter(has=box))
    box.click()
    page.get_by_role("option").first.click()
    settled(page)
    expect(page.get_by_role("textbox", name="Your question", exact=True)).not_to_have_value("")
    expect(page.get_by_text(re.compile("Cost:"))).to_be_visible()
    page.locator(".st-key-ask button").click()
    run_id = run_id_of(page)
    expect(page.get_by_role("button", name="Cancel")).to_be_visible(timeout=20_000)
    under_way(page)
    page.get_by_test_id("stSidebarNav").get_by_text("Guide").click()
    settled(page)
    page.goto(f"{server.url}/?run={run_id}")
    under_way(page)
    page.reload()
    ended(page)
    close_tab(page)
    return run_id


def test_a_sample_question_shows_all_four_kinds_of_evidence(finished_run: str, server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run={finished_run}")
    settled(page)
    for title in METHOD_PAGES.values():
        expect(page.get_by_text(title).first).to_be_visible()
    for path, title in METHOD_PAGES.items():
        page.goto(f"{server.url}/{path}?run={finished_run}")
        settled(page)
        expect(page.get_by_role("heading", name=re.compile(title, re.IGNORECASE)).first).to_be_visible(timeout=30_000)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    assert seen.errors == []
    assert seen.hosts == {"127.0.0.1"}


def test_a_run_was_asked_once_although_pages_changed_and_reloaded(
    finished_run: str, server: Server, seen: Seen
) -> None:
    from engine.methods import DEFAULT_METHODS
    from engine.runs.store import RunStore

    store = RunStore(server.home / "runs.sqlite")
    asked = [run for run in store.listing(limit=1000) if run.origin == "asked"]
    record = store.get(finished_run)
    store.close()
    assert [run.id for run in asked].count(finished_run) == 1
    assert record.state == "done"
    assert record.diagnosis is not None
    assert [o.method for o in record.diagnosis.outcomes] == list(DEFAULT_METHODS)


def test_own_passages_are_pasted_asked_and_drawn_as_text(server: Server, seen: Seen) -> None:
    page = seen.page
    open_form(page, server)
    fill(page, "Your question", "Who rebuilt the Vesper Clock?")
    hostile = "Lyra Quill rebuilt the Vesper Clock in 1890. <script>window.hacked = 1</script> 🌟 بنى الساعة"
    fill(page, "Passages, an empty line between", f"{hostile}\n\nThe harbour of Bremen is old.")
    page.get_by_role("button", name="Edit what was pasted").click()
    settled(page)
    expect(page.get_by_role("textbox", name="Text of passage 2")).to_be_visible()
    toggle(page, "DENSE", "SePer", "ETC")
    page.locator(".st-key-ask button").click()
    run_id = run_id_of(page)
    ended(page)
    # The prompt holds it too, behind an expander that is closed.
    expect(page.get_by_text("<script>window.hacked = 1</script>").filter(visible=True).first).to_be_visible()
    assert page.evaluate("window.hacked") is None
    page.goto(f"{server.url}/quco_rag?run={run_id}")
    settled(page)
    assert page.evaluate("window.hacked") is None
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert seen.errors == []


def test_a_run_is_cancelled_and_says_so(server: Server, seen: Seen) -> None:
    page = seen.page
    open_form(page, server)
    fill(page, "Your question", "Which sea lies north of the Suez Canal?")
    toggle(page, "Retrieval timing", "Utility of single passages")  # long enough that nobody's click comes too late
    page.locator(".st-key-ask button").click()
    run_id_of(page)
    page.get_by_role("button", name="Cancel").click(timeout=30_000)
    ended(page)
    expect(page.get_by_text(re.compile("Cancelled")).filter(visible=True).first).to_be_visible()


def test_an_empty_question_is_answered_with_a_sentence(server: Server, seen: Seen) -> None:
    open_form(seen.page, server)
    seen.page.locator(".st-key-ask button").click()
    settled(seen.page)
    expect(seen.page.get_by_text(re.compile("There is no question")).first).to_be_visible()
    assert "run=" not in seen.page.url


def test_a_stored_run_opens_from_the_list(finished_run: str, server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/runs")
    settled(page)
    expect(page.locator(".rm-rows").first).to_be_visible()
    page.goto(f"{server.url}/?run={finished_run}")
    settled(page)
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("button", name="Duplicate and change")).to_be_visible()


def test_a_killed_workbench_reopens_its_runs_without_loading_a_model(
    finished_run: str, server: Server, seen: Seen
) -> None:
    server.kill()
    server.start_again()
    seen.page.goto(f"{server.url}/seper?run={finished_run}")
    settled(seen.page, FIRST_MS)
    expect(seen.page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    resident = int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1))
    assert resident < 700_000, "a stored run is drawn without a model"
