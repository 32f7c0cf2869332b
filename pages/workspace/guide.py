"""Guide: a page a question, such as what a method asks, how to read its word and figures, what it cannot say.

``?about=trust`` opens one question; ``?method=seper`` one method.
"""

from collections.abc import Callable

import streamlit as st

from engine.core.folders import data_folder
from engine.learning.guide import read_method, read_section
from pages.learn import pictures
from pages.shared import links, session
from pages.shared.examples import runs_with_method
from pages.shared.figures import draw_figure
from pages.shared.resources import sentences, shown_errors, stored_run
from pages.shared.sent_values import one_of
from pages.shared.settings import draw_choice
from pages.shared.theme import as_text, current_theme
from pages.workspace.case_view import recorded_cards
from viz.methods.views import exhibits_of
from viz.runs.case_card import telling_cards
from viz.runs.story import flow_html
from viz.runs.summary import question_html

SECTIONS = {
    "signs": "Signs and words",
    "lessons": "Lessons, and showing a class",
    "behind": "Looking behind a number",
    "what-if": "What if",
    "studies": "Many questions",
    "methods": "What each method asks",
    "trust": "How far to trust it",
    "failures": "How it goes wrong",
    "labels": "Labels by people",
    "places": "Where data and models live",
    "papers": "Papers",
}
ABOUT, METHOD = "about", "method"
ICONS = {
    "signs": ":material/emoji_symbols:", "lessons": ":material/school:", "behind": ":material/calculate:",
    "what-if": ":material/science:", "studies": ":material/dataset:", "methods": ":material/biotech:",
    "trust": ":material/verified:", "failures": ":material/warning:", "labels": ":material/edit_note:",
    "places": ":material/folder:", "papers": ":material/article:",
}  # fmt: skip
LINKS = {
    "lessons": (("lessons", "Open the lessons", "school"),),
    "behind": (
        ("numbers", "All numbers of a run", "calculate"),
        ("prompts", "Every prompt of a run", "terminal"),
        ("thresholds", "Threshold lab", "tune"),
    ),
    "what-if": (("what_if", "Open the What if page", "science"),),
    "studies": (("studies", "Open the Studies page", "dataset"),),
    "trust": (("measured", "What was measured", "monitoring"),),
    "failures": (("atlas", "Open the failure atlas", "arrow_forward"),),
    "labels": (("annotate", "Open the Annotate page", "arrow_forward"),),
}


def main() -> None:
    """Draw the list of questions, or the one that the address names."""
    st.title("Guide")
    asked = session.address_parameter(ABOUT)
    if asked in links.METHOD_TITLES:
        session.set_address(METHOD, asked)
        session.set_address(ABOUT, "methods")
        asked = "methods"
    if asked in SECTIONS:
        draw_section(asked)
        return
    if asked:
        st.warning(as_text(f"The guide has no page “{asked[:60]}”. Here are all."))
    st.markdown(read_section("opening"))
    draw_picture()
    with st.container(key="guide-pages"):
        for anchor, title in SECTIONS.items():
            st.button(
                title, key=f"guide.{anchor}", icon=ICONS.get(anchor), width="stretch",
                on_click=open_section, args=(anchor,),
            )  # fmt: skip


def draw_picture() -> None:
    """Draw what the opening says, with the most telling recorded run; nothing without one."""
    card = next(iter(telling_cards(recorded_cards(), 1)), None)
    run = stored_run(card.run_id) if card is not None else None
    if run is not None and run.diagnosis is not None:
        st.html(question_html(run.diagnosis.question, run.diagnosis.golds))
        st.html(flow_html(run.diagnosis))


def open_section(anchor: str) -> None:
    """Show one question alone, "" shows the list; the address names it, so that it can be sent on."""
    session.set_address(ABOUT, anchor)
    session.set_address(METHOD, "")


def draw_section(anchor: str) -> None:
    """Draw one question: its text, the ways on, and what this machine adds to it."""
    st.button("All of the guide", icon=":material/arrow_back:", key="guide.back", on_click=open_section, args=("",))
    st.header(SECTIONS[anchor])
    if anchor == "methods":
        draw_methods()
        return
    st.markdown(read_section(anchor))
    if anchor in LINKS:
        with st.container(horizontal=True):
            for word, label, icon in LINKS[anchor]:
                links.page_link(word, label, icon=f":material/{icon}:")
    if anchor in MEASURED:
        with shown_errors():
            MEASURED[anchor]()
    pictures.draw_picture(anchor)
    draw_neighbour(anchor)


def draw_neighbour(anchor: str) -> None:
    """Draw the way to the question after this one."""
    words = [*SECTIONS]
    following = words[words.index(anchor) + 1 :][:1]
    for word in following:
        st.button(
            f"Next: {SECTIONS[word]}", icon=":material/arrow_forward:", key="guide.next", on_click=open_section,
            args=(word,),
        )  # fmt: skip


def draw_methods() -> None:
    """Draw what one method asks and how to read it, and the choice of the method."""
    asked = one_of(session.address_parameter(METHOD), tuple(links.METHOD_TITLES), next(iter(links.METHOD_TITLES)))
    method = draw_choice("Method", links.METHOD_TITLES, "guide.method", asked)
    session.set_address(METHOD, method)
    st.markdown(read_method(method))
    draw_example(method)


def draw_example(method: str) -> None:
    """Draw the first figure that a method has for a recorded run, and the way to it; without one the way alone."""
    with sentences():
        run_id, question = next(runs_with_method(method, recorded=True), (None, ""))
        run = stored_run(run_id) if run_id else None
    outcome = run.diagnosis.outcome(method) if run is not None and run.diagnosis is not None else None
    result = outcome.result if outcome is not None else None
    shown = next((one for one in exhibits_of(result) if one.draw is not None), None) if result is not None else None
    links.page_link(method, f"Open {links.METHOD_TITLES[method]}", run_id=run_id, icon=":material/arrow_forward:")
    if shown is not None and shown.draw is not None:
        st.caption(as_text(question))
        draw_figure(shown.draw(current_theme()), key=f"guide.{method}", name=shown.name, alt=shown.sentence)


MEASURED: dict[str, Callable[[], object]] = {
    "places": lambda: st.code(str(data_folder()), language=None, wrap_lines=True)
}
main()
