"""Files that commands read and write, with a sentence where they cannot."""

import os
from pathlib import Path

import typer

from engine.core.errors import InputError, StorageError

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
    """Return a file's content. Raises InputError where it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as exc:
        raise InputError(f"{file} could not be read: {exc.strerror}.") from exc
