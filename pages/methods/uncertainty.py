"""Uncertainty baselines on the answers that DENSE and SePer look at: one table, and where they disagree."""

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.uncertainty import AnswerSet, UncertaintyResult
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_judge
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from viz import uncertainty
from viz.meanings import meaning_number
from viz.uncertainty import FORMULAS, GRAPHS, Graph
from viz.verdicts import verdict_html
from viz.words import same_meaning

GRAPH_CHOICES: tuple[Graph, ...] = ("probabilities", "decisions")
PRECISE = st.column_config.NumberColumn(format="%.4g")
ANSWER_COLUMNS = {
    "chosen": st.column_config.TextColumn("", width=30, help="◆ has the selected meaning"),
    "mean log-prob (nats)": st.column_config.NumberColumn(format="%.2f"),
}
COLUMNS = dict.fromkeys(("value", "lowest", "highest", "uncertain above"), PRECISE)


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("uncertainty")
    if not isinstance(result, UncertaintyResult):
        st.stop()
    st.html(verdict_html(uncertainty.verdict(result), current_theme()))
    draw_headlines(diagnosis, "uncertainty")
    st.caption(
        "Nine measures read the same answers: DENSE's (one per reworded context) and SePer's "
        "samples without and with passages. Higher = more uncertain. Ranges and cuts depend on "
        "the number of answers: compare values within a column with the cut beside them, never "
        "along a row."
    )
    with st.container(horizontal=True):
        draw_formulas()
        draw_judge(diagnosis)
    draw_measures(result)
    draw_answers(diagnosis, result)


def draw_formulas() -> None:
    """Draw every formula behind a button, and where "uncertain" begins."""
    with st.popover("How these are computed", icon=":material/function:"):
        for formula in FORMULAS.values():
            st.markdown(f"**{as_text(formula.name)}**, in {formula.unit} ({as_text(formula.origin)})")
            st.latex(formula.latex)
        st.markdown(
            "*w* is the agreement of two answers, the mean of both directions. *L* is the Laplacian "
            "*D − W* of a graph with 1 for entailment, ½ for neutral, 0 for contradiction, both "
            "directions summed. **Uncertain** starts at the paper's cut if it prints one (DSE 0.2; "
            "SUGAR's 0.4 for semantic and 0.55 for predictive entropy, set for a 7B model). The "
            "other measures only rank questions; for them it starts half way between full agreement "
            "and one dissenting answer. That rule is ours; for DSE of six answers it gives 0.225, "
            "close to the paper's 0.2."
        )


def draw_measures(result: UncertaintyResult) -> None:
    """Draw the grid of measures and answers, where they disagree, and the same as a table."""
    chosen = st.segmented_control(
        "Edges that U_deg, U_eigv and U_ecc read",
        GRAPH_CHOICES,
        format_func=lambda name: GRAPHS.get(name, name),
        default="probabilities",
        required=True,
        key="uncertainty.graph",
    )
    graph = session.one_of(chosen, GRAPH_CHOICES, "probabilities")
    st.markdown(as_text(uncertainty.disagreement_sentence(result, graph)))
    chart, table = st.tabs(["Who says uncertain", "Table"])
    with chart:
        st.plotly_chart(
            on_ground(uncertainty.agreement_figure(result, current_theme(), graph)),
            key="uncertainty.grid",
            width="stretch",
            theme=None,
            config=figure_config("uncertainty-measures"),
            alt=uncertainty.sentence(result, graph),
        )
    with table:
        st.dataframe(
            uncertainty.readings_table(result, graph),
            hide_index=True,
            column_config=COLUMNS,
            placeholder="–",
            key="uncertainty.table",
        )
    for answers in result.sets:
        st.markdown(f"- {as_text(uncertainty.set_sentence(answers, graph))}")


def draw_answers(diagnosis: Diagnosis, result: UncertaintyResult) -> None:
    """Draw the answers each set holds, with their meanings."""
    st.subheader("The measured answers")
    chosen = chosen_in(diagnosis)
    for place, answers in enumerate(result.sets):
        draw_set(diagnosis, answers, f"uncertainty.sets.{place}.answers", chosen)


def draw_set(diagnosis: Diagnosis, answers: AnswerSet, where: str, chosen: Chosen) -> None:
    """Draw one set of answers, or why there is none; ``where`` is its place in the run. A row chooses an answer."""
    row = next((place for place, one in enumerate(answers.answers) if chosen.is_answer(one)), None)
    meanings = uncertainty.meaning_texts(answers)
    marked = row is not None or any(same_meaning(text, chosen.meaning) for text in meanings)
    with st.expander(uncertainty.set_title(answers), expanded=marked):
        if answers.not_measured:
            st.markdown(as_text(answers.not_measured))
            return
        linked_table(
            uncertainty.answers_table(answers, chosen.meaning),
            [
                Selection(answer=f"{where}.{place}", meaning=meaning_number(diagnosis, text))
                for place, text in enumerate(meanings)
            ],
            row,
            key=f"uncertainty.answers.{answers.word}",
            column_config=ANSWER_COLUMNS,
        )
        if row is not None:
            tokens_with_choice(answers.answers[row], "The selected answer, token by token", chosen)
            token_rows(
                answers.answers[row],
                f"{where}.{row}",
                chosen,
                key=f"uncertainty.tokens.{answers.word}.{row}",
                alt="Tokens of the selected answer",
            )


draw_page()
