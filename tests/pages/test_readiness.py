"""What is imported behind the first page: what the scripts of the other pages name."""

import importlib
import sys
from pathlib import Path

import pytest

from engine.runs import sweeping
from pages.shared import readiness
from pages.shared.links import PAGES

PROJECT = Path(__file__).resolve().parents[2]


def test_a_script_names_modules_and_not_what_it_takes_from_them(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("import pandas as pd\nfrom viz import story\nfrom engine.core.words import shorten\n")

    assert list(readiness.imports_of(script)) == ["pandas", "viz", "viz.story", "engine.core.words"]


@pytest.mark.parametrize("word", PAGES)
def test_everything_that_a_page_script_imports_can_be_imported(word: str) -> None:
    for name in readiness.imports_of(PROJECT / PAGES[word]):
        assert importlib.import_module(name) is sys.modules[name]


def test_an_import_that_fails_is_left_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(readiness, "imports_of", lambda script: iter(["no.such.module", "json"]))
    monkeypatch.setattr(readiness, "draw_once", lambda: drawn.append(1))
    monkeypatch.setattr(sweeping, "sweep_deletions", lambda: drawn.append(2))
    monkeypatch.setattr(readiness.gc, "freeze", lambda: None)

    readiness.get_ready()

    assert drawn == [1, 2]
