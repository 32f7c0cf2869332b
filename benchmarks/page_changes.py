"""How long does a page change take? Every page of the workbench, on its first visit and on later ones.

A workbench with an empty store opens in headless Chromium, as ``make run`` opens it. After fifteen seconds each page of
the sidebar is opened by a click, in order, in several rounds. Measured in seconds on the wall clock, in the browser:
from the click to the end of the page's script, and to the moment when nothing on it waits for a part to load. Also the
seconds of processor time that the server took meanwhile, which a busy machine changes less.

With more than one source tree each click is made in all of them, one after the other, so that a load of the machine
falls on all alike. Their ratio then says more than their seconds.

    python -m benchmarks.page_changes                                    writes results/page_changes.json
    python -m benchmarks.page_changes --tree before=PATH --tree after=.  compares two source trees

It needs what the browser tests need (``pip install -e .[test]`` and Debian's chromium).
"""

import argparse
import json
import os
import shutil
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

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.second_look import SHARED
from engine.core.folders import data_folder
from engine.core.provenance import library_versions, machine
from tests.browser.conftest import BROWSERS, QUIET, free_port, settled

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results" / "page_changes.json"
READY_MS, ROUNDS = 15_000, 4
CHANGE = """place => new Promise(done => {
  const state = () => document.querySelector('[data-testid="stApp"]')?.getAttribute('data-test-script-state');
  const waits = () => [...document.querySelectorAll('[data-testid="stSkeleton"]')].some(one => one.checkVisibility());
  let running = false, ended = 0;
  const watch = new MutationObserver(() => { if (state() !== 'notRunning') { running = true; ended = 0; } });
  watch.observe(document.body, {subtree: true, attributes: true, attributeFilter: ['data-test-script-state']});
  const began = performance.now();
  document.querySelectorAll('[data-testid="stSidebarNavLink"]')[place].click();
  const look = () => {
    const now = performance.now();
    if (running && state() === 'notRunning') {
      ended = ended || now;
      if (!waits()) { watch.disconnect(); done([(ended - began) / 1000, (now - began) / 1000]); return; }
    } else ended = 0;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@dataclass
class Tree:
    """A source tree with its running workbench, an open page of it, and what was measured, round by round."""

    name: str
    url: str
    process: subprocess.Popen[bytes] = field(repr=False)
    page: Page
    first_page: float
    rounds: list[dict[str, dict[str, float]]] = field(default_factory=list)

    def processor_seconds(self) -> float:
        """Return the processor time the server has taken so far, NaN where the system does not say."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def change_to(self, place: int) -> dict[str, float]:
        """Return the seconds that the click on a page of the sidebar took."""
        before = self.processor_seconds()
        script, whole = self.page.evaluate(CHANGE, place)
        taken = self.processor_seconds() - before
        return {"script": round(script, 3), "whole": round(whole, 3), "processor": round(taken, 3)}


def open_tree(name: str, source: Path, browser: Browser, stack: ExitStack) -> Tree:
    """Return a tree's workbench with a page of it, opened; both end with the stack."""
    home = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home"
    home.mkdir()
    for shared in SHARED:
        (data_folder() / shared).mkdir(parents=True, exist_ok=True)
        (home / shared).symlink_to(data_folder() / shared)
    port = free_port()
    command = [sys.executable, "scripts/open.py", f"--server.port={port}", "--server.headless=true"]
    environment = {**os.environ, "MICROSCOPE_HOME": str(home), "MICROSCOPE_DTYPE": "auto"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=source, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    url = f"http://localhost:{port}"
    wait_for(url)
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(url)
    settled(page, 120_000)
    return Tree(name=name, url=url, process=process, page=page, first_page=round(time.perf_counter() - began, 3))


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


def medians(rounds: list[dict[str, dict[str, float]]]) -> dict[str, float]:
    """Return the median over all pages and the given rounds, and the slowest page's own median, in seconds."""
    kinds = ("script", "whole", "processor")
    found = {kind: statistics.median(one[kind] for each in rounds for one in each.values()) for kind in kinds}
    slowest = max(statistics.median(each[name]["whole"] for each in rounds) for name in rounds[0])
    return {kind: round(seconds, 3) for kind, seconds in {**found, "slowest_page": slowest}.items()}


def measured(browser: Browser, sources: Mapping[str, Path], rounds: int) -> dict[str, Any]:
    """Return what each tree took: its first page, its first visits, its later visits, and page by page."""
    with ExitStack() as stack:
        trees = [open_tree(name, source, browser, stack) for name, source in sources.items()]
        trees[0].page.wait_for_timeout(READY_MS)
        names = page_names(trees[0].page)
        for turn in range(rounds):
            for tree in trees:
                tree.rounds.append({})
            # The first page is left first: a click on the page that is open changes nothing.
            for place in (*range(1, len(names)), 0):
                for tree in trees if turn % 2 else reversed(trees):
                    tree.rounds[-1][names[place]] = tree.change_to(place)
        return {
            tree.name: {
                "start_to_first_page": tree.first_page,
                "first_visit": medians(tree.rounds[:1]),
                "later_visits": medians(tree.rounds[1:]),
                "pages": {
                    name: {
                        "first": tree.rounds[0][name]["whole"],
                        "later": round(statistics.median(each[name]["whole"] for each in tree.rounds[1:]), 3),
                    }
                    for name in names
                },
            }
            for tree in trees
        }


def named_tree(text: str) -> tuple[str, Path]:
    """Return the name and the folder of a tree given as NAME=FOLDER."""
    name, _, folder = text.partition("=")
    return name, Path(folder).resolve()


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=named_tree, action="append", help="NAME=FOLDER; by default this source tree")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each page is opened, at least two")
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        raise SystemExit("No Chromium on this machine: install Debian's chromium, then run this again.")
    load = round(os.getloadavg()[0], 1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        found = measured(browser, dict(chosen.tree or [("this", PROJECT)]), max(2, chosen.rounds))
        browser.close()
    whole = {
        "machine": machine(), "processors": os.cpu_count(),
        "load_before": load, "load_after": round(os.getloadavg()[0], 1),
        "libraries": dict(library_versions()), "seconds": found,
    }  # fmt: skip
    chosen.results.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    for name, tree in found.items():
        print(name, json.dumps({key: value for key, value in tree.items() if key != "pages"}, indent=2))


if __name__ == "__main__":
    main()
