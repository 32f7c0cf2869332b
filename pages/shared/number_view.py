"""Show me this number: one control for every headline number, and what it opens, the same on every page.

A number opens in a dialog with its formula, this run's values in it, the number computed again, its inputs as a table
to download, and where it comes from. All of it is made in ``engine.catalogue`` when it is asked for, not before.
"""

from collections.abc import Sequence

import streamlit as st

from engine.catalogue.base import Place, Working, worked
from engine.catalogue.names import title_of, unit_of
from engine.catalogue.walk import entry_of
from pages.shared import links, session
from pages.shared.downloads import save_button
from pages.shared.plain_table import draw_table
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.theme import as_text, current_theme
from viz.methods.verdicts import Verdict, verdict_html
from viz.runs.numbers import (
    button_words,
    check_sentence,
    inputs_csv,
    inputs_table,
    place_words,
    said_of,
    tone_of,
    without_ends,
)

ICON = ":material/calculate:"


def draw_controls(places: Sequence[Place], key: str) -> None:
    """Draw a row of controls, one per number with its interval; the one pressed opens its dialog."""
    places = without_ends(places)
    if not places:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"numbers-{key.replace('.', '-')}"
    ):
        st.caption("Show a number:", width="content")
        for place in places:
            draw_control(place, key, entry_of(place).source)
        links.page_link("numbers", "All numbers of this run", icon=":material/format_list_numbered:")


def draw_control(place: Place, key: str, explained: str = "Show this number") -> None:
    """Draw the control of one number, which opens it in a dialog."""
    label = as_text(button_words(place))
    if st.button(label, key=f"{key}.{place.address}", type="tertiary", icon=ICON, help=as_text(explained)):
        st.dialog(as_text(title_of(place)), width="large")(draw_number)(place)


def draw_number(place: Place) -> None:
    """Draw a number: whether it follows from its parts, formula, the run's values in it, inputs, origin."""
    entry = entry_of(place)
    working = worked(entry, place)
    word = f"{place_words(place)} {unit_of(place)}".strip() if place.value is not None else "not measured"
    verdict = Verdict(word=word, tone=tone_of(place, working), sentence=check_sentence(place, working))
    st.html(verdict_html(verdict, current_theme()))
    if entry.equation:
        st.caption(f"The equation ({as_text(entry.source)}):")
        st.latex(entry.equation)
    if working.filled:
        st.caption("In this run:")
        st.latex(working.filled)
    if working.note and working.again is not None:
        st.caption(as_text(working.note))
    if working.inputs:
        draw_inputs(place, working)
    draw_table(said_of(place))
    st.caption("A link to this number:")
    address = session.page_address("numbers", run=session.current_run() or "", number=place.address)
    st.code(address, language=None, wrap_lines=True)


def draw_inputs(place: Place, working: Working) -> None:
    """Draw the inputs of a number as a table, and their download."""
    table = inputs_table(working)
    st.caption(f"Inputs ({len(table)}):")
    draw_rows(table, key=f"inputs.rows.{place.address}", height=LIST_HEIGHT, alt="Inputs")
    file_name, key = f"{place.address}.csv", f"inputs.{place.address}"
    save_button("Download the inputs as CSV", lambda: inputs_csv(working), file_name, key=key)
