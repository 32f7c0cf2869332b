"""The pages' texts and the boxes of their settings: each belongs to a method, and each box to a field."""

from pathlib import Path

import pytest

from engine.catalogue.entries import ENTRIES
from engine.learning.content import render_markdown
from engine.methods import METHODS
from engine.methods.dense_records import DenseResult
from pages.shared import texts
from pages.shared.draft import Draft
from pages.shared.settings import schema_of, settings_of
from pages.shared.texts import FOLDER, method_lead, method_source

CONFIGS = {"ask": Draft, **{word: method.config for word, method in METHODS.items()}}


def test_every_method_has_a_lead_and_its_formulas() -> None:
    assert {file.stem for file in (FOLDER / "methods").glob("*.md")} == set(METHODS)
    assert all(method_source(word).count("\n\n") > 0 for word in METHODS)


def test_formulas_are_those_of_the_runs_variant() -> None:
    paper, code = (render_markdown(method_source("timing"), variant=one, origin="") for one in ("paper", "code"))
    assert r"\min_t p_t < \theta" in paper and r"|\Delta^2 \hat H_t| \ge \alpha" in paper
    assert r"\sum_t (1 - p_t) > \theta" in code and "p_t <" not in code and r"\ge \alpha" not in code


def test_a_method_without_a_text_shows_its_question_and_its_equations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    assert method_lead("dense") == METHODS["dense"].question
    shown = render_markdown(method_source("dense"))
    assert f"$${ENTRIES[DenseResult, 'entropy'].equation}$$" in shown
    assert "DENSE, eq. 6" in shown


@pytest.mark.parametrize("name", sorted(file.stem for file in (FOLDER / "settings").glob("*.json")))
def test_every_box_fills_a_field_and_names_only_its_choices(name: str) -> None:
    schema = {"k": {}, **schema_of(CONFIGS[name]())}  # k is set for the whole run, beside a method's own settings
    for box in (box for boxes in settings_of(name).values() for box in boxes):
        assert set(box.names) <= {*schema[box.setting].get("enum", ()), *box.suggestions}, box.setting
        assert not box.needs or schema[box.needs]["type"] == "boolean"
