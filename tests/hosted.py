"""A program that others may reach, as tests make one: who looks at it can be told, and what the owner states."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.core import allowed, hosting

Visit = Callable[[str], None]


def open_to_others(monkeypatch: pytest.MonkeyPatch, folder: Path, stated: str = "") -> Visit:
    """Make this program one that visitors reach, with what an owner's file states; return how to say who visits.

    ``folder`` becomes the data folder; it goes back with the test.
    """
    file = folder / "hosting.toml"
    file.write_text(f"[hosting]\naddress = '0.0.0.0'\n{stated}")
    monkeypatch.setenv("MICROSCOPE_HOME", str(folder))
    monkeypatch.setenv(hosting.VARIABLE, str(file))
    monkeypatch.delenv(allowed.VARIABLE, raising=False)
    monkeypatch.setattr(allowed, "_STATE", {"restricted": True})
    visitors = ["ann"]
    monkeypatch.setattr(allowed, "_WHO", [lambda: visitors[0]])
    hosting.read_once.cache_clear()

    def visit(person: str) -> None:
        visitors[0] = person

    return visit
