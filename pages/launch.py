"""Open the workbench like ``streamlit run app.py``, with its page list known from the first address on.

Until the first script has run, Streamlit treats the folder ``pages/`` beside the script as its older kind of page list.
On a fresh server the first link to a page then shows a box "Page not found" over the right page. Streamlit 1.67 has no
setting for that, only this flag, which ``st.navigation`` sets a moment later.

An installed package has no folder ``.streamlit`` beside its ``app.py``; the same settings then come from
``streamlit.toml`` beside this file, as options.

A thread imports what the first page needs while the browser loads Streamlit's own scripts.

What stands on a page does not jump: its style comes with the first bytes (``pages.first_paint``). The server does not
hold bytes back (``pages.no_delay``).

Where others may come, logs hold nothing that they write: at an address that is not this machine's alone, or where
MICROSCOPE_HOSTING names an owner's file.
"""

import gc
import logging
import os
import re
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

from streamlit import delta_generator, net_util, runtime
from streamlit import logger as streamlit_logger
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import RuntimeState
from streamlit.web import cli

from pages.first_paint import serve_first_style
from pages.no_delay import send_at_once
from pages.secure_cookies import keep_cookies_secure
from pages.upload_guard import guard_uploads

PROJECT = Path(__file__).resolve().parent.parent
CONFIG, PACKAGED_CONFIG = PROJECT / ".streamlit" / "config.toml", Path(__file__).parent / "streamlit.toml"
ADDRESS, HOSTING = "STREAMLIT_SERVER_ADDRESS", "MICROSCOPE_HOSTING"
HOSTS_OPTION, OWN_HOSTS = "--server.allowedHosts", ("localhost", "*.localhost", "127.0.0.1", "::1")
FIRST_PAGE = (
    "engine",
    "pages.shared.frame",
    "pages.shared.readiness",
    "pages.workspace.case_view",
    "pages.shared.cost",
    "pages.workspace.method_choice",
    "pages.shared.run_panel",
)
"""What the first page imports; torch and the rest come behind it (``pages.shared.readiness``)."""
LOOK = 0.01  # seconds between two looks whether the server answers


def get_ready() -> None:
    """Import what the first page needs, and open the store of runs.

    An error here is ignored: it appears again, with its message, when the page needs the same thing.
    """
    with suppress(Exception):
        for name in FIRST_PAGE:
            import_module(name)
        import_module("pages.shared.resources").store()


def get_ready_when_served() -> None:
    """Import what the first page needs once the server answers, without collecting garbage.

    Not before: both want the processor, and a browser loads Streamlit's scripts as soon as the server answers.
    """
    while not (runtime.exists() and runtime.get_instance().state is not RuntimeState.INITIAL):
        time.sleep(LOOK)
    gc.disable()
    try:
        get_ready()
    finally:
        # Else the first page's script would wait while the collector walks over all that was imported.
        gc.freeze()
        gc.enable()


