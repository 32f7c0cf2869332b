"""DENSE: does the answer stay when a passage is put in other words, and which passages does it need?"""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from engine.methods.dense import DenseChunk, DenseResult
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import linked_figure, linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, add_to_selection, chosen_in, clear_selection
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request, shown_run_id
from pages.what_if.steps import draw_what_if
from viz import dense, prompts
from viz.agreement_matrix import matrix_sentence, weight_matrix
from viz.entailment_graph import entailment_graph, graph_sentence
from viz.entropy_bar import entropy_bar, entropy_latex
from viz.verdicts import verdict_html

CHUNK, GRAPH, MATRIX, TABLE = "dense.chunk", "dense.graph", "dense.matrix", "dense.table"
SHOWN_RUN = "dense.shown_run"
RULES = {
    "algorithm3": "*unnecessary* if the answer stays the same (agreement 1), *necessary* if not (section "
    "5.2, algorithm 3).",
    "equation10": "*necessary* if the answer has nothing in common with the original (agreement 0), else "
    "*unnecessary* (section 5.2, eq. 10).",
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("dense")
    if not isinstance(result, DenseResult):
        st.stop()
    st.html(verdict_html(dense.verdict(result), current_theme()))
    draw_headlines(diagnosis, "dense")
    st.caption(
        "DENSE rewords each passage (chunk) and asks again. DSE is the entropy of all these "
        "answers in nats: 0 when they agree. A stable answer is not necessarily right."
    )
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_judge(diagnosis)
    chosen = chosen_in(diagnosis)
    draw_answers(result, chosen.chunk)
    draw_chunk(result, draw_chunk_picker(result, chosen.chunk), chosen)


def draw_formulas(result: DenseResult) -> None:
    """Draw the formulas behind a button, with this run's values."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown(
            "Each passage is reworded in turn, and the question is answered again greedily. Two "
            "answers agree to the extent that each entails the other (DENSE, eq. 5):"
        )
        st.latex(r"w_{ij} = \tfrac{1}{2}\big(\mathrm{NLI}(r_i, r_j) + \mathrm{NLI}(r_j, r_i)\big) \in \{0, 0.5, 1\}")
        st.markdown("Degree-based semantic entropy over the answers, in nats (eq. 6), with $w_{ii} = 1$:")
        st.latex(r"D_i = \sum_j w_{ij}, \qquad \mathrm{DSE} = -\tfrac{1}{k+1} \sum_{i=0}^{k} \ln \tfrac{D_i}{k+1}")
        if result.entropy is not None:
            st.markdown("With the values of this run:")
            st.latex(entropy_latex(result))
        if result.entropy_interval is not None:
            st.markdown(
                "The interval is the middle 95% of DSE over every way of choosing one valid rewording "
                "per chunk. A verdict that depends on this choice is *unclear*. The paper draws one "
                "rewording and prints no interval."
            )
        st.markdown(
            "A chunk is *certain* where its rewording keeps the answer ($w_{i0} = 1$). Any other chunk is left out: "
            f"{RULES[result.rule]} A rewording of the model's counts only when it passes every check listed with its "
            "chunk; one written by hand has to be whole and in other words, and the other checks are only shown."
        )


def draw_answers(result: DenseResult, chosen: int | None) -> None:
    """Draw the answers as a graph, as a matrix and as a table; a click on any of them chooses a chunk."""
    graph, entropy, matrix, table = st.tabs(["Graph", "Entropy and threshold", "Agreement matrix W", "Table"])
    with graph:
        draw_graph(result, chosen)
    with entropy:
        draw_entropy(result)
    with matrix:
        draw_matrix(result, chosen)
    with table:
        draw_table(result, chosen)


def draw_graph(result: DenseResult, chosen: int | None) -> None:
    """Draw the answers as a graph."""
    linked_figure(
        entailment_graph(result, current_theme(), chosen),
        clicked_chunk,
        key=GRAPH,
        name="dense-graph",
        alt=graph_sentence(result),
    )
    st.caption("Click a chunk, or choose one below. Thin lines: agreement among the rewordings.")


def draw_entropy(result: DenseResult) -> None:
    """Draw the entropy beside its threshold."""
    st.plotly_chart(
        on_ground(entropy_bar(result, current_theme())),
        key="dense.entropy",
        width="stretch",
        theme=None,
        config=figure_config("dense-entropy"),
        alt=dense.entropy_sentence(result),
    )
    st.caption(as_text(dense.entropy_sentence(result)))


def draw_matrix(result: DenseResult, chosen: int | None) -> None:
    """Draw the agreement of every two answers; a click chooses the row's chunk, or else the column's."""
    linked_figure(
        weight_matrix(result, current_theme(), chosen),
        clicked_chunk,
        key=MATRIX,
        name="dense-agreement",
        alt=matrix_sentence(result),
    )
    st.caption(as_text(matrix_sentence(result)))


def draw_table(result: DenseResult, chosen: int | None) -> None:
    """Draw every chunk as a row."""
    places = [chunk.index for chunk in result.chunks]
    linked_table(
        dense.chunk_table(result),
        [Selection(chunk=place) for place in places],
        places.index(chosen) if chosen in places else None,
        key=TABLE,
        placeholder="not run",
    )
    st.caption(as_text(graph_sentence(result)))


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
        "Select a chunk",
        list(chunks),
        format_func=lambda index: f"chunk {index + 1} · {chunks[index].label}" if index in chunks else "",
        key=CHUNK,
        on_change=lambda: follow_choice(list(chunks), opened, chosen),
    )
    return chunks[opened]


def follow_choice(places: list[int], opened: int, chosen: int | None) -> None:
    """Choose the chunk picked below the figures; picking the open one once more drops its choice, or makes it."""
    held = session.widget_state(CHUNK)
    if held in places:
        add_to_selection(Selection(chunk=session.one_of(held, places, opened)))
    elif chosen is None:
        add_to_selection(Selection(chunk=opened))
    else:
        clear_selection("chunk")


def draw_chunk(result: DenseResult, chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw everything about one chunk: what it does, its rewording and the checks, its answers, another wording."""
    st.subheader(f"Chunk {chunk.index + 1}")
    line = dense.chunk_sentence(chunk)
    st.markdown(as_text(line if chunk.label == "not measured" else f"{line} {dense.wording_note(result)}"))
    st.html(dense.rewrite_diff_html(chunk, current_theme()))
    draw_authors(result, chunk)
    with st.expander("Checks of the rewording", expanded=chunk.rewrite is None):
        st.dataframe(dense.checks_table(chunk), hide_index=True)
    draw_answer_columns(result, chunk, chosen)
    draw_hand_rewrite(chunk)
    draw_what_if(shown_run_id(), chunk.index)
    draw_prompts(result, chunk, chosen)


def draw_authors(result: DenseResult, chunk: DenseChunk) -> None:
    """Draw who reworded each sentence, and the further rewordings that give DSE its interval."""
    said, further = dense.sentences_table(chunk), dense.further_table(result, chunk)
    if not said.empty:
        with st.expander("Author of each sentence", icon=":material/edit_note:"):
            st.dataframe(said, hide_index=True)
    if not further.empty:
        with st.expander("Other rewordings", icon=":material/shuffle:"):
            st.dataframe(further, hide_index=True)
            st.caption("Each replaces the one above in turn. How far DSE moves gives its interval.")


def draw_answer_columns(result: DenseResult, chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw the original answer, the one with the chunk reworded and the one without it, token by token."""
    answers = dense.answers_of(result, chunk)
    for column, (head, generation, missing) in zip(st.columns(len(answers)), answers, strict=True):
        with column:
            if generation is None:
                st.caption(f"**{head}**: {missing}")
            else:
                tokens_with_choice(generation, head, chosen, legend=head == answers[0][0])


def draw_hand_rewrite(chunk: DenseChunk) -> None:
    """Draw the field for a rewording by hand, and ask again with it."""
    with st.expander("Write a rewording", icon=":material/edit:"):
        key = f"dense.hand.{session.current_run()}.{chunk.index}"
        start = chunk.rewrite.text if chunk.rewrite is not None else chunk.passage.text
        text = st.text_area(f"Chunk {chunk.index + 1} in your own words", value=start, key=key, height=160)
        st.caption(
            "It must be complete and worded differently; the other checks are only shown. All other "
            "settings stay the same. The new run opens."
        )
        if st.button("Run again with this wording", type="primary", key=f"{key}.ask"):
            ask_again(chunk, text.strip())


def ask_again(chunk: DenseChunk, text: str) -> None:
    """Submit the run again with this wording, where it is one."""
    if not text or text == chunk.passage.text.strip():
        st.warning("Reword the passage first: this text is empty or unchanged.")
        return
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored, so it cannot be run again.")
        return
    rewrites = tuple(pair for pair in request.dense.rewrites if pair[0] != chunk.index)
    config = replace(request.dense, rewrites=(*rewrites, (chunk.index, text)))
    submit_variant(replace(request, dense=config, methods=tuple(dict.fromkeys((*request.methods, "dense")))))


def draw_prompts(result: DenseResult, chunk: DenseChunk, chosen: Chosen) -> None:
    """Draw the exact prompts of this chunk's answers and of its rewording; picking a call chooses its answer."""
    asked, places = dense.generations_of(result, chunk), dense.places_of(chunk)
    names, key = list(asked), f"dense.call.{session.current_run()}.{chunk.index}"
    now = next((name for name in names if chosen.is_answer(asked[name])), None)
    with st.expander("What the model was asked", icon=":material/terminal:", expanded=now is not None):
        if now is not None:
            session.set_widget(key, now)
        st.selectbox("Which call", names, key=key, on_change=lambda: follow_call(key, places))
        name = session.one_of(session.widget_state(key), names, names[0])
        st.html(prompts.prompt_html(asked[name], current_theme()))
        tokens_with_choice(asked[name], "the output, token by token", chosen)
        token_rows(asked[name], places[name], chosen, key=f"{key}.tokens", alt=f"Tokens of the {name}")


def follow_call(key: str, places: Mapping[str, str]) -> None:
    """Choose the answer of the call that was picked."""
    where = places.get(str(session.widget_state(key)))
    if where is not None:
        add_to_selection(Selection(answer=where))


draw_page()
