"""A running workbench with an empty store, and a real headless Chromium that reports what it saw."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, sync_playwright

from engine.backends.language_models.embedded import converted_folder
from engine.core.folders import data_folder
from tests.ports import free_port

T = TypeVar("T")
PROJECT = Path(__file__).resolve().parents[2]
# A fresh server imports everything for its first page, beside whatever else two cores are at.
FIRST_MS = 180_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Server:
    """A workbench process: its address, its data folder, and the process, to be killed and started again."""

    url: str
    home: Path
    log: Path
    process: subprocess.Popen[bytes] = field(repr=False)

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        self.process.kill()
        self.process.wait(timeout=20)

    def start_again(self) -> None:
        """Start the workbench again at the same address, over the same folder."""
        self.process = start_server(self.home, urlsplit(self.url).port).process


def start_server(home: Path, port: int | None = None, *, launcher: bool = False, address: str = "127.0.0.1") -> Server:
    """Return a workbench on this port, or a free one of this machine, once it answers; opened as ``make run`` does.

    ``address`` is where it listens: "0.0.0.0" is as for a class.
    """
    (home / "models").parent.mkdir(parents=True, exist_ok=True)
    if not (home / "models").exists():
        converted_folder()
        (home / "models").symlink_to(data_folder() / "models")
    port, log = port or free_port(), home / "server.log"
    way = ["-m", "pages.launch"] if launcher else ["-m", "streamlit", "run", "app.py"]
    command = [sys.executable, *way, f"--server.port={port}", "--server.headless=true", f"--server.address={address}"]
    # As people run it: in the type this processor is fast in.
    environment = {**os.environ, "MICROSCOPE_HOME": str(home), "MICROSCOPE_DTYPE": "auto"}
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=output)
    url = f"http://127.0.0.1:{port}"
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return Server(url=url, home=home, log=log, process=process)
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    process.kill()
    raise RuntimeError(f"the workbench did not start: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return Debian's Chromium; skips where there is none."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip("no Chromium on this machine: install Debian's chromium to run the browser tests")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield opened
        opened.close()


def new_tab(browser: Browser, width: int = 1280, height: int = 900, scheme: str = "light") -> Page:
    """Return a new tab of one window. Tabs share Streamlit's scripts: to load and compile them anew takes seconds.

    Two people at once need a window each: ``browser.new_context``.
    """
    context = browser.contexts[0] if browser.contexts else browser.new_context()
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    return page


def close_tab(page: Page) -> None:
    """Close a tab, and leave nothing of it to the next one: neither what it stored nor its cookies."""
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.close()


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return the one workbench of all tests, once its first page is drawn; its models are the shared converted ones.

    The first page imports everything and reads the recorded runs into the empty store, which takes a while.
    """
    started = start_server(tmp_path_factory.mktemp("home"))
    page = new_tab(browser)
    page.goto(started.url)
    settled(page, FIRST_MS)
    close_tab(page)
    yield started
    started.kill()


@dataclass
class Seen:
    """A page with what it did: console errors, and hosts it asked for."""

    page: Page
    errors: list[str]
    hosts: set[str]


@pytest.fixture
def seen(browser: Browser) -> Iterator[Seen]:
    """Return a new tab that writes down console errors and every host it asks."""
    page = new_tab(browser)
    found = Seen(page=page, errors=[], hosts=set())
    page.on("console", lambda message: found.errors.append(message.text) if told(message) else None)
    page.on("response", lambda response: found.errors.append(response.url) if missing(response) else None)
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("request", lambda request: found.hosts.add(request.url.split("/")[2].split(":")[0]))
    yield found
    close_tab(page)


