"""DENSE: does the answer stay when a passage is put in other words, and which passages does it need?"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated

import streamlit as st
from pydantic import Field

from engine.core.records import Generation
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseChunk, DenseConfig, DenseResult
from engine.methods.profiles import PROFILES
from pages.shared import session
from pages.shared.details import Section, draw_details, draw_open_tab
from pages.shared.figures import draw_figure
from pages.shared.linked import linked_figure, linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_opening, open_method
from pages.shared.result_view import draw_judge
from pages.shared.rows import draw_rows
from pages.shared.selection import Chosen, Selection, add_to_selection, chosen_in, clear_selection
from pages.shared.sent_values import one_of, whole_number
from pages.shared.settings import draw_settings, settings_of
from pages.shared.texts import draw_formulas, page_text
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import run_again, shown_request, shown_run_id
from pages.what_if.steps import draw_what_if
from viz.methods import dense
from viz.methods.agreement_matrix import matrix_sentence, weight_matrix
from viz.methods.entailment_graph import entailment_graph, graph_sentence
from viz.methods.entropy_bar import entropy_bar, entropy_latex
from viz.runs import prompts

CHUNK, GRAPH, MATRIX, TABLE = "dense.chunk", "dense.graph", "dense.matrix", "dense.table"
SHOWN_RUN = "dense.shown_run"


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("dense", DenseResult)
    chosen = chosen_in(diagnosis)
    draw_answers(result, chosen.chunk)
    draw_opening(diagnosis, result, chooses=bool(result.chunks))
    request = shown_request()
    if request is not None and request.dense.reading == "quick" and result.reading == "full":
        st.caption(dense.FULL_INSTEAD)
    with st.container(horizontal=True):
        workings = "" if result.entropy is None else entropy_latex(result)
        interval = result.entropy_interval is not None
        draw_formulas("dense", workings=workings, interval=interval, rule=result.rule)
        draw_judge(diagnosis)
    draw_chunk(result, draw_chunk_picker(result, chosen.chunk), chosen)


def draw_answers(result: DenseResult, chosen: int | None) -> None:
    """Draw the answers as a graph, as a matrix and as a table; a click on any of them chooses a chunk.

    A click in the matrix chooses the row's chunk, or else the column's.
    """
    draw_open_tab(
        f"figures.dense.{session.last_drawn_run()}",
        (
            Section(label="Graph", draw=lambda: draw_graph(result, chosen)),
            Section(label="Entropy and threshold", draw=lambda: draw_entropy(result)),
            Section(label="Agreement matrix W", draw=lambda: draw_matrix(result, chosen)),
            Section(label="Table", draw=lambda: draw_passages(result, chosen)),
        ),
    )


def draw_graph(result: DenseResult, chosen: int | None) -> None:
    """Draw the answers as a graph."""
    figure, alt = entailment_graph(result, current_theme(), chosen), graph_sentence(result)
    linked_figure(figure, clicked_chunk, key=GRAPH, name="dense-graph", alt=alt)
    st.caption("Click a passage. Thin lines: agreement among rewordings.")


def draw_entropy(result: DenseResult) -> None:
    """Draw the entropy beside its threshold."""
    figure, alt = entropy_bar(result, current_theme()), dense.entropy_sentence(result)
    draw_figure(figure, key="dense.entropy", name="dense-entropy", alt=alt, told=True)


def draw_matrix(result: DenseResult, chosen: int | None) -> None:
    """Draw how far the answers agree as a matrix."""
    figure, alt = weight_matrix(result, current_theme(), chosen), matrix_sentence(result)
    linked_figure(figure, clicked_chunk, key=MATRIX, name="dense-agreement", alt=alt, told=True)
    st.caption(as_text(alt))


def draw_passages(result: DenseResult, chosen: int | None) -> None:
    """Draw what each passage does as a table."""
    places = [chunk.index for chunk in result.chunks]
    row = places.index(chosen) if chosen in places else None
    picks = [Selection(chunk=place) for place in places]
    linked_rows(dense.chunk_table(result), picks, row, key=TABLE, missing="not run", alt="Passages")


def clicked_chunk(numbers: tuple[int, ...]) -> Selection | None:
    """Return what a click in a figure chooses: the first chunk it names; the original answer is none."""
    chunks = [number for number in numbers if number != dense.ORIGINAL]
    return Selection(chunk=chunks[0]) if chunks else None


def draw_chunk_picker(result: DenseResult, chosen: int | None) -> DenseChunk:
    """Return the chunk to look at, after drawing the choice; without one, the one that changes the answer most."""
    chunks = {chunk.index: chunk for chunk in result.chunks}
    opened = chosen if chosen in chunks else dense.most_telling(result)
    if session.widget_state(CHUNK) != opened or session.widget_state(SHOWN_RUN) != session.current_run():
        # The browser marks a choice by its label, which holds another word in another run: tell it the choice anew.
        session.set_widget(CHUNK, opened)
    session.set_widget(SHOWN_RUN, session.current_run())
    st.segmented_control(
        "Select a passage",
        list(chunks),
        format_func=lambda index: f"passage {index + 1} · {result.labels[index]}" if index in chunks else "",
        key=CHUNK,
        on_change=lambda: follow_choice(list(chunks), opened, chosen),
    )
    return chunks[opened]


def follow_choice(places: list[int], opened: int, chosen: int | None) -> None:
    """Choose the chunk picked below the figures; picking the open one once more drops its choice, or makes it."""
    held = session.widget_state(CHUNK)
    if held in places:
        add_to_selection(Selection(chunk=one_of(held, places, opened)))
    elif chosen is None:
        add_to_selection(Selection(chunk=opened))
    else:
        clear_selection("chunk")


def draw_chunk(result: DenseResult, chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw everything about one chunk: what it does, and in tabs its wording, answers, checks, prompts and new runs."""
    said = dense.chunk_sentence(result, chunk)
    if said not in dense.chunk_sentences(result):  # those stand below the figure
        st.markdown(as_text(said))
    calls = dense.calls_of(result, chunk)
    asked = next((place for place, answer in calls.values() if chosen.is_answer(answer)), None)
    draw_details(
        "dense",
        (
            Section(label="Wording", draw=lambda: draw_wording(chunk)),
            Section(label="Answers", draw=lambda: draw_answer_columns(result, chunk, chosen)),
            Section(label="Checks", draw=lambda: draw_checks(result, chunk)),
            Section(label="Prompts", draw=lambda: draw_prompts(calls, chunk, chosen), chosen=asked, for_class=False),
            Section(label="Run again", draw=lambda: draw_runs(chunk), for_class=False, is_form=True),
        ),
    )


