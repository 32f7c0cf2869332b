"""Contradictions: which sentences of different passages cannot both be true?"""

import streamlit as st

from engine.core.passage_names import passage_name
from engine.methods.contradictions import ContradictionsResult
from pages.shared import session
from pages.shared.details import Section, draw_details
from pages.shared.examples import telling_run
from pages.shared.linked import linked_rows
from pages.shared.method_page import draw_opening, open_method
from pages.shared.selection import Selection, chosen_in
from pages.shared.texts import draw_formulas
from pages.shared.theme import current_theme
from viz.methods import contradictions
from viz.parts.row_table import Column

PICKED = "contradictions.picked"
COLUMNS = {
    "contradiction": Column(title="P", form=".2f", help="Probability of a contradiction"),
    "passage": Column(title="A", help="Passage of the first sentence"),
    "other passage": Column(title="B", help="Passage of the other sentence"),
}


def draw_page() -> None:
    """Draw the page from top to bottom."""
    diagnosis, result = open_method("contradictions", ContradictionsResult)
    for pair in result.contradicting:
        st.html(contradictions.pair_html(pair, current_theme()))
    titles = [passage_name(hit.passage) for hit in diagnosis.hits]
    st.html(contradictions.compared_html(result, titles, current_theme()))
    if not result.contradicting:
        draw_none(result)
    draw_opening(diagnosis, result, chooses=bool(result.pairs))
    draw_formulas("contradictions", judge=result.judge, pairs=result.config.pairs)
    row = chosen_row(result, chosen_in(diagnosis).chunk)
    if result.pairs:
        draw_details("contradictions", [Section(label="Every pair", draw=lambda: draw_pairs(result, row), chosen=row)])


def draw_none(result: ContradictionsResult) -> None:
    """Draw the nearest pair where nothing contradicts, and the way to a run where two passages do."""
    if result.pairs:
        st.caption("The nearest pair:")
        st.html(contradictions.pair_html(result.pairs[0], current_theme()))
    telling = telling_run("contradictions")
    if telling and st.button("See a contradiction", key="contradictions.example", icon=":material/play_circle:"):
        session.open_run(telling)
        st.rerun()


def chosen_row(result: ContradictionsResult, chunk: int | None) -> int | None:
    """Return the pair that is marked: the picked one where it has the chosen passage, else the first that has it."""
    having = [place for place, pair in enumerate(result.pairs) if chunk in (pair.first.index, pair.second.index)]
    picked = session.widget_state(f"{PICKED}.{session.current_run()}")
    return picked if isinstance(picked, int) and picked in having else next(iter(having), None)


def draw_pairs(result: ContradictionsResult, row: int | None) -> None:
    """Draw every compared pair as a table; a row chooses the first sentence's passage."""
    linked_rows(
        contradictions.pairs_table(result),
        [Selection(chunk=pair.first.index) for pair in result.pairs],
        row,
        picked=f"{PICKED}.{session.current_run()}",
        key=f"contradictions.pairs.{session.current_run()}",
        columns=COLUMNS,
        alt="Pairs",
    )


draw_page()
