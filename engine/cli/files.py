"""Files that commands read and write, with a sentence where they cannot."""

import os
from pathlib import Path

import typer

from engine.core.errors import StorageError
from engine.core.folders import read_at_most

# As many bytes as the longest run bundle can have: 128 Mi characters of four bytes. What reads a file knows better.
LARGEST_FILE = 512 * 2**20
STANDARD_OUTPUT = Path("-")


def refuse_unwritable(file: Path) -> None:
    """Raise StorageError where a file could not be written, before the work whose result it is to hold."""
    if file == STANDARD_OUTPUT:
        return
    if file.is_dir():
        raise StorageError(f"{file} could not be written: it is a folder.")
    if not file.parent.is_dir():
        raise StorageError(f"{file} could not be written: there is no folder {file.parent}.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise StorageError(f"{file} could not be written: it is protected.")


def write_text(file: Path, text: str) -> None:
    """Write a file as it is in memory, ``-`` to standard output. Raises StorageError where it cannot be written."""
    if file == STANDARD_OUTPUT:
        typer.echo(text)
        return
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise StorageError(f"{file} could not be written: {exc.strerror}.") from exc


def read_bytes(file: Path) -> bytes:
    """Return a file's content. Raises InputError where it cannot be read, is a device or is too large."""
    return read_at_most(file, LARGEST_FILE)
