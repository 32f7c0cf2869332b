"""How long does the workbench keep a person waiting? Its start, the first passages, and every change of page.

A workbench with an empty store opens in a headless Chromium that is open already, as ``make run`` opens it. Measured
are the seconds from its start to a form that can be filled, and from a click on Ask right then to the first passages.
A Streamlit page of a single box is started beside it: it says how fast the machine is. After fifteen seconds, and once
the server rests, each page of the sidebar is opened by a click, in order, in several rounds, measured in the browser:
from the click to the end of the page's script, and to the moment when nothing on it waits for a part to load. Also the
seconds of processor time that the server and the browser's page took meanwhile, which a busy machine changes less.

All this is done several times with new servers, since a page is visited for the first time but once in each: medians
and, of first visits, the fastest, which a busy machine changes less.

With more than one source tree each click is made in all of them, one after the other, so that a load of the machine
falls on all alike. Their ratio then says more than their seconds.

    python -m benchmarks.page_changes                                    writes results/page_changes.json
    python -m benchmarks.page_changes --tree before=PATH --tree after=.  compares two source trees

It needs what the browser tests need (``pip install -e .[test]`` and Debian's chromium).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from benchmarks.browser import chromium, empty_home, new_page
from benchmarks.results_file import origin
from tests.browser.conftest import settled
from tests.ports import free_port

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results" / "page_changes.json"
READY_MS, WINDOW_MS, ROUNDS, STARTS, OPENINGS = 15_000, 4000, 4, 3, 4
BUSY = 0.1  # seconds of processor time in a second: more, and a server still gets ready
BARE_NAME, BARE = "a bare page", 'import streamlit as st\n\nst.text_area("Your question")\n'
Rounds = list[dict[str, dict[str, float]]]  # what each page took, by its word, round by round
QUESTION = "Who first climbed K2?"
CHANGE = """place => new Promise(done => {
  const state = () => document.querySelector('[data-testid="stApp"]')?.getAttribute('data-test-script-state');
  const waits = () => [...document.querySelectorAll('[data-testid="stSkeleton"]')].some(one => one.checkVisibility());
  const from = location.pathname;
  let running = false, ended = 0;
  // A short script may begin and end within one drawing; the new address shows it too.
  const watch = new MutationObserver(() => { running = true; ended = 0; });
  watch.observe(document.body, {subtree: true, attributes: true, attributeFilter: ['data-test-script-state']});
  const began = performance.now();
  document.querySelectorAll('[data-testid="stSidebarNavLink"]')[place].click();
  const look = () => {
    const now = performance.now();
    if (now - began > 60000) { done([NaN, NaN]); return; }
    if ((running || location.pathname !== from) && state() === 'notRunning') {
      ended = ended || now;
      if (!waits()) { watch.disconnect(); done([(ended - began) / 1000, (now - began) / 1000]); return; }
    } else ended = 0;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@dataclass(frozen=True)
class Opened:
    """A workbench that answers: its address, its process, and the moment it was started."""

    url: str
    process: subprocess.Popen[bytes]
    began: float


@dataclass
class Tree:
    """A source tree with its running workbench, an open page of it, and what was measured, round by round."""

    name: str
    url: str
    process: subprocess.Popen[bytes] = field(repr=False)
    page: Page
    devtools: CDPSession
    rounds: Rounds = field(default_factory=list)

    def processor_seconds(self) -> float:
        """Return the processor time the server has taken so far, NaN where the system does not say."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def browser_seconds(self) -> float:
        """Return the processor time that the page's own thread in the browser has taken so far."""
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    def wait_for_rest(self) -> None:
        """Wait until the server has little left to do behind its pages, a minute at most: a busy machine is slower."""
        for _ in range(60):
            before = self.processor_seconds()
            self.page.wait_for_timeout(1000)
            if not self.processor_seconds() - before > BUSY:
                return

    def change_to(self, place: int) -> dict[str, float]:
        """Return the seconds that the click on a page of the sidebar took."""
        before = self.processor_seconds(), self.browser_seconds()
        script, whole = self.page.evaluate(CHANGE, place)
        server, browser = self.processor_seconds() - before[0], self.browser_seconds() - before[1]
        seconds = {"script": script, "whole": whole, "processor": server, "browser": browser}
        return {name: round(one, 3) for name, one in seconds.items()}


def open_workbench(source: Path, stack: ExitStack, module: str = "pages.launch") -> Opened:
    """Return a source tree's workbench with an empty store, once it answers; it ends with the stack."""
    home = empty_home(Path(stack.enter_context(tempfile.TemporaryDirectory())))
    port = free_port()
    command = [sys.executable, "-m", *module.split(), f"--server.port={port}", "--server.headless=true"]
    environment = {**os.environ, "MICROSCOPE_HOME": str(home), "MICROSCOPE_DTYPE": "auto"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=source, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    url = f"http://localhost:{port}"
    wait_for(url)
    return Opened(url=url, process=process, began=began)


def open_tree(name: str, source: Path, browser: Browser, stack: ExitStack) -> Tree:
    """Return a tree's workbench with a page of it, opened; both end with the stack."""
    opened = open_workbench(source, stack)
    page = new_page(browser)
    page.goto(opened.url)
    settled(page, 120_000)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    return Tree(name=name, url=opened.url, process=opened.process, page=page, devtools=devtools)


def start_of(source: Path, browser: Browser) -> dict[str, float]:
    """Return the seconds from a start to a filled form, and from a click on Ask right then to the first passages."""
    with ExitStack() as stack:
        page = new_page(browser)
        # The browser of whoever starts a workbench is open; a new window of Chromium takes two seconds of its own.
        page.wait_for_timeout(WINDOW_MS)
        opened = open_workbench(source, stack)
        page.goto(opened.url)
        box = page.get_by_role("textbox", name="Your question", exact=True)
        box.fill(QUESTION, timeout=120_000)
        usable = time.perf_counter() - opened.began
        settled(page, 120_000)
        whole = time.perf_counter() - opened.began
        box.press("Tab")
        settled(page)
        clicked = time.perf_counter()
        page.locator(".st-key-ask button").click()
        found = page.get_by_text("What the model reads").or_(page.get_by_text("Provenance of this run"))
        found.first.wait_for(timeout=120_000)
        passages = time.perf_counter() - clicked
        page.context.close()
    seconds = {"start_to_form": usable, "start_to_whole_page": whole, "click_at_once_to_passages": passages}
    return {name: round(one, 3) for name, one in seconds.items()}


def bare_start(browser: Browser) -> dict[str, float]:
    """Return the seconds from the start of a Streamlit page of one box to that box: what no workbench can beat."""
    with ExitStack() as stack:
        source = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (source / "bare.py").write_text(BARE, encoding="utf-8")
        page = new_page(browser)
        page.wait_for_timeout(WINDOW_MS)
        opened = open_workbench(
            source, stack, "streamlit run bare.py --server.address=localhost --browser.gatherUsageStats=false"
        )
        page.goto(opened.url)
        page.get_by_role("textbox", name="Your question", exact=True).fill(QUESTION, timeout=120_000)
        usable = time.perf_counter() - opened.began
        page.context.close()
    return {"start_to_form": round(usable, 3)}


def wait_for(url: str) -> None:
    """Wait until a server answers. Raises TimeoutError after a minute."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"nothing answers at {url}")


def page_names(page: Page) -> list[str]:
    """Return the words of the pages in the sidebar, in order, as their addresses name them; the first is "ask"."""
    links = page.locator('[data-testid="stSidebarNavLink"]')
    addresses = [links.nth(place).get_attribute("href") or "" for place in range(links.count())]
    return [address.rpartition("/")[2].partition("?")[0] or "ask" for address in addresses]


def medians(rounds: Rounds) -> dict[str, float]:
    """Return the median over all pages and the given rounds, and the slowest page's own median, in seconds."""
    kinds = ("script", "whole", "processor", "browser")
    found = {kind: statistics.median(one[kind] for each in rounds for one in each.values()) for kind in kinds}
    slowest = max(statistics.median(each[name]["whole"] for each in rounds) for name in rounds[0])
    return {kind: round(seconds, 3) for kind, seconds in {**found, "slowest_page": slowest}.items()}


def starts_of(browser: Browser, sources: Mapping[str, Path], times: int) -> dict[str, dict[str, float]]:
    """Return the medians of so many starts of each tree and of a bare page, one after the other."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in (*sources, BARE_NAME)}
    for _ in range(times):
        for name, source in sources.items():
            found[name].append(start_of(source, browser))
        found[BARE_NAME].append(bare_start(browser))
    return {
        name: {kind: round(statistics.median(one[kind] for one in starts), 3) for kind in starts[0]}
        for name, starts in found.items()
        if starts
    }


def visits_of(browser: Browser, sources: Mapping[str, Path], rounds: int) -> dict[str, Rounds]:
    """Return what page changes took in each tree, each opened once: the first round holds the first visits."""
    with ExitStack() as stack:
        trees = [open_tree(name, source, browser, stack) for name, source in sources.items()]
        trees[0].page.wait_for_timeout(READY_MS)
        for tree in trees:
            tree.wait_for_rest()
        names = page_names(trees[0].page)
        for turn in range(rounds):
            for tree in trees:
                tree.rounds.append({})
            # The first page is left first: a click on the page that is open changes nothing.
            for place in (*range(1, len(names)), 0):
                for tree in trees if turn % 2 else reversed(trees):
                    tree.rounds[-1][names[place]] = tree.change_to(place)
        return {tree.name: tree.rounds for tree in trees}


def changes_of(browser: Browser, sources: Mapping[str, Path], rounds: int, openings: int) -> dict[str, Any]:
    """Return what page changes took in each tree: first visits, later visits, and page by page."""
    # Which tree is opened first and which is clicked first takes turns: the one opened last is least ready.
    orders = (dict(sources), dict(reversed([*sources.items()])))
    opened = [visits_of(browser, orders[turn % 2], rounds) for turn in range(openings)]
    found = {}
    for name in sources:
        first = [one[name][0] for one in opened]
        later = [each for one in opened for each in one[name][1:]]
        found[name] = {
            "first_visit": medians(first),
            "later_visits": medians(later),
            "pages": {
                page: {
                    "first": round(statistics.median(each[page]["whole"] for each in first), 3),
                    "first_fastest": min(each[page]["whole"] for each in first),
                    "later": round(statistics.median(each[page]["whole"] for each in later), 3),
                    "first_processor": processor_of(page, first),
                    "later_processor": processor_of(page, later),
                }
                for page in first[0]
            },
        }
    return found


def processor_of(page: str, rounds: Rounds) -> float:
    """Return the median of a page's processor seconds, of the server and the browser together."""
    return round(statistics.median(each[page]["processor"] + each[page]["browser"] for each in rounds), 3)


def named_tree(text: str) -> tuple[str, Path]:
    """Return the name and the folder of a tree given as NAME=FOLDER."""
    name, _, folder = text.partition("=")
    return name, Path(folder).resolve()


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=named_tree, action="append", help="NAME=FOLDER; by default this source tree")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each page is opened, at least two")
    parser.add_argument("--openings", type=int, default=OPENINGS, help="how often all this is done with new servers")
    parser.add_argument("--starts", type=int, default=STARTS, help="how often each workbench is started")
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    sources = dict(chosen.tree or [("this", PROJECT)])
    with chromium() as browser:
        starts = starts_of(browser, sources, chosen.starts)
        changes = changes_of(browser, sources, max(2, chosen.rounds), chosen.openings)
    whole = {
        **origin(), "processors": os.cpu_count(), "openings": chosen.openings,
        "load_before": load, "load_after": round(os.getloadavg()[0], 1),
        "starts": starts, "page_changes": changes,
    }  # fmt: skip
    chosen.results.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(starts, indent=2))
    for name, tree in changes.items():
        print(name, json.dumps({key: value for key, value in tree.items() if key != "pages"}, indent=2))


if __name__ == "__main__":
    main()
