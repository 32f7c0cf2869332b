"""Files that commands read and write, with a sentence where they cannot."""

from pathlib import Path

from engine.core.errors import StorageError
from engine.core.folders import read_at_most

# As many bytes as the longest run bundle can have: 128 Mi characters of four bytes. What reads a file knows better.
LARGEST_FILE = 512 * 2**20


def write_text(file: Path, text: str) -> None:
    """Write a file as it is in memory. Raises StorageError where it cannot be written."""
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise StorageError(f"{file} could not be written: {exc.strerror}.") from exc


def read_bytes(file: Path) -> bytes:
    """Return a file's content. Raises InputError where it cannot be read, is a device or is too large."""
    return read_at_most(file, LARGEST_FILE)
