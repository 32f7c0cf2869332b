"""Failure atlas: one recorded run for each kind of failure, who noticed it, and where to go on from there."""

from dataclasses import replace

import streamlit as st

from engine.learning.atlas.shelf import Specimen, methods_with_clues, specimens_with
from engine.learning.atlas.trials import trial_of
from engine.learning.known_truth import Seen
from pages.shared import forms, links, session
from pages.shared.downloads import draw_exhibit_tables
from pages.shared.resources import atlas, sentences, stored_run
from pages.shared.rows import choose_row, draw_rows
from pages.shared.run_panel import variant_of
from pages.shared.sent_values import one_of
from pages.shared.settings import draw_choice
from pages.shared.texts import draw_head
from pages.shared.theme import as_text, current_theme
from viz.learning import atlas as drawn
from viz.learning.atlas_card import failure_html
from viz.learning.atlas_grid import grid_html

KIND, METHOD, OUTCOME = "kind", "method", "noticed"
ANY = "any method"
OUTCOMES: dict[str, Seen | None] = {
    "all": None,
    "noticed": "saw",
    "missed": "missed",
    "not measured": "not measured",
}
TABLE = "atlas.table"


def main() -> None:
    """Draw the page from top to bottom."""
    draw_head("atlas", "Failure atlas")
    with sentences():
        specimens = atlas()
    if not specimens:
        st.info("No failures here. `scripts/record_atlas.py` records them.")
        links.page_link("ask", "Ask a question", icon=":material/edit:")
        st.stop()
    asked = session.address_parameter(KIND)
    opened = next((one for one in specimens if one.kind.word == asked), None)
    if opened is not None:
        draw_specimen(opened, specimens)
        return
    if asked:
        st.warning(as_text(f"No kind of failure is called {asked[:60]!r}. Here are all."))
    draw_board(specimens)
    draw_gallery(specimens)
    if absent := drawn.missing_sentence(specimens):
        st.caption(as_text(absent))


def draw_board(specimens: tuple[Specimen, ...]) -> None:
    """Draw who noticed what, as a figure and as a table whose rows open their failure."""
    st.header("Who notices what")
    sentence = drawn.matrix_sentence(specimens)
    chart, table = st.tabs(["Kinds and methods", "Table"])
    with chart:
        st.html(grid_html(specimens))
    with table:
        st.caption("Select a row to open it.")
        kinds = [one.kind.word for one in specimens]
        row = choose_row(drawn.matrix_table(specimens), kinds, key=TABLE, alt=sentence)
    if left_out := drawn.unjudged_sentence():
        st.caption(as_text(left_out))
    draw_exhibit_tables("all", (drawn.matrix_exhibit(specimens),))
    if row is not None:
        open_kind(specimens[row].kind.word)


def open_kind(word: str) -> None:
    """Show one kind alone, "" shows the gallery again; the address names it, so that it can be sent on."""
    session.forget_tables()
    session.set_address(KIND, word)
    st.rerun()


def draw_gallery(specimens: tuple[Specimen, ...]) -> None:
    """Draw the filter and a card for every failure that passes it, two in a row."""
    st.header("Failures")
    method, outcome = draw_filter()
    chosen = specimens_with(specimens, method, OUTCOMES[outcome])
    if not chosen:
        st.info("No failure matches. Show all, or choose another method.")
        return
    st.caption(as_text(drawn.STRIP_KEY))
    for first in range(0, len(chosen), 2):
        for specimen, column in zip(chosen[first : first + 2], st.columns(2), strict=False):
            with column:
                draw_card(specimen)


def draw_filter() -> tuple[str, str]:
    """Draw the choice of a method and of what became of the failures there; return both, "" for any method."""
    methods = ("", *methods_with_clues())
    left, right = st.columns(2)
    asked = one_of(session.address_parameter(METHOD), methods, "")
    key = session.widget_key("atlas.method", asked)
    method = left.selectbox("Method", methods, format_func=lambda word: links.METHOD_TITLES.get(word, ANY), key=key)
    with right:
        asked = one_of(session.address_parameter(OUTCOME), tuple(OUTCOMES), "all")
        explained = "“Missed”: no method that measured it noticed it."
        names = {name: name for name in OUTCOMES}
        outcome = draw_choice("Show failures", names, "atlas.outcome", asked, help=explained)
    method = one_of(method, methods, "")
    session.set_address(METHOD, method)
    session.set_address(OUTCOME, "" if outcome == "all" else outcome)
    return method, outcome


