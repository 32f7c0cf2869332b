"""Does the workbench stay whole under everything at once? Ten minutes of many browsers, attacks, kills and a full disk.

A hosted workbench (``microscope serve``, real embedded models) is visited by twenty browser sessions in headless
Chromium, each a person of its own. In turns drawn from a seed they open pages, ask questions, four at the same time,
bring in a run whose every text is an attack, bring in damaged files, ask a model server that lies, and try addresses of
each other's runs. Meanwhile the server's process is killed twice and started again over the same folder, once with
damaged files in it, and for a while none of its files may grow, as on a full disk.

Measured: memory of the server each second; the longest time in which it did not answer, outside of kills; the seconds
of every page from its address to its end; runs that were asked and are lost, or stand there twice; requests to any
other host; errors drawn on pages or in the browser's console; text of people in the server's log.

    python -m benchmarks.soak                       ten minutes; writes results/soak.json
    python -m benchmarks.soak --minutes 4 --out -   shorter, and only printed

It needs what the browser tests need (``pip install -e .[test]`` and Debian's chromium), on Linux.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from benchmarks.results_file import origin
from engine.backends.language_models.embedded import converted_folder
from engine.core.folders import data_folder
from engine.runs.store import RUNS, RunStore
from tests.browser.conftest import BROWSERS, QUIET, by_key, missing, settled, told
from tests.engine.backends.language_models.scripted_server import Manners, ScriptedServer, running
from tests.engine.catalogue.nine_methods import nine
from tests.pages.hostile_run import HOST, hostile_copy
from tests.ports import free_port

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results" / "soak.json"
MARK = "soakmark"
PLACES = (
    "", "runs", "documents", "compare", "what_if", "trace", "numbers", "prompts", "thresholds", "annotate", "guide",
    "lessons", "atlas", "dense", "seper", "timing", "uncertainty",
)  # fmt: skip
LIES: tuple[dict[str, object], ...] = (
    {"raw": b'{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"token": 3}]}}]}'},
    {"raw": b"{" * 3000},
    {"raw": b'{"choices": []}'},
    {"statuses": [500, 429, 503, 418]},
    {"cut": 2},
    {"logprobs": False},
)
DAMAGED = (b"\x00\xff" * 300, b'{"schema_version": 1', b"<html><script>1</script>", b"[" * 3000, b'{"question": NaN}')
# What Streamlit's page says where its server does not answer, as after a kill.
WHILE_AWAY = (
    "Client Error in reaching server",
    "Streamlit server is not responding",
    "WebSocket connection to",
    "Cannot send rerun backMessage when disconnected",
)
PAGE_MS, CLICK_MS, START_SECONDS = 120_000, 30_000, 180
SHARE_OF = {"first kill": 0.3, "disk full": 0.45, "disk free": 0.6, "second kill": 0.7}


@dataclass
class Tally:
    """What was seen so far."""

    asked: dict[str, str] = field(default_factory=dict)
    clicked: list[str] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    actions: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    console: list[str] = field(default_factory=list)
    drawn_errors: int = 0
    foreign_seen: int = 0
    foreign_tried: int = 0
    memory: list[float] = field(default_factory=list)
    silences: list[float] = field(default_factory=list)
    down: threading.Event = field(default_factory=threading.Event)


@dataclass
class Workbench:
    """The hosted workbench: its folder, its address and its process."""

    home: Path
    config: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """Return the file of its log."""
        return self.home / "server.log"


def start(home: Path, config: Path, port: int) -> Workbench:
    """Return the workbench once it answers."""
    command = [sys.executable, "-c", "from engine.cli import main; main()", "serve", "--config", str(config)]
    environment = {**os.environ, "MICROSCOPE_HOME": str(home), "MICROSCOPE_DTYPE": "auto"}
    with (home / "server.log").open("ab") as output:
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=output)
    made = Workbench(home, config, port, process)
    ended = time.monotonic() + START_SECONDS
    while time.monotonic() < ended:
        if answers(made.url):
            return made
        time.sleep(0.25)
    raise RuntimeError(f"the workbench did not start: {made.log.read_text(errors='replace')[-2000:]}")


def answers(url: str) -> bool:
    """Return whether the web server answers within ten seconds."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=10):
            return True
    except (urllib.error.URLError, OSError):
        return False


def watch(bench: list[Workbench], tally: Tally, over: threading.Event) -> None:
    """Note the server's memory each second, and how long it does not answer."""
    while not over.wait(1.0):
        if tally.down.is_set():
            continue
        tally.memory.append(resident_mb(bench[0].process.pid))
        began = time.monotonic()
        well = answers(bench[0].url)
        if not tally.down.is_set():
            tally.silences.append(time.monotonic() - began if well else 10.0)


