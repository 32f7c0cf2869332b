"""DENSE-RAG for one run, step by step: what came and left and why, DSE per context, the final answer and the first."""

from dataclasses import replace
from typing import Literal

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.measures.context_refinement import StopRule
from engine.methods.dense_rag import DenseRagConfig, DenseRagResult
from pages.shared import session
from pages.shared.clicks import clicked_numbers
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import follow_in_fragment, linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_answer, draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz import dense_rag, prompts
from viz.refinement_figure import refinement_figure
from viz.verdicts import verdict_html

REFINING: dict[Literal["necessary", "certain", "prune_only", "none"], str] = {
    "necessary": "refill by the necessary chunks (the paper)",
    "certain": "refill by the certain chunks (table 5)",
    "prune_only": "only remove chunks (table 5)",
    "none": "do not refine (table 5)",
}
STOPPING: dict[StopRule, str] = {
    "both": "stable and sufficient (algorithm 3)",
    "either": "stable or sufficient (section 5.2)",
}
LABELLING: dict[Literal["algorithm3", "equation10"], str] = {
    "algorithm3": "algorithm 3: agreement 1",
    "equation10": "equation 10: any agreement",
}
NATS, SHARE = st.column_config.NumberColumn(format="%.2f"), st.column_config.NumberColumn(format="%.3f")


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("dense_rag")
    if not isinstance(result, DenseRagResult):
        st.stop()
    st.html(verdict_html(dense_rag.verdict(result), current_theme()))
    draw_headlines(diagnosis, "dense_rag")
    st.caption(
        "When the answer is not stable, DENSE-RAG cuts the documents by meaning and retrieves "
        "again. Then it drops and adds chunks, round by round, until a context is stable and "
        "sufficient. DSE is the entropy of the answers over reworded passages, in nats: 0 when "
        f"they agree. {cutting_sentence(result)}"
    )
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_judge(diagnosis)
    draw_answers(diagnosis, result)
    if result.steps:
        draw_steps(diagnosis, result, chosen_in(diagnosis))
    draw_settings(result.config)


def cutting_sentence(result: DenseRagResult) -> str:
    """Return how the documents were cut in this run, as text for a caption."""
    return as_text(dense_rag.cuts_sentence(result))


