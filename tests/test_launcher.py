"""What ``make run`` starts: the first page's imports, done while the browser still fetches Streamlit's scripts."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from streamlit import config, file_util
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from engine.core.hosting import VARIABLE
from pages.first_paint import (
    FIRST_SCRIPTS,
    LATER_FONTS,
    LATER_SCRIPTS,
    NO_FIGURES,
    addresses,
    first_style,
    fonts_named,
    linked_files,
    scripts_named,
    with_imported,
)
from pages.launch import ADDRESS, FIRST_PAGE, get_ready, with_address, with_hosts
from pages.shared.links import VOTE
from viz.parts.theme import THEMES


def test_engine_is_imported_first_and_brings_no_library_that_is_slow_to_import() -> None:
    assert FIRST_PAGE[0] == "engine"
    assert "torch" not in FIRST_PAGE
    shown = subprocess.run(
        [sys.executable, "-c", "import engine, sys; print({'torch', 'scipy', 'numpy'} & set(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown.strip() == "set()"


@pytest.mark.parametrize("name", FIRST_PAGE)
def test_what_is_imported_early_is_there(name: str) -> None:
    assert import_module(name) is sys.modules[name]


def test_an_import_that_fails_is_left_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.launch.FIRST_PAGE", ("no.such.module",))
    get_ready()


def test_without_an_address_it_listens_on_this_machine_alone() -> None:
    assert with_address([], {}) == ["--server.address=localhost"]
    assert with_address(["--server.address=0.0.0.0"], {}) == ["--server.address=0.0.0.0"]
    assert with_address(["--server.port=1"], {ADDRESS: "0.0.0.0"}) == ["--server.port=1"]


def test_ones_own_workbench_talks_to_pages_of_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of another host that leads here, by its owner's DNS, would read files as the owner."""
    monkeypatch.delenv(VARIABLE, raising=False)
    options = with_hosts(["--server.address=localhost"], {})
    hosts = [one.partition("=")[2] for one in options if one.startswith("--server.allowedHosts=")]
    with monkeypatch.context() as patch:
        patch.setattr(config, "get_option", lambda name: hosts if name == "server.allowedHosts" else True)
        own = ("localhost:8501", "127.0.0.1:8501", "[::1]:8501", "scope.localhost:8501")
        assert all(_is_origin_allowed(f"http://{host}", host) for host in own)
        assert not _is_origin_allowed("http://evil.example:8501", "evil.example:8501")
        assert not _is_origin_allowed(None, "evil.example:8501")
    named = ["--server.address=localhost", "--server.allowedHosts=hub.example"]
    assert with_hosts(named, {}) == named
    for options, environment in (
        (["--server.address=0.0.0.0"], {}),
        (["--server.address=localhost"], {VARIABLE: "hosting.toml"}),
        (["--server.address=localhost"], {"STREAMLIT_SERVER_ALLOWED_HOSTS": "hub.example"}),
    ):
        assert with_hosts(options, environment) == options


TALKATIVE = """
import logging, sys, threading
sys.path.insert(0, ".")
from pages.launch import keep_content_out_of_logs
keep_content_out_of_logs(OTHERS)
import os
from streamlit import config
config.set_option("logger.enableRich", os.environ["STREAMLIT_LOGGER_ENABLE_RICH"] == "true")  # as its command line does
from streamlit.logger import get_logger, update_formatter
from streamlit.error_util import handle_uncaught_app_exception
SECRET = "hunter2-secret-question"
log = get_logger("streamlit.late")
update_formatter()
try:
    raise ValueError(SECRET)
except ValueError as exc:
    handle_uncaught_app_exception(exc)
    log.exception("with %s", SECRET)
    logging.getLogger("engine.runs.jobs.desk").exception("run %s failed", SECRET)
log.warning(f"put together {SECRET}")
chatty = logging.getLogger("chatty.library")
chatty.setLevel(logging.DEBUG)
chatty.debug("all day")
def burst():
    raise KeyError(SECRET)
thread = threading.Thread(target=burst)
thread.start()
thread.join()
import warnings
warnings.warn(SECRET)
raise RuntimeError(SECRET)
"""


@pytest.mark.parametrize("others", [False, True])
def test_no_log_holds_what_somebody_wrote_where_others_may_come(tmp_path: Path, others: bool) -> None:
    file = tmp_path / "hosting.toml"
    file.write_text("[hosting]\n")
    environment = dict(os.environ) if others else {**os.environ, VARIABLE: str(file)}
    ended = subprocess.run(
        [sys.executable, "-c", TALKATIVE.replace("OTHERS", str(others))],
        capture_output=True,
        text=True,
        env=environment,
    )
    shown = ended.stdout + ended.stderr
    assert "hunter2" not in shown and "chatty" not in shown
    assert {"ValueError", "KeyError", "RuntimeError"} <= set(shown.split()) and "run … failed" in shown


def test_first_page_brings_its_style_and_every_other_file_of_streamlit(tmp_path: Path) -> None:
    source = Path(file_util.get_static_dir())
    served = linked_files(source, tmp_path)
    page = (served / "index.html").read_text(encoding="utf-8")
    assert {one.name for one in served.iterdir()} == {one.name for one in source.iterdir()}
    assert page.count("<style>") == 1
    assert all(theme.page in page for theme in THEMES.values())


def test_the_script_behind_figures_is_there_to_be_fetched_early() -> None:
    """The names are Streamlit's own: a later version that names them otherwise is seen here."""
    source = Path(file_util.get_static_dir())
    for names in (FIRST_SCRIPTS, LATER_SCRIPTS):
        assert len(scripts_named(source, names)) == len(names), "Streamlit names its scripts otherwise"
    first = with_imported(source, scripts_named(source, FIRST_SCRIPTS))
    assert len(first) == len(set(first)) > 2 * len(FIRST_SCRIPTS)
    assert all((source / script).is_file() for script in addresses(first))
    fonts = fonts_named(source, LATER_FONTS)
    assert len(fonts) == len(LATER_FONTS) and all((source / font).is_file() for font in fonts)


def test_no_rule_makes_a_browser_restyle_the_whole_page_at_every_change() -> None:
    """Measured in Chromium: with such rules each label of a figure took 12 to 17 ms, without them 1 to 3."""
    selectors = {one for rule in re.findall(r"[^{}]*:has\([^{}]*(?=\{)", first_style()) for one in rule.split(",")}
    whole = re.compile(r'"(stApp|stSidebarContent)"\][^ >]*:has\(')
    tag = re.compile(r":has\((button|input|div|span|label|svg)\b")
    assert [one for one in selectors if whole.search(one) or tag.search(one)] == []
    assert whole.search('[data-testid="stApp"]:has(.st-key-a) p') and tag.search("tr:has(button)")


def test_the_page_of_phones_is_the_one_that_fetches_nothing_for_figures() -> None:
    assert NO_FIGURES == VOTE
