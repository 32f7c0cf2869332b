"""The models that somebody added: a folder, a file, a name or an address, with what was changed of each.

Where a chat template, further stop strings or a shorter context were typed for a model, they hold wherever that model
is named. A key of a server is never part of an entry. Deleting hides an entry, so that it can be undone.

There is one list for everybody, so only the owner of a workbench that is open to others may change it.

It stands apart from the models' own code: adding one changes no number that another computes.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import Boolean, Column, MetaData, Table, Text, delete, insert, select, update

from engine.core.allowed import base_of, is_address, refuse_visitors
from engine.core.clock import now
from engine.core.database import Database, Schema, sql_step
from engine.core.errors import InputError, RecordError, StorageError
from engine.core.folders import data_folder
from engine.core.json_text import fault_line, record_to_json
from engine.core.naming import only_named
from engine.core.words import tidy_name

LONGEST_NAME, LONGEST_SOURCE, LONGEST_TEMPLATE, MOST_STOPS = 80, 1000, 50_000, 8
CHANGING = "Changing the list of models"
GONE = "This model is no longer on the list."
MODELS = Table(
    "models",
    MetaData(),
    Column("id", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("added", Text, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("entry_json", Text, nullable=False),
)
SCHEMA = Schema(
    name="the list of models",
    steps=(
        sql_step(
            "CREATE TABLE models (id TEXT PRIMARY KEY, source TEXT NOT NULL, added TEXT NOT NULL, "
            "deleted BOOLEAN NOT NULL, entry_json TEXT NOT NULL)"
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What was changed of a model; everything empty = it is used as it comes.

    ``template`` is a chat template in the place of the model's own. ``stop`` are further strings that end an answer.
    ``context`` is the longest prompt with its answer, in tokens, where it is to be shorter than the model allows.
    """

    template: Annotated[str, Field(max_length=LONGEST_TEMPLATE)] = ""
    stop: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=100)], ...], Field(max_length=MOST_STOPS)] = ()
    context: Annotated[int, Field(ge=64)] | None = None

    @property
    def words(self) -> str:
        """What a record says of it, "" where nothing was changed; it names the very template."""
        parts = [f"chat template {sha256(self.template.encode()).hexdigest()[:8]}"] if self.template else []
        parts += [f"stop strings {', '.join(map(repr, self.stop))}"] if self.stop else []
        parts += [f"at most {self.context:,} tokens"] if self.context else []
        return f"Changed by hand: {'; '.join(parts)}." if parts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a test of a model showed: an answer of it, how long opening took, and its pace in tokens a second.

    ``busy``: other work was waiting for the processors, so it may be faster than that.
    """

    at: str
    device: str
    dtype: str
    question: str
    answer: str
    open_seconds: float
    prompt_tokens: float
    new_tokens: float
    busy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A model on the list. ``source`` is what a request names: folder, GGUF file, hub name or server address."""

    id: str
    name: str
    source: str
    added: str
    changes: Changes = Changes()
    trial: Trial | None = None
    deleted: bool = False
    deleted_at: str = ""


ENTRY = TypeAdapter(ModelEntry)
CHANGES = TypeAdapter(Changes)
NONE = Changes()


@lru_cache(maxsize=4)
def store_in(folder: Path) -> Database:
    """Return the database of a data folder, open for all threads."""
    return Database(folder / "models.sqlite", SCHEMA)


def is_kept() -> bool:
    """Return whether a list was ever written: reading never writes one."""
    return (data_folder() / "models.sqlite").exists()


def entries(deleted: bool = False) -> tuple[ModelEntry, ...]:
    """Return the models on the list, newest first, or those that were deleted. Raises StorageError."""
    if not is_kept():
        return ()
    with store_in(data_folder()).reading() as connection:
        rows = connection.execute(select(MODELS.c.entry_json).order_by(MODELS.c.added.desc())).scalars().all()
    found = [entry for row in rows if (entry := read_entry(row)) is not None]
    return tuple(entry for entry in found if entry.deleted == deleted)


def read_entry(text: str) -> ModelEntry | None:
    """Return an entry from its JSON, None where it cannot be read."""
    try:
        return ENTRY.validate_json(text)
    except ValidationError:
        return None


def entry_named(wanted: str, deleted: bool = False) -> ModelEntry:
    """Return the entry with this source or id, else the only one of this name; ``deleted`` = of those removed.

    Raises RecordError where there is none, and where several have the name.
    """
    found = entries(deleted)
    same = next((entry for entry in found if entry.source == wanted), None)
    return same or only_named(wanted, found, "removed model" if deleted else "added model")


def entry_for(source: str) -> ModelEntry | None:
    """Return the entry of what a request names, None where it is not on the list."""
    return next((entry for entry in entries() if entry.source == source.strip()), None)


