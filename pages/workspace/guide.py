"""Guide: a page a question, such as what a method asks, how to read its word and figures, what it cannot say.

``?about=trust`` opens one question; ``?method=seper`` one method.
"""

from collections.abc import Callable, Mapping

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import MicroscopeError
from engine.core.folders import data_folder
from engine.learning.guide import read_method, read_section
from engine.learning.known_truth import stored_scoreboard
from engine.learning.timing_measured import stored_timing
from engine.thresholds.fitted import SHIPPED, read_fit
from pages.shared import links, session
from pages.shared.figures import draw_figure
from pages.shared.resources import shown_errors
from pages.shared.settings import draw_choice
from pages.shared.theme import as_text, current_theme
from viz import calibration, known_truth, timing_measured
from viz import judge_quality as judged
from viz.theme import Theme

SECTIONS = {
    "signs": "Signs and words",
    "lessons": "Lessons, and showing a class",
    "behind": "Looking behind a number",
    "what-if": "What if",
    "studies": "Many questions",
    "methods": "What each method asks",
    "trust": "How far to trust it",
    "judge": "The judge of two answers",
    "planted": "What is seen of planted defects",
    "failures": "How it goes wrong",
    "labels": "Labels by people",
    "thresholds": "Thresholds fitted to the embedded model",
    "policies": "Policies at the same number of lookups",
    "places": "Where data and models live",
    "papers": "Papers",
}
ABOUT, METHOD = "about", "method"
ICONS = {
    "signs": ":material/emoji_symbols:", "lessons": ":material/school:", "behind": ":material/calculate:",
    "what-if": ":material/science:", "studies": ":material/dataset:", "methods": ":material/biotech:",
    "trust": ":material/verified:", "judge": ":material/gavel:", "planted": ":material/bug_report:",
    "failures": ":material/warning:", "labels": ":material/edit_note:", "thresholds": ":material/tune:",
    "policies": ":material/timeline:", "places": ":material/folder:", "papers": ":material/article:",
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
    "failures": (("atlas", "Open the failure atlas", "arrow_forward"),),
    "labels": (("annotate", "Open the Annotate page", "arrow_forward"),),
}


def main() -> None:
    """Draw the list of questions, or the one that the address names."""
    st.title("Guide")
    asked = session.address_parameter(ABOUT)
    if asked in SECTIONS:
        draw_section(asked)
        return
    st.markdown(read_section("opening"))
    if asked:
        st.warning(as_text(f"The guide has no page {asked[:60]!r}. Here are those it has."))
    with st.container(key="guide-pages"):
        for anchor, title in SECTIONS.items():
            st.button(title, key=f"guide.{anchor}", icon=ICONS.get(anchor), on_click=open_section, args=(anchor,))


def open_section(anchor: str) -> None:
    """Show one question alone, "" shows the list; the address names it, so that it can be sent on."""
    session.set_address(ABOUT, anchor)
    session.set_address(METHOD, "")


def draw_section(anchor: str) -> None:
    """Draw one question: its text, the ways on, and what was measured for it."""
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
    asked = session.one_of(
        session.address_parameter(METHOD), tuple(links.METHOD_TITLES), next(iter(links.METHOD_TITLES))
    )
    method = draw_choice("Method", links.METHOD_TITLES, "guide.method", asked)
    session.set_address(METHOD, method)
    st.markdown(read_method(method))
    links.page_link(method, f"Open the {links.METHOD_TITLES[method]} page", icon=":material/arrow_forward:")


def draw_finding(name: str, draw: Callable[[Theme], go.Figure], said: str, tables: Mapping[str, pd.DataFrame]) -> None:
    """Draw a measured result: its sentence, its figure, and its tables, each under the name it is opened by."""
    st.markdown(as_text(said))
    draw_figure(draw(current_theme()), key=name, name=name, alt=said)
    for label, table in tables.items():
        with st.expander(label):
            st.dataframe(table, hide_index=isinstance(table.index, pd.RangeIndex), alt=said)


def draw_judge() -> None:
    """Draw how often the judge agrees with people."""
    quality = judge_quality()
    if quality is None:
        st.info("How often it agrees with people is not measured here: the benchmark's result is missing.")
        return
    draw_finding(
        "judge-agreement",
        lambda theme: judged.agreement_bars(quality, theme),
        judged.agreement_sentence(quality),
        {"The same as a table": judged.agreement_table(quality)},
    )
    draw_finding(
        "judge-reliability",
        lambda theme: judged.reliability_diagram(quality, theme),
        judged.reliability_sentence(quality),
        {"The same as a table ": judged.reliability_table(quality)},
    )
    st.caption(f"Measured on {as_text(quality.data)}, by `benchmarks/judge.py`.")


def draw_known_truth() -> None:
    """Draw which method saw which planted defect, and by which rule that was decided."""
    board = stored_scoreboard()
    if board is None:
        st.info("Not measured here: `python -m benchmarks.known_truth` asks the questions and writes the result.")
        return
    draw_finding(
        "known-truth",
        lambda theme: known_truth.scoreboard_figure(board, theme),
        known_truth.scoreboard_sentence(board),
        {
            "The scoreboard as a table": known_truth.scoreboard_table(board),
            "When a method counts as having seen it, question by question": known_truth.rules_table(board),
        },
    )
    st.caption(f"{as_text(board.origin)}, by `benchmarks/known_truth.py`.")


def draw_calibration() -> None:
    """Draw the thresholds that ship for the embedded model, and the policies at an equal number of retrievals."""
    try:
        fit = read_fit(SHIPPED / "embedded.json")
    except MicroscopeError as exc:
        st.info(f"Not measured here: {as_text(str(exc))} `microscope calibrate sample` fits them.")
        return
    draw_finding(
        "calibration",
        lambda theme: calibration.policies_figure(fit, theme),
        calibration.policies_sentence(fit),
        {
            "The policies as a table": calibration.policies_table(fit),
            "The fitted thresholds": calibration.thresholds_table(fit),
        },
    )
    writer = fit.origin.writer or fit.origin.model
    st.caption(f"{as_text(fit.words.capitalize())}, step-by-step answers by {as_text(writer)}; `microscope calibrate`.")


def draw_policies() -> None:
    """Draw what every policy achieved over its number of lookups."""
    found = stored_timing()
    if found is None:
        st.info("Not measured here: `python -m benchmarks.timing` asks the questions and writes the result.")
        return
    draw_finding(
        "policies",
        lambda theme: timing_measured.curves_figure(found, theme),
        timing_measured.etc_against_dragin(found),
        {"Every policy at every threshold": timing_measured.measured_table(found)},
    )
    st.caption(f"{as_text(found.corpus)}, by `benchmarks/timing.py`.")


MEASURED: dict[str, Callable[[], object]] = {
    "judge": draw_judge,
    "planted": draw_known_truth,
    "thresholds": draw_calibration,
    "policies": draw_policies,
    "places": lambda: st.code(str(data_folder()), language=None),
}
main()
