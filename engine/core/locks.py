"""A lock that threads and processes share: what reads a file and writes it anew holds it meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.core.errors import StorageError
from engine.core.folders import ENVIRONMENT_VARIABLE, make_folder

LOOK_SECONDS = 0.5


@contextmanager
def locked(file: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let the block run while nobody else holds this lock file; a program that dies lets go of it.

    ``waiting`` is called again and again while somebody else holds it; to wait no longer, it raises.
    Raises StorageError where the file cannot be locked.
    """
    make_folder(file.parent)
    lock = FileLock(file)
    try:
        while not acquired(lock, LOOK_SECONDS):
            waiting()
    except OSError as exc:
        raise StorageError(
            f"{file.name} cannot be locked: {exc.strerror or exc}. "
            f"Set {ENVIRONMENT_VARIABLE} to a folder you may write to."
        ) from exc
    try:
        yield
    finally:
        lock.release()


def acquired(lock: FileLock, seconds: float) -> bool:
    """Return whether a lock was got within so many seconds. Raises OSError where its file cannot be locked."""
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        return False
    return True


def is_held(file: Path) -> bool:
    """Return whether somebody, this program too, holds a lock file; True also where this program may not look."""
    if not file.exists():
        return False
    lock = FileLock(file)
    try:
        if not acquired(lock, 0):
            return True
    except OSError:
        return True
    lock.release()
    return False