def changes_of(source: str) -> Changes:
    """Return what was changed of a model; nothing where it is not on the list, or the list cannot be read."""
    try:
        entry = entry_for(source)
    except StorageError:  # a model is used as it comes where the list is broken; the Models page says so
        return NONE
    return entry.changes if entry is not None else NONE


def add(source: str, name: str = "") -> ModelEntry:
    """Return the entry of a source, put on the list where it is not there yet.

    Raises InputError for visitors and for an address with a password in it, RecordError for no source, StorageError.
    """
    refuse_visitors(CHANGING)
    source = source.strip()
    refuse_password(source)
    if not source or len(source) > LONGEST_SOURCE:
        raise RecordError("A model is a folder, a .gguf file, a hub name, or the address of a server.")
    entry = ModelEntry(
        id=secrets.token_hex(6),
        name=tidy_name(name, LONGEST_NAME) or short_name(source),
        source=source,
        added=now(),
    )
    with store_in(data_folder()).transaction() as connection:
        # Looked up while nobody else writes: whoever added it meanwhile may have changed it already.
        text = connection.execute(select(MODELS.c.entry_json).where(MODELS.c.source == source)).scalar()
        known = read_entry(text) if text is not None else None
        if known is not None and not known.deleted:
            return known
        connection.execute(delete(MODELS).where(MODELS.c.source == source))
        connection.execute(insert(MODELS), [row_of(entry)])
    return entry


def refuse_password(source: str) -> None:
    """Raise InputError, which repeats nothing of it, where a source is an address with a password or a query in it.

    The models' own code checks addresses too, with more to say; it stands on this module, so it cannot be asked here.
    """
    if is_address(source) and any(base_of(one) is None for one in source.split(",")):
        raise InputError(
            "This server's address is not kept: leave out its name and password, and everything from “?” on."
        )


def rename(entry_id: str, name: str) -> ModelEntry:
    """Return the entry under another name; an empty one changes nothing. Raises as ``changed`` does."""
    called = tidy_name(name, LONGEST_NAME)
    return changed(entry_id, lambda one: replace(one, name=called or one.name))


def short_name(source: str) -> str:
    """Return what a source is called: the last part of a path, and of a server its model.

    >>> short_name("/srv/models/tiny-gpt2"), short_name("http://localhost:8000/v1#org/m"), short_name("org/m")
    ('tiny-gpt2', 'org/m at localhost:8000', 'org/m')
    """
    if source.lower().startswith(("http://", "https://")):
        address, _, model = source.partition("#")
        host = address.split("//", 1)[1].split("/", 1)[0]
        return tidy_name(f"{model} at {host}" if model else host, LONGEST_NAME)
    is_hub_name = source.count("/") == 1 and not source.startswith((".", "/", "~")) and not Path(source).exists()
    return tidy_name(source if is_hub_name else Path(source).name or source, LONGEST_NAME)


def row_of(entry: ModelEntry) -> dict[str, Any]:
    """Return an entry as a row of the table."""
    return {
        "id": entry.id,
        "source": entry.source,
        "added": entry.added,
        "deleted": entry.deleted,
        "entry_json": record_to_json(entry),
    }


def changed(entry_id: str, change: Callable[[ModelEntry], ModelEntry]) -> ModelEntry:
    """Return an entry after a change, which is kept.

    Raises RecordError where there is none, InputError for visitors, StorageError.
    """
    refuse_visitors(CHANGING)
    with store_in(data_folder()).transaction() as connection:
        text = connection.execute(select(MODELS.c.entry_json).where(MODELS.c.id == entry_id)).scalar()
        before = read_entry(text) if text is not None else None
        if before is None:
            raise RecordError(GONE)
        entry = change(before)
        connection.execute(update(MODELS).where(MODELS.c.id == entry_id).values(row_of(entry)))
    return entry


def keep_changes(entry_id: str, changes: Changes) -> ModelEntry:
    """Return an entry with what was changed of its model. Raises RecordError for what cannot be."""
    try:
        checked = CHANGES.validate_python(
            {"template": changes.template, "stop": changes.stop, "context": changes.context}
        )
    except ValidationError as exc:
        raise RecordError(f"This cannot be kept: {fault_line(exc)}.") from exc
    return changed(entry_id, lambda one: replace(one, changes=checked))


def hide(entry_id: str) -> None:
    """Take an entry off the list, which can be undone; its files stay."""
    changed(entry_id, lambda one: replace(one, deleted=True, deleted_at=now()))


def purge(entry_id: str) -> bool:
    """Remove a hidden entry for good; return False where it was brought back. Raises InputError for visitors."""
    refuse_visitors(CHANGING)
    with store_in(data_folder()).transaction() as connection:
        found = connection.execute(delete(MODELS).where(MODELS.c.id == entry_id, MODELS.c.deleted))
    return found.rowcount > 0


def restore(entry_id: str) -> ModelEntry:
    """Return an entry that was taken off the list, on it again. Raises RecordError where it is gone."""
    return changed(entry_id, lambda one: replace(one, deleted=False, deleted_at=""))
