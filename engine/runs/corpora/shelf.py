"""The shelf of corpora: what was added, what became of each file, how far it is indexed. One JSON file an entry.

An entry names a folder or file and never changes it. Deleting hides an entry, so that it can be undone; the next start
or deletion removes for good what was hidden a day before: entry, index, and its files where they were uploaded.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from engine.backends.retrieval.corpus import SAMPLE, WORDS
from engine.backends.retrieval.documents import GIVEN_NAME, corpus_name, folder_files, is_folder
from engine.backends.retrieval.index_store import index_folder
from engine.backends.retrieval.readers.base import FoundQuestion
from engine.core.allowed import NOBODY, OWNER, acting_person, is_listed, owner_name, refuse_visitors, uploads_of
from engine.core.clock import now
from engine.core.deleted import Deleted, over
from engine.core.errors import InputError, RecordError
from engine.core.folders import data_folder, size_of, write_whole
from engine.core.hosting import Hosting, hosting
from engine.core.json_text import record_to_json
from engine.core.locks import is_held, locked
from engine.core.naming import all_named, only_named
from engine.core.records import FileReport
from engine.core.words import tidy_name

State = Literal["waiting", "indexing", "words", "ready", "stopped", "failed"]
QUESTIONS = ".questions"
LOCK = ".lock"
LIST = "The list of corpora"
LONGEST_NAME = 80
MOST_DELETED = 2 * 10**9  # bytes of one person's deleted corpora that are kept for a way back
GONE = "This corpus is no longer on the list."
DELETED = "This corpus was deleted. Restore it on the Documents page first."
CUT_SHORT = "The program that read it ended early; what was embedded is kept."


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEntry:
    """A corpus on the shelf. ``path`` is its folder or file; ``size`` its bytes, 0 before it was read.

    ``state``: "words" = search by words works, embeddings follow; "stopped" and "failed" have a ``reason``.
    ``content_hash`` names its texts, chunk sizes and embedder, "" before it was cut. ``seconds`` is the work in all.
    ``person`` is whose it is; the owner's bears no name. ``deleted_at`` is when it was deleted, "" before.
    """

    id: str
    name: str
    path: str
    added: str
    state: State = "waiting"
    reason: str = ""
    files: tuple[FileReport, ...] = ()
    documents: int = 0
    passages: int = 0
    questions: int = 0
    size: int = 0
    content_hash: str = ""
    seconds: float = 0.0
    deleted: bool = False
    deleted_at: str = ""
    person: str = OWNER

    @property
    def uploaded(self) -> bool:
        """Whether its files came from the browser, so that they belong to this program."""
        return is_upload(self.path, self.person)

    @property
    def skipped(self) -> tuple[FileReport, ...]:
        """The files that could not be read."""
        return tuple(file for file in self.files if not file.read)


def is_upload(path: str, person: str) -> bool:
    """Return whether a path is one folder of a person's uploads. Links and ".." are followed, or they would lead out.

    Only such a folder may be written to or removed.
    """
    return Path(os.path.realpath(path)).parent == Path(os.path.realpath(uploads_of(person)))


ENTRY = TypeAdapter(CorpusEntry)
FOUND = TypeAdapter(tuple[FoundQuestion, ...])


def shelf_folder() -> Path:
    """Return the folder of the entries, which is made with the first one."""
    return data_folder() / "corpora"


def entries() -> tuple[CorpusEntry, ...]:
    """Return the corpora on the shelf, newest first; one that was deleted, or cannot be read, is left out.

    A visitor sees their own, and of the owner's those that visitors may name.
    """
    return tuple(entry for entry in all_entries() if may_see(entry))


def all_entries() -> tuple[CorpusEntry, ...]:
    """Return everybody's corpora on the shelf, newest first."""
    shown = [entry for entry in hidden_too() if not entry.deleted]
    return tuple(sorted(shown, key=lambda entry: entry.added, reverse=True))


