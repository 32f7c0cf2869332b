"""The utility of single chunks: which passage moves belief towards the right answer, does nothing, or misleads?"""

from dataclasses import replace

import streamlit as st

from engine.diagnosis.record import Diagnosis
from engine.methods.chunk_utility import ChunkUse, ChunkUtilityResult
from engine.methods.dense import DenseResult
from pages.shared import session
from pages.shared.linked import linked_figure, linked_table, token_rows, tokens_with_choice
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.result_view import draw_judge
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Chosen, Selection, chosen_in
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
    "entailment": st.column_config.NumberColumn(format="%.2f"),
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
        "Each passage is left out once and shown alone once; the model answers by sampling each "
        "time. ΔSePer, from −1 to +1, says how much the passage adds to belief in the correct "
        "answer."
    )
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_judge(diagnosis)
    draw_chunks(result, dense_labels(diagnosis), diagnosis.golds, chosen_in(diagnosis))


def dense_labels(diagnosis: Diagnosis) -> dict[int, str]:
    """Return DENSE's label of each chunk by its index; empty where DENSE is not in this run."""
    outcome = diagnosis.outcome("dense")
    found = outcome.result if outcome is not None else None
    return {chunk.index: chunk.label for chunk in found.chunks} if isinstance(found, DenseResult) else {}


def draw_gold_form() -> None:
    """Draw the field that adds gold answers, and ask again with them."""
    with st.container(border=True):
        text = st.text_area("Correct answers, one per line", key=f"utility.golds.{session.current_run()}")
        asked = st.button("Run again with these answers", type="primary", key="utility.golds.ask")
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
        methods = tuple(dict.fromkeys((*request.methods, "chunk_utility")))
        submit_variant(replace(request, golds=golds, methods=methods))


def draw_formulas(result: ChunkUtilityResult) -> None:
    """Draw the formulas behind a button, and how a verdict comes about."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown("SePer's eq. 11 for one chunk $c_i$ of $D$, among the others and alone:")
        st.latex(r"\Delta_i = \mathrm{SePer}(q, D) - \mathrm{SePer}(q, D \setminus c_i)")
        st.latex(r"\Delta_i^{\text{alone}} = \mathrm{SePer}(q, \{c_i\}) - \mathrm{SePer}(q)")
        st.markdown(
            "Bands come from drawing the samples again with replacement. Together they are valid at "
            f"{result.level:.0%} (Bonferroni). A band wholly on one side of 0, around a change of at least "
            f"{result.margin:.2f}, is an effect; a band within ±{result.margin:.2f} is none. All else is unclear. "
            "*Useful*: one effect up, none down. *Harmful*: one down, none up. *Useless*: no effect in both. "
            "*Unclear*: the rest. A verdict that rests on the passage shown alone only says *alone*. "
            "A band of no width means that all draws were alike, not that it is certain. "
            "The verdicts are ours; the paper measures whole contexts."
        )


def draw_chunks(result: ChunkUtilityResult, labels: dict[int, str], golds: tuple[str, ...], chosen: Chosen) -> None:
    """Draw every chunk's two changes, the same as a table beside DENSE's labels, and the chosen chunk."""
    places = [chunk.index for chunk in result.chunks]
    linked_figure(
        chunk_utility.utility_figure(result, current_theme(), chosen.chunk),
        lambda numbers: Selection(chunk=numbers[0]),
        key=f"utility.figure.{session.current_run()}",
        name="chunk-utility",
        alt=chunk_utility.sentence(result),
    )
    st.caption(
        "Filled: the passage added to all others. Hollow: the passage alone. Whiskers: sampling "
        "noise. Green or red: a clear effect; amber: no effect; grey: unclear."
    )
    for sentence in chunk_utility.against_dense(result, labels):
        st.info(as_text(sentence), icon=":material/compare_arrows:")
    row = places.index(chosen.chunk) if chosen.chunk in places else None
    linked_table(
        chunk_utility.utility_table(result, labels),
        [Selection(chunk=place) for place in places],
        row,
        key=f"utility.chunks.{session.current_run()}",
        column_config=COLUMNS,
    )
    draw_chunk(result.chunks[row or 0], labels, golds, chosen)


def draw_chunk(chunk: ChunkUse, labels: dict[int, str], golds: tuple[str, ...], chosen: Chosen) -> None:
    """Draw one chunk: its numbers in words, its text with gold answers marked, every sample drawn for it."""
    st.subheader(f"Passage {chunk.index + 1}")
    st.markdown(as_text(chunk_utility.chunk_sentence(chunk, labels.get(chunk.index, ""))))
    st.html(f'<div class="rm-passage"><p>{marked_html(chunk.passage.text, golds)}</p></div>')
    draw_what_if(shown_run_id(), chunk.index)
    samples = chunk_utility.samples_of(chunk)
    rows = [place for place, (_, sample) in enumerate(samples) if chosen.is_answer(sample)]
    with st.expander("All samples drawn for it", expanded=bool(rows)):
        linked_table(
            chunk_utility.samples_table(chunk),
            [Selection(answer=where) for where, _ in samples],
            rows[0] if rows else None,
            key=f"utility.samples.{session.current_run()}.{chunk.index}",
            column_config=SAMPLE_COLUMNS,
        )
        if rows:
            where, sample = samples[rows[0]]
            tokens_with_choice(sample, "The chosen sample, token by token", chosen)
            token_rows(sample, where, chosen, key=f"utility.tokens.{where}", alt="Tokens of the chosen sample")
    st.caption("Select a row or a dot above to see another passage.")


draw_page()
