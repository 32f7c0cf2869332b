"""Sign-in at an OpenID Connect provider on this machine: ``microscope serve`` as an owner starts it, and a browser."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import BaseWSGIServer
from werkzeug.wrappers import Response

from engine.backends.language_models.embedded import converted_folder
from engine.core import allowed
from engine.core.allowed import acting_for
from engine.core.folders import data_folder
from engine.runs.store import RunStore
from tests.browser.conftest import PROJECT, by_key, faded, settled
from tests.browser.test_lessons import sideways
from tests.browser.test_looks import STYLED_IN, found_of_ours
from tests.pages.page_fixtures import kept, whole_diagnosis
from tests.ports import free_port
from viz.parts.theme import DARK, LIGHT

pytestmark = pytest.mark.browser

FIRST_MS = 25_000
COOKIE_SECRET, CLIENT_SECRET = "cookie-secret-" + "c" * 40, "client-secret-" + "d" * 40
PEOPLE = (
    User(sub="ann", claims={"email": "Ann@School.example", "email_verified": True}),
    User(sub="ben", claims={"email": "ben@school.example", "email_verified": True}),
    User(sub="cleo", claims={"email": "cleo@elsewhere.example", "email_verified": True}),
    User(sub="dan", claims={"email": "dan@school.example", "email_verified": False}),
)
QUESTIONS = {"ann": "Where is the hidden Vesper Clock?", "ben": "Who built the Quiet Lighthouse?"}
ADDRESSES = ("", "/runs", "/?run=anns-run", "/dense?run=anns-run", "/vote?class=CDFH", "/no-such-page")


@dataclass(frozen=True)
class Hosted:
    """A workbench that asks for a sign-in: its address, its log, and the provider behind it."""

    url: str
    log: Path
    provider: BaseWSGIServer


def name_of(issuer: str, subject: str) -> str:
    """Return the name under which the workbench keeps what is a person's: a hash of provider and subject."""
    return f"person-{sha256(repr((issuer, subject)).encode()).hexdigest()[:24]}"


def keep_runs(home: Path, issuer: str) -> None:
    """Keep one run of Ann's and one of Ben's."""
    store = RunStore(home / "runs.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowed, "_STATE", {"restricted": True})
        for subject, question in QUESTIONS.items():
            with acting_for(name_of(issuer, subject)):
                kept(store, whole_diagnosis(question), f"{subject}s-run")
    store.close()


def write_files(home: Path, issuer: str, port: int) -> Path:
    """Return the owner's file, beside the provider's."""
    (home / "secrets.toml").write_text(
        f'[auth]\nredirect_uri = "http://localhost:{port}/oauth2callback"\ncookie_secret = "{COOKIE_SECRET}"\n'
        f'client_id = "workbench"\nclient_secret = "{CLIENT_SECRET}"\n'
        f'server_metadata_url = "{issuer}/.well-known/openid-configuration"\n'
    )
    file = home / "hosting.toml"
    file.write_text(
        f"[hosting]\nport = {port}\n[hosting.sign_in]\nsecrets = 'secrets.toml'\npeople = ['*@school.example']"
    )
    return file


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """Return a workbench that ``microscope serve`` started, beside a provider that knows four persons."""
    home, port = tmp_path_factory.mktemp("hosted"), free_port()
    converted_folder()
    (home / "models").symlink_to(data_folder() / "models")
    with run_server_in_thread(user_claims=PEOPLE) as provider:
        issuer = f"http://localhost:{provider.server_port}"
        keep_runs(home, issuer)
        serve = "from engine.cli import main; main()"
        command = [sys.executable, "-c", serve, "serve", "--config", str(write_files(home, issuer, port))]
        log = home / "server.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                command, cwd=PROJECT, env={**os.environ, "MICROSCOPE_HOME": str(home)}, stdout=output, stderr=output
            )
        try:
            url = f"http://localhost:{port}"
            wait_for_answer(url, process)
            yield Hosted(url=url, log=log, provider=provider)
        finally:
            process.kill()
            process.wait(timeout=20)


def wait_for_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the workbench answers."""
    for _ in range(240):
        with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
            return
        assert process.poll() is None, "the workbench ended"
        time.sleep(0.25)
    raise AssertionError("the workbench did not start")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a tab of a browser that nobody has signed in with."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def go_in(page: Page, person: str) -> None:
    """Press *Sign in* and choose an account, or "deny", at the provider."""
    by_key(page, "sign_in").click()
    page.locator(f'button[value="{person}"]').click()
    page.wait_for_selector('[data-testid="stApp"]', timeout=FIRST_MS)
    settled(page, FIRST_MS)


def arrive(page: Page, address: str, person: str = "") -> None:
    """Open an address of the workbench; sign in there where a person is named."""
    page.goto(address)
    by_key(page, "sign_in").wait_for(timeout=FIRST_MS)
    if person:
        go_in(page, person)


def shuts_out(page: Page) -> None:
    """Assert that nothing of the workbench is on the page: no list of pages, no form, no word of a run."""
    settled(page)
    expect(page.locator('[data-testid="stSidebarNavLink"], textarea, .rm-rows')).to_have_count(0)
    shown = page.locator("body").inner_text()
    assert not [word for question in QUESTIONS.values() for word in question.split()[-2:] if word in shown]


def in_both_schemes(page: Page) -> None:
    """Assert that axe finds nothing, light and dark, and that nothing is wider than a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    colours = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_function(STYLED_IN, arg=(DARK if scheme == "dark" else LIGHT).text, timeout=FIRST_MS)
        settled(page)
        faded(page)
        assert found_of_ours(page) == []
        colours.add(page.locator(".st-key-sign_in_page").evaluate("one => getComputedStyle(one).backgroundColor"))
    assert len(colours) == 2, "the card follows the browser's colours"
    assert sideways(page) <= 0


