"""Who asks, and what they may name on the machine that runs the workbench: the one place that every entry passes.

Whoever reaches the page may type a folder, a file, a model's name or a server's address, and this program would read
or ask it. On a loopback address that is the owner; on a network it is everybody. Then only these may be named: what
comes with the program, what the same person uploaded, and what the owner lists: folders (with all below them),
addresses of servers and names of models, in the hosting file or in MICROSCOPE_ALLOWED, separated by semicolons. The
command line is the owner's and is never restricted; nor is Python, unless MICROSCOPE_HOSTING is set.

A thread that carries out a person's wishes says so (``acting_for``), or is one of a page, of which the page's program
says who looks at it. Any other thread of a restricted program acts for nobody, who may name least and owns nothing.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from engine.core import hosting
from engine.core.errors import InputError
from engine.core.folders import data_folder

VARIABLE = "MICROSCOPE_ALLOWED"
UPLOADS = "uploads"
# What comes with the program: the corpus, the models and the judges.
OWN = frozenset({"sample", "embedded", "embedded-base", "embedded-writer", "similarity", "llm"})
# The owner, whose rows and files bear no name; and whoever cannot be told, who owns nothing.
OWNER = ""
NOBODY = "nobody"
Kind = Literal["corpus", "model"]
_STATE: dict[str, bool] = {"restricted": False}
_WHO: list[Callable[[], str]] = []
_ACTING: ContextVar[str | None] = ContextVar("acting", default=None)


def restrict_visitors(address: str | None, who: Callable[[], str] | None = None) -> None:
    """Say at which address the workbench listens; None = every address of the machine.

    Visitors are restricted unless it is a loopback address, and always where the owner has written a hosting file or
    set MICROSCOPE_ALLOWED. ``who`` returns the name of the person whose page the calling thread draws.
    """
    _STATE["restricted"] = not is_loopback(address) or VARIABLE in os.environ
    _WHO[:] = [] if who is None else [who]


def is_restricted() -> bool:
    """Return whether others than the owner may reach this program."""
    return _STATE["restricted"] or hosting.VARIABLE in os.environ


def acting_person() -> str | None:
    """Return the person whose wishes this thread carries out; None for the owner, who may see and name everything."""
    if not is_restricted():
        return None
    named = _ACTING.get()
    if named is None:
        named = _WHO[0]() if _WHO else NOBODY
    return None if named == OWNER else named


@contextmanager
def acting_for(person: str) -> Iterator[None]:
    """Carry out a person's wishes in this thread; OWNER for the program's own work."""
    token = _ACTING.set(person)
    try:
        yield
    finally:
        _ACTING.reset(token)


def owner_name() -> str:
    """Return what is written beside what this thread makes, to tell whose it is: OWNER where it is nobody else's."""
    return acting_person() or OWNER


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


def refuse_visitors(what: str) -> None:
    """Raise InputError, whose sentence begins with ``what``, unless this thread acts for the owner."""
    if acting_person() is not None:
        raise InputError(f"{what} is the owner's to do in a workbench that is open to others.")


def refuse_unlisted(name: str, kind: Kind = "model") -> None:
    """Raise InputError where this thread acts for a visitor who may not name this corpus, or this model or server.

    The sentence never repeats an address: it may hold a password.
    """
    person = acting_person()
    if person is None or not name.strip() or name in OWN or is_listed(name, kind, person):
        return
    what = "a server's address" if is_address(name) else repr(name[:80])
    raise InputError(
        f"This workbench is open to a network, and {what} is not on its owner's list. "
        f"Choose something else, or ask the owner to add it to {VARIABLE} or the hosting file."
    )


def listed_entries(kind: Kind) -> tuple[str, ...]:
    """Return what the owner lists of a kind: in the hosting file, and in the environment, which tells no kinds apart.

    Models and judges are of one kind, and so are the servers of models.
    """
    stated = hosting.hosting()
    told = () if stated is None else stated.corpora if kind == "corpus" else (*stated.models, *stated.servers)
    return tuple(filter(None, map(str.strip, (*os.environ.get(VARIABLE, "").split(";"), *told))))


def is_listed(name: str, kind: Kind, person: str) -> bool:
    """Return whether the owner lists a name, or it is below a listed folder or, as a corpus, below a person's uploads.

    Links are followed. An address is listed with any model of its server; of several, with commas between, every one
    must be. What somebody uploaded is no model: its weights could be of any size.
    """
    entries = listed_entries(kind)
    if is_address(name):
        listed = {base_of(one) for entry in entries if is_address(entry) for one in entry.split(",")} - {None}
        return all(base_of(one) in listed for one in name.split(","))
    if name in entries:
        return True
    own = (uploads_of(person).resolve(),) if kind == "corpus" else ()
    try:
        wanted = Path(name).expanduser().resolve()
        folders = [*own, *(Path(entry).expanduser().resolve() for entry in entries if is_path(entry))]
    except (OSError, ValueError, RuntimeError):
        return False
    return any(wanted.is_relative_to(folder) for folder in folders)


def uploads_of(person: str) -> Path:
    """Return the folder below which a person's uploads lie; the owner's is that of all uploads.

    Raises StorageError where the data folder cannot be made.
    """
    return data_folder() / UPLOADS / person if person else data_folder() / UPLOADS


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