def deleted_entries() -> tuple[CorpusEntry, ...]:
    """Return what whoever asks has deleted and can bring back, the last first."""
    person = acting_person()
    hidden = [entry for entry in hidden_too() if entry.deleted and person in (None, entry.person)]
    return tuple(sorted(hidden, key=lambda entry: entry.deleted_at, reverse=True))


def refuse_deleted_upload(path: str) -> None:
    """Raise InputError where a path is an uploaded corpus that was deleted, as in another tab.

    Its files are kept for the way back, not to be asked over. A person's own folder is nobody's to forget.
    """
    if not is_upload(path, owner_name()):
        return
    at_path = [entry.deleted for entry in hidden_too() if Path(entry.path) == Path(path)]
    if at_path and all(at_path):
        raise InputError(DELETED)


def hidden_too() -> list[CorpusEntry]:
    """Return everybody's corpora, deleted ones too, in no order."""
    return [entry for file in entry_files() if (entry := read_entry(file)) is not None]


def entry_files() -> list[Path]:
    """Return the files of all entries, by name."""
    return sorted(file for file in shelf_folder().glob("*.json") if QUESTIONS not in file.name)


def damaged() -> tuple[Path, ...]:
    """Return the files of entries that cannot be read, so that no list has them."""
    return tuple(file for file in entry_files() if read_entry(file) is None and file.exists())


def may_see(entry: CorpusEntry) -> bool:
    """Return whether whoever asks may see an entry."""
    person = acting_person()
    return person in (None, entry.person) or (entry.person == OWNER and is_listed(entry.path, "corpus", NOBODY))


def refuse_others(entry: CorpusEntry) -> None:
    """Raise InputError where an entry is not whoever's that asks, so that they may not change it."""
    if acting_person() not in (None, entry.person):
        refuse_visitors("Changing this corpus")


def read_entry(file: Path) -> CorpusEntry | None:
    """Return an entry from its file, None where it cannot be read; "stopped" where whoever read it is gone.

    Who is at work keeps what it came to and lets go of the lock then. So where nobody holds it, only an entry that
    still stands as it did was left.
    """
    entry = kept_entry(file)
    while entry is not None and entry.state in ("indexing", "words") and not is_held(work_lock(entry.id)):
        before, entry = entry, kept_entry(file)
        if entry == before:
            return replace(entry, state="stopped", reason=CUT_SHORT)
    return entry


def kept_entry(file: Path) -> CorpusEntry | None:
    """Return an entry as its file has it, None where it cannot be read."""
    try:
        return ENTRY.validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def work_lock(entry_id: str) -> Path:
    """Return the file that is locked while a program indexes a corpus; one that dies lets go of it."""
    return shelf_folder() / f"{entry_id}{LOCK}"


def entry_of(entry_id: str) -> CorpusEntry:
    """Return one entry, deleted or not. Raises RecordError where there is none."""
    known = {file.stem: file for file in shelf_folder().glob("*.json")}
    entry = read_entry(known[entry_id]) if entry_id in known else None
    if entry is None or not may_see(entry):
        raise RecordError(GONE)
    return entry


def person_of(entry_id: str) -> str:
    """Return whose an entry is; the owner's where it is gone."""
    entry = read_entry(shelf_folder() / f"{entry_id}.json")
    return OWNER if entry is None else entry.person


def named(wanted: str) -> CorpusEntry:
    """Return the entry with this id, else the only one of this name. Raises RecordError for none and for several."""
    return only_named(wanted, entries(), "corpus")


def deleted_named(wanted: str) -> CorpusEntry:
    """Return the deleted entry with this id, else the only one of this name. Raises RecordError as ``named`` does."""
    return only_named(wanted, deleted_entries(), "deleted corpus")


def listed_path(source: str) -> str:
    """Return the path of the corpus on the list that a source names by id or name, where no file or folder is so named.

    Any other source comes back as it is. Whoever asks names only what they see. Raises RecordError where several
    corpora have the name.
    """
    if source == SAMPLE or os.path.exists(os.path.expanduser(source)):  # False, not an error, for what no path can be
        return source
    seen = entries()
    return only_named(source, seen, "corpus").path if all_named(source, seen) else source


