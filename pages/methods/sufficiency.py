"""Sufficiency: do the passages hold an answer at all, and which comes nearest?"""

import streamlit as st

from engine.core.words import reveal
from engine.methods.sufficiency import PassageReply, SufficiencyResult
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.linked import linked_figure, linked_rows
from pages.shared.method_page import draw_opening, open_method
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from viz.methods import sufficiency
from viz.parts.row_table import Column
from viz.runs.headline import holding_passages
from viz.runs.summary import marked_html

COLUMNS = {"P(yes)": Column(form=".3f")}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("sufficiency", SufficiencyResult)
    chosen = chosen_in(diagnosis)
    draw_bars(result, chosen)
    draw_opening(diagnosis, result)
    if told := sufficiency.overlooked_sentence(result, holding_passages(diagnosis)):
        st.markdown(as_text(told))
    draw_formulas("sufficiency", **sufficiency.rate_values())
    places = [one.index for one in result.passages]
    row = places.index(chosen.chunk) if chosen.chunk in places else None
    shown = result.passages[result.nearest if row is None else row]
    draw_details(
        "sufficiency",
        (
            Section(label="Passages", draw=lambda: draw_passages(result, row, shown), chosen=row),
            Section(
                label="What the model was asked",
                draw=lambda: st.code(reveal(shown.reply.prompt.text), language=None, wrap_lines=True),
                for_class=False,
            ),
        ),
    )


def draw_bars(result: SufficiencyResult, chosen: Chosen) -> None:
    """Draw P(yes) of every passage as bars."""
    places = [one.index for one in result.passages]
    linked_figure(
        sufficiency.yes_figure(result, current_theme(), chosen.chunk),
        lambda numbers: Selection(chunk=numbers[0]) if numbers[0] in places else None,
        key=f"sufficiency.figure.{session.current_run()}",
        name="sufficiency-passages",
        alt=sufficiency.sentence(result),
        told=True,
    )


def draw_passages(result: SufficiencyResult, row: int | None, shown: PassageReply) -> None:
    """Draw P(yes) of every passage as a table, and the chosen or nearest passage with the words in it."""
    linked_rows(
        sufficiency.passages_table(result),
        [*(Selection(chunk=one.index) for one in result.passages), None],
        row,
        key=f"sufficiency.passages.{session.current_run()}",
        columns=COLUMNS,
        alt="Passages",
    )
    nearest = ", the nearest" if shown.index == result.nearest else ""
    st.caption(f"**Passage {shown.index + 1}{nearest}.** Marked: the question's content words.")
    st.html(f'<div class="rm-passage"><p>{marked_html(shown.passage.text, shown.words)}</p></div>')


draw_page()
