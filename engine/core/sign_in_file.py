"""Streamlit's file with the provider of the sign-in, checked before the server starts.

Streamlit reads it only when somebody presses *Sign in*: what is wrong in it would be seen by the first visitor, and as
an error without a sentence. No sentence here repeats a value that is a secret.
"""

import tomllib
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from engine.core.errors import InputError
from engine.core.hosting import LARGEST_FILE, Hosting

SECTION = "auth"
ENTRIES = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
CALLBACK = "/oauth2callback"
SHORTEST_SECRET = 32


def sign_in_origin(stated: Hosting, folder: Path) -> str:
    """Return where people sign in, as "https://scope.example"; ``folder`` holds the owner's file.

    "" where the owner asks for no sign-in. Raises InputError with what is wrong in the file, and where.
    """
    if stated.sign_in is None:
        return ""
    file = folder / stated.sign_in.secrets
    entries = read_entries(file)
    if len(entries["cookie_secret"]) < SHORTEST_SECRET:
        raise InputError(
            f"cookie_secret in {file.name} has fewer than {SHORTEST_SECRET} letters. "
            'Make one: python -c "import secrets; print(secrets.token_hex())"'
        )
    refuse_address("server_metadata_url", split_address(entries["server_metadata_url"]), file.name)
    back = split_address(entries["redirect_uri"].replace("{port}", str(stated.port)))
    refuse_address("redirect_uri", back, file.name)
    refuse_other_place(back, stated, file.name)
    return f"{back.scheme}://{back.netloc}"


def read_entries(file: Path) -> dict[str, str]:
    """Return what the file says of the provider. Raises InputError where an entry is missing or no text."""
    try:
        content = file.read_bytes()[: LARGEST_FILE + 1]
        told = tomllib.loads(content.decode("utf-8"))
    except OSError as exc:
        raise InputError(f"The secrets of the sign-in, {file.name}, cannot be read: {exc.strerror}.") from exc
    except (UnicodeDecodeError, ValueError, RecursionError) as exc:
        # Its own text may repeat a letter of a secret.
        raise InputError(f"The secrets of the sign-in, {file.name}, are not TOML.") from exc
    section = told.get(SECTION)
    if not isinstance(section, dict):
        raise InputError(f"{file.name} has no section [{SECTION}] with the provider of the sign-in.")
    missing = [name for name in ENTRIES if not isinstance(section.get(name), str) or not section[name].strip()]
    if missing:
        raise InputError(f"Section [{SECTION}] of {file.name} lacks {', '.join(missing)}.")
    return {name: section[name] for name in ENTRIES}


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; empty ones for what cannot be read."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return urlsplit("")


def refuse_address(name: str, parts: SplitResult, file: str) -> None:
    """Raise InputError unless an entry is an address on the web."""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{name} in {file} is not an address that begins with https://.")


def refuse_other_place(back: SplitResult, stated: Hosting, file: str) -> None:
    """Raise InputError where the provider would send people to another place than the workbench."""
    base = stated.base_path.strip("/")
    wanted = f"/{base}{CALLBACK}" if base else CALLBACK
    if back.path != wanted:
        raise InputError(f"redirect_uri in {file} must end in {wanted}, and its path is {back.path or '/'}.")
    if stated.name and back.hostname != stated.name.lower():
        raise InputError(f"redirect_uri in {file} leads to {back.hostname}, and people come to {stated.name}.")