def resident_mb(process: int) -> float:
    """Return the memory of a process in MB, 0 where it is gone."""
    try:
        told_by = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", told_by)
    return int(found.group(1)) / 1024 if found else 0.0


class Session:
    """One person: a browser context with a page, what they asked, and what they can do."""

    def __init__(
        self, number: int, browser: Browser, bench: list[Workbench], tally: Tally, lots: random.Random
    ) -> None:
        self.number, self.bench, self.tally, self.lots = number, bench, tally, lots
        self.context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 900})
        self.page: Page = self.context.new_page()
        self.own: list[str] = []
        self.page.set_default_timeout(CLICK_MS)
        self.page.on("request", lambda one: tally.hosts.add(one.url.split("/")[2].split(":")[0]))
        self.page.on("console", lambda one: tally.console.append(one.text[:200]) if told(one) else None)
        self.page.on("pageerror", lambda one: tally.console.append(str(one)[:200]))
        self.page.on("response", lambda one: tally.console.append(one.url) if missing(one) else None)

    def open(self, path: str) -> None:
        """Open an address and wait until its page is drawn."""
        began = time.monotonic()
        self.page.goto(f"{self.bench[0].url}/{path}", timeout=PAGE_MS)
        settled(self.page, PAGE_MS)
        self.tally.pages.append(time.monotonic() - began)
        self.tally.drawn_errors += self.page.get_by_test_id("stException").count()

    def look(self) -> None:
        """Open any page, with an own or a recorded run, or with nonsense in the address."""
        place = self.lots.choice(PLACES)
        run = self.lots.choice([*self.own, "", "no-such-run", "%00", "../../etc"])
        self.open(f"{place}?run={run}" if run else place)

    def ask(self, model: str = "") -> str:
        """Ask a question that nobody asks twice, without the slow methods; return its text."""
        question = f"Who climbed {MARK} mountain {self.number}-{self.lots.randrange(10**9)}?"
        self.open("")
        box = self.page.get_by_role("textbox", name="Your question", exact=True)
        box.wait_for(state="visible", timeout=PAGE_MS)
        box.fill(question)
        box.press("Tab")
        settled(self.page, PAGE_MS)
        if model:
            self.page.get_by_text("Model, judge and seed").click()
            field = self.page.get_by_role("combobox", name="Language model", exact=True)
            field.fill(model)
            field.press("Enter")
            settled(self.page, PAGE_MS)
        self.page.locator(".st-key-ask button").click()
        self.tally.clicked.append(question)
        return question

    def take_run(self, question: str) -> None:
        """Note the run that the address names after a question was asked; a refusal leaves none."""
        try:
            self.page.wait_for_url(re.compile(r"[?&]run="), timeout=30_000)
        except Error:
            refused = self.page.locator('[data-testid="stMain"] [data-testid="stAlert"]').count()
            self.tally.actions["refused with a sentence" if refused else "not answered in 30 s"] += 1
            return
        found = re.search(r"[?&]run=([\w-]+)", self.page.url)
        if found:
            self.own.append(found.group(1))
            self.tally.asked[found.group(1)] = question

    def bring(self, name: str, content: bytes) -> None:
        """Bring a file in on the Runs page."""
        self.open("runs")
        self.page.locator('[class*="st-key-runs-import"] input[type=file]').first.set_input_files(
            {"name": name, "mimeType": "application/json", "buffer": content}
        )
        settled(self.page, PAGE_MS)
        by_key(self.page, "import_run").click(timeout=30_000)
        settled(self.page, PAGE_MS)
        found = re.search(r"[?&]run=([\w-]+)", self.page.url)
        if found and name == "hostile.json":
            self.own.append(found.group(1))
        self.tally.drawn_errors += self.page.get_by_test_id("stException").count()

    def pry(self) -> None:
        """Open somebody else's run by its address; nothing of it may be seen."""
        others = [(run, text) for run, text in self.tally.asked.items() if run not in self.own]
        if not others:
            return
        run, text = self.lots.choice(others)
        self.open(f"{self.lots.choice(('', 'dense', 'numbers', 'prompts', 'what_if'))}?run={run}")
        self.tally.foreign_tried += 1
        self.tally.foreign_seen += text in self.page.locator("body").inner_text()


def act(session: Session, name: str, action: Callable[[], object]) -> None:
    """Do one thing and count it; what the browser could not do is counted by its first line."""
    try:
        action()
        session.tally.actions[name] += 1
    except Error as exc:
        if not session.tally.down.is_set():
            session.tally.failed[f"{name}: {str(exc).splitlines()[0][:120]}"] += 1