def add(path: Path, name: str = "") -> CorpusEntry:
    """Return the entry of a folder or file, put on the shelf under ``name`` where it is not there yet.

    Its path is kept with links and ".." followed, so that one place has one path. Raises StorageError.
    """
    place = path.resolve()
    called = tidy_name(name, LONGEST_NAME) or tidy_name(corpus_name(place), LONGEST_NAME)
    entry = CorpusEntry(id=secrets.token_hex(6), name=called, path=str(place), added=now(), person=owner_name())
    with locked(shelf_folder() / LOCK):  # of two who add one folder at once, the second finds the first one's entry
        there = listed_at(place)
        if there is not None:
            return there
        refuse_more_corpora()
        keep(entry)
    keep_given_name(entry)
    return entry


def listed_at(path: Path) -> CorpusEntry | None:
    """Return the entry of a folder or file, links and ".." followed; None where it is not on the list."""
    place = path.resolve()
    return next((entry for entry in entries() if Path(entry.path).resolve() == place), None)


def forget(entry_id: str) -> None:
    """Take an entry off the shelf with no way back, as if it had never been added; its own files stay."""
    refuse_others(entry_of(entry_id))
    with locked(shelf_folder() / LOCK):
        remove_files(entry_id)


def remove_files(entry_id: str) -> None:
    """Remove the files of an entry itself."""
    for name in (f"{entry_id}.json", f"{entry_id}{QUESTIONS}.json", f"{entry_id}{LOCK}"):
        (shelf_folder() / name).unlink(missing_ok=True)


def refuse_more_corpora() -> None:
    """Raise InputError where a visitor has as many corpora as the owner grants."""
    stated, person = hosting(), acting_person()
    if person is None:
        return
    limit = (stated or Hosting()).limits.corpora
    if sum(entry.person == person for entry in all_entries()) >= limit:
        raise InputError(f"You have {limit} corpora, as many as this workbench keeps for one person. Delete one first.")


def keep(entry: CorpusEntry) -> None:
    """Write an entry whole or not at all. Raises StorageError where it cannot be written."""
    write_whole(shelf_folder() / f"{entry.id}.json", record_to_json(entry), LIST)


def keep_given_name(entry: CorpusEntry) -> None:
    """Write the name of an uploaded corpus into its folder, so that runs call it so. Raises StorageError."""
    if entry.uploaded and Path(entry.path).is_dir():
        write_whole(Path(entry.path) / GIVEN_NAME, entry.name, LIST)


def keep_questions(entry_id: str, questions: tuple[FoundQuestion, ...]) -> None:
    """Write the questions that were found in a corpus. Raises StorageError."""
    write_whole(shelf_folder() / f"{entry_id}{QUESTIONS}.json", record_to_json(questions), LIST)


def questions_of(entry_id: str) -> tuple[FoundQuestion, ...]:
    """Return the questions that were found in a corpus, () where there are none."""
    try:
        entry_of(entry_id)
        return FOUND.validate_json((shelf_folder() / f"{entry_id}{QUESTIONS}.json").read_bytes())
    except (OSError, ValidationError, RecordError):
        return ()


def changed(entry_id: str, change: Callable[[CorpusEntry], CorpusEntry]) -> CorpusEntry:
    """Return an entry after a change, which is kept. Raises RecordError where there is none.

    A page renames or deletes an entry while the indexer notes how far it is: neither may write over the other.
    """
    with locked(shelf_folder() / LOCK):
        before = entry_of(entry_id)
        refuse_others(before)
        entry = change(before)
        keep(entry)
    return entry


def rename(entry_id: str, name: str) -> CorpusEntry:
    """Return the entry under another name; an empty one changes nothing. Raises InputError where it was deleted."""
    named = tidy_name(name, LONGEST_NAME)

    def renamed(one: CorpusEntry) -> CorpusEntry:
        if one.deleted:  # in another tab: the new name would be seen nowhere
            raise InputError(DELETED)
        return replace(one, name=named or one.name)

    entry = changed(entry_id, renamed)
    keep_given_name(entry)
    return entry


