"""The models that this machine can use: those of the program, those added, those that lie here without being added."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.backends.added_models import ModelEntry, entries, hide, purge, short_name
from engine.backends.hub_cache import cached_names
from engine.backends.language_models import EMBEDDED_NAMES, is_server, refuse_secrets
from engine.backends.language_models.embedded import FOLDER
from engine.backends.language_models.gguf_file import conversion_of, gguf_in, named_conversions
from engine.core.allowed import refuse_unlisted, refuse_visitors
from engine.core.deleted import Deleted, over
from engine.core.errors import InputError, ModelError
from engine.core.folders import data_folder, size_of

MOST_DELETED = 20 * 10**9  # bytes made for removed models that are kept for a way back
Kind = Literal["embedded", "folder", "gguf", "hub", "server", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableModel:
    """A model that can be asked. ``source`` is what a request names; ``entry`` None = it was not added to the list."""

    source: str
    name: str
    kind: Kind
    entry: ModelEntry | None = None


def usable_models() -> tuple[UsableModel, ...]:
    """Return every model, those of the program first, then those added, then others found here.

    Visitors see what they may name. Raises StorageError where the list cannot be read.
    """
    added = [UsableModel(source=one.source, name=one.name, kind=kind_of(one.source), entry=one) for one in entries()]
    listed = {one.source for one in added}
    found = [UsableModel(source=file, name=short_name(file), kind="gguf") for file in named_conversions()]
    found += [UsableModel(source=name, name=name, kind="hub") for name in cached_names()]
    embedded = [UsableModel(source=name, name=name, kind="embedded") for name in EMBEDDED_NAMES]
    return tuple(one for one in (*embedded, *added, *(f for f in found if f.source not in listed)) if may_name(one))


def removed_models() -> tuple[UsableModel, ...]:
    """Return the models that were taken off the list and can be brought back, the last first. Raises StorageError."""
    gone = sorted(entries(deleted=True), key=lambda one: one.deleted_at, reverse=True)
    return tuple(UsableModel(source=one.source, name=one.name, kind=kind_of(one.source), entry=one) for one in gone)


def askable_models() -> dict[str, str]:
    """Return the models on the list that may be named, source -> name; nothing is looked up beside the list."""
    return {one.source: one.name for one in entries() if may_name(one)}


def may_name(model: UsableModel | ModelEntry) -> bool:
    """Return whether a model may be named: by everybody on this machine, by visitors where its owner lists it."""
    try:
        refuse_unlisted(model.source)
    except InputError:
        return False
    return True


def kind_of(source: str) -> Kind:
    """Return what a source is; "missing" = a path that is not there, or not readable, any more."""
    if is_server(source):
        return "server"
    if source in EMBEDDED_NAMES:
        return "embedded"
    path = Path(source).expanduser()
    try:
        if gguf_in(path) is not None:
            return "gguf"
        if path.is_dir():
            return "folder"
    except OSError:
        return "missing"
    return "missing" if source.startswith((".", "/", "~")) or path.suffix.lower() == ".gguf" else "hub"


def check_source(source: str) -> str:
    """Return a source as it is put on the list: a path whole, anything else as it is.

    Raises InputError for what visitors may not name and for an address with a password in it, ModelError for a path
    without a model.
    """
    source = source.strip()
    refuse_unlisted(source)
    refuse_secrets(source)
    kind = kind_of(source) if source else "missing"
    if kind in ("server", "hub"):
        return source
    if kind == "missing":
        raise ModelError(f"There is no model folder and no .gguf file {source[:200]!r} on this machine.")
    if kind == "embedded":
        raise ModelError(f"{source!r} comes with the program and is always on the list.")
    path = Path(source).expanduser().absolute()
    if kind == "folder" and not (path / "config.json").is_file():
        raise ModelError(
            f"The folder {path.name!r} is not a model: it has neither config.json nor a single .gguf file."
        )
    if kind == "folder" and not any(path.glob("*.safetensors")):
        raise ModelError(f"The folder {path.name!r} has no safetensors weights; other formats are not read.")
    return str(path)


def disk_bytes(model: UsableModel) -> int:
    """Return the bytes that a model's files take on this machine, 0 for a server, or where they cannot be read."""
    if model.kind in ("server", "missing", "hub"):
        return 0
    try:
        folder = data_folder() / "models" / FOLDER if model.kind == "embedded" else Path(model.source).expanduser()
        return size_of(folder) + made_bytes(model.source)
    except (OSError, ModelError):
        return 0


def made_for(source: str) -> tuple[Path, ...]:
    """Return the folders that this program made for a source: a GGUF file's conversion, what it fetched."""
    path, own = Path(source).expanduser(), (data_folder() / "models").resolve()
    try:
        file = gguf_in(path)
        made = conversion_of(file) if file is not None else path.resolve()
    except (OSError, ModelError):
        return ()
    return (made,) if made.is_dir() and made.is_relative_to(own) and made.name != FOLDER else ()


def take_off(entry_id: str) -> None:
    """Take a model off the list, which can be undone; what was taken off a day ago, or is too much to keep, goes.

    Raises InputError for visitors.
    """
    hide(entry_id)
    remove_for_good()


def remove_for_good() -> None:
    """Remove what is no longer kept for a way back, with the files that this program made for it.

    A person's own folders and files stay where they are. Raises InputError for visitors.
    """
    refuse_visitors("Removing a model")
    made = {entry.id: set(made_for(entry.source)) for entry in (*entries(), *entries(deleted=True))}
    found = [Deleted(id=one.id, at=one.deleted_at, size=made_bytes(one.source)) for one in entries(deleted=True)]
    gone = over(found, MOST_DELETED)
    used = {folder for entry_id, folders in made.items() if entry_id not in gone for folder in folders}
    for entry_id in gone:
        if purge(entry_id):
            for folder in made[entry_id] - used:
                shutil.rmtree(folder, ignore_errors=True)


def made_bytes(source: str) -> int:
    """Return the bytes of what this program made for a source."""
    return sum(map(size_of, made_for(source)))
