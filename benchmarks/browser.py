"""What the browser benchmarks share: a headless Chromium, a page without a past, a data folder without runs."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.second_look import SHARED, share_models
from engine.core.folders import data_folder
from tests.browser.conftest import BROWSERS, QUIET


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium, closed with the block. Exits with what to do where there is none on this machine."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        raise SystemExit("No Chromium on this machine: install Debian's chromium, then run this again.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield browser
        browser.close()


def new_page(browser: Browser) -> Page:
    """Return a page with its own context: no cache, no session."""
    return browser.new_context(viewport={"width": 1280, "height": 900}).new_page()


def empty_home(folder: Path) -> Path:
    """Return a new data folder below a folder: no run and no cache, the models and indexes of the usual one."""
    home = folder / "home"
    home.mkdir()
    for shared in SHARED:
        (data_folder() / shared).mkdir(parents=True, exist_ok=True)
    share_models(home)
    return home