def draw_wording(chunk: DenseChunk) -> None:
    """Draw the chunk beside its rewording, and the way to try others of its words."""
    st.html(dense.rewrite_diff_html(chunk, current_theme()))
    draw_what_if(shown_run_id(), chunk.index)


def draw_checks(result: DenseResult, chunk: DenseChunk) -> None:
    """Draw the checks of the rewording, who reworded each sentence, and the rewordings that give DSE its interval."""
    draw_rows(dense.checks_table(chunk), alt="Checks")
    said, further = dense.sentences_table(chunk), dense.further_table(result, chunk)
    if not said.empty:
        st.markdown("**Authors**")
        draw_rows(said, alt="Authors")
    if not further.empty:
        st.markdown("**Other rewordings**")
        draw_rows(further, alt="Other rewordings")
        st.caption("They give DSE's interval.")


def draw_answer_columns(result: DenseResult, chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw the original answer, the one with the chunk reworded and the one without it, token by token."""
    answers = dense.answers_of(result, chunk)
    for column, (head, generation, missing) in zip(st.columns(len(answers)), answers, strict=True):
        with column:
            if generation is None:
                st.caption(f"**{as_text(head)}**: {as_text(missing)}")
            else:
                tokens_with_choice(generation, head, chosen, legend=head == answers[0][0])


def draw_runs(chunk: DenseChunk) -> None:
    """Draw the ways to a new run: with a rewording by hand, and with other settings."""
    key = f"dense.hand.{session.current_run()}.{chunk.index}"
    start = chunk.rewrite.text if chunk.rewrite is not None else chunk.passage.text
    text = st.text_area("New wording", value=start, key=key, height=160)
    st.caption(page_text("notes/own_rewording"))
    if st.button("Run with this wording", type="primary", key=f"{key}.ask"):
        ask_again(chunk, text.strip())
    draw_form()


def ask_again(chunk: DenseChunk, text: str) -> None:
    """Submit the run again with this wording, where it is one."""
    if not text or text == chunk.passage.text.strip():
        st.warning("Reword the passage first.")
        return

    def with_rewrite(request: DiagnosisRequest) -> DiagnosisRequest:
        others = tuple(pair for pair in request.dense.rewrites if pair[0] != chunk.index)
        return replace(request, dense=replace(request.dense, rewrites=(*others, (chunk.index, text))))

    run_again("dense", with_rewrite)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseForm(DenseConfig):
    """DENSE's settings, and how many passages are retrieved for the question."""

    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 5


def draw_form() -> None:
    """Draw how DENSE rewords and answers, and the button to run with them; k only where passages are retrieved."""
    request = shown_request()
    if request is None:
        return
    k = whole_number(request.k, 1, MOST_PASSAGES, PROFILES[request.profile].passages)
    start = {field.name: getattr(request.dense, field.name) for field in fields(request.dense)}
    form, given = DenseForm(**start, k=k), bool(request.passages)
    for column, boxes in zip(st.columns(2), settings_of("dense").values(), strict=True):
        with column:
            form = draw_settings(form, [box for box in boxes if box.setting != "k" or not given], form_key)
    if st.button("Run with these settings", icon=":material/play_arrow:", key=form_key("run")):
        config = DenseConfig(**{name: getattr(form, name) for name in start})
        run_again("dense", lambda asked: replace(asked, dense=config, k=asked.k if given else form.k))


def form_key(name: str) -> str:
    """Return the key of a widget of the settings, in the run that is shown."""
    return f"dense.set.{name}.{session.current_run()}"


def draw_prompts(calls: Mapping[str, tuple[str, Generation]], chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw the exact prompts of a chunk's answers and of its rewording; picking a call chooses its answer."""
    names, key = list(calls), f"dense.call.{session.current_run()}.{chunk.index}"
    now = next((name for name, (_, answer) in calls.items() if chosen.is_answer(answer)), None)
    if now is not None:
        session.set_widget(key, now)
    st.selectbox("Call", names, key=key, on_change=lambda: follow_call(key, calls))
    name = one_of(session.widget_state(key), names, names[0])
    place, answer = calls[name]
    st.html(prompts.prompt_html(answer, current_theme()))
    tokens_with_choice(answer, "tokens of the output", chosen)
    token_rows(answer, place, chosen, key=f"{key}.tokens", alt="Tokens")


def follow_call(key: str, calls: Mapping[str, tuple[str, Generation]]) -> None:
    """Choose the answer of the call that was picked."""
    found = calls.get(str(session.widget_state(key)))
    if found is not None:
        add_to_selection(Selection(answer=found[0]))


draw_page()
