"""The utility of single chunks: which passage moves belief towards the right answer, does nothing, or misleads?"""

from dataclasses import replace

import streamlit as st

from engine.diagnosis import Diagnosis
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.dense import DenseResult
from pages.methods.clicks import clicked_numbers, selection_of
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request, shown_run_id
from pages.what_if.steps import draw_what_if
from viz import chunk_utility
from viz.summary import marked_html
from viz.verdicts import verdict_html

CHANGE = st.column_config.NumberColumn(format="%+.2f")
COLUMNS = dict.fromkeys(chunk_utility.TABLE_COLUMNS[4:], CHANGE)
SAMPLE_COLUMNS = {
    "weight": st.column_config.NumberColumn(format="%.3f"),
    "entailment with best gold": st.column_config.NumberColumn(format="%.2f"),
    "mean log-prob (nats)": st.column_config.NumberColumn(format="%.2f"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        if not diagnosis.golds:
            draw_gold_form()
        st.stop()
    st.html(verdict_html(chunk_utility.verdict(result), current_theme()))
    draw_headlines(diagnosis, "chunk_utility")
    st.caption(
        "Each passage is left out once, and shown alone once; each time the model answers by sampling. ΔSePer says "
        "what having the passage does to belief in the right answer, from −1 to +1."
    )
    draw_judge(diagnosis)
    draw_formulas(result)
    draw_chunks(result, dense_labels(diagnosis), diagnosis.golds)


def dense_labels(diagnosis: Diagnosis) -> dict[int, str]:
    """Return DENSE's label of each chunk by its index; empty where DENSE is not in this run."""
    outcome = diagnosis.outcome("dense")
    found = outcome.result if outcome is not None else None
    return {chunk.index: chunk.label for chunk in found.chunks} if isinstance(found, DenseResult) else {}


def draw_gold_form() -> None:
    """Draw the field that adds gold answers, and ask again with them."""
    with st.container(border=True):
        text = st.text_area("Answers that count as right, one per line", key=f"utility.golds.{session.current_run()}")
        asked = st.button("Ask again with these answers", type="primary", key="utility.golds.ask")
    if asked:
        ask_again(tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())))


def ask_again(golds: tuple[str, ...]) -> None:
    """Submit the run again with gold answers, where there are any."""
    request = shown_request()
    if not golds:
        st.warning("Write at least one answer that counts as right.")
    elif request is None:
        st.warning("This run is no longer stored, so it cannot be asked again.")
    else:
        methods = tuple(dict.fromkeys((*request.methods, "chunk_utility")))
        submit_variant(replace(request, golds=golds, methods=methods))


def draw_formulas(result: ChunkUtilityResult) -> None:
    """Draw the formulas behind a button, and how a verdict comes about."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown("SePer's eq. 11 for one chunk $c_i$ of $D$, among the others and alone:")
        st.latex(r"\Delta_i = \mathrm{SePer}(q, D) - \mathrm{SePer}(q, D \setminus c_i)")
        st.latex(r"\Delta_i^{\text{alone}} = \mathrm{SePer}(q, \{c_i\}) - \mathrm{SePer}(q)")
        st.markdown(
            "Bands come from drawing the samples again with replacement, wide enough that all of them hold together "
            f"at {result.level:.0%} (Bonferroni). A band wholly on one side of 0, around a change of at least "
            f"{result.margin:.2f}, is an effect; a band within ±{result.margin:.2f} is none; all else cannot be told. "
            "*Useful*: one effect up, none down. *Harmful*: one down, none up. *Useless*: no effect in both. "
            "*Cannot tell*: the rest. A band of no width means that all draws were alike, not that it is certain. "
            "The verdicts are ours; the paper measures whole contexts."
        )


def draw_chunks(result: ChunkUtilityResult, labels: dict[int, str], golds: tuple[str, ...]) -> None:
    """Draw every chunk's two changes, the same as a table beside DENSE's labels, and the selected chunk."""
    st.plotly_chart(
        on_ground(chunk_utility.utility_figure(result, current_theme())),
        key=figure_key(),
        width="stretch",
        theme=None,
        config=figure_config("chunk-utility"),
        on_select=lambda: follow_click(len(result.chunks)),
        selection_mode="points",
        alt=chunk_utility.sentence(result),
    )
    st.caption(
        "Filled: what the passage adds to all others. Hollow: what it does alone. Whiskers: the noise of the draws."
    )
    for sentence in chunk_utility.against_dense(result, labels):
        st.info(as_text(sentence), icon=":material/compare_arrows:")
    held = st.dataframe(
        chunk_utility.utility_table(result, labels),
        key=table_key(),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config=COLUMNS,
    )
    rows = session.selected_rows(held, len(result.chunks))
    draw_chunk(result, rows[0] if rows else 0, labels, golds)


def figure_key() -> str:
    """Return the key of the figure of the run that is shown."""
    return f"utility.figure.{session.current_run()}"


def table_key() -> str:
    """Return the key of the table of chunks of the run that is shown."""
    return f"utility.chunks.{session.current_run()}"


def follow_click(chunks: int) -> None:
    """Select the row of the chunk that was clicked."""
    for index in clicked_numbers(figure_key())[:1]:
        if 0 <= index < chunks:
            session.put(table_key(), selection_of([index]))


def draw_chunk(result: ChunkUtilityResult, index: int, labels: dict[int, str], golds: tuple[str, ...]) -> None:
    """Draw one chunk: its numbers in words, its text with gold answers marked, every sample drawn for it."""
    chunk = result.chunks[index]
    st.subheader(f"Passage {chunk.index + 1}")
    st.markdown(as_text(chunk_utility.chunk_sentence(chunk, labels.get(chunk.index, ""))))
    st.html(f'<div class="rm-passage"><p>{marked_html(chunk.passage.text, golds)}</p></div>')
    draw_what_if(shown_run_id(), chunk.index)
    with st.expander("Every sample drawn for it"):
        st.dataframe(
            chunk_utility.samples_table(chunk),
            hide_index=True,
            column_config=SAMPLE_COLUMNS,
            key=f"utility.samples.{session.current_run()}",
        )
    st.caption("Select a row of the table above, or a dot, to see another passage.")


draw_page()
