"""Every prompt of a run: what the model was asked for each answer, to the letter, and whether its seal holds."""

import streamlit as st

from engine.diagnosis.record import Diagnosis
from pages.shared import session
from pages.shared.linked import draw_chosen, linked_table
from pages.shared.method_page import chosen_run, end_with_nothing
from pages.shared.prompt_view import draw_prompt
from pages.shared.resources import sentences
from pages.shared.result_view import draw_question
from pages.shared.run_panel import how_it_ended
from pages.shared.selection import Chosen, Selection
from pages.shared.theme import as_text, current_theme, page_style
from viz import prompts
from viz.verdicts import Verdict, verdict_html

COLUMNS = {
    "which": st.column_config.TextColumn(width=330),
    "answer": st.column_config.TextColumn(width=280),
    "seal": st.column_config.TextColumn(width=150),
    "where": st.column_config.TextColumn(width="small"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    page_style()
    st.title("Every prompt of this run")
    st.markdown(
        "The exact prompt behind each answer. A seal is a hash of prompt, settings and answer, "
        "stored when the answer was written. It reveals mix-ups and edits; it is not a signature."
    )
    with sentences():
        run = chosen_run("prompts")
    if run is None:
        end_with_nothing()
    if run.diagnosis is None:
        st.warning(as_text(how_it_ended(run) or "This run has no answers yet."))
        st.stop()
    draw_question(run.diagnosis)
    chosen = draw_chosen(run.diagnosis)
    draw_seals(run.diagnosis)
    draw_list(run.diagnosis, run.request.model, chosen)


def draw_seals(diagnosis: Diagnosis) -> None:
    """Draw whether the prompts shown are those that were run."""
    found = prompts.generations_of(diagnosis)
    word, tone = prompts.seals_word(found)
    st.html(verdict_html(Verdict(word=word, tone=tone, sentence=prompts.seals_sentence(found)), current_theme()))


def draw_list(diagnosis: Diagnosis, model: str, chosen: Chosen) -> None:
    """Draw every answer as a row, and the chosen one with its prompt; ``model`` as it was asked for."""
    found = prompts.generations_of(diagnosis)
    places = tuple(found)
    row = places.index(chosen.selection.answer) if chosen.selection.answer in places else None
    linked_table(
        prompts.generations_table(found),
        [Selection(answer=where) for where in places],
        row,
        height=360,
        column_config=COLUMNS,
        key=f"prompts.table.{session.current_run()}",
        alt="Every answer with its prompt's length, its sampling settings and its seal",
    )
    st.caption("Select a row to see its prompt.")
    where = places[row or 0]
    st.subheader(as_text(prompts.place_words(where)))
    st.caption(f"`{where}`")
    draw_prompt(found[where], where, model, chosen)


draw_page()