def four_at_once(sessions: list[Session], lots: random.Random) -> None:
    """Have four people click Ask one right after the other, before any of them waits for an answer."""
    chosen = lots.sample(sessions, 4)
    asked: list[tuple[Session, str]] = []
    for one in chosen:
        act(one, "ask", lambda one=one: asked.append((one, one.ask())))  # type: ignore[misc]
    for one, question in asked:
        act(one, "take run", lambda one=one, question=question: one.take_run(question))  # type: ignore[misc]


def lie(session: Session, server: ScriptedServer, lots: random.Random) -> None:
    """Ask the model server after it was told to misbehave in another way."""
    server.manners = Manners(**lots.choice(LIES))  # type: ignore[arg-type]
    session.take_run(session.ask(server.name))


def one_turn(sessions: list[Session], server: ScriptedServer, hostile: bytes, lots: random.Random) -> None:
    """Let one person, or four, do one thing."""
    session = lots.choice(sessions)
    kind = lots.choices(("look", "four", "hostile", "damaged", "lie", "pry"), (24, 24, 12, 12, 14, 14))[0]
    if kind == "four":
        four_at_once(sessions, lots)
    elif kind == "hostile":
        act(session, kind, lambda: session.bring("hostile.json", hostile))
    elif kind == "damaged":
        act(session, kind, lambda: session.bring("damaged.json", lots.choice(DAMAGED)))
    elif kind == "lie":
        act(session, kind, lambda: lie(session, server, lots))
    else:
        act(session, kind, session.look if kind == "look" else session.pry)


def kill_and_start(bench: list[Workbench], tally: Tally, damage: bool) -> float:
    """Kill the server as a crash would, damage files where asked, and start it again; return the seconds between."""
    old, began = bench[0], time.monotonic()
    tally.down.set()
    old.process.send_signal(signal.SIGKILL)
    old.process.wait()
    if damage:
        damage_files(old.home)
    bench[0] = start(old.home, old.config, old.port)
    tally.down.clear()
    return time.monotonic() - began