def draw_formulas(result: DenseRagResult) -> None:
    """Draw the rules behind a button, with this run's settings."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown("A sentence joins the chunk before it if both are similar and the chunk has room (DENSE, eq. 7):")
        st.latex(r"\cos(e_i, e_{i+1}) \ge \tau \quad\text{and}\quad |c_j \cup s_{i+1}| \le T_{max}")
        st.markdown(
            "A context is the best so far if its DSE is lower and it is sufficient, or if no "
            "sufficient one has been seen. The search ends when the best is below the threshold "
            "**and** sufficient (algorithm 3), or one of the two (section 5.2). An *unnecessary* "
            "chunk is dropped. Each *necessary* chunk adds the unread chunk with the largest cosine "
            "to it."
        )
        st.markdown(
            "- Printed, algorithm 3 need not end: it forgets in every round what it has read. Here a chunk once read "
            "never comes back; a context that would not change, an emptied one and two caps also end the search.\n"
            "- Whether a context suffices is read from the probabilities of the answers *yes* and *no*. The word of a "
            "small model says little: SmolLM2-135M said yes to all of 45 contexts of the sample questions, 22 of them "
            "without the answer, and ranked them hardly better than chance (AUROC 0.63).\n"
            "- τ = 0.6 was set for another encoder (UAE-Large-V1). With the packaged one about one pair of neighbours "
            "in twenty is that alike in the sample encyclopaedia, so most chunks are single sentences."
        )
        st.markdown("Settings of this run:")
        st.table(dense_rag.settings_table(result.config))


def draw_answers(diagnosis: Diagnosis, result: DenseRagResult) -> None:
    """Draw the first answer and the final one side by side, right or wrong where gold answers are known."""
    if not result.steps:
        return
    first, last = dense_rag.first_and_final(result)
    before, after = st.columns(2)
    with before:
        draw_answer(first[0], first[1], diagnosis.golds, large=False)
    with after:
        draw_answer(last[0], last[1], diagnosis.golds, large=True)


@st.fragment
def draw_steps(diagnosis: Diagnosis, result: DenseRagResult, chosen: Chosen) -> None:
    """Draw the contexts: the figure, the player, and the context that is open. Only this part is redrawn."""
    follow_in_fragment()
    st.subheader("Context by context")
    numbers = dense_rag.numbers_of(result, chosen.passage)
    holding = dense_rag.places_with(result, numbers)
    st.plotly_chart(
        on_ground(refinement_figure(result, current_theme(), holding)),
        key=figure_key(),
        width="stretch",
        theme=None,
        config=figure_config("dense-rag-contexts"),
        on_select=lambda: follow_click(result),
        selection_mode="points",
        alt=dense_rag.sentence(result),
    )
    if chosen.chunk is not None:
        st.caption(as_text(dense_rag.holding_sentence(chosen.chunk, numbers, holding)))
    place = chosen_step(result)
    draw_step(diagnosis, result, place, chosen)
    with st.expander("All contexts as a table"):
        st.dataframe(
            dense_rag.steps_table(result),
            hide_index=True,
            placeholder="not asked",
            column_config={"DSE (nats)": NATS, "sufficient: yes": SHARE, "sufficient: no": SHARE},
            alt=dense_rag.sentence(result),
        )


def figure_key() -> str:
    """Return the key of the figure of the run that is shown."""
    return f"dense_rag.figure.{session.current_run()}"


def step_key() -> str:
    """Return the key of the player of the run that is shown."""
    return f"dense_rag.step.{session.current_run()}"


def follow_click(result: DenseRagResult) -> None:
    """Open the context that was clicked; a second click, which unselects it, leaves it open."""
    for place in clicked_numbers(figure_key())[:1]:
        if place in range(len(result.steps)):
            session.set_widget(step_key(), place)


def chosen_step(result: DenseRagResult) -> int:
    """Return the context to look at, after drawing the player: previous, a slider, next; at first the final one."""
    places = list(range(len(result.steps)))
    first = dense_rag.most_telling(result)
    if session.widget_state(step_key()) not in places:
        session.set_widget(step_key(), first)
    if len(places) == 1:
        st.caption("One context was read. Click the dot, or read on.")
        return first
    now = session.one_of(session.widget_state(step_key()), places, first)
    before, after = dense_rag.neighbours(result, now)
    left, middle, right = st.columns([2, 7, 2], vertical_alignment="bottom")
    with left:
        draw_move("Previous", ":material/chevron_left:", before)
    with middle:
        picked = st.select_slider(
            "Context", places, format_func=lambda place: dense_rag.step_name(result, place), key=step_key()
        )
    with right:
        draw_move("Next", ":material/chevron_right:", after)
    return session.one_of(picked, places, first)


def draw_move(label: str, icon: str, place: int | None) -> None:
    """Draw the button to another context; greyed where there is none."""
    st.button(
        label,
        icon=icon,
        disabled=place is None,
        width="stretch",
        key=f"{step_key()}.{label}",
        on_click=lambda: session.set_widget(step_key(), place),
    )


def draw_step(diagnosis: Diagnosis, result: DenseRagResult, place: int, chosen: Chosen) -> None:
    """Draw one context: what it came to, its chunks with why they came, those that left, and what was asked."""
    step = result.steps[place]
    st.markdown(as_text(dense_rag.step_sentence(result, place)))
    st.markdown(as_text(dense_rag.moves_sentence(result, place)))
    numbers = dense_rag.numbers_of(result, chosen.passage)
    rows = dense_rag.context_numbers(result, place)
    st.html(dense_rag.context_html(result, place, current_theme(), numbers))
    with st.expander("This context as a table"):
        linked_table(
            dense_rag.context_table(result, place),
            [passage_pick(diagnosis, result, number) for number in rows],
            next((row for row, number in enumerate(rows) if number in numbers), None),
            key=f"dense_rag.context.{session.current_run()}.{place}",
            alt=dense_rag.moves_sentence(result, place),
        )
        st.caption("A row selects the passage of the run it comes from, if there is one.")
    asked = chosen.is_answer(step.answer)
    with st.expander("Prompt for this context", icon=":material/terminal:", expanded=asked):
        st.html(prompts.prompt_html(step.answer, current_theme()))
        tokens_with_choice(step.answer, "the output, token by token", chosen)
        token_rows(
            step.answer,
            f"dense_rag.steps.{place}.answer",
            chosen,
            key=f"dense_rag.tokens.{session.current_run()}.{place}",
            alt="Tokens of the answer over this context",
        )
        st.markdown(as_text(dense_rag.evaluation_sentence(step.evaluation)))
        if step.evaluation is not None:
            st.code(step.evaluation.prompt.text, language=None, wrap_lines=True)


def passage_pick(diagnosis: Diagnosis, result: DenseRagResult, number: int) -> Selection | None:
    """Return what a chunk chooses: the first passage of the run with which it shares text, None where there is none."""
    place = dense_rag.passage_of(result, number, [hit.passage for hit in diagnosis.hits])
    return None if place is None else Selection(chunk=place)


def draw_settings(config: DenseRagConfig) -> None:
    """Draw the switches, the paper's ablations and the readings of its contradictions, and the button to run them."""
    with st.expander("Change the settings and run again", icon=":material/tune:"):
        left, right = st.columns(2)
        with left:
            wanted = cutting_settings(config)
        with right:
            wanted = refining_settings(wanted)
        if not st.button("Run it so", type="primary", icon=":material/play_arrow:", key=setting_key("run")):
            return
        request = shown_request()
        if request is None:
            st.warning("This run is no longer stored, so it cannot be run again.")
            return
        methods = tuple(dict.fromkeys((*request.methods, "dense_rag")))
        submit_variant(replace(request, dense_rag=wanted, methods=methods))


