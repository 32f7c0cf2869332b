"""Templates of content: values stay text, a missing value is an error, and every text of the Guide renders."""

import pytest
from jinja2 import UndefinedError

from engine.learning.content import render_markdown, render_plain
from engine.learning.guide import FOLDER, METHODS, read_method, read_section


def test_a_value_in_markdown_becomes_neither_markdown_nor_html_nor_a_formula() -> None:
    assert render_markdown("**{{ text }}**", text="*a* <b> $x$ [l](u)") == r"**\*a\* \<b\> \$x\$ \[l\]\(u\)**"
    assert render_markdown("{% for x in texts %}{{ x }} {% endfor %}", texts=["#1", "&amp;"]) == r"\#1 \&amp;"


@pytest.mark.parametrize("render", [render_markdown, render_plain])
def test_a_missing_value_is_an_error(render: object) -> None:
    with pytest.raises(UndefinedError):
        render("{{ absent }}")  # type: ignore[operator]


def test_every_text_of_the_guide_renders_with_its_numbers() -> None:
    sections = [file.stem for file in (FOLDER / "sections").glob("*.md")]
    assert len(sections) == 16 and len(METHODS) == 12
    assert all("{" not in text for text in (*map(read_section, sections), *map(read_method, METHODS)))
