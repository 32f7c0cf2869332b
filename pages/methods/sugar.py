"""SUGAR: did the question need a lookup at all, one, or several?"""

from dataclasses import replace

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.sugar import MOST_ROUNDS, Doubt, EntropyForm, SugarResult, SugarRound
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_answer, draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz import prompts, sugar
from viz.meanings import meaning_number
from viz.summary import passage_html
from viz.verdicts import verdict_html
from viz.words import same_meaning

FORMS: tuple[EntropyForm, ...] = ("entropy", "equation_1")
FORM_NAMES = {"entropy": "Entropy, −Σ p ln p", "equation_1": "Eq. 1 as printed, mean of −ln p"}
NUMBER = st.column_config.NumberColumn(format="%.2f")
READINGS = dict.fromkeys(sugar.TABLE_COLUMNS[2:6], NUMBER)


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("sugar")
    if not isinstance(result, SugarResult):
        st.stop()
    st.html(verdict_html(sugar.verdict(result), current_theme()))
    draw_headlines(diagnosis, "sugar")
    st.caption(
        "SUGAR samples several answers from memory. If all mean the same, no retrieval is "
        "needed. More meanings give a higher entropy in nats; two thresholds decide between "
        "none, one and several retrievals."
    )
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_judge(diagnosis)
    draw_decision(result)
    chosen = chosen_in(diagnosis)
    draw_rounds(result, diagnosis.golds, chosen)
    draw_samples(diagnosis, result, chosen)


