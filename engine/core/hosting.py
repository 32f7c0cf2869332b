"""How an owner opens the workbench to others: address, what visitors may name, sign-in, limits. One TOML file.

``microscope serve --config FILE`` checks the file and hands its place to the server in MICROSCOPE_HOSTING. Without the
variable there is no such file, and the workbench is one person's, on this machine alone.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from engine.core.errors import InputError
from engine.core.json_text import fault_parts
from engine.core.settings import Positive

VARIABLE = "MICROSCOPE_HOSTING"
SECTION = "hosting"
LARGEST_FILE = 2**20
STRICT = ConfigDict(extra="forbid", strict=True)
Port = Annotated[int, Field(ge=1, le=65535)]
Refusal = Literal["no address", "not confirmed", "not listed"]


@checked_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Limits:
    """What one person may use. ``waiting``: questions queued or running at once. ``an_hour``: questions and imports
    in any hour, and so many projects and imports of labels too. ``queue``: questions of everybody together that may
    wait or run. ``corpora``: corpora of uploads, each of at most ``upload_mb`` MB, as is an import of labels or a run.
    """

    waiting: Positive = 3
    an_hour: Positive = 20
    queue: Positive = 40
    corpora: Positive = 5
    upload_mb: Positive = 50


@checked_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class SignIn:
    """Sign-in by OpenID Connect. ``secrets``: Streamlit's own file with its section [auth].

    ``people``: e-mail addresses that may come in, "*" stands for any text; empty = whoever the provider lets in.
    """

    secrets: str
    people: tuple[str, ...] = ()

    def refusal(self, claims: Mapping[str, object]) -> Refusal | None:
        """Return why what the provider says of a person does not let them in; None where it does.

        Whether an address is listed is told only to whom it was confirmed for.

        >>> SignIn(secrets="s", people=("*@school.example",)).refusal({"email": "A@School.example"})
        'not confirmed'
        """
        if not self.people:
            return None
        address = str(claims.get("email") or "").casefold()
        if not address:
            return "no address"
        if claims.get("email_verified") not in (True, "true"):
            return "not confirmed"
        return None if any(fnmatchcase(address, one.casefold()) for one in self.people) else "not listed"


@checked_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Hosting:
    """What an owner states. ``name``: the host's name under which browsers reach it, where it is not the address, as
    behind a proxy. ``corpora``: folders and files, with all below them. ``servers``: addresses, with every
    model there; ``models``: folders and names of models and judges. ``online_counts``: whether names may go to the
    infini-gram service. ``labels``: "own" = each person sees the projects they made, "shared" = everybody sees all.
    ``log_content``: whether logs may hold what people wrote.
    """

    address: str = "localhost"
    name: str = ""
    port: Port = 8501
    base_path: str = ""
    corpora: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    online_counts: bool = False
    labels: Literal["own", "shared"] = "own"
    log_content: bool = False
    sign_in: SignIn | None = None
    limits: Limits = field(default_factory=Limits)


def hosting() -> Hosting | None:
    """Return what the owner states, None where MICROSCOPE_HOSTING names no file. Raises InputError."""
    named = os.environ.get(VARIABLE, "").strip()
    return read_once(named) if named else None


@lru_cache(maxsize=8)
def read_once(named: str) -> Hosting:
    """Return what a file states, as it was when this program first read it."""
    return read_hosting(Path(named))


def read_hosting(path: Path) -> Hosting:
    """Return what an owner's file states. Raises InputError with the file's fault and where it is."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path.name} is larger than 1 MiB; no hosting file is.")
        stated = parse_hosting(path.read_bytes())
    except OSError as exc:
        raise InputError(f"The hosting file {path} cannot be read: {exc.strerror}.") from exc
    if stated.sign_in is not None and not (path.parent / stated.sign_in.secrets).is_file():
        raise InputError(f"There is no file {stated.sign_in.secrets} with the secrets of the sign-in.")
    return stated


def parse_hosting(content: bytes) -> Hosting:
    """Return what the bytes of a hosting file state. Raises InputError.

    >>> parse_hosting(b'[hosting]\\naddress = "0.0.0.0"').limits.waiting
    3
    """
    try:
        told = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as exc:
        raise InputError(f"The hosting file is not TOML: {exc}.") from exc
    section = told.get(SECTION)
    if not isinstance(section, dict) or len(told) != 1:
        raise InputError("The hosting file has one section, [hosting], and nothing beside it.")
    try:
        return TypeAdapter(Hosting).validate_json(as_json(section))
    except ValidationError as exc:
        place, message = fault_parts(exc)
        raise InputError(f"The hosting file has an error at {place or SECTION}: {message}.") from exc


def as_json(section: object) -> str:
    """Return a section as JSON, in which a list is what a tuple is read from; dates and the like become text."""
    return json.dumps(section, default=str)
