"""QuCo-RAG for one run: which claims have any evidence in the corpus, and the passages where their two ends meet."""

from dataclasses import replace

import streamlit as st

from engine.core.words import shown
from engine.methods.quco_claims import CountedClaim, QucoConfig
from engine.methods.quco_loop import QucoLoop
from engine.methods.quco_rag import QucoResult
from pages.shared import session
from pages.shared.figures import figure_config, on_ground
from pages.shared.linked import linked_figure, linked_table
from pages.shared.method_page import open_method
from pages.shared.number_view import draw_headlines
from pages.shared.run_panel import submit_variant
from pages.shared.selection import Selection, chosen_in
from pages.shared.theme import as_text, current_theme
from pages.shared.variants import shown_request
from viz.cooccurrence_network import cooccurrence_network
from viz.entity_bars import bars_title, entity_bars
from viz.evidence import meeting_html, sentence_strip_html
from viz.prompts import prompt_html
from viz.prompts import sentence as prompt_sentence
from viz.quco_loop import (
    claims_of_steps,
    extractions_table,
    initial_html,
    loop_verdict,
    steps_html,
    steps_table,
)
from viz.quco_rag import (
    claim_sentence,
    claims,
    claims_table,
    entities_table,
    first_with_meetings,
    sentence,
    size_words,
    verdict,
)
from viz.verdicts import verdict_html

AGGREGATES = ["mean", "min", "max"]
VARIANTS = ["paper", "code"]
VARIANT_NAMES = {"paper": "the paper", "code": "the released code"}
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
    diagnosis, result = open_method("quco_rag")
    if not isinstance(result, QucoResult):
        st.stop()
    draw_verdict(result)
    draw_headlines(diagnosis, "quco_rag")
    with st.container(horizontal=True):
        draw_formulas(result)
        draw_settings()
        draw_whole_loop(result)
    if result.loop is not None:
        draw_loop(result, result.loop)
    chosen = chosen_in(diagnosis).selection.claim
    draw_sentences(result, chosen)
    draw_evidence_search(result, chosen)
    draw_entities(result)
    draw_extractions(result)
    draw_blind_spots()


def draw_verdict(result: QucoResult) -> None:
    """Draw QuCo-RAG's word, and which corpus was asked."""
    st.html(verdict_html(verdict(result), current_theme()))
    st.caption(
        "QuCo-RAG splits the answers into claims (head, relation, tail) and counts where head "
        "and tail occur together. That is evidence to read, not proof. "
        + as_text(f"Corpus: {result.corpus}, {size_words(result)}. {result.corpus_note}")
    )


def draw_settings() -> None:
    """Draw what the next run does: stages, thresholds, where is counted, who extracts."""
    asked = shown_request()
    config = asked.quco_rag if asked is not None else QucoConfig()
    with st.popover("Settings of the loop", icon=":material/tune:"):
        st.markdown("**Stages**")
        st.checkbox("Check the question before writing", config.initial_check, key=setting_key("initial_check"))
        st.checkbox("Check each sentence", config.sentence_check, key=setting_key("sentence_check"))
        st.checkbox(
            "Also look for the whole claim as one phrase",
            config.relation_check,
            key=setting_key("relation_check"),
            help="The relation-aware check of appendix A.10: a pair still fails if “head relation tail” "
            "never occurs in the corpus. A small corpus words most things differently, so this "
            "retrieves much more often.",
        )
        st.selectbox(
            "Follow",
            VARIANTS,
            VARIANTS.index(config.variant),
            format_func=lambda variant: VARIANT_NAMES.get(variant, variant),
            key=setting_key("variant"),
            help="The released code cuts an answer at “does not …” and takes only “the answer is” as its "
            "end. The paper has no such rules.",
        )
        draw_thresholds(config)
        st.text_input(
            "Model that extracts the claims",
            config.extractor,
            key=setting_key("extractor"),
            placeholder="empty: the parser",
            help="A folder on this machine or a model's name. It gets the paper's prompt, once per sentence.",
        )
        draw_network_switch(config)


def draw_thresholds(config: QucoConfig) -> None:
    """Draw the numbers of both checks; those of a run from elsewhere are held within what a box takes."""
    st.markdown("**Before writing**")
    st.selectbox(
        "Combine the question's counts by",
        AGGREGATES,
        AGGREGATES.index(config.aggregate),
        key=setting_key("aggregate"),
    )
    st.number_input(
        "Percentile of the corpus's names",
        1.0,
        100.0,
        config.entity_percentile,
        5.0,
        key=setting_key("entity_percentile"),
        help="For your own corpus: retrieve if the question's entities are rarer than this share of its names.",
    )
    number_box(
        "Occurrences in a pre-training index",
        "entity_threshold",
        (0, 10**9),
        config.entity_threshold,
        "The paper uses 1,000. Only used when counting over the network.",
    )
    st.markdown("**After each sentence**")
    number_box(
        "Minimum co-occurrences of a pair (τ)",
        "cooccurrence_threshold",
        (1, 10**6),
        config.cooccurrence_threshold,
        "The paper uses 1: a pair that never co-occurs fails.",
    )
    number_box(
        "Window in words, start to start",
        "window",
        (0, 1000),
        config.window,
        "The paper uses 1,000. Names further apart than this do not co-occur.",
    )
    number_box(
        "Minimum occurrences of a single entity",
        "partial_threshold",
        (0, 10**6),
        config.partial_threshold,
        "For claims without a tail. 0: never retrieve. The paper has no rule; its code uses 20.",
    )


