"""What a person does on the What if page, with real models: leave a passage out, run, read the word on it, undo."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seen, Server, settled
from tests.browser.test_looks import sticking_out

pytestmark = [pytest.mark.browser, pytest.mark.weights]
RUN_MS = 420_000


@pytest.fixture(scope="module")
def original(server: Server) -> str:
    """Return a run of two pasted passages that DENSE and SePer looked at with few draws."""
    from engine.core.records import Passage
    from engine.diagnosis.request import DiagnosisRequest
    from engine.methods.dense_records import DenseConfig
    from engine.methods.seper_records import SeperConfig
    from engine.runs.run import run_request
    from engine.runs.store import RunStore

    request = DiagnosisRequest(
        question="Who designed the Eiffel Tower?",
        passages=(
            Passage(title="Eiffel Tower", text="The Eiffel Tower was designed by the company of Gustave Eiffel."),
            Passage(title="Statue of Liberty", text="The Statue of Liberty was a gift from France."),
        ),
        golds=("Gustave Eiffel",),
        methods=("dense", "seper"),
        dense=DenseConfig(draws=2),
        seper=SeperConfig(samples=4),
    )
    store = RunStore(server.home / "runs.sqlite")
    run_id = store.create(request, run_id="what-if-original")
    store.finish(run_id, "done", diagnosis=run_request(request))
    store.close()
    return run_id


def test_a_passage_is_left_out_run_told_from_noise_and_undone(original: str, server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/?run={original}")
    settled(page)
    page.get_by_role("button", name="What if …").click()
    page.wait_for_url(re.compile("what_if"), timeout=30_000)
    settled(page)
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_text(re.compile("Changed: passage 1, “Eiffel Tower”, is left out"))).to_be_visible(
        timeout=30_000
    )
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("Nothing changed yet")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Redo").first.click()
    page.get_by_role("button", name="Run this variant").click()
    expect(page.get_by_role("heading", name="Compared with the original")).to_be_visible(timeout=RUN_MS)
    settled(page)
    expect(page.get_by_text("Changed: passage 1, “Eiffel Tower”, is left out.")).to_be_visible()
    expect(page.get_by_text(re.compile("^. (beyond noise|within noise|unclear|the same)$")).first).to_be_visible()
    page.get_by_role("tab", name="Differences as a figure").click()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    assert sticking_out(page) == 0
    page.get_by_role("button", name="Back to the original").click()
    page.wait_for_url(re.compile(f"run={original}"), timeout=30_000)
    settled(page)
    expect(page.get_by_text("Nothing changed yet")).to_be_visible(timeout=30_000)
    assert seen.errors == []


def test_the_box_for_a_passage_of_ones_own_stays_open_for_the_next_one(
    original: str, server: Server, seen: Seen
) -> None:
    page = seen.page
    page.goto(f"{server.url}/what_if?run={original}")
    settled(page)
    page.get_by_text("Write your own passage").click()
    box = page.get_by_role("textbox", name="Your passage")
    box.fill("Stephen Sauvestre drew the arches.")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text(re.compile("Changed: passage 3, .* is new"))).to_be_visible(timeout=30_000)
    settled(page)
    expect(box).to_be_visible()
    expect(box).to_have_value("")
    assert seen.errors == []
