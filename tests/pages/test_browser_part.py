"""Parts that run in the browser: every file they name is there, and no script writes markup or asks another server."""

import ast
import re
from pathlib import Path

import pytest
import streamlit as st

from pages.shared import session
from pages.shared.browser_part import PAGES, browser_part, browser_text, sent_value

SCRIPTS = sorted(str(file.relative_to(PAGES)) for file in PAGES.rglob("*.js"))
BRINGS_CODE = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(|Function\(|fetch\(|XMLHttp")
# The font of the page, from the page's own server: a saved picture carries it.
READS_ITS_OWN = {"shared/picture.js": ["fetch("]}


def named_files() -> set[str]:
    """Return every script and style sheet that code of the pages names."""
    literals = (
        node.value
        for file in PAGES.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {Path(one).name for one in literals if re.fullmatch(r"[\w/]+\.(js|css)", one)}


def test_every_script_and_style_sheet_of_the_pages_is_named_by_its_code() -> None:
    found = {file.name for end in ("*.js", "*.css") for file in PAGES.rglob(end)}
    assert named_files() == found
    assert len(found) == 22


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_writes_markup_runs_text_or_asks_a_server(name: str) -> None:
    assert BRINGS_CODE.findall(browser_text(name)) == READS_ITS_OWN.get(name, [])


def test_a_part_has_its_scripts_in_order_and_its_style(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, object] = {}
    monkeypatch.setattr(st.components.v2, "component", lambda name, **parts: made.update(parts, name=name))
    browser_part("story", "shared/keyboard.js", "workspace/story/story.js", "workspace/story/story.css")
    assert made["name"] == "microscope.story" and made["css"] == browser_text("workspace/story/story.css")
    assert made["js"] == "\n".join(map(browser_text, ("shared/keyboard.js", "workspace/story/story.js")))
    browser_part("rise", "annotating/rise.js")
    assert made["css"] is None


def test_what_a_part_sent_is_read_by_its_name_and_anything_else_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, object] = {"grid": {"pick": "3.12"}, "odd": "text"}
    monkeypatch.setattr(session, "widget_state", held.get)
    assert [sent_value(key, "pick") for key in ("grid", "odd", "none")] == ["3.12", None, None]
