"""One question, two models: from a run another model is asked the same, and Compare shows both side by side."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen, Server, settled
from tests.browser.test_journey import ended

pytestmark = [pytest.mark.browser, pytest.mark.weights]


@pytest.fixture(scope="module")
def original(server: Server) -> str:
    """Return a run of one pasted passage that SePer looked at with few samples."""
    from engine.core.records import Passage
    from engine.diagnosis.request import DiagnosisRequest
    from engine.methods.seper_records import SeperConfig
    from engine.runs.run import run_request
    from engine.runs.store import RunStore

    request = DiagnosisRequest(
        question="Who designed the Eiffel Tower?",
        passages=(Passage(title="Eiffel Tower", text="The Eiffel Tower was designed by Gustave Eiffel."),),
        golds=("Gustave Eiffel",),
        methods=("seper",),
        seper=SeperConfig(samples=4),
    )
    store = RunStore(server.home / "runs.sqlite")
    run_id = store.create(request, run_id="one-question")
    store.finish(run_id, "done", diagnosis=run_request(request))
    store.close()
    return run_id


def test_another_model_is_asked_the_same_and_compare_shows_both(original: str, server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run={original}")
    settled(page)
    page.get_by_role("button", name="More").click()
    expect(page.get_by_text("Ask another model")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Ask it").click()
    page.wait_for_url(re.compile(rf"run=(?!{original})"), timeout=60_000)
    other = re.search(r"run=([\w-]+)", page.url)
    assert other is not None
    ended(page)
    page.get_by_role("button", name="Compare with it").click()
    page.wait_for_url(re.compile(f"a={original}&b={other[1]}"), timeout=60_000)
    settled(page)
    expect(page.get_by_text("Open A, by SmolLM2-135M reader")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Open B, by SmolLM2-135M", exact=True)).to_be_visible()
    assert seen.errors == []
