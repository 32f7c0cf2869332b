"""QuCo-RAG for one run: which claims have any evidence in the corpus, and the passages where their two ends meet."""

import streamlit as st

from engine.methods.quco_rag import CountedClaim, QucoResult
from pages.methods.clicks import clicked_numbers, selection_of
from pages.shared import session
from pages.shared.method_page import open_method
from pages.shared.theme import as_text, current_theme
from viz.cooccurrence_network import cooccurrence_network
from viz.entity_bars import bars_title, entity_bars
from viz.evidence import meeting_html, sentence_strip_html
from viz.quco_rag import (
    claim_sentence,
    claims,
    claims_table,
    entities_table,
    first_with_meetings,
    sentence,
    verdict,
)
from viz.verdicts import verdict_html

CHART = {"displaylogo": False, "displayModeBar": False}
# What a claim says and its verdict first: a narrow page cuts the table off on the right.
CLAIM_ORDER = [
    "head",
    "relation",
    "tail",
    "documents together",
    "verdict",
    "head count",
    "tail count",
    "kind",
    "sentence",
]


def draw_page() -> None:
    """Draw the page from top to bottom."""
    _, result = open_method("quco_rag")
    if not isinstance(result, QucoResult):
        st.stop()
    draw_verdict(result)
    draw_formulas(result)
    draw_sentences(result)
    draw_evidence_search(result)
    draw_entities(result)
    draw_blind_spots()


def draw_verdict(result: QucoResult) -> None:
    """Draw QuCo-RAG's word, and which corpus was asked."""
    st.html(verdict_html(verdict(result), current_theme()))
    st.caption(
        "QuCo-RAG splits the answers into claims of two ends and a relation, and counts where the two ends stand "
        "together: evidence to read, not a proof. "
        + as_text(f"Corpus: {result.corpus}, {result.corpus_documents:,} documents. {result.corpus_note}")
    )


def draw_sentences(result: QucoResult) -> None:
    """Draw each sentence with its mark."""
    st.subheader("Sentence by sentence")
    st.html(sentence_strip_html(result, current_theme()))


@st.fragment
def draw_evidence_search(result: QucoResult) -> None:
    """Draw the network, and the claims with their evidence. Only this part is redrawn by a click."""
    draw_network(result)
    draw_claims(result)


def draw_network(result: QucoResult) -> None:
    """Draw who meets whom; a click selects the claim below."""
    st.subheader("Who meets whom in the corpus")
    st.plotly_chart(
        cooccurrence_network(result, current_theme()),
        width="stretch",
        theme=None,
        key=network_key(),
        config=CHART,
        on_select=lambda: follow_click(len(claims(result))),
        selection_mode="points",
        alt=sentence(result),
    )
    st.caption("Click a line or a dot to read its evidence below.")


def network_key() -> str:
    """Return the key of the network of the run that is shown."""
    return f"quco.network.{session.current_run()}"


def claims_key() -> str:
    """Return the key of the table of claims of the run that is shown."""
    return f"quco.claims.{session.current_run()}"


def follow_click(rows: int) -> None:
    """Select the row of the claim that was clicked; a second click, which unselects it, leaves it open."""
    for row in clicked_numbers(network_key())[:1]:
        if 0 <= row < rows:
            session.put(claims_key(), selection_of([row]))


def draw_claims(result: QucoResult) -> None:
    """Draw the claims as a table, and the evidence of the selected one."""
    st.subheader("Every claim and its evidence")
    table = claims_table(result)
    if table.empty:
        st.info("No claim was found in the answers.")
        return
    st.caption("Select a row to read the places where the two ends of the claim meet.")
    selection = st.dataframe(
        table,
        hide_index=True,
        column_order=CLAIM_ORDER,
        on_select="rerun",
        selection_mode="single-row",
        selection_default=selection_of(first_with_meetings(result)),
        key=claims_key(),
        placeholder="–",
        alt="Every claim with its counts and verdict",
    )
    for row in session.selected_rows(selection, len(table)):
        draw_evidence(result, claims(result)[row][1])


def draw_evidence(result: QucoResult, claim: CountedClaim) -> None:
    """Draw what the corpus holds for one claim."""
    with st.container(border=True):
        st.markdown(as_text(claim_sentence(claim, result)))
        for meeting in claim.meetings:
            st.html(meeting_html(meeting, current_theme()))
        if claim.documents and not claim.meetings:
            st.caption("No excerpt was kept for this claim.")


def draw_entities(result: QucoResult) -> None:
    """Draw how often the corpus names what the question names."""
    st.subheader("How familiar is the question?")
    st.plotly_chart(
        entity_bars(result, current_theme()),
        width="stretch",
        theme=None,
        key=f"quco.entities.{session.current_run()}",
        config=CHART,
        alt=bars_title(result),
    )
    with st.expander("The counts as a table"):
        st.dataframe(
            entities_table(result), hide_index=True, placeholder="–", alt="The question's entities and their counts"
        )


def draw_formulas(result: QucoResult) -> None:
    """Draw the equations with this run's settings."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown("Would the question itself be looked up? Mean count of its entities (QuCo-RAG eq. 2):")
        st.latex(r"\delta_{pre} = \mathbb{1}\Big[\tfrac{1}{|E_Q|}\sum_{e \in E_Q} freq(e) < \tau_{entity}\Big]")
        st.markdown("How often do head and tail of a claim meet (eq. 3)?")
        st.latex(r"cooc(h, t) = |\{\omega : h \in \omega \wedge t \in \omega\}|")
        st.markdown("A sentence fires where one of its claims has too little evidence (eq. 4):")
        st.latex(r"\delta_i = \mathbb{1}\Big[\min_{(h, r, t)} cooc(h, t) < \tau_{cooc}\Big]")
        st.markdown(
            f"Here a meeting is both ends in one document within {result.window:,} words, start to start, and τ for "
            f"claims is {result.cooccurrence_threshold}. The paper's τ for entities, 1,000, was set for a corpus of "
            "trillions of tokens, so this page shows the counts and draws no conclusion from it. Claims come from a "
            "parser instead of the paper's fine-tuned extractor."
        )


def draw_blind_spots() -> None:
    """Draw what an exact count can and cannot say."""
    with st.expander("What a count means, and what it misses"):
        st.markdown(
            "A count is exact for the spelling that stands in the claim. So **no evidence in this corpus** can also "
            "mean:\n"
            "- the corpus uses **another spelling** or a short name (“da Gama” for “Vasco da Gama”);\n"
            "- it goes on with a **pronoun** (“he”), which no count sees;\n"
            "- the two stand in **different documents**, or further apart than the window;\n"
            "- the corpus is **silent**: a small one does not know most true things.\n\n"
            "And a meeting is not a proof: two names can stand together without the claimed relation, and "
            "a “not” in the sentence is not read. Read the place."
        )


draw_page()
