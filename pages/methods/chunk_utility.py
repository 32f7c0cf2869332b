"""The utility of single chunks: which passage moves belief towards the correct answer, does nothing, or misleads?"""

from collections.abc import Mapping

import streamlit as st

from engine.methods.chunk_utility import ChunkUse, ChunkUtilityResult, agreed
from engine.methods.dense_records import DenseResult
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.linked import linked_figure, linked_rows, token_rows, tokens_with_choice
from pages.shared.method_page import draw_opening, open_method
from pages.shared.result_view import draw_judge
from pages.shared.selection import Chosen, Selection, chosen_in
from pages.shared.texts import draw_formulas, page_text
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_run_id
from pages.what_if.steps import draw_what_if
from viz.methods import chunk_utility
from viz.parts.row_table import Column
from viz.runs.summary import marked_html

CHANGE_NAMES = ("Δ among others", "from", "to", "Δ alone", "from", "to")
COLUMNS = {
    column: Column(title=name, form="+.2f", help=column)
    for column, name in zip(chunk_utility.TABLE_COLUMNS[4:], CHANGE_NAMES, strict=True)
}
# How many letters of a text fit beside the other columns at 1280 pixels.
SAMPLE_COLUMNS = {
    "weight": Column(form=".3f"),
    "entailment": Column(form=".2f"),
    "mean log-prob (nats)": Column(form=".2f"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("chunk_utility", ChunkUtilityResult, gold_form="utility")
    dense = diagnosis.result(DenseResult, measured=False)
    labels: Mapping[int, str] = dense.labels if dense is not None else {}
    chosen = chosen_in(diagnosis)
    draw_changes(result, labels, chosen)
    draw_opening(diagnosis, result, chooses=bool(result.chunks))
    with st.container(horizontal=True):
        draw_formulas("chunk_utility", level=f"{result.level:.0%}", margin=f"{result.margin:.2f}")
        draw_judge(diagnosis)
    places = [chunk.index for chunk in result.chunks]
    row = places.index(chosen.chunk) if chosen.chunk in places else None
    chunk = agreed(result).chunks[row or 0]
    sample = chosen.row_of(one for _, one in chunk_utility.samples_of(chunk))
    draw_details(
        "chunk_utility",
        (
            Section(
                label="Passages", draw=lambda: draw_chunks(result, labels, diagnosis.golds, row), chosen=chosen.chunk
            ),
            Section(label="All samples", draw=lambda: draw_samples(chunk, sample, chosen), chosen=sample),
        ),
    )


def draw_changes(result: ChunkUtilityResult, labels: Mapping[int, str], chosen: Chosen) -> None:
    """Draw every chunk's two changes as a figure, and where they contradict DENSE's labels."""
    linked_figure(
        chunk_utility.utility_figure(result, current_theme(), chosen.chunk),
        lambda numbers: Selection(chunk=numbers[0]),
        key=f"utility.figure.{session.current_run()}",
        name="chunk-utility",
        alt=chunk_utility.sentence(result),
        told=True,
    )
    st.caption(page_text("notes/utility_figure"))
    for sentence in chunk_utility.against_dense(result, labels):
        st.info(as_text(sentence), icon=":material/compare_arrows:")


def draw_chunks(result: ChunkUtilityResult, labels: Mapping[int, str], golds: tuple[str, ...], row: int | None) -> None:
    """Draw every chunk's two changes as a table beside DENSE's labels, and the chosen chunk."""
    linked_rows(
        chunk_utility.utility_table(result, labels),
        [Selection(chunk=chunk.index) for chunk in result.chunks],
        row,
        key=f"utility.chunks.{session.current_run()}",
        columns=COLUMNS,
        alt="Passages",
    )
    draw_chunk(agreed(result).chunks[row or 0], labels, golds)


def draw_chunk(chunk: ChunkUse, labels: Mapping[int, str], golds: tuple[str, ...]) -> None:
    """Draw one chunk: its numbers in words, its text with gold answers marked."""
    st.markdown(as_text(chunk_utility.chunk_sentence(chunk, labels.get(chunk.index, ""))))
    st.html(f'<div class="rm-passage"><p>{marked_html(chunk.passage.text, golds)}</p></div>')
    draw_what_if(shown_run_id(), chunk.index)
    if effective := chunk_utility.effective_sentence(chunk):
        st.caption(as_text(effective))
    st.caption("Select a row or dot for another passage.")


def draw_samples(chunk: ChunkUse, row: int | None, chosen: Chosen) -> None:
    """Draw every sample drawn for a chunk as a table whose rows choose it, and the chosen one token by token."""
    samples = chunk_utility.samples_of(chunk)
    st.caption(f"Passage {chunk.index + 1}")
    linked_rows(
        chunk_utility.samples_table(chunk),
        [Selection(answer=where) for where, _ in samples],
        row,
        key=f"utility.samples.{session.current_run()}.{chunk.index}",
        columns=SAMPLE_COLUMNS,
        alt="Samples",
        height=400,
    )
    if row is not None:
        where, sample = samples[row]
        tokens_with_choice(sample, "The chosen sample's tokens", chosen)
        token_rows(sample, where, chosen, key=f"utility.tokens.{where}", alt="The chosen sample's tokens")


draw_page()
