"""DENSE-RAG for one run, step by step: what came and left and why, DSE per context, the final answer and the first."""

from collections.abc import Collection
from dataclasses import replace

import streamlit as st

from engine.core.words import reveal
from engine.diagnosis.record import Diagnosis
from engine.methods.dense_rag_records import DenseRagConfig, DenseRagResult
from pages.shared import session
from pages.shared.clicks import clicked_numbers
from pages.shared.details import Section, draw_details
from pages.shared.figures import draw_figure
from pages.shared.linked import follow_in_fragment, linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_opening, open_method
from pages.shared.plain_table import draw_table
from pages.shared.result_view import draw_answer, draw_judge
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.sent_values import one_of
from pages.shared.settings import draw_settings, settings_of
from pages.shared.texts import draw_formulas
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import run_again
from viz.methods import dense_rag
from viz.methods.refinement_figure import refinement_figure
from viz.parts.row_table import Column
from viz.runs import prompts

NATS, SHARE = Column(form=".2f"), Column(form=".3f")


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("dense_rag", DenseRagResult)
    if result.steps:
        draw_steps(diagnosis, result, chosen_in(diagnosis))
    draw_opening(diagnosis, result, chooses=bool(result.steps), cuts=dense_rag.cuts_sentence(result))
    with st.container(horizontal=True):
        with draw_formulas("dense_rag"):
            draw_table(dense_rag.settings_table(result.config))
        draw_judge(diagnosis)
    answers = Section(label="First and final answer", draw=lambda: draw_answers(diagnosis, result))
    settings = Section(label="Other settings", draw=lambda: draw_form(result.config), for_class=False, is_form=True)
    draw_details("dense_rag", (answers if len(result.steps) > 1 else None, settings))


def draw_answers(diagnosis: Diagnosis, result: DenseRagResult) -> None:
    """Draw the first answer and the final one side by side, right or wrong where gold answers are known."""
    first, last = dense_rag.first_and_final(result)
    before, after = st.columns(2)
    with before:
        draw_answer(first[0], first[1], diagnosis, large=False)
    with after:
        draw_answer(last[0], last[1], diagnosis, large=True)


@st.fragment
def draw_steps(diagnosis: Diagnosis, result: DenseRagResult, chosen: Chosen) -> None:
    """Draw the contexts: the figure, the player, and the context that is open. Only this part is redrawn."""
    follow_in_fragment()
    numbers = dense_rag.numbers_of(result, chosen.passage)
    holding = dense_rag.places_with(result, numbers)
    figure, alt = refinement_figure(result, current_theme(), holding), dense_rag.sentence(result)
    name, follow = "dense-rag-contexts", lambda: follow_click(result)
    draw_figure(figure, key=run_key("figure"), name=name, alt=alt, on_click=follow, told=True)
    if chosen.chunk is not None:
        st.caption(as_text(dense_rag.holding_sentence(chosen.chunk, numbers, holding)))
    place = chosen_step(result)
    draw_step(diagnosis, result, place, chosen)


def run_key(name: str) -> str:
    """Return the key of a widget that belongs to the run that is shown."""
    return f"dense_rag.{name}.{session.current_run()}"


def follow_click(result: DenseRagResult) -> None:
    """Open the context that was clicked; a second click, which unselects it, leaves it open."""
    for place in clicked_numbers(run_key("figure"))[:1]:
        if place in range(len(result.steps)):
            session.set_widget(run_key("step"), place)


def chosen_step(result: DenseRagResult) -> int:
    """Return the context to look at, after drawing the player: previous, a slider, next; at first the final one."""
    places = list(range(len(result.steps)))
    first = result.final
    if session.widget_state(run_key("step")) not in places:
        session.set_widget(run_key("step"), first)
    if len(places) == 1:
        return first
    now = one_of(session.widget_state(run_key("step")), places, first)
    before, after = dense_rag.neighbours(result, now)
    with st.container(key="narrow-steps"):
        left, middle, right = st.columns([2, 7, 2], vertical_alignment="bottom")
    with left:
        draw_move("Previous", ":material/chevron_left:", before)
    with middle:
        picked = st.select_slider(
            "Context", places, format_func=lambda place: dense_rag.step_name(result, place), key=run_key("step")
        )
    with right:
        draw_move("Next", ":material/chevron_right:", after)
    return one_of(picked, places, first)


