"""Guide: what each method asks, how to read its word and its figures, what it cannot say, where things live."""

import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import RecordError, StorageError
from engine.core.folders import data_folder
from engine.learning.growth import question_results_file, stored_growth
from engine.learning.guide import read_method, read_section
from engine.learning.known_truth import stored_scoreboard
from engine.thresholds.fitted import SHIPPED, read_fit
from pages.shared import links
from pages.shared.figures import figure_config, on_ground
from pages.shared.theme import as_text, current_theme, page_style
from viz.calibration import policies_figure, policies_sentence, policies_table, thresholds_table
from viz.growth import (
    DISK_AND_MEMORY,
    OVER_PASSAGES,
    OVER_SAMPLES,
    SEARCH,
    growth_figure,
    growth_table,
    notes_sentence,
    sentence,
    within_target,
)
from viz.judge_quality import (
    agreement_bars,
    agreement_sentence,
    agreement_table,
    reliability_diagram,
    reliability_sentence,
    reliability_table,
)
from viz.known_truth import rules_table, scoreboard_figure, scoreboard_sentence, scoreboard_table

SECTIONS = {
    "signs": "Signs and words",
    "lessons": "Lessons, and showing a class",
    "behind": "Looking behind a number",
    "what-if": "What if",
    "methods": "What each method asks",
    "trust": "How far to trust it",
    "judge": "The judge of two answers",
    "planted": "What is seen of planted defects",
    "failures": "How it goes wrong",
    "labels": "Labels by people",
    "thresholds": "Thresholds fitted to the embedded model",
    "corpus-cost": "How cost grows with the corpus",
    "question-cost": "How cost grows with passages and samples",
    "places": "Where data and models live",
    "papers": "Papers",
}


def main() -> None:
    """Draw the guide from top to bottom."""
    page_style()
    st.title("Guide")
    st.markdown(read_section("opening"))
    st.markdown(" · ".join(f"[{title}](#{anchor})" for anchor, title in SECTIONS.items()))
    draw_section("signs")
    draw_section("lessons")
    links.page_link("lessons", "Open the lessons", icon=":material/school:")
    draw_behind()
    draw_section("what-if")
    links.page_link("what_if", "Open the What if page", icon=":material/science:")
    draw_methods()
    draw_section("trust")
    draw_judge()
    draw_known_truth()
    draw_section("failures")
    links.page_link("atlas", "Open the failure atlas", icon=":material/arrow_forward:")
    draw_section("labels")
    links.page_link("annotate", "Open the Annotate page", icon=":material/arrow_forward:")
    draw_calibration()
    draw_growth()
    draw_question_growth()
    draw_places()
    draw_section("papers")


def draw_header(anchor: str) -> None:
    """Draw a section's title under the name that the links at the top lead to."""
    st.header(SECTIONS[anchor], anchor=anchor)


def draw_section(anchor: str) -> None:
    """Draw a section's title and its text."""
    draw_header(anchor)
    st.markdown(read_section(anchor))


def draw_behind() -> None:
    """Say how a number, a prompt and a threshold can be looked behind, with the way to each."""
    draw_section("behind")
    with st.container(horizontal=True):
        links.page_link("numbers", "All numbers of a run", icon=":material/calculate:")
        links.page_link("prompts", "Every prompt of a run", icon=":material/terminal:")
        links.page_link("thresholds", "Threshold lab", icon=":material/tune:")


def draw_methods() -> None:
    """Draw what each method asks and how to read it, one tab a method."""
    draw_header("methods")
    for method, tab in zip(links.METHOD_TITLES, st.tabs(list(links.METHOD_TITLES.values())), strict=True):
        with tab:
            st.markdown(read_method(method))
            links.page_link(method, f"Open the {links.METHOD_TITLES[method]} page", icon=":material/arrow_forward:")


def draw_judge() -> None:
    """Say what the judge does and draw how often it agrees with people."""
    draw_section("judge")
    quality = judge_quality()
    if quality is None:
        st.info("How often it agrees with people is not measured here: the benchmark's result is missing.")
        return
    theme = current_theme()
    said = agreement_sentence(quality)
    st.markdown(said)
    st.plotly_chart(
        on_ground(agreement_bars(quality, theme)),
        key="judge-agreement",
        config=figure_config("judge-agreement"),
        theme=None,
        alt=said,
    )
    with st.expander("The same as a table"):
        st.dataframe(agreement_table(quality))
    holds = reliability_sentence(quality)
    st.markdown(holds)
    st.plotly_chart(
        on_ground(reliability_diagram(quality, theme)),
        key="judge-reliability",
        config=figure_config("judge-reliability"),
        theme=None,
        alt=holds,
    )
    with st.expander("The same as a table "):
        st.dataframe(reliability_table(quality), hide_index=True)
    st.caption(f"Measured on {as_text(quality.data)}, by `benchmarks/judge.py`.")