def delete(entry_id: str) -> None:
    """Hide an entry; what the same person hid a day ago, or what is too much to keep, is removed for good."""
    refuse_others(entry_of(entry_id))
    hidden = changed(entry_id, lambda one: replace(one, deleted=True, deleted_at=now()))
    sweep_deletions_of(hidden.person)


def sweep_deletions() -> None:
    """Remove for good what of anybody's deletions is no longer kept for a way back, as a new start does."""
    for person in {entry.person for entry in hidden_too() if entry.deleted}:
        sweep_deletions_of(person)


def sweep_deletions_of(person: str) -> None:
    """Remove for good what one person deleted a day ago, or what is too much to keep."""
    whole = hidden_too()
    mine = [entry for entry in whole if entry.deleted and entry.person == person]
    gone = over(with_sizes(mine, [entry for entry in whole if not entry.deleted]), most_deleted(person))
    for entry in mine:
        if entry.id in gone:
            remove(entry)


def most_deleted(person: str) -> int:
    """Return the bytes of deletions that are kept for a person: of a visitor no more than may be uploaded at once."""
    if person == OWNER:
        return MOST_DELETED
    limits = (hosting() or Hosting()).limits
    return min(MOST_DELETED, limits.corpora * limits.upload_mb * 2**20)


def with_sizes(deleted: Sequence[CorpusEntry], living: Sequence[CorpusEntry]) -> list[Deleted]:
    """Return deleted entries with the bytes that keeping each takes beside those deleted after it.

    That is its index, and its files if they were uploaded. What several share counts once, with the one deleted last,
    and what a living entry uses not at all: it stays anyway.
    """
    counted = {used for one in living for used in (one.content_hash, one.path)}
    found = []
    for one in sorted(deleted, key=lambda entry: entry.deleted_at, reverse=True):
        size = 0 if one.content_hash in counted else index_size(one)
        size += one.size if one.uploaded and one.path not in counted else 0
        counted |= {one.content_hash, one.path}
        found.append(Deleted(id=one.id, at=one.deleted_at, size=size))
    return found


def restore(entry_id: str) -> CorpusEntry:
    """Return an entry that was deleted, on the shelf again.

    Raises RecordError where it is gone for good, InputError where a visitor has as many as the owner grants.
    """
    refuse_more_corpora()
    return changed(entry_id, lambda one: replace(one, deleted=False, deleted_at=""))


def remove(entry: CorpusEntry) -> None:
    """Remove an entry for good: its index and its uploaded files, unless another corpus has the same, hidden or not.

    The entry goes first, and only while it is hidden: somebody may bring it back meanwhile.
    """
    with locked(shelf_folder() / LOCK):
        if not any(one.id == entry.id and one.deleted for one in hidden_too()):
            return
        remove_files(entry.id)
    others = [one for one in hidden_too() if one.id != entry.id]
    if entry.content_hash and entry.content_hash not in {one.content_hash for one in others}:
        for folder in index_folders(entry):
            shutil.rmtree(folder, ignore_errors=True)
    if entry.uploaded and entry.path not in {one.path for one in others}:
        shutil.rmtree(entry.path, ignore_errors=True)


def remove_former(folder: str, person: str) -> None:
    """Remove a person's uploads that an entry had before files were added, unless another has them, hidden or not."""
    named = {entry.path for entry in hidden_too()}
    if folder not in named and is_upload(folder, person):
        shutil.rmtree(folder, ignore_errors=True)


def index_folders(entry: CorpusEntry) -> tuple[Path, Path]:
    """Return where the index of a corpus lies, whole and for words only; neither needs to be there."""
    return index_folder(entry.content_hash), index_folder(f"{entry.content_hash}{WORDS}")


def index_size(entry: CorpusEntry) -> int:
    """Return the bytes that the index of a corpus takes on disk, 0 where there is none."""
    if not entry.content_hash:
        return 0
    return sum(map(size_of, index_folders(entry)))


def corpus_bytes(path: Path) -> int:
    """Return the bytes of the files that a corpus is read from."""
    return sum(map(size_of, folder_files(path) if is_folder(path) else (path,)))