def test_the_way_in_is_a_card_in_the_middle_and_enter_presses_its_button(hosted: Hosted, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    arrive(page, f"{hosted.url}/runs")
    expect(by_key(page, "sign_in")).to_be_focused()
    box = page.locator(".st-key-sign_in_page").bounding_box()
    assert box is not None and box["x"] + box["width"] / 2 == pytest.approx(640, abs=1)
    in_both_schemes(page)
    page.keyboard.press("Enter")
    page.locator('button[value="cleo"]').click()
    expect(by_key(page, "sign_out")).to_be_focused(timeout=FIRST_MS)
    in_both_schemes(page)


def test_who_has_not_signed_in_sees_the_way_in_alone_at_every_address(hosted: Hosted, page: Page) -> None:
    for address in ADDRESSES:
        arrive(page, hosted.url + address)
        shuts_out(page)


def test_who_is_listed_and_confirmed_comes_back_to_the_page_that_was_wanted(hosted: Hosted, page: Page) -> None:
    arrive(page, f"{hosted.url}/?run=anns-run", "ann")
    expect(page.get_by_text(QUESTIONS["ann"]).first).to_be_visible(timeout=FIRST_MS)
    expect(page).to_have_url(re.compile(r"\?run=anns-run$"))


@pytest.mark.parametrize(("person", "address"), [("cleo", r"cleo@.?elsewhere"), ("dan", r"dan@.?school")])
def test_who_is_not_listed_or_not_confirmed_is_refused_and_may_try_another_account(
    hosted: Hosted, page: Page, person: str, address: str
) -> None:
    arrive(page, f"{hosted.url}/?run=anns-run", person)
    expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile(address))
    shuts_out(page)
    leave(page)
    go_in(page, "ben")
    expect(by_key(page, "ask")).to_be_visible(timeout=FIRST_MS)


def leave(page: Page) -> None:
    """Press *Sign out*, or *Use another account*, and confirm it at the provider."""
    by_key(page, "sign_out").click()
    page.locator('form[action*="end_session"] button').first.click()
    by_key(page, "sign_in").wait_for(timeout=FIRST_MS)


def test_two_persons_do_not_see_each_others_runs(hosted: Hosted, browser: Browser) -> None:
    for person, other in (("ann", "ben"), ("ben", "ann")):
        context = browser.new_context()
        page = context.new_page()
        arrive(page, f"{hosted.url}/?run={person}s-run", person)
        expect(page.get_by_text(QUESTIONS[person]).first).to_be_visible(timeout=FIRST_MS)
        page.goto(f"{hosted.url}/dense?run={other}s-run")
        page.wait_for_selector('[data-testid="stSidebarNavLink"]', timeout=FIRST_MS)
        settled(page, FIRST_MS)
        assert QUESTIONS[other] not in page.locator("body").inner_text()
        page.goto(f"{hosted.url}/runs")
        expect(page.locator(".rm-rows").first).to_contain_text(QUESTIONS[person], timeout=FIRST_MS)
        settled(page, FIRST_MS)
        assert QUESTIONS[other] not in page.locator("body").inner_text()
        context.close()


def test_who_signs_out_is_out_in_every_tab(hosted: Hosted, page: Page) -> None:
    arrive(page, hosted.url, "ann")
    other = page.context.new_page()
    other.goto(f"{hosted.url}/runs")
    other.wait_for_selector('[data-testid="stSidebarNavLink"]', timeout=FIRST_MS)
    settled(other, FIRST_MS)
    leave(page)
    shuts_out(page)
    other.locator('[data-testid="stSidebarNavLink"]').first.click()
    by_key(other, "sign_in").wait_for()
    shuts_out(other)


def test_a_provider_that_refuses_or_is_silent_gives_a_sentence(
    hosted: Hosted, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(page, f"{hosted.url}/runs", "deny")
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?sign_in=denied$"))
    monkeypatch.setattr(hosted.provider, "app", Response(status=HTTPStatus.SERVICE_UNAVAILABLE))
    by_key(page, "sign_in").click()
    page.wait_for_url(re.compile(r"\?sign_in=silent$"))
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    shuts_out(page)
    in_both_schemes(page)


def test_the_log_holds_no_address_and_no_secret(hosted: Hosted) -> None:
    told = hosted.log.read_text(errors="replace").casefold()
    assert "people sign in at" in told
    never = ("school.example", "elsewhere", COOKIE_SECRET, CLIENT_SECRET, "id_token")
    assert not [word for word in never if word in told]
