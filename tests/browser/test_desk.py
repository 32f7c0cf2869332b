"""Two people at one workbench, with real models: a link re-attaches, who waits sees it, a cancelled run goes on."""

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.runs.store import RunStore
from tests.browser.conftest import Server, settled
from tests.browser.test_journey import RUN_MS, ended, fill, open_form, run_id_of, toggle

pytestmark = [pytest.mark.browser, pytest.mark.weights]
SLOW = ("DENSE", "SePer", "ETC", "Sufficiency")
MORE = ("DENSE-RAG", "Retrieval timing", "SUGAR", "Uncertainty baselines", "Utility of single passages")


def person(browser: Browser) -> Page:
    """Return a page of a browser of its own, which shares nothing with another's."""
    return browser.new_context(viewport={"width": 1280, "height": 900}).new_page()


def filled(page: Page, server: Server, question: str, *without: str) -> Page:
    """Return a page whose form asks a question, without some of the usual methods; nothing is asked yet."""
    open_form(page, server)
    fill(page, "Your question", question)
    toggle(page, *without)
    return page


def asked(page: Page) -> str:
    """Return the id of the run that a filled form starts."""
    page.locator(".st-key-ask button").click()
    return run_id_of(page)


def test_a_link_re_attaches_a_queue_is_fair_and_a_cancelled_run_goes_on(server: Server, browser: Browser) -> None:
    ann, bob = person(browser), person(browser)
    # The first run has every method and both forms are filled before it begins, so that it lasts while pages load.
    anns_next = filled(ann.context.new_page(), server, "Who wrote Hamlet?", *SLOW)
    bobs_next = filled(bob.context.new_page(), server, "What is the capital of France?", *SLOW)
    first = asked(filled(ann, server, "On what date was the Suez Canal opened?", *MORE))
    second, third = asked(anns_next), asked(bobs_next)
    expect(bobs_next.get_by_text(re.compile("number 1 in the queue"))).to_be_visible(timeout=30_000)
    anns_next.reload()
    expect(anns_next.get_by_text(re.compile("number 2 in the queue"))).to_be_visible(timeout=30_000)

    bob.goto(f"{server.url}/?run={first}")
    expect(bob.get_by_role("progressbar").first).to_be_visible(timeout=30_000)
    expect(bob.locator(".rm-word").filter(has_text="Running")).to_be_visible(timeout=RUN_MS)
    expect(ann.locator(".rm-passage").first).to_be_visible(timeout=RUN_MS)

    ann.get_by_role("button", name="Cancel").click(timeout=30_000)
    began = time.monotonic()
    expect(ann.get_by_text(re.compile("Cancelled on request"))).to_be_visible(timeout=20_000)
    print(f"cancelled after {time.monotonic() - began:.1f} s")
    go_on = ann.get_by_role("button", name="Resume")
    settled(ann)
    expect(go_on).to_be_visible()
    go_on.click()
    expect(ann.get_by_role("button", name="Cancel")).to_be_visible(timeout=30_000)

    ended(bobs_next)
    ended(ann)
    expect(ann.get_by_text("Not computed")).to_have_count(0)
    store = RunStore(server.home / "runs.sqlite")
    runs = {run_id: store.get(run_id) for run_id in (first, second, third)}
    store.close()
    assert [run.state for run in runs.values()] == ["done"] * 3
    assert runs[third].started_at < runs[second].started_at
    whole = runs[first].diagnosis
    assert whole is not None and {outcome.status for outcome in whole.outcomes} <= {"done", "not measured"}
    settled(ann)
    for page in (ann, bob):
        page.context.close()
