"""SUGAR: did the question need a lookup at all, one, or several?"""

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.sugar import MOST_ROUNDS, Doubt, EntropyForm, SugarResult, SugarRound
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.figures import draw_figure
from pages.shared.lasting import lasting_key
from pages.shared.linked import linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_opening, open_method
from pages.shared.result_view import draw_answer, draw_judge
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.sent_values import whole_number
from pages.shared.settings import draw_choice, draw_threshold_slider
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import run_with
from viz.methods import sugar
from viz.methods.meanings import meaning_number
from viz.methods.sugar_figure import entropy_figure, figure_height
from viz.parts.row_table import Column
from viz.parts.words import same_meaning
from viz.runs import prompts
from viz.runs.summary import passage_html

FORMS: dict[EntropyForm, str] = {"entropy": "Entropy, −Σ p ln p", "equation_1": "Eq. 1, mean −ln p"}
NUMBER = Column(form=".2f")
READING_NAMES = ("entropy (nats)", "eq. 1", "discrete", "predictive")
READINGS = {
    column: Column(title=name, form=".2f", help=column)
    for column, name in zip(sugar.TABLE_COLUMNS[2:6], READING_NAMES, strict=True)
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("sugar", SugarResult)
    draw_decision(result)
    draw_opening(diagnosis, result)
    with st.container(horizontal=True):
        draw_formulas("sugar", workings=sugar.workings_latex(result))
        draw_judge(diagnosis)
    chosen = chosen_in(diagnosis)
    row = chosen.row_of(answer for _, answer in sugar.answers_of(result))
    read = any(chosen.passage == hit.passage for one in result.rounds for hit in one.hits)
    draw_details(
        "sugar",
        (
            Section(
                label="Every round",
                draw=lambda: draw_rounds(diagnosis, result, chosen),
                chosen=(row, chosen.chunk) if read or row is not None else None,
            ),
            Section(
                label="Meanings of the samples",
                draw=lambda: draw_samples(diagnosis, result, chosen),
                chosen=chosen_sample(result, chosen),
            ),
        ),
    )


def chosen_sample(result: SugarResult, chosen: Chosen) -> tuple[str, int] | str | None:
    """Return the step and place of the chosen sample, else the chosen meaning where a step has it, None without."""
    for name, doubt, _ in sugar.steps(result):
        row = chosen.row_of(doubt.belief.samples)
        if row is not None:
            return name, row
        if any(same_meaning(text, chosen.meaning) for text in sugar.sample_meanings(doubt)):
            return chosen.meaning
    return None


@st.fragment
def draw_decision(result: SugarResult) -> None:
    """Draw what form and thresholds decide, replayed on the stored numbers. Only this part is redrawn."""
    # The figure stands above the thresholds it is drawn with; its place is kept, so that nothing jumps.
    st.html(f"<style>.st-key-sugar-decision {{min-height:{figure_height(result)}px;}}</style>")
    shown = st.container(key="sugar-decision")
    key = f"sugar.form.{session.current_run()}"
    form = draw_choice("Value to compare", FORMS, key, result.form)
    label, span = sugar.threshold_label(result), sugar.threshold_range(result)
    key = f"sugar.thresholds.{session.current_run()}"
    low, high = draw_threshold_slider(label, span, (result.low, result.high), key)
    replayed = sugar.replay_sentence(result, form, low, high)
    st.markdown(as_text(replayed))
    figure = entropy_figure(result, current_theme(), form, low, high)
    moved = (form, low, high) != (result.form, result.low, result.high)
    alt = replayed if moved else sugar.sentence(result)
    with shown:
        draw_figure(figure, key="sugar.entropy", name="sugar-entropy", alt=alt, told=True)
    draw_rerun(result, form, low, high)


def draw_rerun(result: SugarResult, form: EntropyForm, low: float, high: float) -> None:
    """Draw the number of rounds and the button that asks again with it and with what is chosen above."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rounds = st.number_input(
            "Maximum rounds",
            1,
            MOST_ROUNDS,
            result.most_rounds,
            key=f"sugar.rounds.{session.current_run()}",
            width=160,
            help="Each round except the last samples again.",
        )
        asked = st.button("Run with these settings", icon=":material/play_arrow:", key="sugar.rerun")
    if asked:
        wanted = whole_number(rounds, 1, MOST_ROUNDS, result.most_rounds)
        run_with("sugar", form=form, low=low, high=high, rounds=wanted, fitted=False)


def draw_rounds(diagnosis: Diagnosis, result: SugarResult, chosen: Chosen) -> None:
    """Draw the answer from memory and every round: query, new passages, answer; and the same as a table."""
    draw_answer("Answer from memory", result.closed_book_answer.text, diagnosis, large=False)
    if not result.rounds:
        st.info(as_text(sugar.outcome(result)))
    for one in result.rounds:
        draw_round(diagnosis, one, chosen)
    answers = sugar.answers_of(result)
    linked_rows(
        sugar.shown_rounds(result),
        [Selection(answer=where) if answer is not None else None for where, answer in answers],
        chosen.row_of(answer for _, answer in answers),
        key="sugar.rounds_table",
        columns=READINGS,
        missing="not measured",
        alt="Rounds",
    )
    if result.rounds and result.rounds[-1].after is None:
        st.caption("No entropy after the last round.")


def draw_round(diagnosis: Diagnosis, one: SugarRound, chosen: Chosen) -> None:
    """Draw one round: what was searched, what it answered, and the passages it added."""
    st.markdown(f"**Round {one.number}.** {as_text(sugar.round_sentence(one))}")
    if one.answer is not None:
        draw_answer(f"Answer after round {one.number}", one.answer.text, diagnosis, large=False)
        held = [chosen.passage == hit.passage for hit in one.hits]
        open_now = any(held) or chosen.is_answer(one.answer)
        with st.expander(f"New passages in round {one.number}", icon=":material/article:", expanded=open_now):
            drawn = [
                passage_html(hit, None, diagnosis.golds, chosen=mark) for hit, mark in zip(one.hits, held, strict=True)
            ]
            st.html("".join(drawn))
            st.html(prompts.prompt_html(one.answer, current_theme()))
            tokens_with_choice(one.answer, "tokens of the output", chosen)


def draw_samples(diagnosis: Diagnosis, result: SugarResult, chosen: Chosen) -> None:
    """Draw the meanings of each measured step; the selected sample token by token with its prompt."""
    steps = sugar.steps(result)
    names = tuple(name for name, _, _ in steps)
    name = draw_step(names, chosen_sample(result, chosen))
    found = dict(zip(names, (doubt for _, doubt, _ in steps), strict=True))[name]
    texts, table = sugar.meanings_in_order(found), sugar.shown_meanings(found)
    # The last row may stand for several meanings: it chooses none of them.
    whole = len(table) if len(table) == len(texts) else len(table) - 1
    chooses = [Selection(meaning=meaning_number(diagnosis, text)) for text in texts[:whole]]
    linked_rows(
        table,
        [*chooses, *[None] * (len(table) - whole)],
        next((min(row, len(table) - 1) for row, text in enumerate(texts) if same_meaning(text, chosen.meaning)), None),
        key=f"sugar.meanings.{name}",
        columns={"probability": NUMBER},
        alt="Meanings",
    )
    draw_step_samples(diagnosis, found, sugar.samples_place(result, names.index(name)), chosen)


def draw_step(names: tuple[str, ...], landed: tuple[str, int] | str | None) -> str:
    """Return the step whose samples are shown, after drawing all; a newly chosen sample shows its own step."""
    key = lasting_key(f"sugar.step.{session.current_run()}", names[0], names)
    seen = f"{key}.seen"
    if isinstance(landed, tuple) and landed != session.widget_state(seen):
        session.set_widget(key, landed[0])
    session.set_widget(seen, landed)
    return draw_choice("Samples drawn", {name: name for name in names}, key, names[0])


def draw_step_samples(diagnosis: Diagnosis, found: Doubt, where: str, chosen: Chosen) -> None:
    """Draw the samples of one step as a table whose rows choose them, and token by token; ``where`` is their place."""
    samples, texts = found.belief.samples, sugar.sample_meanings(found)
    row = chosen.row_of(samples)
    marked = row is not None or any(same_meaning(text, chosen.meaning) for text in texts)
    with st.expander("Samples and tokens", icon=":material/terminal:", expanded=marked):
        linked_rows(
            sugar.samples_table(found, chosen.meaning),
            [
                Selection(answer=f"{where}.{place}", meaning=meaning_number(diagnosis, text))
                for place, text in enumerate(texts)
            ],
            row,
            key=f"sugar.samples.{where}",
            alt="Samples and meanings",
        )
        st.html(prompts.prompt_html(samples[0], current_theme()))
        for number, sample in enumerate(samples, start=1):
            tokens_with_choice(sample, f"Sample {number}", chosen, legend=number == len(samples))
        shown = row or 0
        token_rows(
            samples[shown],
            f"{where}.{shown}",
            chosen,
            key=f"sugar.tokens.{where}.{shown}",
            alt=f"Tokens of sample {shown + 1}",
        )


draw_page()