def cutting_settings(config: DenseRagConfig) -> DenseRagConfig:
    """Draw how documents are cut, and return the settings with what was chosen."""
    cuts = list(dense_rag.CUTS)
    first = st.selectbox(
        "First cut", cuts, cuts.index(config.first_cut), format_func=dense_rag.cut_name, key=setting_key("first_cut")
    )
    adaptive = st.checkbox(
        "Cut by meaning if the first answer is uncertain", config.adaptive, key=setting_key("adaptive")
    )
    similarity = st.slider(
        "τ: sentences at least this similar stay together (paper: 0.6)", 0.0, 1.0, config.similarity, 0.05,
        key=setting_key("similarity"),
    )  # fmt: skip
    join = st.checkbox(
        "A cosine of exactly τ joins (eq. 7; algorithm 2 cuts there)", config.tie == "join", key=setting_key("tie")
    )
    most = st.number_input(
        "T_max: maximum tokens per chunk (empty: the profile's)", 1, 4096, config.most_tokens, key=setting_key("most")
    )
    k = st.number_input("Chunks to retrieve (empty: as many as at first)", 1, 20, config.k, key=setting_key("k"))
    return replace(
        config,
        first_cut=session.one_of(first, cuts, config.first_cut),
        adaptive=bool(adaptive),
        similarity=float(similarity),
        tie="join" if join else "cut",
        most_tokens=most,
        k=k,
    )


def refining_settings(config: DenseRagConfig) -> DenseRagConfig:
    """Draw how the context is refined and when that ends, and return the settings with what was chosen."""
    refine = st.selectbox(
        "Refinement", list(REFINING), list(REFINING).index(config.refine), format_func=lambda word: REFINING[word],
        key=setting_key("refine"),
    )  # fmt: skip
    asked = st.checkbox(
        "Ask the model whether a context is sufficient", config.self_evaluation, key=setting_key("asked")
    )
    stop = st.selectbox(
        "Stop when a context is", list(STOPPING), list(STOPPING).index(config.stop_rule),
        format_func=lambda word: STOPPING[word], key=setting_key("stop"), disabled=not asked,
    )  # fmt: skip
    rule = st.selectbox(
        "A chunk is unnecessary by", list(LABELLING), list(LABELLING).index(config.label_rule),
        format_func=lambda word: LABELLING[word], key=setting_key("rule"),
    )  # fmt: skip
    most = st.number_input("Maximum number of contexts", 1, 20, config.most_contexts, key=setting_key("contexts"))
    temperature = st.slider(
        "Temperature of the answers (0: greedy, as in the paper)", 0.0, 2.0, config.temperature, 0.05,
        key=setting_key("temperature"),
    )  # fmt: skip
    return replace(
        config,
        refine=session.one_of(refine, list(REFINING), config.refine),
        self_evaluation=bool(asked),
        stop_rule=session.one_of(stop, list(STOPPING), config.stop_rule),
        label_rule=session.one_of(rule, list(LABELLING), config.label_rule),
        most_contexts=session.whole_number(most, 1, 20, config.most_contexts),
        temperature=float(temperature),
    )


def setting_key(name: str) -> str:
    """Return the key of a setting's widget: settings start anew with every run that is shown."""
    return f"dense_rag.set.{name}.{session.current_run()}"


draw_page()
