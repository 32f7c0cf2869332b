"""QuCo-RAG for one run: which claims have any evidence in the corpus, and the passages where their two ends meet."""

from dataclasses import replace
from typing import Literal

import streamlit as st

from engine.core.words import shown
from engine.methods.quco_claims import CountedClaim, QucoConfig
from engine.methods.quco_loop import QucoLoop
from engine.methods.quco_rag import QucoResult, window_words
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.figures import draw_figure
from pages.shared.linked import linked_figure, linked_rows
from pages.shared.method_page import draw_opening, open_method
from pages.shared.selection import Selection, chosen_in
from pages.shared.settings import draw_settings, settings_of
from pages.shared.texts import draw_formulas, page_text
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import run_again, shown_request
from viz.methods import quco_loop, quco_rag
from viz.methods.cooccurrence_network import cooccurrence_network
from viz.methods.entity_bars import bars_title, entity_bars
from viz.methods.evidence import meeting_html, sentence_strip_html
from viz.methods.quco_rag import claims_with_sentences
from viz.methods.verdicts import verdict_html
from viz.parts.row_table import Column
from viz.parts.tables import table_html
from viz.runs.prompts import prompt_html, prompt_sentence

# What a claim says and its verdict first: a narrow page cuts the table off on the right.
# How many letters of a text fit beside the other columns at 1280 pixels.
CLAIM_COLUMNS = {
    "documents together": Column(title="together", help="Documents, or places of an online index, with both ends"),
    "head count": Column(title="of head", help="Occurrences of the head"),
    "tail count": Column(title="of tail", help="Occurrences of the tail"),
}
CLAIM_ORDER = "head|relation|tail|verdict|documents together|head count|tail count|kind|sentence".split("|")


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("quco_rag", QucoResult)
    chosen = chosen_in(diagnosis).selection.claim
    draw_network(result, chosen)
    claims = claims_with_sentences(result)
    facts = {"corpus": quco_rag.corpus_words(result), "note": result.corpus_note}
    draw_opening(diagnosis, result, chooses=bool(claims), **facts)
    with st.container(horizontal=True):
        rare = "a percentile of your corpus" if result.counts_from == "corpus" else "a number of occurrences"
        values = {"window": window_words(result), "threshold": result.cooccurrence_threshold, "entities": rare}
        draw_formulas("quco_rag", **values)
        draw_whole_loop(result, draw_loop_settings())
    draw_details("quco_rag", sections_of(result, chosen))


def sections_of(result: QucoResult, chosen: int | None) -> tuple[Section | None, ...]:
    """Return the sections of the details: claims, the loop where it ran, sentences, entities, what was extracted."""
    loop = result.loop
    return (
        Section(label="Claims and evidence", draw=lambda: draw_claims(result, chosen), chosen=chosen),
        None if loop is None else Section(label="The whole loop", draw=lambda: draw_loop(result, loop)),
        Section(label="Sentence by sentence", draw=lambda: draw_sentences(result, chosen), chosen=chosen),
        Section(label="Entities", draw=lambda: draw_entities(result)),
        Section(label="Extracted claims", draw=lambda: draw_extractions(result)) if result.extractor else None,
    )


def draw_loop_settings() -> QucoConfig:
    """Return the settings for a run of the whole loop, after drawing them: stages, thresholds, where is counted.

    The switch that lets names leave this machine is off each time a page is opened, whatever the run had.
    """
    request = shown_request()
    config = request.quco_rag if request is not None else QucoConfig()
    with st.popover("Settings of the loop", icon=":material/tune:"):
        for heading, boxes in settings_of("quco_rag").items():
            st.markdown(f"**{heading}**")
            config = draw_settings(config, boxes, setting_key)
        st.markdown("**Where to count**")
        online = st.toggle("Count in an online index", False, key=setting_key("online"))
        index = st.text_input("Index", config.infini_gram_index, key=setting_key("index"))
        st.caption(page_text("notes/network_counts"))
    counts: Literal["infini-gram", "corpus"] = "infini-gram" if online else "corpus"
    index = index.strip() or config.infini_gram_index
    return replace(config, dynamic=True, counts=counts, infini_gram_index=index)


def setting_key(name: str) -> str:
    """Return the key of a setting's widget for the run that is shown."""
    return f"quco.setting.{session.current_run()}.{name}"