def number_box(label: str, name: str, bounds: tuple[int, int], value: int, explained: str) -> None:
    """Draw a box for one whole number of the settings."""
    low, high = bounds
    held = session.whole_number(value, low, high, low)
    st.number_input(label, low, high, held, key=setting_key(name), help=explained)


def draw_network_switch(config: QucoConfig) -> None:
    """Draw the switch that lets names leave this machine: off each time a page is opened, whatever the run had."""
    st.markdown("**Where to count**")
    st.toggle("Count in a pre-training index over the network", False, key=setting_key("online"))
    st.text_input("Index", config.infini_gram_index, key=setting_key("index"))
    st.caption(
        "Off: nothing leaves this machine. On: every name and claim in the question and the "
        "answers is sent to the public infini-gram service (api.infini-gram.io). If it does not "
        "answer, the count is *not measured*."
    )


def setting_key(name: str) -> str:
    """Return the key of a setting's widget for the run that is shown."""
    return f"quco.setting.{session.current_run()}.{name}"


def chosen_settings(config: QucoConfig) -> QucoConfig:
    """Return the settings that stand on the page, for a run of the whole loop; what no widget holds stays."""
    fields = (
        "variant", "initial_check", "sentence_check", "relation_check", "aggregate", "entity_percentile",
        "entity_threshold", "cooccurrence_threshold", "window", "partial_threshold", "extractor",
    )  # fmt: skip
    held = {name: session.widget_state(setting_key(name)) for name in fields}
    changed = replace(config, **{name: value for name, value in held.items() if value is not None})  # type: ignore[arg-type]
    index = str(session.widget_state(setting_key("index")) or config.infini_gram_index).strip()
    online = session.widget_state(setting_key("online")) is True
    return replace(changed, dynamic=True, counts="infini-gram" if online else "corpus", infini_gram_index=index)


def draw_whole_loop(result: QucoResult) -> None:
    """Draw the button that runs the whole of QuCo-RAG on the same question."""
    label = "Run the whole loop" if result.loop is None else "Run the loop with these settings"
    if not st.button(
        label, key="quco.loop", icon=":material/cycle:", type="primary" if result.loop is None else "secondary"
    ):
        return
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored, so it cannot be run again.")
        return
    methods = tuple(dict.fromkeys((*request.methods, "quco_rag")))
    submit_variant(replace(request, methods=methods, quco_rag=chosen_settings(request.quco_rag)))


def draw_loop(result: QucoResult, loop: QucoLoop) -> None:
    """Draw the whole run, stage by stage, with its text twin."""
    theme = current_theme()
    st.subheader("The whole loop")
    st.html(verdict_html(loop_verdict(loop), theme))
    st.markdown("#### 1. Before writing")
    st.html(initial_html(result, theme))
    st.markdown("#### 2. Each sentence and its decision")
    st.html(steps_html(loop, theme))
    with st.expander("The sentences and their claims as tables"):
        st.dataframe(steps_table(loop), hide_index=True, alt="Every sentence of the loop and its outcome")
        st.dataframe(claims_of_steps(result), hide_index=True, placeholder="–", alt="Every checked claim")
    st.markdown("#### 3. The answers")
    left, right = st.columns(2)
    left.markdown("**At the end of the loop**")
    left.markdown(as_text(loop.text) or "*Nothing was kept.*")
    left.caption(as_text(f"Answer: {shown(loop.answer)}"))
    right.markdown("**From memory**")
    right.markdown(as_text(result.generation.text) or "*Nothing was written.*")
    right.caption(as_text(f"Answer: {shown(loop.closed_book_answer)}"))
    draw_generations(loop)


def draw_generations(loop: QucoLoop) -> None:
    """Draw what the model was asked each time, and what it wrote."""
    with st.expander("Every prompt and output"):
        for place, generation in enumerate(loop.generations, start=1):
            st.caption(as_text(f"Generation {place}. {prompt_sentence(generation)}"))
            st.html(prompt_html(generation, current_theme()))


def draw_sentences(result: QucoResult, chosen: int | None) -> None:
    """Draw each sentence with its mark."""
    if result.pre_check is not None and result.loop is None:
        st.subheader("Would it retrieve for the question first?")
        st.html(initial_html(result, current_theme()))
    st.subheader("Sentence by sentence: the answer from memory, and the short answer")
    st.html(sentence_strip_html(result, current_theme(), chosen))