def draw_move(label: str, icon: str, place: int | None) -> None:
    """Draw the button to another context; greyed where there is none."""
    st.button(
        label,
        icon=icon,
        disabled=place is None,
        width="stretch",
        key=f"{run_key('step')}.{label}",
        on_click=lambda: session.set_widget(run_key("step"), place),
    )


def draw_step(diagnosis: Diagnosis, result: DenseRagResult, place: int, chosen: Chosen) -> None:
    """Draw one context: what it came to, its chunks with why they came, those that left, and what was asked."""
    # Its DSE stands in the figure and in the table of all contexts; the only context's answer in the bar above.
    if len(result.steps) > 1:
        st.markdown(as_text(f"{dense_rag.context_head(result, place)} {dense_rag.standing_sentence(result, place)}"))
        st.markdown(as_text(dense_rag.moves_sentence(result, place)))
    else:
        st.markdown(as_text(dense_rag.only_sentence(result)))
    numbers = dense_rag.numbers_of(result, chosen.passage)
    cards = dense_rag.context_html(result, place, current_theme(), numbers)
    asked = f"{place}" if chosen.is_answer(result.steps[place].answer) else None
    draw_details(
        "dense_rag_steps",
        (
            Section(label="This context", draw=lambda: st.html(cards)),
            Section(label="As a table", draw=lambda: draw_context(diagnosis, result, place, numbers)),
            Section(label="Prompt", draw=lambda: draw_prompts(result, place, chosen), chosen=asked, for_class=False),
            Section(label="All contexts", draw=lambda: draw_contexts(result)),
        ),
    )


def draw_context(diagnosis: Diagnosis, result: DenseRagResult, place: int, numbers: Collection[int]) -> None:
    """Draw the chunks of one context as a table whose rows choose the run's passage they come from."""
    rows = dense_rag.context_numbers(result, place)
    linked_rows(
        dense_rag.context_table(result, place),
        [passage_pick(diagnosis, result, number) for number in rows],
        next((row for row, number in enumerate(rows) if number in numbers), None),
        key=f"{run_key('context')}.{place}",
        alt=dense_rag.moves_sentence(result, place),
    )
    st.caption("A row selects the run's passage it comes from.")


def draw_prompts(result: DenseRagResult, place: int, chosen: Chosen) -> None:
    """Draw what was asked over one context: for its answer, token by token, and whether the context suffices."""
    step = result.steps[place]
    st.html(prompts.prompt_html(step.answer, current_theme()))
    tokens_with_choice(step.answer, "tokens of the output", chosen)
    where, key = f"dense_rag.steps.{place}.answer", f"{run_key('tokens')}.{place}"
    token_rows(step.answer, where, chosen, key=key, alt="Tokens of this answer")
    if step.evaluation is not None:
        st.markdown("**Does the context suffice?**")
        st.code(reveal(step.evaluation.prompt.text), language=None, wrap_lines=True)


def draw_contexts(result: DenseRagResult) -> None:
    """Draw every context as a table."""
    columns = {"DSE (nats)": NATS, "suffices: yes": SHARE, "suffices: no": SHARE}
    draw_rows(dense_rag.steps_table(result), columns=columns, missing="not measured", alt="All contexts")


def passage_pick(diagnosis: Diagnosis, result: DenseRagResult, number: int) -> Selection | None:
    """Return what a chunk chooses: the first passage of the run with which it shares text, None where there is none."""
    place = dense_rag.passage_of(result, number, [hit.passage for hit in diagnosis.hits])
    return None if place is None else Selection(chunk=place)


def draw_form(config: DenseRagConfig) -> None:
    """Draw the switches, the paper's ablations and the readings of its contradictions, and the button to run them."""
    for column, boxes in zip(st.columns(2), settings_of("dense_rag").values(), strict=True):
        with column:
            config = draw_settings(config, boxes, lambda name: run_key(f"set.{name}"), {"first_cut": dense_rag.CUTS})
    if st.button("Run with these settings", type="primary", icon=":material/play_arrow:", key=run_key("set.run")):
        run_again("dense_rag", lambda request: replace(request, dense_rag=config))


draw_page()
