"""How far the parts of a page jump while it loads: every page with a run open, as ``workbench`` measures it.

The runs are recorded examples. Each page is opened by its address, in a browser that has visited nothing yet and in one
that holds the program's files. Measured is the cumulative layout shift as https://web.dev/articles/cls defines it: the
largest sum of shifts in a row that lie at most a second apart, within five seconds; 0 is a page that stands still, and
0.1 the most that counts as good. A shift is named with the part of the page that moved farthest.
"""

import json
import statistics
import time
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.conftest import loaded, settled

MOST, STILL_MS = 0.1, 1500
PLAIN, DELAYED, REFINED = "atlas-talked-out", "atlas-delayed", "atlas-wording"
PAGES = {
    "ask": f"?run={PLAIN}",
    "empty ask": "",
    "compare": f"compare?a={PLAIN}&b={DELAYED}",
    "timing": f"timing?run={DELAYED}",
    "dense_rag": f"dense_rag?run={REFINED}",
    **{
        word: f"{word}?run={PLAIN}"
        for word in (
            "dense seper entropy_trend quco_rag sugar uncertainty chunk_utility sufficiency contradictions "
            "question_parts what_if numbers prompts thresholds"
        ).split()
    },
    **{word: word for word in "documents models runs studies trace annotate guide lessons atlas measured".split()},
    "lesson": "lessons?lesson=belief",
    "failure": "atlas?kind=talked_out",
}
WATCH = """() => {
  window.shifts = [];
  const nameOf = node => {
    const one = node?.nodeType === 1 ? node : node?.parentElement;
    const kept = one?.closest('[class*="st-key-"], [data-testid]');
    const key = [...(kept?.classList ?? [])].find(name => name.startsWith('st-key-'));
    return `${key ?? kept?.dataset.testid ?? one?.tagName ?? '?'}: ${(one?.textContent ?? '').trim().slice(0, 40)}`;
  };
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      const moved = [...entry.sources].map(one => ({
        name: nameOf(one.node), by: Math.round(one.currentRect.y - one.previousRect.y)}));
      moved.sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
      window.shifts.push({at: entry.startTime / 1000, value: entry.value, moved: moved[0] ?? null});
    }
  }).observe({type: 'layout-shift', buffered: true});
}"""


def cumulative_shift(shifts: list[tuple[float, float]]) -> float:
    """Return the largest sum of a window of shifts, given as (seconds, value) in order of time.

    A window ends where a second passes without a shift, or five seconds after its first.

    >>> cumulative_shift([(0.0, 0.05), (0.5, 0.02), (2.0, 0.04)])
    0.07
    """
    largest = total = 0.0
    first = last = float("-inf")
    for at, value in shifts:
        if at - last > 1.0 or at - first > 5.0:
            first, total = at, 0.0
        last, total = at, total + value
        largest = max(largest, total)
    return round(largest, 4)


def shift_of(page: Page, address: str) -> dict[str, Any]:
    """Return how far a page jumped from the opening of its address until it stood still, and what jumped most.

    ``usable`` are the seconds until its script has ended and every visible part has come.
    """
    began = time.perf_counter()
    page.goto(address)
    settled(page, 120_000)
    loaded(page, 120_000)
    usable = round(time.perf_counter() - began, 2)
    page.wait_for_timeout(STILL_MS)
    shifts = page.evaluate("window.shifts")
    found = cumulative_shift([(one["at"], one["value"]) for one in shifts])
    worst: dict[str, Any] = max(shifts, key=lambda one: one["value"], default={})
    moved = worst.get("moved")
    largest = moved and f"{moved['name']} by {moved['by']} px ({worst['value']:.3f})"
    return {"shift": found, "largest": largest if found >= MOST / 2 else None, "usable": usable}


def shifts_of(browser: Browser, url: str, names: list[str], rounds: int, width: int) -> dict[str, dict[str, Any]]:
    """Return, page by page, the shift in a browser with no files yet, the median and the worst of later ones.

    ``usable`` are the seconds of the first opening, and the median of the later ones.
    """
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        context = browser.new_context(viewport={"width": width, "height": 900})
        context.add_init_script(f"({WATCH})()")
        opened = [shift_of(context.new_page(), f"{url}/{PAGES[name]}") for _ in range(rounds + 1)]
        context.close()
        later = [one["shift"] for one in opened[1:]]
        largest = max(opened, key=lambda one: one["shift"])["largest"]
        found[name] = {
            "first": opened[0]["shift"], "median": round(statistics.median(later), 4), "worst": max(later),
            "largest": largest,
            "usable": [opened[0]["usable"], round(statistics.median(one["usable"] for one in opened[1:]), 2)],
        }  # fmt: skip
        print(f"{name:16}", json.dumps(found[name]), flush=True)
    return found