def draw_evidence_search(result: QucoResult, chosen: int | None) -> None:
    """Draw the network, and the claims with their evidence."""
    st.subheader("Co-occurrence in the corpus")
    linked_figure(
        cooccurrence_network(result, current_theme(), chosen),
        lambda numbers: Selection(claim=numbers[0]) if 0 <= numbers[0] < len(claims(result)) else None,
        key=f"quco.network.{session.current_run()}",
        name="quco-network",
        alt=sentence(result),
    )
    st.caption("Click a line or a dot to read its evidence below.")
    draw_claims(result, chosen)


def draw_claims(result: QucoResult, chosen: int | None) -> None:
    """Draw the claims as a table, and the evidence of the chosen one; without one, of the first that has any."""
    st.subheader("Every claim and its evidence")
    table = claims_table(result)
    if table.empty:
        st.info("No claim was found in the answers.")
        return
    st.caption("Select a row to read where head and tail occur together.")
    linked_table(
        table,
        [Selection(claim=row) for row in range(len(table))],
        chosen,
        key=f"quco.claims.{session.current_run()}",
        column_order=CLAIM_ORDER,
        placeholder="–",
        alt="Every claim with its counts and verdict",
    )
    for row in first_with_meetings(result) if chosen is None else [chosen]:
        draw_evidence(result, claims(result)[row][1])


def draw_evidence(result: QucoResult, claim: CountedClaim) -> None:
    """Draw what the corpus holds for one claim."""
    with st.container(border=True):
        st.markdown(as_text(claim_sentence(claim, result)))
        for meeting in claim.meetings:
            st.html(meeting_html(meeting, current_theme()))
        if claim.documents and not claim.meetings:
            st.caption("No excerpt is stored for this claim.")


def draw_entities(result: QucoResult) -> None:
    """Draw how often the corpus names what the question names."""
    st.subheader("How familiar is the question?")
    st.plotly_chart(
        on_ground(entity_bars(result, current_theme())),
        width="stretch",
        theme=None,
        key=f"quco.entities.{session.current_run()}",
        config=figure_config("quco-entities"),
        alt=bars_title(result),
    )
    with st.expander("The counts as a table"):
        st.dataframe(
            entities_table(result), hide_index=True, placeholder="–", alt="The question's entities and their counts"
        )


def draw_extractions(result: QucoResult) -> None:
    """Draw what the named model wrote where it found the claims; nothing where the parser did."""
    if not result.extractor:
        return
    with st.expander("Output of the model that extracts the claims"):
        st.caption(as_text(f"Entities and claims by {result.extractor}, with the paper's prompt."))
        st.dataframe(extractions_table(result), hide_index=True, alt="Every extraction: text, reply, what was dropped")


def draw_formulas(result: QucoResult) -> None:
    """Draw the equations with this run's settings."""
    with st.popover("How this is computed", icon=":material/function:"):
        st.markdown("Retrieve for the question itself? Mean count of its entities (QuCo-RAG eq. 2):")
        st.latex(r"\delta_{pre} = \mathbb{1}\Big[\tfrac{1}{|E_Q|}\sum_{e \in E_Q} freq(e) < \tau_{entity}\Big]")
        st.markdown("How often do head and tail of a claim co-occur (eq. 3)?")
        st.latex(r"cooc(h, t) = |\{\omega : h \in \omega \wedge t \in \omega\}|")
        st.markdown("A sentence triggers retrieval if one of its claims has too little evidence (eq. 4):")
        st.latex(r"\delta_i = \mathbb{1}\Big[\min_{(h, r, t)} cooc(h, t) < \tau_{cooc}\Big]")
        st.markdown(
            f"Two names co-occur here if both are in one document within {result.window:,} words, "
            f"start to start; τ for claims is {result.cooccurrence_threshold}. The paper's τ for "
            "entities, 1,000, was set for an index of trillions of tokens. In your own corpus it is "
            "a percentile of how often its names occur, which is our choice. Each failing claim "
            "makes one query from its head and relation. The sentence is then rewritten over the new "
            "passages and not verified again, as in the released code. Claims come from a parser, or "
            "from a model you name, instead of the paper's fine-tuned extractor."
        )


def draw_blind_spots() -> None:
    """Draw what an exact count can and cannot say."""
    with st.expander("What a count means and what it misses"):
        st.markdown(
            "A count is exact for the spelling used in the claim. So **no evidence in this corpus** can also "
            "mean:\n"
            "- the corpus uses **another spelling** or a short name (“da Gama” for “Vasco da Gama”);\n"
            "- it continues with a **pronoun** (“he”), which no count sees;\n"
            "- the two names are in **different documents**, or further apart than the window;\n"
            "- the corpus is **silent**: a small one does not contain most true facts.\n"
            "\n"
            "Co-occurrence is not proof: two names can occur together without the claimed relation, and a "
            "“not” is ignored. Read the excerpt."
        )


draw_page()
