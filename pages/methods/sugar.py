"""SUGAR: did the question need a lookup at all, one, or several?"""

from dataclasses import replace

import streamlit as st

from engine.methods.sugar import MOST_ROUNDS, EntropyForm, SugarResult, SugarRound
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_answer, draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz import prompts, sugar
from viz.summary import passage_html
from viz.token_strip import tokens_table
from viz.verdicts import verdict_html

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
        "SUGAR asks the model several times from memory. Answers that all mean the same need no lookup; the more "
        "meanings, the higher their entropy in nats, and two thresholds choose between no lookup, one and several."
    )
    draw_judge(diagnosis)
    draw_formulas(result)
    draw_decision(result)
    draw_rounds(result, diagnosis.golds)
    draw_samples(result)


def draw_formulas(result: SugarResult) -> None:
    """Draw the formulas behind a button, with this run's values."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown(
            "The closed-book samples are the ones SePer draws. They are put together by meaning (each entails the "
            "other); a meaning's probability is its share of the samples' length-normalised likelihood:"
        )
        st.latex(r"p(C) = \frac{\sum_{i \in C} e^{m_i}}{\sum_j e^{m_j}}, \qquad \mathrm{SE} = -\sum_C p(C) \ln p(C)")
        st.markdown("With the values of this run:")
        st.latex(sugar.workings_latex(result))
        st.markdown("The paper's eq. 1 prints another number, which rises as one meaning wins; it can be chosen below:")
        st.latex(r"-\frac{1}{|C|} \sum_C \ln p(C)")
        st.markdown(
            "Up to the lower threshold nothing is looked up, up to the upper one once, above it in several rounds. The "
            "paper chose its thresholds on each data set and prints 0.4 (TriviaQA) and 0.9 (SQuAD) for a 7B model; "
            "those are the ones here unless fitted ones were asked for. It does not say how several rounds go on: each "
            "searches for the question and the last answer, reads what is new, and the entropy is measured again while "
            "rounds are left."
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
        "What is held against the thresholds",
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
            "Rounds at most",
            1,
            MOST_ROUNDS,
            result.most_rounds,
            key=f"sugar.rounds.{session.current_run()}",
            width=160,
            help="Where several lookups are decided on. Each round but the last draws ten samples to see whether "
            "another is due.",
        )
        asked = st.button("Run it with these settings", icon=":material/play_arrow:", key="sugar.rerun")
    if not asked:
        return
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored, so it cannot be asked again.")
        return
    wanted = session.whole_number(rounds, 1, MOST_ROUNDS, result.most_rounds)
    changed = replace(request.sugar, form=form, low=low, high=high, rounds=wanted, fitted=False)
    submit_variant(replace(request, sugar=changed))


def draw_rounds(result: SugarResult, golds: tuple[str, ...]) -> None:
    """Draw the answer from memory and every round: query, new passages, answer; and the same as a table."""
    st.subheader("Every round")
    draw_answer("Answer from memory", result.closed_book_answer.text, golds, large=False)
    if not result.rounds:
        st.info(as_text(sugar.outcome(result)))
    for one in result.rounds:
        draw_round(one, golds)
    st.dataframe(
        sugar.rounds_table(result), hide_index=True, column_config=READINGS, placeholder="not measured",
        key="sugar.rounds_table",
    )  # fmt: skip
    st.caption("An entropy is measured from memory, and after a round only where another may follow.")


def draw_round(one: SugarRound, golds: tuple[str, ...]) -> None:
    """Draw one round: what was searched, what it answered, and the passages it added."""
    st.markdown(f"**Round {one.number}.** {as_text(sugar.round_sentence(one))}")
    if one.answer is not None:
        draw_answer(f"Answer after round {one.number}", one.answer.text, golds, large=False)
        with st.expander(f"What round {one.number} added to read", icon=":material/article:"):
            st.html("".join(passage_html(hit, None, golds) for hit in one.hits))
            st.html(prompts.prompt_html(one.answer, current_theme()))


def draw_samples(result: SugarResult) -> None:
    """Draw the meanings of each measured step; the selected sample token by token with its prompt."""
    st.subheader("What the samples mean")
    steps = sugar.steps(result)
    names = tuple(name for name, _, _ in steps)
    picked = st.segmented_control("Samples drawn", names, default=names[0], required=True, key="sugar.step")
    found = dict(zip(names, (doubt for _, doubt, _ in steps), strict=True))[session.one_of(picked, names, names[0])]
    st.dataframe(
        sugar.meanings_table(found),
        hide_index=True,
        column_config={"probability": NUMBER},
        key="sugar.meanings",
    )
    samples = found.belief.samples
    with st.expander("Every sample, token by token", icon=":material/terminal:"):
        st.html(prompts.prompt_html(samples[0], current_theme()))
        for number, sample in enumerate(samples, start=1):
            st.html(prompts.tokens_html(sample, current_theme(), f"Sample {number}"))
        st.dataframe(tokens_table(samples[0].tokens), hide_index=True)


draw_page()
