"""How long does a person wait in the browser? Start, first passages, repeated question, cancel, every page.

A workbench opens in headless Chromium, as ``make run`` opens it. Store and cache are empty; weights and indexes are
ready. Measured in seconds on the wall clock: from the start of the program to a form that can be filled, and to the
whole page with its recorded examples; from the click on Ask to the first passages and to the end of the run; the same
for the repeated question; and from the click on Cancel to the end of the run. Before a click on Ask the form is open
for ten seconds, about the time it takes to type a short question. One click comes right after the start. Every page is
opened by its address (``layout_shift``): seconds until usable, first and later, and how far its parts jump.

    python -m benchmarks.workbench                             writes results/workbench.json (about ten minutes)
    python -m benchmarks.workbench --times 1 --results FILE

It needs what the browser tests need (``pip install -e .[test]`` and Debian's chromium). On a busy machine
(``load_before``) the seconds mean little.
"""

import argparse
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from benchmarks.browser import chromium, empty_home, new_page
from benchmarks.layout_shift import PAGES, shifts_of
from benchmarks.results_file import origin
from tests.browser.conftest import Server, settled, start_server

RESULTS = Path(__file__).resolve().parent / "results" / "workbench.json"
QUESTIONS = (
    "When was the Suez Canal opened?",
    "Who was the first person in space?",
    "Who bought London Bridge?",
    "What is the capital of Turkey?",
    "Which planet is the largest?",
)
CANCELLED = (
    "Which sea lies north of the Suez Canal?",
    "How tall is the Eiffel Tower?",
    "Who first climbed K2?",
    "Which element has the symbol Ag?",
    "Who wrote Hamlet?",
)
TYPING, LATEST_CANCEL = 10.0, 4.0
RUN_MS = 300_000


@contextmanager
def fresh_workbench() -> Iterator[tuple[Server, float]]:
    """Yield a workbench with an empty store, and the moment of its start; it ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        home = empty_home(Path(folder))
        began = time.perf_counter()
        server = start_server(home, launcher=True)
        try:
            yield server, began
        finally:
            server.kill()


def since(began: float) -> float:
    """Return the seconds since a moment."""
    seconds = round(time.perf_counter() - began, 3)
    print(f"{seconds:.1f} s", flush=True)
    return seconds


def open_form(page: Page, server: Server) -> None:
    """Open the Ask form and wait until it can be filled."""
    page.goto(server.url)
    settled(page)
    expect(page.get_by_role("textbox", name="Your question", exact=True)).to_be_visible()


def ask(page: Page, server: Server, question: str, typing: float = 0.0) -> float:
    """Fill the form, click Ask the given seconds after the form was drawn, and return the moment of the click."""
    open_form(page, server)
    box = page.get_by_role("textbox", name="Your question", exact=True)
    page.wait_for_timeout(1000 * typing)
    box.fill(question)
    box.press("Tab")
    settled(page)
    began = time.perf_counter()
    page.locator(".st-key-ask button").click()
    return began


def started(browser: Browser) -> tuple[float, float, float]:
    """Return the seconds from the start of the program to its first reply, a filled form, and the whole page."""
    with fresh_workbench() as (server, began):
        answers = since(began)
        page = new_page(browser)
        page.goto(server.url)
        box = page.get_by_role("textbox", name="Your question", exact=True)
        box.fill(QUESTIONS[0])
        usable = since(began)
        settled(page)
        whole = since(began)
        expect(box).to_have_value(QUESTIONS[0])
        page.context.close()
    return answers, usable, whole


def looked_at(browser: Browser, server: Server, question: str, typing: float = TYPING) -> dict[str, float]:
    """Return the seconds from the click on Ask to the first passages, and to the end of the run."""
    page = new_page(browser)
    began = ask(page, server, question, typing)
    whole_page = page.get_by_text("Provenance of this run")
    page.get_by_text("What the model reads").or_(whole_page).first.wait_for(timeout=RUN_MS)
    evidence = since(began)
    ended(page)
    whole = since(began)
    page.context.close()
    return {"first_evidence": evidence, "whole": whole}


def ended(page: Page) -> None:
    """Wait until the shown run has ended."""
    page.wait_for_url(re.compile(r"[?&]run="), timeout=RUN_MS)
    page.get_by_text("Provenance of this run").first.wait_for(timeout=RUN_MS)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=RUN_MS)


def cancelled(browser: Browser, server: Server, question: str, after: float) -> float:
    """Return the seconds from a click on Cancel, the given seconds into the run, to the end of the run."""
    page = new_page(browser)
    ask(page, server, question)
    button = page.get_by_role("button", name="Cancel")
    button.wait_for(timeout=RUN_MS)
    page.wait_for_timeout(1000 * after)
    began = time.perf_counter()
    button.click()
    page.get_by_text("Cancelled on request").first.wait_for(timeout=RUN_MS)
    expect(button).to_have_count(0, timeout=RUN_MS)
    seconds = since(began)
    page.context.close()
    return seconds


def measured(browser: Browser, times: int) -> dict[str, Any]:
    """Return all measurements as lists, with the median of each."""
    draw = random.Random(0)
    starts = [started(browser) for _ in range(times)]
    with fresh_workbench() as (server, _):
        at_once = looked_at(browser, server, QUESTIONS[-1], typing=0.0)
    with fresh_workbench() as (server, _):
        first = [looked_at(browser, server, question) for question in QUESTIONS[:times]]
        second = [looked_at(browser, server, question) for question in QUESTIONS[:times]]
        stops = [cancelled(browser, server, question, draw.uniform(0, LATEST_CANCEL)) for question in CANCELLED[:times]]
    with fresh_workbench() as (server, _):
        open_form(new_page(browser), server)
        pages = shifts_of(browser, server.url, [*PAGES], rounds=max(1, times - 2), width=1280)
    rows = {
        "start_to_answer": [answers for answers, _, _ in starts],
        "start_to_usable": [usable for _, usable, _ in starts],
        "start_to_whole_page": [whole for _, _, whole in starts],
        "click_at_once_to_first_evidence": [at_once["first_evidence"]],
        "click_to_first_evidence": [look["first_evidence"] for look in first],
        "click_to_end": [look["whole"] for look in first],
        "second_look": [look["whole"] for look in second],
        "cancel_to_ended": stops,
    }
    medians = {name: round(statistics.median(seconds), 3) for name, seconds in rows.items()}
    return {"median_seconds": medians, "pages": pages, "seconds": rows}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=len(QUESTIONS), help="how often each is measured, at most five")
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    with chromium() as browser:
        found = measured(browser, chosen.times)
    whole = {
        **origin(), "processors": os.cpu_count(), "load_before": load,
        **found,
    }  # fmt: skip
    chosen.results.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found["median_seconds"], indent=2))


if __name__ == "__main__":
    main()