def draw_whole_loop(result: QucoResult, config: QucoConfig) -> None:
    """Draw the button that runs the whole of QuCo-RAG on the same question."""
    first = result.loop is None
    label = "Run the whole loop" if first else "Run with these settings"
    if st.button(label, key="quco.loop", icon=":material/cycle:", type="primary" if first else "secondary"):
        run_again("quco_rag", lambda request: replace(request, quco_rag=config))


def draw_loop(result: QucoResult, loop: QucoLoop) -> None:
    """Draw the whole run, stage by stage, with its text twin."""
    theme = current_theme()
    st.html(verdict_html(quco_loop.loop_verdict(loop), theme))
    st.markdown("### 1. Before writing")
    st.html(quco_loop.initial_html(result, theme))
    st.markdown("### 2. Each sentence and its decision")
    st.html(quco_loop.steps_html(loop, theme))
    with st.expander("As tables"):
        st.html(table_html(quco_loop.steps_table(loop), "Sentences of the loop"))
        st.html(table_html(quco_loop.claims_of_steps(result), "Every checked claim"))
    st.markdown("### 3. The answers")
    left, right = st.columns(2)
    left.markdown("**From the loop**")
    left.markdown(as_text(loop.text) or "*Nothing was kept.*")
    left.caption(as_text(f"Answer: {shown(loop.answer)}"))
    right.markdown("**From memory**")
    right.markdown(as_text(result.generation.text) or "*Nothing was written.*")
    right.caption(as_text(f"Answer: {shown(loop.closed_book_answer)}"))
    with st.expander("Prompts and outputs"):
        for place, generation in enumerate(loop.generations, start=1):
            st.caption(as_text(f"Generation {place}. {prompt_sentence(generation)}"))
            st.html(prompt_html(generation, theme))


def draw_sentences(result: QucoResult, chosen: int | None) -> None:
    """Draw what was found before writing, then each sentence with its mark."""
    if result.pre_check is not None and result.loop is None:
        st.html(quco_loop.initial_html(result, current_theme()))
    st.html(sentence_strip_html(result, current_theme(), chosen))


def draw_network(result: QucoResult, chosen: int | None) -> None:
    """Draw the network of the claims; on a phone, the style shows the narrow one below the same title."""
    for room, phone in (("broad", False), ("phone", True)):
        with st.container(key=f"{room}-network"):
            linked_figure(
                cooccurrence_network(result, current_theme(), chosen, phone=phone),
                lambda numbers: (
                    Selection(claim=numbers[0]) if 0 <= numbers[0] < len(claims_with_sentences(result)) else None
                ),
                key=f"quco.network.{room}.{session.current_run()}",
                name="quco-network",
                alt=quco_rag.sentence(result),
                told=not phone,
            )
    st.caption("Click a line for evidence.")


def draw_claims(result: QucoResult, chosen: int | None) -> None:
    """Draw the claims as a table, and the evidence of the chosen one; without one, of the first that has any."""
    table = quco_rag.claims_table(result)
    if table.empty:
        st.info("The answers hold no claim.")
        return
    linked_rows(
        table,
        [Selection(claim=row) for row in range(len(table))],
        chosen,
        key=f"quco.claims.{session.current_run()}",
        order=CLAIM_ORDER,
        columns=CLAIM_COLUMNS,
        alt="Claims",
    )
    for row in quco_rag.first_with_meetings(result) if chosen is None else [chosen]:
        draw_evidence(result, claims_with_sentences(result)[row][1])
    with st.expander("What a count misses"):
        st.markdown(page_text("notes/quco_counts"))


def draw_evidence(result: QucoResult, claim: CountedClaim) -> None:
    """Draw what the corpus holds for one claim."""
    with st.container(border=True):
        st.markdown(as_text(quco_rag.claim_sentence(claim, result)))
        for meeting in claim.meetings:
            st.html(meeting_html(meeting, current_theme()))
        if claim.documents and not claim.meetings:
            st.caption("No excerpt is stored.")


def draw_entities(result: QucoResult) -> None:
    """Draw how often the corpus names what the question names."""
    key = f"quco.entities.{session.current_run()}"
    draw_figure(entity_bars(result, current_theme()), key=key, name="quco-entities", alt=bars_title(result))
    with st.expander("As a table"):
        st.html(table_html(quco_rag.entities_table(result), "Entities"))


def draw_extractions(result: QucoResult) -> None:
    """Draw what the named model wrote where it found the claims."""
    st.caption(as_text(f"By {result.extractor}, with the paper's prompt."))
    st.html(table_html(quco_loop.extractions_table(result), "Extractions"))


draw_page()