def draw_known_truth() -> None:
    """Draw which method saw which planted defect, and by which rule that was decided."""
    draw_section("planted")
    try:
        board = stored_scoreboard()
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if board is None:
        st.info("Not measured here: `python -m benchmarks.known_truth` asks the questions and writes the result.")
        return
    theme = current_theme()
    said = scoreboard_sentence(board)
    st.markdown(said)
    st.plotly_chart(
        on_ground(scoreboard_figure(board, theme)),
        key="known-truth",
        config=figure_config("known-truth"),
        theme=None,
        alt=said,
    )
    with st.expander("The scoreboard as a table"):
        st.dataframe(scoreboard_table(board))
    with st.expander("When a method counts as having seen it, question by question"):
        st.dataframe(rules_table(board), hide_index=True)
    st.caption(f"{as_text(board.origin)}, by `benchmarks/known_truth.py`.")


def draw_calibration() -> None:
    """Draw the thresholds that ship for the embedded model, and the policies at an equal number of lookups."""
    draw_section("thresholds")
    try:
        fit = read_fit(SHIPPED / "embedded.json")
    except RecordError as exc:
        st.info(f"Not measured here: {as_text(str(exc))} `microscope calibrate sample` fits them.")
        return
    said = policies_sentence(fit)
    figure = on_ground(policies_figure(fit, current_theme()))
    st.plotly_chart(figure, key="calibration", config=figure_config("calibration"), theme=None, alt=said)
    st.caption(as_text(said))
    with st.expander("The policies as a table"):
        st.dataframe(policies_table(fit), hide_index=True)
    with st.expander("The fitted thresholds"):
        st.dataframe(thresholds_table(fit), hide_index=True)
    st.caption(f"{as_text(fit.words.capitalize())}, by `microscope calibrate`.")


def draw_growth() -> None:
    """Draw how cost grows with the corpus, and how that was measured."""
    draw_header("corpus-cost")
    try:
        growth = stored_growth()
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if growth is None:
        st.info("Not measured here: `python -m benchmarks.growth_corpus` measures it and writes the result.")
        return
    theme = current_theme()
    st.markdown(as_text(within_target(growth)))
    for place, names in enumerate((SEARCH, DISK_AND_MEMORY)):
        said = sentence(growth, names)
        figure, name = on_ground(growth_figure(growth, names, theme)), f"growth-{place}"
        st.plotly_chart(figure, key=name, config=figure_config(name), theme=None, alt=said)
        st.caption(as_text(said))
    with st.expander("Every cost as a table"):
        st.dataframe(growth_table(growth), hide_index=True, alt="Every cost at every size, with its exponent")
    st.caption(f"{as_text(notes_sentence(growth))} By `benchmarks/growth_corpus.py`.")


def draw_question_growth() -> None:
    """Draw how the cost of one diagnosis grows with what it reads and draws."""
    draw_header("question-cost")
    try:
        growth = stored_growth(question_results_file())
    except RecordError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    if growth is None:
        st.info("Not measured here: `python -m benchmarks.growth_question` measures it and writes the result.")
        return
    theme = current_theme()
    for of, names in (("passages read", OVER_PASSAGES), ("samples", OVER_SAMPLES)):
        said = sentence(growth, names, of)
        figure, name = on_ground(growth_figure(growth, names, theme, of)), f"growth-{of.replace(' ', '-')}"
        st.plotly_chart(figure, key=name, config=figure_config(name), theme=None, alt=said)
        st.caption(as_text(said))
    with st.expander("Seconds of every part as a table"):
        st.dataframe(growth_table(growth), hide_index=True, alt="Seconds at every size, with their exponent")
    st.caption(f"{as_text(notes_sentence(growth))} By `benchmarks/growth_question.py`.")


def draw_places() -> None:
    """Say where data and models live, and that nothing leaves this machine."""
    draw_section("places")
    try:
        st.code(str(data_folder()), language=None)
    except StorageError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")


main()
