"""Another pipeline's answer brought as a file, two runs held beside each other, a prompt read and its seal."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import Seen, Server, by_key, settled

pytestmark = pytest.mark.browser
SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


def test_a_trace_is_brought_as_a_file_and_a_damaged_one_gets_a_sentence(
    server: Server, seen: Seen, tmp_path: Path
) -> None:
    page, damaged = seen.page, tmp_path / "damaged.json"
    damaged.write_text('{"question": ', encoding="utf-8")
    page.goto(f"{server.url}/trace")
    expect(page.get_by_role("heading", name="Trace", exact=True)).to_be_visible(timeout=30_000)
    settled(page)
    page.get_by_text("A file", exact=True).click()
    settled(page)
    page.locator('input[type="file"]').set_input_files(str(damaged))
    expect(page.get_by_test_id("stAlert").filter(has_text="JSON").first).to_be_visible(timeout=30_000)
    page.locator('input[type="file"]').set_input_files(str(SAMPLE / "traces" / "openai_logprobs.json"))
    expect(by_key(page, "trace.ask")).to_be_enabled(timeout=30_000)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    assert seen.errors == []
    assert seen.hosts == {"127.0.0.1"}


def test_a_file_that_replaces_another_is_drawn_in_a_slow_browser(server: Server, seen: Seen) -> None:
    """Two reruns follow at once, without a file and with it; what the first forgets, the second must not refer to."""
    page, example = seen.page, SAMPLE / "traces" / "openai_logprobs.json"
    received: list[ForwardMsg] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(message_of(data))))
    page.goto(f"{server.url}/trace")
    expect(by_key(page, "trace.ask")).to_be_enabled(timeout=30_000)  # the first example: this very trace
    settled(page)
    page.get_by_text("A file", exact=True).click()
    settled(page)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    for name in ("langchain.json", example.name):
        page.locator('input[type="file"]').set_input_files(str(example.with_name(name)))
        expect(page.get_by_role("button", name=f"Remove {name}")).to_be_visible(timeout=60_000)
    expect(page.locator("[class*=st-key-trace-flare]").first).to_be_visible(timeout=60_000)
    expect(by_key(page, "trace.ask")).to_be_enabled(timeout=60_000)
    assert [message.ref_hash for message in received if message.ref_hash] == []
    assert seen.errors == []


def message_of(data: str | bytes) -> ForwardMsg:
    """Return what the server sent as one frame."""
    message = ForwardMsg()
    message.ParseFromString(data if isinstance(data, bytes) else data.encode())
    return message


def test_two_runs_stand_beside_each_other_and_change_places(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/compare?a=suez-opening-date&b=suez-empress")
    expect(page.get_by_role("table", name="Settings that differ")).to_be_visible(timeout=30_000)
    by_key(page, "compare.swap").click()
    expect(page).to_have_url(re.compile("a=suez-empress.*b=suez-opening-date"), timeout=30_000)
    settled(page)
    assert seen.errors == []


def test_going_back_from_a_recorded_example_shows_the_form_again(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(server.url)
    settled(page)
    page.get_by_role("link", name="Which lake is the deepest in the world?").click()
    expect(page).to_have_url(re.compile("run=deepest-lake"), timeout=30_000)
    settled(page)
    page.go_back()
    expect(page.locator(".st-key-ask button")).to_be_visible(timeout=30_000)
    settled(page)
    expect(page).not_to_have_url(re.compile("run="))


def test_opening_compare_from_the_list_of_pages_leaves_the_shown_run_as_it_is(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/seper?run=deepest-lake")
    settled(page)
    for name, path in (("Compare", "compare"), ("Numbers", "numbers"), ("SePer", "seper")):
        page.get_by_test_id("stSidebarNav").get_by_text(name, exact=True).click()
        expect(page).to_have_url(re.compile(f"/{path}.*run=deepest-lake"), timeout=30_000)
        settled(page)
    assert seen.errors == []


def test_the_prompt_behind_an_answer_is_found_by_its_address_and_its_seal_holds(server: Server, seen: Seen) -> None:
    page = seen.page
    page.goto(f"{server.url}/prompts?run=suez-opening-date&answer=answer")
    expect(page.locator(".rm-rows").first).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_text("Suez Canal opened").filter(visible=True).first).to_be_visible()
    expect(page.get_by_text(re.compile("[Ss]eal")).filter(visible=True).first).to_be_visible()
    assert seen.errors == []
