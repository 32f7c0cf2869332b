"""The long texts of the pages: Markdown files in ``pages/text``, with a run's values put in as plain text."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.catalogue.entries import ENTRIES
from engine.learning.content import render_markdown
from engine.methods import METHODS

FOLDER = Path(__file__).parents[1] / "text"


def read_source(name: str) -> str:
    """Return a text as it is written, its values still names. Raises OSError where there is no such text."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def page_text(name: str, **values: object) -> str:
    """Return a text as Markdown; every value in it is escaped. Raises jinja2.UndefinedError where one is missing."""
    return render_markdown(read_source(name), **values)


def method_source(method: str) -> str:
    """Return the text of a method's page: a lead, then how it is computed.

    A method without a text of its own gets its question for a lead, and the equations of its catalogue entries.
    """
    if (FOLDER / "methods" / f"{method}.md").is_file():
        return read_source(f"methods/{method}")
    described = METHODS[method]
    entries = [found for (record, _), found in ENTRIES.items() if record is described.result and found.equation]
    formulas = (f"**{one.title}** ({one.source})\n\n$${{% raw %}}{one.equation}{{% endraw %}}$$" for one in entries)
    return "\n\n".join((described.question, *formulas))


def method_lead(method: str, **values: object) -> str:
    """Return the first paragraph on a method's page as Markdown: what its numbers are."""
    return render_markdown(method_source(method).partition("\n\n")[0], **values)


def draw_head(word: str, title: str) -> None:
    """Draw the head of a page: the title, and what the page is for."""
    st.title(title)
    st.markdown(page_text(f"lead/{word}"))


def draw_formulas(method: str, **values: object) -> DeltaGenerator:
    """Draw the button that opens how a method's numbers are computed; return what it opens, for what comes after.

    Formulas stand between ``$$`` in the text; one that is the name of a value is that value.
    """
    opened = st.popover("How this is computed", icon=":material/function:")
    text = render_markdown(method_source(method).partition("\n\n")[2], **values)
    for place, part in enumerate(map(str.strip, text.split("$$"))):
        if place % 2:
            opened.latex(str(values.get(part, part)))
        elif part:
            opened.markdown(part)
    return opened
