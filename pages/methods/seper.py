"""SePer: how much does the model believe in the right answer, before and after reading?"""

from dataclasses import replace

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.seper import SeperResult
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import linked_figure, linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz import prompts, seper
from viz.belief_bars import BeliefRow, belief_bars, belief_rows, beliefs_table, row_of
from viz.belief_change import delta_figure, delta_latex
from viz.meanings import meaning_number
from viz.verdicts import verdict_html

SAMPLES = "seper.samples"
SAMPLE_COLUMNS = {
    "chosen": st.column_config.TextColumn("", width=30, help="◆ has the selected meaning"),
    "sample": st.column_config.NumberColumn(width="small"),
    "text": st.column_config.TextColumn(width="medium"),
    "weight": st.column_config.NumberColumn(width="small", format="%.3f"),
    "mean log-prob (nats)": st.column_config.NumberColumn(format="%.2f"),
    "meaning": st.column_config.TextColumn(width="medium"),
    "entailment": st.column_config.NumberColumn(format="%.2f"),
}
VARIANTS = {
    "code": "Variant **code**: as in the released code, with its bugs fixed. It takes the better "
    "direction of entailment and the best-matching correct answer. A meaning matches a "
    "correct answer loosely: no contradiction either way, and not both neutral.",
    "paper": "Variant **paper**: as in the equations. Only *response entails answer* counts, correct "
    "answers are averaged, and a meaning matches a correct answer only if each entails the "
    "other.",
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("seper")
    if not isinstance(result, SeperResult):
        st.stop()
    st.html(verdict_html(seper.verdict(result), current_theme()))
    draw_headlines(diagnosis, "seper")
    st.caption(
        "The model samples many answers, without and with the passages. SePer is the "
        "probability, from 0 to 1, that such an answer is right. ΔSePer is the change due to the "
        "passages."
    )
    if not result.golds:
        draw_gold_form()
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_judge(diagnosis)
    chosen = chosen_in(diagnosis)
    draw_beliefs(diagnosis, result, chosen)
    if result.golds:
        draw_delta(result)
    draw_samples(diagnosis, result, chosen)


def draw_formulas(result: SeperResult) -> None:
    """Draw the formulas behind a button, with this run's values."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown(
            "The model samples several answers, without and with the passages. Each sample is "
            "weighted by the softmax of its mean token log-probability (released code; the paper's "
            "eq. 7 has the product):"
        )
        st.latex(
            r"\ell_i = \frac{\exp(m_i)}{\sum_j \exp(m_j)}, \qquad m_i = \tfrac{1}{T_i} \sum_t \ln p(t \mid \ldots)"
        )
        st.markdown(
            "SePer is the probability of the correct answer $a^*$ (eq. 9-10): *soft* sums how far "
            "each sample entails it, *hard* sums the probability of the meanings that match it:"
        )
        st.latex(
            r"\mathrm{SePer}_S = \sum_i \ell_i\, E(r_i, a^*), \qquad "
            r"\mathrm{SePer}_H = \sum_{C} \mathbb{1}[C \equiv a^*]\, p(C)"
        )
        st.markdown("The utility of the passages is the difference (eq. 11):")
        st.latex(r"\Delta\mathrm{SePer} = \mathrm{SePer}(q, D) - \mathrm{SePer}(q)")
        if result.delta_soft is not None:
            st.markdown("With the values of this run:")
            st.latex(delta_latex(result))
        st.markdown(f"{VARIANTS[result.variant]} Intervals come from resampling the samples with replacement.")


def draw_gold_form() -> None:
    """Draw the field that adds gold answers, and ask again with them."""
    with st.container(border=True):
        text = st.text_area(
            "Correct answers, one per line",
            key=f"seper.golds.{session.current_run()}",
            help="Without a correct answer, the page shows the beliefs but not whether they are right.",
        )
        asked = st.button("Run again with these answers", type="primary", key="seper.golds.ask")
    if asked:
        ask_again(tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())))


def ask_again(golds: tuple[str, ...]) -> None:
    """Submit the run again with gold answers, where there are any."""
    request = shown_request()
    if not golds:
        st.warning("Enter at least one correct answer.")
    elif request is None:
        st.warning("This run is no longer stored, so it cannot be run again.")
    else:
        submit_variant(replace(request, golds=golds, methods=tuple(dict.fromkeys((*request.methods, "seper")))))


def draw_beliefs(diagnosis: Diagnosis, result: SeperResult, chosen: Chosen) -> None:
    """Draw what the model believes before and after reading, as bars and as a table whose rows choose a meaning."""
    picks = [meaning_pick(diagnosis, row) for row in belief_rows(result)]
    chart, table = st.tabs(["What the model believes", "Table"])
    with chart:
        linked_figure(
            belief_bars(result, current_theme(), chosen.meaning),
            lambda numbers: picks[numbers[0]] if 0 <= numbers[0] < len(picks) else None,
            key="seper.beliefs",
            name="seper-beliefs",
            alt=seper.belief_sentence(result),
        )
    with table:
        probability = st.column_config.NumberColumn(format="%.2f")
        linked_table(
            beliefs_table(result),
            picks,
            row_of(result, chosen.meaning),
            key="seper.beliefs_table",
            column_config=dict.fromkeys((seper.WITHOUT, seper.WITH), probability),
            placeholder="no reference",
        )
    st.caption(as_text(seper.belief_sentence(result)))


def meaning_pick(diagnosis: Diagnosis, row: BeliefRow) -> Selection | None:
    """Return what a row of the bars chooses; several meanings together are none."""
    return Selection(meaning=meaning_number(diagnosis, row.text)) if row.meanings == 1 else None


def draw_delta(result: SeperResult) -> None:
    """Draw how far belief in the right answer moved, soft and hard, with intervals."""
    st.plotly_chart(
        on_ground(delta_figure(result, current_theme())),
        key="seper.delta",
        width="stretch",
        theme=None,
        config=figure_config("seper-change"),
        alt=seper.sentence(result),
    )
    st.caption(
        "Soft: how far each sampled answer entails a correct answer, weighted. Hard: the weight "
        "of sampled answers that mean a correct answer. A difference whose interval includes 0 "
        "may be chance. Differences are taken before rounding."
    )


def draw_samples(diagnosis: Diagnosis, result: SeperResult, chosen: Chosen) -> None:
    """Draw every sampled answer; the chosen one is shown token by token with its prompt."""
    st.subheader("Every sampled answer")
    samples, places = seper.samples_in_order(result), seper.sample_places(result)
    meanings = [meaning_number(diagnosis, text) for text in seper.sample_meanings(result)]
    row = next((place for place, (_, sample) in enumerate(samples) if chosen.is_answer(sample)), None)
    linked_table(
        seper.samples_table(result, chosen.meaning),
        [Selection(answer=where, meaning=number) for where, number in zip(places, meanings, strict=True)],
        row,
        key=SAMPLES,
        placeholder="no correct answer",
        column_config=SAMPLE_COLUMNS,
    )
    name, generation = samples[row or 0]
    st.caption("Select a row to see how that answer was written. This also selects its meaning.")
    tokens_with_choice(generation, f"{name}, token by token", chosen)
    with st.expander("Prompt", icon=":material/terminal:"):
        st.html(prompts.prompt_html(generation, current_theme()))
    with st.expander("Its tokens as a table", icon=":material/list_alt:", expanded=row is not None):
        token_rows(generation, places[row or 0], chosen, key=f"seper.tokens.{row or 0}", alt=f"Tokens of {name}")


draw_page()