def damage_files(home: Path) -> None:
    """Write nonsense into what a workbench can make again or do without, and into the record of one run."""
    for name in ("pace.json", "corpora/odd.json", "indexes/odd/index.json", "fitted/odd.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"\x00{nonsense")
    store = RunStore(home / "runs.sqlite")
    with store.database.transaction() as connection:
        first = connection.execute(RUNS.select().where(RUNS.c.diagnosis_json.is_not(None)).limit(1)).first()
        if first is not None:
            connection.execute(RUNS.update().where(RUNS.c.id == first.id).values(diagnosis_json=b"\x00damaged"))
    store.close()


def limit_files(process: int, home: Path, full: bool) -> None:
    """Let no file of a running process grow beyond what the largest of its folder has, or let all grow again."""
    largest = max((one.stat().st_size for one in home.glob("*.sqlite*")), default=0)
    bound = max(1, largest) if full else resource.RLIM_INFINITY
    resource.prlimit(process, resource.RLIMIT_FSIZE, (bound, resource.RLIM_INFINITY))


def storm(
    minutes: float, sessions: list[Session], bench: list[Workbench], tally: Tally, server: ScriptedServer
) -> dict[str, Any]:
    """Let everything happen for so many minutes; return when what was broken."""
    lots, began, hostile = random.Random(7), time.monotonic(), hostile_copy(nine()).to_json().encode()
    left = dict(SHARE_OF)
    happened: dict[str, dict[str, float]] = {}
    four_at_once(sessions, lots)
    while (passed := time.monotonic() - began) < 60 * minutes:
        for name, share in list(left.items()):
            if passed >= share * 60 * minutes:
                del left[name]
                happened[name] = {"at": round(passed)}
                if "kill" in name:
                    happened[name]["away"] = round(kill_and_start(bench, tally, damage=name == "second kill"), 1)
                else:
                    limit_files(bench[0].process.pid, bench[0].home, full=name == "disk full")
        one_turn(sessions, server, hostile, lots)
    return happened


def settle_runs(bench: list[Workbench], seconds: float) -> None:
    """Wait until no run waits or is worked on, for so long at most."""
    store, ended = RunStore(bench[0].home / "runs.sqlite"), time.monotonic() + seconds
    while time.monotonic() < ended and store.has_unfinished(""):
        time.sleep(1)
    store.close()


def accounts(bench: list[Workbench], tally: Tally) -> dict[str, Any]:
    """Return what became of what was asked: by state, lost, there twice; and what the log holds."""
    store = RunStore(bench[0].home / "runs.sqlite")
    with store.database.reading() as connection:
        rows = connection.execute(RUNS.select().where(RUNS.c.question.contains(MARK))).all()
    store.close()
    by_id, by_question = {row.id: row for row in rows}, Counter(row.question for row in rows)
    log = bench[0].log.read_text(errors="replace")
    return {
        "questions_clicked": len(tally.clicked),
        "runs_named_in_an_address": len(tally.asked),
        "lost": sorted(set(tally.asked) - set(by_id)),
        "doubled": sum(number > 1 for number in by_question.values()),
        "clicked_and_not_stored": len(set(tally.clicked) - set(by_question)),
        "states": dict(Counter(row.state for row in rows)),
        "reasons": dict(Counter(re.sub(r"\d+", "N", row.reason)[:100] for row in rows if row.state == "failed")),
        "log_lines": len(log.splitlines()),
        "log_lines_with_peoples_text": sum(MARK in line or HOST in line for line in log.splitlines()),
        "log_errors": dict(Counter(re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception))$", log, re.M))),
    }


def spread(values: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and the largest of some seconds."""
    if not values:
        return {}
    ordered = sorted(values)
    return {
        "n": len(values),
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
        "longest": round(ordered[-1], 2),
    }


def soak(minutes: float, people: int) -> dict[str, Any]:
    """Return what a soak of so many minutes with so many people found."""
    load, tally, over = [os.getloadavg()[0]], Tally(), threading.Event()
    with tempfile.TemporaryDirectory() as folder, running() as server, sync_playwright() as playwright:
        home, port = Path(folder), free_port()
        converted_folder()
        (home / "models").symlink_to(data_folder() / "models")
        config = home / "hosting.toml"
        config.write_text(
            f"[hosting]\naddress = '127.0.0.1'\nport = {port}\nservers = ['http://{server.host}']\n"
            "[hosting.limits]\nwaiting = 3\nan_hour = 1000\nqueue = 60\n"
        )
        bench = [start(home, config, port)]
        executable = next(filter(None, map(shutil.which, BROWSERS)))
        browser = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        lots = random.Random(3)
        sessions = [Session(number, browser, bench, tally, lots) for number in range(people)]
        for one in sessions:
            act(one, "first page", lambda one=one: one.open(""))  # type: ignore[misc]
        watcher = threading.Thread(target=watch, args=(bench, tally, over), daemon=True)
        watcher.start()
        began = time.monotonic()
        try:
            happened = storm(minutes, sessions, bench, tally, server)
            seconds = time.monotonic() - began
            load.append(os.getloadavg()[0])
            for one in sessions[:5]:
                act(one, "pry", one.pry)
            over.set()
            settle_runs(bench, 120)
            told_by = accounts(bench, tally)
        finally:
            over.set()
            browser.close()
            bench[0].process.kill()
            bench[0].process.wait()
    return {
        **origin(),
        "processors": os.cpu_count(),
        "minutes_asked": minutes,
        "minutes": round(seconds / 60, 2),
        "load_average": [round(one, 1) for one in load],
        "sessions": people,
        "requests_the_lying_server_got": len(server.headers),
        "happened": happened,
        "actions": dict(tally.actions),
        "not_done_by_the_browser": dict(tally.failed),
        "memory_mb": {"first": round(tally.memory[0]), **{k: round(v) for k, v in spread(tally.memory).items()}},
        "health_seconds": spread(tally.silences),
        "page_seconds": spread(tally.pages),
        "runs": told_by,
        "foreign_runs": {"tried": tally.foreign_tried, "seen": tally.foreign_seen},
        "other_hosts": sorted(tally.hosts - {"127.0.0.1", "localhost", ""}),
        "errors_drawn": tally.drawn_errors,
        "console_errors": dict(Counter(one for one in tally.console if not one.startswith(WHILE_AWAY))),
        "console_errors_while_the_server_was_away": sum(one.startswith(WHILE_AWAY) for one in tally.console),
    }


def main() -> None:
    """Run the soak and write what it found."""
    options = argparse.ArgumentParser(description="Many browsers, attacks, kills and a full disk at once.")
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--sessions", type=int, default=20)
    options.add_argument("--out", default=str(RESULTS), help="A file, or - to print only.")
    given = options.parse_args()
    found = soak(given.minutes, given.sessions)
    text = json.dumps(found, indent=2) + "\n"
    print(text)
    if given.out != "-":
        Path(given.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
