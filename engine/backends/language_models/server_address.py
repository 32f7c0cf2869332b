"""Servers by name, "http://host:8000/v1#model", and their keys, which are kept apart from names for good.

A name is shown, stored and exported; so it may hold no password and no query. The key of a server is typed in, or it is
the environment's MICROSCOPE_API_KEY where MICROSCOPE_API_SERVER names that server: an address that somebody else typed,
or that came with an imported run, is sent no key. It lives in this process' memory and goes into one header of the
requests to that server, nowhere else.
"""

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.core.allowed import refuse_visitors
from engine.core.errors import InputError

KEY_VARIABLE = "MICROSCOPE_API_KEY"
SERVER_VARIABLE = "MICROSCOPE_API_SERVER"
PORTS = {"http": 80, "https": 443}
SCHEMES = ("http://", "https://")
LONGEST_NAME = 500
_TYPED: dict[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerName:
    """Where a model is served. ``base`` is the address that paths are put behind; ``model`` "" = the only one there."""

    base: str
    host: str
    model: str = ""

    @property
    def root(self) -> str:
        """The address without its version, behind which servers keep what OpenAI's own interface does not have."""
        return self.base.removesuffix("/v1")


def is_server(name: str) -> bool:
    """Return whether a model's name is the address of a server.

    >>> is_server("http://localhost:8000/v1#qwen"), is_server("embedded")
    (True, False)
    """
    return name.strip().lower().startswith(SCHEMES)


def server_name(name: str) -> ServerName:
    """Return the parts of a server's name. Raises InputError, which never repeats the name: it may hold a password.

    >>> server_name("http://localhost:8000#Qwen/Qwen3-8B")
    ServerName(base='http://localhost:8000/v1', host='localhost:8000', model='Qwen/Qwen3-8B')
    """
    try:
        parts = urlsplit(name.strip())
        port = parts.port
        if len(name) > LONGEST_NAME or not parts.hostname or re.search(r"\s", parts.netloc + parts.path):
            raise ValueError("no address")
    except ValueError as exc:
        raise InputError("The server's address cannot be read; it looks like http://localhost:8000/v1#model.") from exc
    # Keys are also passed around in queries.
    secret = "name and password" if "@" in parts.netloc else 'everything from "?" on' if parts.query else ""
    if secret:
        raise InputError(
            f"Leave {secret} out of the server's address: it is stored with every run. "
            f"Type the key into its own field, or set {KEY_VARIABLE} and {SERVER_VARIABLE}."
        )
    name_of_host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host = f"{name_of_host}:{port}" if port else name_of_host
    path = parts.path.rstrip("/") or "/v1"
    return ServerName(base=f"{parts.scheme.lower()}://{host}{path}", host=host, model=parts.fragment.strip())


def refuse_secrets(name: str) -> None:
    """Raise InputError where a model's name is a server's address with a password or a query in it."""
    if is_server(name):
        for one in name.split(","):
            server_name(one)


def named_model(name: str, model: str) -> str:
    """Return the full name of a model on the server of a name.

    >>> named_model("http://localhost:8000", "org/m")
    'http://localhost:8000/v1#org/m'
    """
    return f"{server_name(name).base}#{model}"


def keep_key(name: str, key: str) -> None:
    """Keep a typed key for a server until this process ends; "" changes nothing. It is never stored.

    Raises InputError where the name cannot be read or the key cannot be sent.
    """
    server = server_name(name)
    if key.strip():
        refuse_visitors("Setting a server's key")
        _TYPED[server.base] = sendable(key.strip())


def keeps_key(name: str) -> bool:
    """Return whether a typed key is kept for a server; not for a name that cannot be read."""
    try:
        return server_name(name).base in _TYPED
    except InputError:
        return False


def drop_key(name: str) -> None:
    """Forget the key typed for a server, for everybody who uses it through this process. Raises InputError."""
    refuse_visitors("Forgetting a server's key")
    _TYPED.pop(server_name(name).base, None)


def key_of(server: ServerName) -> str:
    """Return the key for a server: the one typed for it, else the environment's where that names it; "" for none.

    Raises InputError where the environment's cannot be sent.
    """
    return _TYPED.get(server.base) or (sendable(environment_key()) if environment_names(server) else "")


def environment_key() -> str:
    """Return the environment's key, "" where there is none; it is meant for one server only."""
    return os.environ.get(KEY_VARIABLE, "").strip()


def environment_names(server: ServerName) -> bool:
    """Return whether the environment's key is meant for this server: same scheme, host and port; no path counts."""
    named = os.environ.get(SERVER_VARIABLE, "").strip()
    try:
        return is_server(named) and origin(server_name(named)) == origin(server)
    except InputError:
        return False


def origin(server: ServerName) -> tuple[str, str, int]:
    """Return a server's (scheme, host, port), the usual port where the address has none.

    >>> origin(server_name("https://Api.example.org/openai/v1#m"))
    ('https', 'api.example.org', 443)
    """
    parts = urlsplit(server.base)
    return parts.scheme, parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)


def sendable(key: str) -> str:
    """Return a key that a header can hold. Raises InputError, which never repeats it, for any other."""
    if not (key.isascii() and key.isprintable()):
        raise InputError("The key of the server has letters or line breaks in it that no key has; copy it again.")
    return key


def key_advice(server: ServerName) -> str:
    """Return what to do where a server refuses the key that it got, or wants one that it did not get."""
    if environment_key() and not key_of(server):
        return f"{KEY_VARIABLE} is set, but {SERVER_VARIABLE} does not name this server."
    return f"Set {KEY_VARIABLE} and {SERVER_VARIABLE}, or type the key again."