def with_address(options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return Streamlit's options with this machine's own address, unless they or the environment name another.

    Streamlit reads the project's configuration only from the folder it is started in; without it, it would listen on
    every address of the machine.

    >>> with_address(["--server.port=1"], {}), with_address(["--server.address", "0.0.0.0"], {})
    (['--server.address=localhost', '--server.port=1'], ['--server.address', '0.0.0.0'])
    """
    named = ADDRESS in environment or any(one.partition("=")[0] == "--server.address" for one in options)
    return [*options] if named else ["--server.address=localhost", *options]


def with_hosts(options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return Streamlit's options with the host names of one's own machine, where nobody else may come.

    Without them Streamlit talks to a page of any host that leads here. Whoever owns a domain can let it lead to a
    visitor's own machine (DNS rebinding): their page could then ask, and read files, as the owner.

    >>> with_hosts(["--server.address=0.0.0.0"], {})
    ['--server.address=0.0.0.0']
    """
    given = any(one.partition("=")[0] == HOSTS_OPTION for one in options)
    named = given or variable_of(HOSTS_OPTION.strip("-")) in environment
    if named or listens_to_others(options, environment) or HOSTING in environment:
        return [*options]
    return [*options, *(f"{HOSTS_OPTION}={host}" for host in OWN_HOSTS)]


def packaged_settings(named: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the packaged settings as Streamlit's options, without those that options or the environment name.

    Raises OSError where the file is not there.
    """
    given = {one.partition("=")[0] for one in named}
    settings = flat_settings(tomllib.loads(PACKAGED_CONFIG.read_text(encoding="utf-8")))
    return [
        f"--{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in settings.items()
        if f"--{name}" not in given and variable_of(name) not in environment
    ]


def flat_settings(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return nested settings by their dotted names.

    >>> flat_settings({"theme": {"light": {"primaryColor": "#fff"}}, "a": 1})
    {'theme.light.primaryColor': '#fff', 'a': 1}
    """
    found: dict[str, Any] = {}
    for name, value in table.items():
        found |= flat_settings(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return found


def variable_of(name: str) -> str:
    """Return the environment variable that sets one of Streamlit's options.

    >>> variable_of("server.maxUploadSize")
    'STREAMLIT_SERVER_MAX_UPLOAD_SIZE'
    """
    return "STREAMLIT_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace(".", "_").upper()


def listens_to_others(options: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether other machines reach the address that these options, or else the environment, name.

    >>> listens_to_others(["--server.address=localhost"], {}), listens_to_others(["--server.address", "0.0.0.0"], {})
    (False, True)
    """
    from engine.core.allowed import is_loopback

    words = [word for one in options for word in one.split("=", 1)]
    named = [value for name, value in pairwise(words) if name == "--server.address"]
    return not is_loopback(named[-1] if named else environment.get(ADDRESS))


def keep_content_out_of_logs(others: bool) -> None:
    """Write no question, passage or answer into any log where others may come, unless the owner's file asks for it."""
    from engine.core.hosting import hosting
    from engine.core.quiet_logs import keep_logs_quiet, quiet_handlers

    stated = hosting()
    if stated.log_content if stated is not None else not others:
        return
    keep_logs_quiet()
    # Else Streamlit prints an exception in colours, past every log.
    os.environ["STREAMLIT_LOGGER_ENABLE_RICH"] = "false"
    set_up = streamlit_logger.setup_formatter

    def set_up_quietly(logger: logging.Logger) -> None:
        set_up(logger)
        quiet_handlers()

    # Streamlit gives each of its loggers a handler of its own, when it is first used and when its options are read.
    streamlit_logger.setup_formatter = set_up_quietly


def serve_sign_in() -> None:
    """Let a sign-in come back to the page that was wanted, where the owner asks for one."""
    from engine.core.hosting import hosting

    stated = hosting()
    if stated is not None and stated.sign_in is not None:
        import_module("pages.sign_in_routes").serve_ways_back()


def main() -> None:
    """Run the workbench; options are Streamlit's."""
    options = with_hosts(with_address(sys.argv[1:], os.environ), os.environ)
    keep_content_out_of_logs(listens_to_others(options, os.environ))
    serve_sign_in()
    # Streamlit would ask a web service for this machine's address, to show it and to compare origins with it.
    net_util.get_external_ip = lambda: None
    PagesManager.uses_pages_directory = False
    # Before its first element Streamlit would look through all modules to see whether it was started with "run".
    delta_generator._use_warning_has_been_displayed = True  # noqa: SLF001
    Thread(target=get_ready_when_served, name="imports of the first page", daemon=True).start()
    serve_first_style()
    send_at_once()
    keep_cookies_secure()
    guard_uploads()
    packaged = [] if CONFIG.is_file() else packaged_settings(options, os.environ)
    sys.argv = ["streamlit", "run", str(PROJECT / "app.py"), *packaged, *options]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
