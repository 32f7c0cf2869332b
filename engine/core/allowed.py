"""What a visitor may name on the machine that runs the workbench: only what its owner lists, once it is open to others.

Whoever reaches the page may type a folder, a file, a model's name or a server's address, and this program would read
or ask it. On a loopback address that is the owner; on a network it is everybody. Then only these may be named: what
comes with the program, what was uploaded, and what MICROSCOPE_ALLOWED lists: folders (with all below them), addresses
of servers and names of models, parted by semicolons. Command line and Python are the owner's and are never restricted.
"""

import os
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from engine.core.errors import InputError
from engine.core.folders import data_folder

VARIABLE = "MICROSCOPE_ALLOWED"
UPLOADS = "uploads"
# What comes with the program: the corpus, the models and the judges.
OWN = frozenset({"sample", "embedded", "embedded-base", "embedded-writer", "similarity", "llm"})
_STATE = {"restricted": False}


def restrict_visitors(address: str | None) -> None:
    """Say at which address the workbench listens; None = every address of the machine.

    Visitors are restricted unless it is a loopback address, and always where the owner has set MICROSCOPE_ALLOWED.
    """
    _STATE["restricted"] = not is_loopback(address) or VARIABLE in os.environ


def is_loopback(address: str | None) -> bool:
    """Return whether only this machine reaches an address.

    >>> [is_loopback(address) for address in ("localhost", "127.0.0.2", "::1", "0.0.0.0", None)]
    [True, True, True, False, False]
    """
    name = (address or "").strip().strip("[]").lower()
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def refuse_unlisted(name: str) -> None:
    """Raise InputError where visitors are restricted and may not name this folder, file, model, judge or server.

    The sentence never repeats an address: it may hold a password.
    """
    if not _STATE["restricted"] or not name.strip() or name in OWN or is_listed(name):
        return
    what = "a server's address" if is_address(name) else repr(name[:80])
    raise InputError(
        f"This workbench is open to a network, and {what} is not on its owner's list. "
        f"Choose something else, or ask the owner to add it to {VARIABLE}."
    )


def is_listed(name: str) -> bool:
    """Return whether the owner lists a name, or it is below a listed folder or that of the uploads; links are followed.

    An address is listed with any model of its server.
    """
    entries = [entry.strip() for entry in os.environ.get(VARIABLE, "").split(";") if entry.strip()]
    if is_address(name):
        return base_of(name) in {base_of(entry) for entry in entries if is_address(entry)} - {None}
    if name in entries:
        return True
    try:
        wanted = Path(name).expanduser().resolve()
        folders = [Path(entry).expanduser().resolve() for entry in entries if is_path(entry)]
    except (OSError, ValueError, RuntimeError):
        return False
    return any(wanted.is_relative_to(folder) for folder in (*folders, (data_folder() / UPLOADS).resolve()))


def is_address(name: str) -> bool:
    """Return whether a name is a server's address."""
    return name.strip().lower().startswith(("http://", "https://"))


def base_of(name: str) -> tuple[str, str, int, str] | None:
    """Return what two addresses of one server share: scheme, host, port, path; None for one that cannot be read.

    >>> base_of("http://Host:8000#model") == base_of("http://host:8000/v1/")
    True
    """
    try:
        parts = urlsplit(name.strip())
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (ValueError, KeyError):
        return None
    if not parts.hostname or "@" in parts.netloc or parts.query:
        return None
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/") or "/v1"


def is_path(entry: str) -> bool:
    """Return whether an entry of the list is a folder or file: an absolute path, or one in a home folder.

    >>> is_path("/srv/corpora"), is_path("org/model"), is_path("http://localhost:8000")
    (True, False, False)
    """
    return not is_address(entry) and (entry.startswith("~") or Path(entry).is_absolute())
