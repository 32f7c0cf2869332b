"""Single keys on the page of a run: the browser presses the page's own buttons and links, nothing is told to Python."""

from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).with_name("story")
SCRIPTS = ("../keyboard.js", "story.js")


@st.cache_resource(show_spinner=False)
def keys_source() -> tuple[str, str]:
    """Return the script of the keys, its parts one after the other, and the style of the button that lists them."""
    script = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return script, (FOLDER / "story.css").read_text(encoding="utf-8")


def draw_story_keys() -> None:
    """Draw the button that lists the keys of this page, and hear them."""
    script, style = keys_source()
    mount = st.components.v2.component("microscope.story", js=script, css=style)
    mount(key="story-keys", width=42, height=44)
