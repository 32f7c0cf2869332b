"""Files that commands read and write, with a sentence where they cannot."""

from pathlib import Path

from engine.core.errors import InputError, StorageError


def write_text(file: Path, text: str) -> None:
    """Write a file as it is in memory. Raises StorageError where it cannot be written."""
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise StorageError(f"{file} could not be written: {exc.strerror}.") from exc


def read_bytes(file: Path) -> bytes:
    """Return a file's content. Raises InputError where it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as exc:
        raise InputError(f"{file} could not be read: {exc.strerror}.") from exc
