"""What is imported behind the first page: what the scripts of the other pages name."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.backends.language_models import EMBEDDED_NAMES
from engine.core.errors import ModelError
from engine.runs import sweeping
from engine.runs.models.card import card_of, read_card
from engine.runs.models.listing import UsableModel
from pages.shared import readiness
from pages.shared.links import PAGES
from viz.parts.html import TEMPLATES

PROJECT = Path(__file__).resolve().parents[2]


def test_a_script_names_modules_and_not_what_it_takes_from_them(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("import pandas as pd\nfrom viz.runs import story\nfrom engine.core.words import shorten\n")

    assert list(readiness.imports_of(script)) == ["pandas", "viz.runs", "viz.runs.story", "engine.core.words"]


@pytest.mark.parametrize("name", readiness.LATER)
def test_what_pages_import_on_first_use_is_there(name: str) -> None:
    assert importlib.import_module(name) is sys.modules[name]


@pytest.mark.parametrize("word", PAGES)
def test_everything_that_a_page_script_imports_can_be_imported(word: str) -> None:
    for name in readiness.imports_of(PROJECT / PAGES[word]):
        assert importlib.import_module(name) is sys.modules[name]


def test_an_import_that_fails_is_left_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(readiness, "imports_of", lambda script: iter(["no.such.module", "json"]))
    monkeypatch.setattr(readiness, "draw_once", lambda: drawn.append(1))
    monkeypatch.setattr(readiness, "read_cards", lambda: None)
    monkeypatch.setattr(sweeping, "sweep_deletions", lambda: drawn.append(2))
    monkeypatch.setattr(readiness.gc, "freeze", lambda: None)

    readiness.get_ready()

    assert drawn == [1, 2]


def test_every_template_compiles_and_is_ready() -> None:
    TEMPLATES.cache.clear()
    readiness.compile_templates()
    assert len(TEMPLATES.cache) == len(TEMPLATES.list_templates()) > 50


@pytest.mark.weights
def test_the_cards_of_the_embedded_models_are_read_once_and_kept() -> None:
    read_card.cache_clear()
    readiness.read_cards()
    read = read_card.cache_info().misses
    assert read == len(EMBEDDED_NAMES)

    assert card_of(EMBEDDED_NAMES[0]) is not None
    assert read_card.cache_info().misses == read


def test_a_card_that_cannot_be_read_is_left_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def broken(model: UsableModel) -> None:
        seen.append(model.source)
        raise ModelError("It is no model.")

    monkeypatch.setattr("pages.shared.model_view.local_card", broken)
    readiness.read_cards()

    assert seen[: len(EMBEDDED_NAMES)] == list(EMBEDDED_NAMES)


def test_what_is_made_ready_waits_while_a_script_runs_and_half_a_second_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(readiness.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(readiness.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    monkeypatch.setattr("pages.shared.resources.desk", lambda: SimpleNamespace(active=lambda: ()))

    readiness.give_way()
    assert clock == [readiness.PAUSE]
    with readiness.comes_first():
        readiness.give_way()
    assert clock[0] == pytest.approx(readiness.PAUSE + readiness.LONGEST_PAUSE)


def test_a_run_that_looks_for_its_first_passages_comes_first_too(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([((),), ((),), (("a passage",),)])  # on the third look its passages are there
    active = lambda: [SimpleNamespace(hits=hits) for hits in next(looks)]  # noqa: E731
    pauses = []
    monkeypatch.setattr(readiness.time, "sleep", pauses.append)
    monkeypatch.setattr("pages.shared.resources.desk", lambda: SimpleNamespace(active=active))

    readiness.give_way()
    assert pauses == [readiness.PAUSE] * 3


def test_garbage_is_collected_again_once_all_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    collects = []
    monkeypatch.setattr(readiness, "imports_of", lambda script: iter(()))
    monkeypatch.setattr(readiness, "draw_once", lambda: collects.append(readiness.gc.isenabled()))
    for name in ("compile_templates", "read_listed_runs", "tell_failures", "read_cards"):
        monkeypatch.setattr(readiness, name, lambda: None)
    monkeypatch.setattr(sweeping, "sweep_deletions", lambda: None)
    monkeypatch.setattr(readiness.gc, "freeze", lambda: None)

    readiness.get_ready()

    assert (collects, readiness.gc.isenabled()) == ([False], True)
