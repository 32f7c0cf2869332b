"""Guide: what each method asks, how to read its word and its figures, what it cannot say, where things live."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import MicroscopeError
from engine.core.folders import data_folder
from engine.learning.growth import question_results_file, results_file, stored_growth
from engine.learning.guide import read_method, read_section
from engine.learning.known_truth import stored_scoreboard
from engine.learning.timing_measured import stored_timing
from engine.thresholds.fitted import SHIPPED, read_fit
from pages.shared import links
from pages.shared.figures import draw_figure
from pages.shared.resources import shown_errors
from pages.shared.theme import as_text, current_theme
from viz import calibration, growth, known_truth, timing_measured
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
    "corpus-cost": "How cost grows with the corpus",
    "question-cost": "How cost grows with passages and samples",
    "places": "Where data and models live",
    "papers": "Papers",
}
WITHOUT_TEXT = ("methods", "corpus-cost", "question-cost")
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
    """Draw the guide from top to bottom: each section's title, its text, the ways on, and what was measured for it."""
    st.title("Guide")
    st.markdown(read_section("opening"))
    st.markdown(" · ".join(f"[{title}](#{anchor})" for anchor, title in SECTIONS.items()))
    for anchor, title in SECTIONS.items():
        st.header(title, anchor=anchor)
        if anchor not in WITHOUT_TEXT:
            st.markdown(read_section(anchor))
        if anchor in LINKS:
            with st.container(horizontal=True):
                for word, label, icon in LINKS[anchor]:
                    links.page_link(word, label, icon=f":material/{icon}:")
        if anchor in MEASURED:
            with shown_errors():
                MEASURED[anchor]()


def draw_methods() -> None:
    """Draw what each method asks and how to read it, one tab a method."""
    for method, tab in zip(links.METHOD_TITLES, st.tabs(list(links.METHOD_TITLES.values())), strict=True):
        with tab:
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


def draw_growth(file: Path, curves: Mapping[str, tuple[str, tuple[str, ...]]]) -> None:
    """Draw how cost grows; ``curves`` gives for each figure what the size counts, and which costs it shows."""
    measured = stored_growth(file)
    if measured is None:
        st.info(f"Not measured here: `python -m benchmarks.{file.stem}` measures it and writes the result.")
        return
    if file == results_file():
        st.markdown(as_text(growth.within_target(measured)))
    for name, (of, costs) in curves.items():
        figure, said = (
            growth.growth_figure(measured, costs, current_theme(), of),
            growth.growth_sentence(measured, costs, of),
        )
        draw_figure(figure, key=name, name=name, alt=said)
        st.caption(as_text(said))
    with st.expander("Every cost as a table"):
        st.dataframe(growth.growth_table(measured), hide_index=True, alt="Every cost at every size, with its exponent")
    st.caption(f"{as_text(growth.notes_sentence(measured))} By `benchmarks/{file.stem}.py`.")


CORPUS_CURVES = {"growth-0": ("passages", growth.SEARCH), "growth-1": ("passages", growth.DISK_AND_MEMORY)}
QUESTION_CURVES = {
    "growth-passages-read": ("passages read", growth.OVER_PASSAGES),
    "growth-samples": ("samples", growth.OVER_SAMPLES),
}
MEASURED: dict[str, Callable[[], object]] = {
    "methods": draw_methods,
    "judge": draw_judge,
    "planted": draw_known_truth,
    "thresholds": draw_calibration,
    "policies": draw_policies,
    "corpus-cost": lambda: draw_growth(results_file(), CORPUS_CURVES),
    "question-cost": lambda: draw_growth(question_results_file(), QUESTION_CURVES),
    "places": lambda: st.code(str(data_folder()), language=None),
}
main()
