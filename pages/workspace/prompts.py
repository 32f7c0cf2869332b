"""Every prompt of a run: what the model was asked for each answer, to the letter, and whether its seal holds."""

import streamlit as st

from engine.core.records import Generation
from pages.shared import session
from pages.shared.linked import draw_chosen, linked_rows
from pages.shared.method_page import open_page
from pages.shared.prompt_view import draw_prompt
from pages.shared.selection import Chosen, Selection
from pages.shared.theme import as_text, current_theme
from viz.methods.verdicts import Verdict, verdict_html
from viz.parts.row_table import Column
from viz.runs import prompts

COLUMNS = {
    "prompt tokens": Column(title="read", help="Tokens of the prompt"),
    "tokens written": Column(title="written", help="Tokens of the answer"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    run, diagnosis = open_page("prompts", "Every prompt of this run", "This run has no answers yet.")
    chosen = draw_chosen(diagnosis)
    found = prompts.generations_of(diagnosis)
    word, tone = prompts.seals_word(found)
    st.html(verdict_html(Verdict(word=word, tone=tone, sentence=prompts.seals_sentence(found)), current_theme()))
    draw_list(found, run.request.model, chosen)


def draw_list(found: dict[str, Generation], model: str, chosen: Chosen) -> None:
    """Draw every answer as a row, and the chosen one with its prompt; ``model`` as it was asked for."""
    places = tuple(found)
    row = places.index(chosen.selection.answer) if chosen.selection.answer in places else None
    linked_rows(
        prompts.generations_table(found),
        [Selection(answer=where) for where in places],
        row,
        opened=0,
        height=360,
        columns=COLUMNS,
        key=f"prompts.table.{session.current_run()}",
        alt="Every prompt",
    )
    st.caption("Select a row to see its prompt.")
    where = places[row or 0]
    st.header(as_text(prompts.place_words(where)))
    st.caption(f"`{where}`")
    draw_prompt(found[where], where, model, chosen)


draw_page()
