"""SePer: how much does the model believe in the correct answer, before and after reading?"""

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.seper_records import SeperResult
from pages.shared import session
from pages.shared.details import Section, draw_details, draw_open_tab
from pages.shared.figures import draw_figure
from pages.shared.linked import linked_figure, linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_gold_form, draw_opening, open_method
from pages.shared.result_view import draw_judge
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.texts import draw_formulas, page_text
from pages.shared.theme import as_text, current_theme
from viz.methods import seper
from viz.methods.belief_bars import belief_bars, belief_rows, beliefs_table, row_of
from viz.methods.belief_change import delta_figure, delta_latex
from viz.methods.meanings import meaning_number
from viz.parts.row_table import Column
from viz.runs import prompts

SAMPLES = "seper.samples"
SAMPLE_COLUMNS = {
    "chosen": Column(title=" ", help="◆ has the selected meaning"),
    "weight": Column(form=".3f"),
    "mean log-prob (nats)": Column(form=".2f"),
    "entailment": Column(form=".2f"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("seper", SeperResult)
    chosen = chosen_in(diagnosis)
    draw_beliefs(diagnosis, result, chosen)
    draw_opening(diagnosis, result)
    if not result.golds:
        draw_gold_form("seper", "seper")
    with st.container(horizontal=True):
        workings = "" if result.delta_soft is None else delta_latex(result)
        draw_formulas("seper", workings=workings, variant=result.variant)
        draw_judge(diagnosis)
    draw_disagreement(result)
    samples = seper.samples_in_order(result)
    row = chosen.row_of(sample for _, sample in samples)
    prompt = prompts.prompt_html(samples[row or 0][1], current_theme())
    draw_details(
        "seper",
        (
            Section(label="Change", draw=lambda: draw_change(result)) if result.golds else None,
            Section(label="Weights", draw=lambda: draw_weights(result)) if result.golds else None,
            Section(label="Samples", draw=lambda: draw_samples(diagnosis, result, chosen, row), chosen=row),
            Section(
                label="Tokens",
                draw=lambda: draw_tokens(result, row or 0, chosen),
                chosen=None if row is None else (row, chosen.selection.token),
            ),
            Section(label="Prompt", draw=lambda: st.html(prompt), for_class=False),
        ),
    )


def draw_beliefs(diagnosis: Diagnosis, result: SeperResult, chosen: Chosen) -> None:
    """Draw what the model believes before and after reading, as bars and as a table whose rows choose a meaning."""
    picks = [
        Selection(meaning=meaning_number(diagnosis, row.text)) if row.meanings == 1 else None
        for row in belief_rows(result)
    ]
    draw_open_tab(
        f"figures.seper.{session.last_drawn_run()}",
        (
            Section(label="What the model believes", draw=lambda: draw_bars(result, chosen, picks)),
            Section(label="Table", draw=lambda: draw_meanings(result, chosen, picks)),
        ),
    )
    # Without a correct answer the verdict has nothing else to say, and says this below the figure.
    if (said := seper.belief_sentence(result)) not in seper.verdict(result).detail:
        st.caption(as_text(said))


def draw_bars(result: SeperResult, chosen: Chosen, picks: list[Selection | None]) -> None:
    """Draw the belief in each meaning as bars."""
    linked_figure(
        belief_bars(result, current_theme(), chosen.meaning),
        lambda numbers: picks[numbers[0]] if 0 <= numbers[0] < len(picks) else None,
        key="seper.beliefs",
        name="seper-beliefs",
        alt=seper.belief_sentence(result),
    )


def draw_meanings(result: SeperResult, chosen: Chosen, picks: list[Selection | None]) -> None:
    """Draw the belief in each meaning as a table."""
    linked_rows(
        beliefs_table(result),
        picks,
        row_of(result, chosen.meaning),
        key="seper.beliefs_table",
        columns=dict.fromkeys((seper.WITHOUT, seper.WITH), Column(form=".2f")),
        missing="no reference",
        alt="Meanings",
    )


def draw_disagreement(result: SeperResult) -> None:
    """Say, outside the details, where both kinds of weights disagree and where old intervals are too narrow."""
    if not result.golds:
        return
    if differ := seper.weights_sentence(result):
        st.info(as_text(differ), icon=":material/scale:")
    if old := seper.interval_note(result):
        st.warning(as_text(old), icon=":material/history:")


def draw_change(result: SeperResult) -> None:
    """Draw how far belief moved, by both kernels."""
    figure = delta_figure(result, current_theme())
    draw_figure(figure, key="seper.delta", name="seper-change", alt=seper.sentence(result))
    st.caption(page_text("notes/soft_and_hard"))


def draw_weights(result: SeperResult) -> None:
    """Draw the effective sample size and both kinds of weights side by side."""
    st.caption(as_text(seper.effective_sentence(result)))
    draw_rows(seper.weights_table(result), alt="Weights")
    st.caption(page_text("notes/seper_weights"))


def draw_samples(diagnosis: Diagnosis, result: SeperResult, chosen: Chosen, row: int | None) -> None:
    """Draw every sampled answer as a table whose rows choose it."""
    places = seper.sample_places(result)
    meanings = [meaning_number(diagnosis, text) for text in seper.sample_meanings(result)]
    linked_rows(
        seper.samples_table(result, chosen.meaning),
        [Selection(answer=where, meaning=number) for where, number in zip(places, meanings, strict=True)],
        row,
        key=SAMPLES,
        missing="no correct answer",
        columns=SAMPLE_COLUMNS,
        alt="Samples",
        height=400,
    )
    name, generation = seper.samples_in_order(result)[row or 0]
    tokens_with_choice(generation, f"{name}, token by token", chosen)


def draw_tokens(result: SeperResult, row: int, chosen: Chosen) -> None:
    """Draw the tokens of the chosen sample, or of the first, as a table whose rows choose them."""
    _, generation = seper.samples_in_order(result)[row]
    token_rows(generation, seper.sample_places(result)[row], chosen, key=f"seper.tokens.{row}", alt="Tokens")


draw_page()