def draw_card(specimen: Specimen) -> None:
    """Draw a failure as a card: its kind, the question, what happened, the way of the answer, who noticed."""
    kind = specimen.kind
    with st.container(border=True, height="stretch", key=f"atlas-card-{kind.word}"):
        st.html(failure_html(specimen, current_theme(), card=True))
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Details", key=f"atlas.open.{kind.word}", icon=":material/zoom_in:"):
                open_kind(kind.word)
            links.page_link("ask", "Open the run", run_id=kind.run_id, icon=":material/open_in_full:")


def draw_specimen(specimen: Specimen, specimens: tuple[Specimen, ...]) -> None:
    """Draw one failure alone: what it is, what happened, what each method made of it, where to go on."""
    kind = specimen.kind
    if st.button("All failures", icon=":material/arrow_back:", key="atlas.back"):
        open_kind("")
    st.header(as_text(kind.title))
    st.html(failure_html(specimen, current_theme(), card=False))
    st.caption(as_text(drawn.STRIP_KEY))
    with st.expander("As a table"):
        st.markdown(as_text(drawn.strip_sentence(specimen)))
        draw_rows(drawn.strip_table(specimen), alt=drawn.strip_sentence(specimen))
    draw_clues(specimen)
    draw_ways_on(specimen)
    with st.expander("Why this run; sources", expanded=True):
        st.markdown(f"**Computed from the record:** {as_text(kind.predicate)}.")
        st.markdown("\n".join(f"- {as_text(one)}" for one in kind.literature))
    draw_neighbours(specimen, specimens)


def draw_clues(specimen: Specimen) -> None:
    """Draw what each method with an eye for the failure made of it, with the way to its page."""
    st.subheader("What each method says")
    draw_rows(drawn.clues_table(specimen), alt="What each method says")
    with st.container(horizontal=True):
        for outcome in specimen.run.outcomes:
            title = links.METHOD_TITLES[outcome.method]
            icon = links.METHOD_ICONS[outcome.method]
            links.page_link(outcome.method, f"See it in {title}", run_id=specimen.kind.run_id, icon=icon)


def draw_ways_on(specimen: Specimen) -> None:
    """Draw where to go from here: the whole run, a changed question, labels."""
    st.subheader("Try a change")
    trial = trial_of(specimen)
    st.markdown(f"{as_text(specimen.kind.trial)} {as_text(trial.words)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Edit a variant", type="primary", icon=":material/edit:", key="atlas.variant"):
            ask_variant(specimen)
        links.page_link("ask", "Open the run", run_id=specimen.kind.run_id, icon=":material/open_in_full:")
        links.page_link("annotate", "Label it", run_id=specimen.kind.run_id, icon=":material/edit_note:")


def ask_variant(specimen: Specimen) -> None:
    """Fill the Ask form with the specimen's question and the passages its kind suggests, and go there."""
    with sentences():
        run = stored_run(specimen.kind.run_id)
    if run is None:
        st.warning("This run was deleted. Restore it on the Runs page.")
        return
    request, passages = variant_of(run), trial_of(specimen).passages
    if passages:
        request = replace(request, passages=passages, corpus=None)
    session.fill_form(forms.draft_of(request, run.id), request.passages)
    session.close_run()
    links.go_to("ask")


def draw_neighbours(specimen: Specimen, specimens: tuple[Specimen, ...]) -> None:
    """Draw the ways to the failures before and after this one."""
    place = specimens.index(specimen)
    with st.container(horizontal=True):
        for name, others, icon in (
            ("before", specimens[:place][-1:], ":material/arrow_back:"),
            ("after", specimens[place + 1 :][:1], ":material/arrow_forward:"),
        ):
            for other in others:
                if st.button(as_text(other.kind.title), key=f"atlas.{name}", icon=icon):
                    open_kind(other.kind.word)


main()
