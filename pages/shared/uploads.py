"""Files from the browser become one folder: each under a safe name of its own, each whole or not there at all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Protocol

from engine.core.allowed import owner_name, uploads_of
from engine.core.errors import StorageError
from engine.core.folders import make_folder, write_whole
from engine.runs.limits import refuse_large

SAFE_NAME = re.compile(r"[^\w.-]+")
LONGEST_NAME, LONGEST_ENDING = 200, 20  # bytes: disks take 255, and a number may be added
HIDDEN = "."  # passing files, and the name a corpus was given


class Upload(Protocol):
    """A file as the browser sent it."""

    @property
    def name(self) -> str:
        """The file's name as the browser tells it."""

    def getvalue(self) -> bytes:
        """Return the file's bytes."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was uploaded before."""

    name: str
    content: bytes

    def getvalue(self) -> bytes:
        """Return the file's bytes."""
        return self.content


def keep_uploads(files: Sequence[Upload]) -> Path:
    """Return the folder that holds the uploaded files, named by what is in them, so that the same files are one.

    The order in which they were sent makes no difference. Raises StorageError where they cannot be written.
    """
    return keep_contents(named_apart(files))


def extended_uploads(folder: Path, files: Sequence[Upload]) -> Path:
    """Return the folder that holds the files of a folder of uploads and more files.

    Raises StorageError where they cannot be read or written.
    """
    try:
        kept = [StoredFile(name, (folder / name).read_bytes()) for name in uploaded_files(folder)]
    except OSError as exc:
        raise StorageError(f"Files cannot be read: {exc.strerror or exc}.") from exc
    return keep_contents(named_apart([*kept, *files]))


def keep_contents(contents: dict[str, bytes]) -> Path:
    """Return the folder that holds these files, written where they are not there. Raises StorageError, InputError."""
    refuse_large("This corpus", sum(map(len, contents.values())))
    folder = make_folder(folder_of(contents))
    for name, content in contents.items():
        if not is_there(folder / name, len(content)):
            write_whole(folder / name, content, private=True)
    return folder


def uploads_folder(files: Sequence[Upload]) -> Path:
    """Return the folder that ``keep_uploads`` would return; nothing is written."""
    return folder_of(named_apart(files))


def folder_of(contents: dict[str, bytes]) -> Path:
    """Return the folder of these files among the uploads of whoever asks; it need not be there."""
    digest = sha256()
    for name, content in sorted(contents.items()):
        digest.update(name.encode() + b"\0" + sha256(content).digest())
    return uploads_of(owner_name()).resolve() / digest.hexdigest()[:20]


def is_there(file: Path, size: int) -> bool:
    """Return whether a file is there with its full length. Raises StorageError where nothing tells."""
    try:
        return file.is_file() and file.stat().st_size == size
    except OSError as exc:
        raise StorageError(f"Files cannot be stored: {exc.strerror or exc}.") from exc


def uploaded_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the files that a folder of uploads holds, sorted."""
    return tuple(sorted(file.name for file in folder.iterdir() if not file.name.startswith(HIDDEN)))


def named_apart(files: Sequence[Upload]) -> dict[str, bytes]:
    """Return name -> bytes of every different file, each name once, whatever the order; the same file twice is one."""
    named: dict[str, bytes] = {}
    taken: set[str] = set()
    for name, content in sorted({(safe_name(file.name), file.getvalue()) for file in files}):
        own = free_name(name, taken)
        taken.add(own.casefold())
        named[own] = content
    return named


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, numbered where it is taken; ``taken`` is in lower case, as some disks tell no case apart.

    >>> free_name("Notes.txt", {"notes.txt", "notes-2.txt"})
    'Notes-3.txt'
    """
    path = Path(name)
    numbered = (f"{path.stem}-{number}{path.suffix}" for number in count(2))
    return name if name.casefold() not in taken else next(own for own in numbered if own.casefold() not in taken)


def safe_name(name: str) -> str:
    """Return a file name that stays inside its folder, of no more bytes than a disk takes.

    >>> safe_name("../../a b.txt"), len(safe_name("語" * 200 + ".txt").encode())
    ('a_b.txt', 199)
    """
    path = Path(SAFE_NAME.sub("_", Path(name.replace("\\", "/")).name).lstrip(".") or "file.txt")
    ending = path.suffix if len(path.suffix.encode()) <= LONGEST_ENDING else ""
    stem = (path.stem if ending else path.name).encode()[: LONGEST_NAME - len(ending.encode())]
    return stem.decode("utf-8", "ignore") + ending
