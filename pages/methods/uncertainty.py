"""Uncertainty baselines on the answers that DENSE and SePer look at: one table, and where they disagree."""

from typing import get_args

import streamlit as st

from engine.catalogue.uncertainty import MEASURES
from engine.diagnosis.record import Diagnosis
from engine.methods.uncertainty import AnswerSet, UncertaintyResult
from pages.shared import session
from pages.shared.details import Section, draw_details, draw_open_tab
from pages.shared.downloads import draw_picture_buttons
from pages.shared.linked import linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_opening, open_method
from pages.shared.result_view import draw_judge
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.settings import draw_choice
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from viz.methods import uncertainty
from viz.methods.meanings import meaning_number
from viz.methods.uncertainty import GRAPHS, Graph
from viz.parts.row_table import Column
from viz.parts.words import same_meaning

PRECISE = Column(form=".4g")
ANSWER_COLUMNS = {
    "chosen": Column(title=" ", help="◆ has the selected meaning"),
    "mean log-prob (nats)": Column(form=".2f"),
}
COLUMNS = dict.fromkeys(("value", "lowest", "highest", "uncertain above"), PRECISE)


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("uncertainty", UncertaintyResult)
    draw_measures(result)
    draw_opening(diagnosis, result, chooses=any(one.answers for one in result.sets))
    with st.container(horizontal=True):
        measures = list(MEASURES.values())
        equations = (rf"{one.equation},\quad {one.where}" if one.where else one.equation for one in measures)
        latex = {f"latex_{place}": equation for place, equation in enumerate(equations)}
        draw_formulas("uncertainty", measures=measures, **latex)
        draw_judge(diagnosis)
    chosen = chosen_in(diagnosis)
    draw_details("uncertainty", [set_section(diagnosis, result, place, chosen) for place in range(len(result.sets))])


def draw_measures(result: UncertaintyResult) -> None:
    """Draw the grid of measures and answers, where they disagree, and the same as a table."""
    figures = st.container()  # they stand above the choice they are drawn with
    graphs: dict[Graph, str] = {graph: GRAPHS[graph] for graph in get_args(Graph)}
    label = "Edges for U_deg, U_eigv, U_ecc"
    graph = draw_choice(label, graphs, "uncertainty.graph", "probabilities")
    st.markdown(as_text(uncertainty.disagreement_sentence(result, graph)))
    with figures:
        draw_open_tab(
            f"figures.uncertainty.{session.last_drawn_run()}",
            (
                Section(label="Who says uncertain", draw=lambda: draw_grid_of(result, graph)),
                Section(label="Table", draw=lambda: draw_readings(result, graph)),
            ),
        )


def draw_grid_of(result: UncertaintyResult, graph: Graph) -> None:
    """Draw every measure of every set of answers as a grid."""
    with st.container(key="measures"):
        st.html(uncertainty.measures_html(result, graph))
        svg = uncertainty.measures_svg(result, current_theme(), graph)
        draw_picture_buttons(svg, f"uncertainty-{session.current_run()}")


def draw_readings(result: UncertaintyResult, graph: Graph) -> None:
    """Draw every measure of every set of answers as a table."""
    draw_rows(uncertainty.readings_table(result, graph), columns=COLUMNS, alt="Who says uncertain")


def set_section(diagnosis: Diagnosis, result: UncertaintyResult, place: int, chosen: Chosen) -> Section:
    """Return the section of one set of answers: the chosen answer lands in it, or else those of the chosen meaning."""
    answers = result.sets[place]
    row = chosen.row_of(answers.answers)
    marked = any(same_meaning(text, chosen.meaning) for text in uncertainty.meaning_texts(answers))
    return Section(
        label=uncertainty.set_title(answers),
        draw=lambda: draw_set(diagnosis, answers, f"uncertainty.sets.{place}.answers", chosen),
        chosen=row if row is not None else chosen.meaning if marked else None,
    )


def draw_set(diagnosis: Diagnosis, answers: AnswerSet, where: str, chosen: Chosen) -> None:
    """Draw one set of answers, or why there is none; ``where`` is its place in the run. A row chooses an answer."""
    row = chosen.row_of(answers.answers)
    if answers.not_measured:
        st.markdown(as_text(answers.not_measured))
        return
    linked_rows(
        uncertainty.answers_table(answers, chosen.meaning),
        [
            Selection(answer=f"{where}.{place}", meaning=meaning_number(diagnosis, text))
            for place, text in enumerate(uncertainty.meaning_texts(answers))
        ],
        row,
        key=f"uncertainty.answers.{answers.word}",
        columns=ANSWER_COLUMNS,
        alt=uncertainty.set_title(answers),
    )
    if row is not None:
        tokens_with_choice(answers.answers[row], "its tokens", chosen)
        key = f"uncertainty.tokens.{answers.word}.{row}"
        token_rows(answers.answers[row], f"{where}.{row}", chosen, key=key, alt="Tokens")


draw_page()
