"""A slide's picture: a figure as high as the screen allows, or HTML, with its motion and its sentence."""

from collections.abc import Mapping, Sequence

import streamlit as st

from engine.diagnosis.record import Diagnosis
from pages.shared.figures import draw_figure
from pages.shared.theme import current_theme
from viz.learning.slides import motion_html, picture, picture_html, table_html


def draw_picture(run: Diagnosis, name: str, key: str) -> None:
    """Draw one picture of a run; ``key`` tells it from the same picture on another slide."""
    box = f"slide-figure-{key.replace('.', '-')}-{name}"
    shown = picture(run, name, current_theme(), box)
    # As high as the screen leaves it: a slide is not scrolled.
    with st.container(key=box, height="content" if shown.figure is None else "stretch"):
        if shown.motion:
            st.html(motion_html(shown))
        if shown.caption or shown.html:
            st.html(picture_html(shown))
        if shown.figure is not None:
            draw_figure(shown.figure, key=f"{key}.{name}", name=shown.name, alt=shown.sentence, fill=True)


def draw_table(table: Mapping[str, Sequence[object]]) -> None:
    """Draw a step's numbers as rows that come one by one, with bars where they are amounts."""
    st.html(table_html(table, current_theme()))
