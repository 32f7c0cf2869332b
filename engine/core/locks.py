"""A lock that threads and processes share: what reads a file and writes it anew holds it meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from engine.core.errors import StorageError
from engine.core.folders import make_folder


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Let the block run while nobody else holds this lock file; a program that dies lets go of it.

    Raises StorageError where the file cannot be locked.
    """
    make_folder(file.parent)
    lock = FileLock(file)
    try:
        lock.acquire()
    except OSError as exc:
        raise StorageError(f"{file.name} cannot be locked: {exc.strerror or exc}.") from exc
    try:
        yield
    finally:
        lock.release()