def draw_formulas(result: SugarResult) -> None:
    """Draw the formulas behind a button, with this run's values."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown(
            "The closed-book samples are SePer's. They are clustered by meaning (each entails the "
            "other). A meaning's probability is its share of the samples' length-normalised "
            "likelihood:"
        )
        st.latex(r"p(C) = \frac{\sum_{i \in C} e^{m_i}}{\sum_j e^{m_j}}, \qquad \mathrm{SE} = -\sum_C p(C) \ln p(C)")
        st.markdown("With the values of this run:")
        st.latex(sugar.workings_latex(result))
        st.markdown(
            "The paper's eq. 1 prints a different number, which rises as one meaning wins. You can choose it below:"
        )
        st.latex(r"-\frac{1}{|C|} \sum_C \ln p(C)")
        st.markdown(
            "Up to the lower threshold: no retrieval. Up to the upper one: one retrieval. Above it: "
            "several rounds. The paper chose its thresholds per data set and prints 0.4 (TriviaQA) "
            "and 0.9 (SQuAD) for a 7B model; these apply here unless fitted ones are chosen. It does "
            "not define several rounds. Here, each round searches for the question and the last "
            "answer, reads what is new, and measures the entropy again while rounds are left."
        )


@st.fragment
def draw_decision(result: SugarResult) -> None:
    """Draw what form and thresholds decide, replayed on the stored numbers. Only this part is redrawn."""
    form = draw_form_choice(result)
    start, end = sugar.threshold_range(result)
    held = st.slider(
        sugar.threshold_label(result),
        start,
        end,
        (result.low, result.high),
        step=0.05,
        format="%.2f",
        key=f"sugar.thresholds.{session.current_run()}",
        help="Moving them replays the stored numbers; no model runs.",
    )
    low, high = held
    st.markdown(as_text(sugar.replay_sentence(result, form, low, high)))
    st.plotly_chart(
        on_ground(sugar.entropy_figure(result, current_theme(), form, low, high)),
        key="sugar.entropy",
        width="stretch",
        theme=None,
        config=figure_config("sugar-entropy"),
        alt=sugar.sentence(result),
    )
    draw_rerun(result, form, low, high)


def draw_form_choice(result: SugarResult) -> EntropyForm:
    """Draw the choice of the number that is held against the thresholds."""
    chosen = st.segmented_control(
        "Value compared with the thresholds",
        FORMS,
        format_func=lambda name: FORM_NAMES.get(name, name),
        default=result.form,
        required=True,
        key=f"sugar.form.{session.current_run()}",
    )
    return session.one_of(chosen, FORMS, result.form)


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
            help="Used when SUGAR decides on several retrievals. Each round but the last draws ten "
            "samples to decide whether to go on.",
        )
        asked = st.button("Run again with these settings", icon=":material/play_arrow:", key="sugar.rerun")
    if not asked:
        return
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored, so it cannot be run again.")
        return
    wanted = session.whole_number(rounds, 1, MOST_ROUNDS, result.most_rounds)
    changed = replace(request.sugar, form=form, low=low, high=high, rounds=wanted, fitted=False)
    submit_variant(replace(request, sugar=changed))


def draw_rounds(result: SugarResult, golds: tuple[str, ...], chosen: Chosen) -> None:
    """Draw the answer from memory and every round: query, new passages, answer; and the same as a table."""
    st.subheader("Every round")
    draw_answer("Answer from memory", result.closed_book_answer.text, golds, large=False)
    if not result.rounds:
        st.info(as_text(sugar.outcome(result)))
    for one in result.rounds:
        draw_round(one, golds, chosen)
    answers = sugar.answers_of(result)
    linked_table(
        sugar.rounds_table(result),
        [Selection(answer=where) if answer is not None else None for where, answer in answers],
        next((row for row, (_, answer) in enumerate(answers) if chosen.is_answer(answer)), None),
        key="sugar.rounds_table",
        column_config=READINGS,
        placeholder="not measured",
    )
    st.caption("Entropy is measured from memory, and after a round only if another may follow.")


def draw_round(one: SugarRound, golds: tuple[str, ...], chosen: Chosen) -> None:
    """Draw one round: what was searched, what it answered, and the passages it added."""
    st.markdown(f"**Round {one.number}.** {as_text(sugar.round_sentence(one))}")
    if one.answer is not None:
        draw_answer(f"Answer after round {one.number}", one.answer.text, golds, large=False)
        held = [chosen.passage == hit.passage for hit in one.hits]
        open_now = any(held) or chosen.is_answer(one.answer)
        with st.expander(f"New passages in round {one.number}", icon=":material/article:", expanded=open_now):
            drawn = [passage_html(hit, None, golds, chosen=mark) for hit, mark in zip(one.hits, held, strict=True)]
            st.html("".join(drawn))
            st.html(prompts.prompt_html(one.answer, current_theme()))
            tokens_with_choice(one.answer, "the output, token by token", chosen)


def draw_samples(diagnosis: Diagnosis, result: SugarResult, chosen: Chosen) -> None:
    """Draw the meanings of each measured step; the selected sample token by token with its prompt."""
    st.subheader("Meanings of the samples")
    steps = sugar.steps(result)
    names = tuple(name for name, _, _ in steps)
    picked = st.segmented_control("Samples drawn", names, default=names[0], required=True, key="sugar.step")
    name = session.one_of(picked, names, names[0])
    found = dict(zip(names, (doubt for _, doubt, _ in steps), strict=True))[name]
    texts = sugar.meanings_in_order(found)
    linked_table(
        sugar.meanings_table(found),
        [Selection(meaning=meaning_number(diagnosis, text)) for text in texts],
        next((row for row, text in enumerate(texts) if same_meaning(text, chosen.meaning)), None),
        key=f"sugar.meanings.{name}",
        column_config={"probability": NUMBER},
    )
    draw_step_samples(diagnosis, found, sugar.samples_place(result, names.index(name)), chosen)


def draw_step_samples(diagnosis: Diagnosis, found: Doubt, where: str, chosen: Chosen) -> None:
    """Draw the samples of one step as a table whose rows choose them, and token by token; ``where`` is their place."""
    samples, texts = found.belief.samples, sugar.sample_meanings(found)
    row = next((place for place, sample in enumerate(samples) if chosen.is_answer(sample)), None)
    marked = row is not None or any(same_meaning(text, chosen.meaning) for text in texts)
    with st.expander("Every sample, token by token", icon=":material/terminal:", expanded=marked):
        linked_table(
            sugar.samples_table(found, chosen.meaning),
            [
                Selection(answer=f"{where}.{place}", meaning=meaning_number(diagnosis, text))
                for place, text in enumerate(texts)
            ],
            row,
            key=f"sugar.samples.{where}",
            alt="Every sample with its meaning",
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
