"""The commands for a workbench that is open to others: ``microscope serve`` and ``microscope health``."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from engine.cli.printed import say
from engine.core.allowed import is_loopback
from engine.core.hosting import VARIABLE, Hosting, hosting, read_hosting
from engine.core.sign_in_file import sign_in_origin

ConfigFile = Annotated[Path, typer.Option("--config", help="The owner's file, with its section “hosting”.")]


def serve(config: ConfigFile) -> None:
    """Open the workbench to others as the owner's file says: address, what may be named, sign-in, limits."""
    file = config.absolute()  # where it is a link, its secrets are beside the link
    stated = read_hosting(file)
    for line in serving_lines(stated, sign_in_origin(stated, file.parent)):
        say(line, err=True)
    os.environ[VARIABLE] = str(file)
    command = [sys.executable, "-m", "pages.launch", *streamlit_options(stated, file.parent)]
    if os.name == "posix":  # the server takes this process's place, so that it hears what stops this one
        os.execv(command[0], command)
    raise typer.Exit(code=subprocess.run(command, check=False).returncode)


def serving_lines(stated: Hosting, origin: str = "") -> list[str]:
    """Return what an owner should know before anybody comes; ``origin`` is where people sign in."""
    lines = [f"Open at {stated.address}, port {stated.port}."]
    if origin:
        lines.append(f"People sign in at {origin}.")
        where = urlsplit(origin)
        if where.scheme == "http" and not is_loopback(where.hostname):
            lines.append("Without https, whoever is on the way can take over a sign-in.")
    elif stated.sign_in is None and not is_loopback(stated.address):
        lines.append("Nobody signs in: each browser is a person, and whoever reaches the address may come in.")
    if stated.log_content:
        lines.append("Logs may hold what people write (log_content).")
    return lines


def streamlit_options(stated: Hosting, folder: Path) -> list[str]:
    """Return Streamlit's options for an owner's file in a folder; what is not named there keeps Streamlit's safe way.

    >>> streamlit_options(Hosting(address="0.0.0.0"), Path("/etc"))[:2]
    ['--server.address=0.0.0.0', '--server.port=8501']
    """
    options = {
        "server.address": stated.address,
        "server.port": stated.port,
        "server.headless": "true",
        "server.enableXsrfProtection": "true",
        "server.enableCORS": "true",
        "server.enableAgentApi": "false",
        "server.maxUploadSize": stated.limits.upload_mb,
        "logger.level": "warning",
        "logger.enableRich": "false",
        "client.showErrorDetails": "none",
    }
    if stated.name:
        options["browser.serverAddress"] = stated.name
    if stated.base_path.strip("/"):
        options["server.baseUrlPath"] = stated.base_path.strip("/")
    if stated.sign_in is not None:
        options["secrets.files"] = str(folder / stated.sign_in.secrets)
    return [f"--{name}={value}" for name, value in options.items()]


def health(
    config: Annotated[Path | None, typer.Option("--config", help="The file that it is served with.")] = None,
) -> None:
    """Say whether the server, the stores and the worker are well; exit status 1 where one is not."""
    from engine.cli.health import health as findings

    found = findings(read_hosting(config) if config is not None else hosting() or Hosting())
    for one in found:
        say(f"{one.what:<12} {one.found}" + (f"  -> {one.advice}" if one.advice else ""))
    if not all(one.well for one in found):
        raise typer.Exit(code=1)