def told(message: ConsoleMessage) -> bool:
    """Return whether a console message is an error of the page; failed loads are judged by their address instead."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def missing(response: Response) -> bool:
    """Return whether something was not there, but for Streamlit's own probes below a deep link's address."""
    return response.status >= 400 and "/_stcore/" not in response.url


def by_key(page: Page | Locator, key: str, kind: str = "button") -> Locator:
    """Return what a person uses of the first widget whose key begins so; Streamlit writes a key into a class.

    The first: a button with help stands there twice, the second unseen.
    """
    return page.locator(f'[class*="st-key-{re.sub("[^a-zA-Z0-9_-]", "-", key)}"] {kind}').first


# Whether the page has answered what was pressed, and is drawn. Streamlit says "not running" until its answer begins, up
# to half a second after a click, so what goes out and comes in is written down from the first look on. The number of a
# message's field tells what it is: 11 asks for a run, 4 says that one begins, 6 how one ended (2: early, for another).
# A page asks within 50 ms of a key or a click, and takes up what came within 100 ms. It says "not running" too while it
# still draws, for seconds on a slow machine: the browser is idle only when all is drawn.
AT_REST = """call => {
  if (!window.asked) {
    const asked = window.asked = {began: true, ended: 0, touched: 0, calm: null};
    const heard = ({data}) => {
      const bytes = new Uint8Array(data);
      let at = 0;
      while ([1, 2].includes(bytes[at] >> 3)) at += 2 + bytes[at + 1];  // a hash, and what goes with the message
      if (bytes[at] >> 3 === 4) asked.began = true;
      if (bytes[at] >> 3 === 6 && bytes[at + 1] !== 2 && asked.began) asked.ended = performance.now();
    };
    const sockets = new WeakSet(), send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
      if (!sockets.has(this)) this.addEventListener('message', heard);
      sockets.add(this);
      if (data[0] >> 3 === 11) Object.assign(asked, {began: false, ended: Infinity});
      return send.call(this, data);
    };
    for (const kind of ['click', 'keydown', 'input', 'change'])
      addEventListener(kind, () => { asked.touched = performance.now(); }, {capture: true});
  }
  const {asked} = window, now = performance.now();
  const state = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
  if (state !== 'notRunning' || now < asked.touched + 50 || now < asked.ended + 100) {
    asked.calm = null;
  } else if (asked.calm?.call !== call) {
    const calm = asked.calm = {call, idle: false};
    requestIdleCallback(() => { calm.idle = true; });
  }
  return asked.calm?.idle;
}"""
CALLS = count(1)


def settled(page: Page, timeout: float = 30_000) -> None:
    """Wait until Streamlit has answered what was pressed or chosen on a page, and has drawn the answer."""
    page.wait_for_function(AT_REST, arg=next(CALLS), timeout=timeout)


def read_until(read: Callable[[], T], holds: Callable[[T], bool], seconds: float = 30) -> T:
    """Return what is read of a page once it holds, else what was read last: a page changes while it is looked at."""
    over = time.monotonic() + seconds
    while not holds(found := read()) and time.monotonic() < over:
        time.sleep(0.05)
    return found


def go_to(page: Page, path: str, timeout: float = 90_000) -> None:
    """Go to a page by the list of pages, as a person does: the open run is kept, and no script is loaded anew."""
    page.locator(f'[data-testid="stSidebarNavLink"][href$="/{path}"]').first.click()
    page.wait_for_url(re.compile(rf"^[^?]*/{path}(\?|$)"), timeout=timeout)
    settled(page, timeout)
    loaded(page, timeout)


def loaded(page: Page, timeout: float = 30_000) -> None:
    """Wait until the scripts of all visible parts (Plotly, tables) have come: no grey box stands in for one.

    A figure is drawn a moment after its script came.
    """
    page.wait_for_function(
        """() => [...document.querySelectorAll('[data-testid="stSkeleton"]')].every(box => !box.checkVisibility())
          && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
            .every(box => !box.checkVisibility() || box.querySelector('.main-svg'))""",
        timeout=timeout,
    )


def faded(page: Page) -> None:
    """Wait until what fades from one colour to the next has done so, at most two seconds; a spinner never ends."""
    page.evaluate(
        """() => Promise.race([
          new Promise(done => setTimeout(done, 2000)),
          Promise.allSettled(document.getAnimations()
            .filter(one => Number.isFinite(one.effect?.getComputedTiming().endTime))
            .map(one => one.finished)),
        ])"""
    )


def unmoved(part: Locator) -> Locator:
    """Return a part once it has kept its place and size for a quarter of a second, after thirty seconds at the latest.

    Streamlit slides a drawer open step by step, which is no animation of the browser's, and scrolls meanwhile: a list
    opened before closes again.
    """
    before = None
    for _ in range(120):
        if (now := part.bounding_box()) is not None and now == before:
            break
        before = now
        part.page.wait_for_timeout(250)
    return part


def unfold(page: Page) -> None:
    """Open every drawer and every folded part of a page."""
    page.evaluate("() => document.querySelectorAll('details:not([open]) > summary').forEach(one => one.click())")
    settled(page)
    loaded(page)
