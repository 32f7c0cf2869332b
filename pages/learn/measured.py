"""Measured: what this program measured of itself, one question at a time, with its figure, its tables and its origin.

``?about=judge`` opens one of them. Numbers come from ``benchmarks/results`` and the thresholds that ship; where one is
missing, the page says how it is made.
"""

from collections.abc import Callable, Mapping

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import MicroscopeError
from engine.learning.guide import read_section
from engine.learning.known_truth import stored_scoreboard
from engine.learning.study_measured import STUDIES, stored_studies
from engine.learning.timing_measured import stored_timing
from engine.thresholds.fitted import SHIPPED, read_fit
from pages.shared import session
from pages.shared.figures import draw_figure
from pages.shared.resources import shown_errors
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.sent_values import one_of
from pages.shared.settings import draw_choice
from pages.shared.texts import draw_head
from pages.shared.theme import as_text, current_theme
from viz.learning import known_truth
from viz.methods import timing_measured
from viz.parts.theme import Theme
from viz.studies.views import below_figure, has_panels, real_origin, view_figure, view_sentence, view_table
from viz.workspace import calibration
from viz.workspace import judge_quality as judged

ABOUT = "about"
TITLES = {
    "judge": "The judge of two answers",
    "planted": "Planted defects",
    "thresholds": "Fitted thresholds",
    "policies": "Policies",
    "real": "Real questions",
}


def main() -> None:
    """Draw the choice of a question, and what was measured for the one chosen."""
    draw_head("measured", "Measured")
    asked = one_of(session.address_parameter(ABOUT), tuple(TITLES), next(iter(TITLES)))
    about = draw_choice("Question", TITLES, "measured.about", asked)
    session.set_address(ABOUT, about)
    st.markdown(read_section(about))
    with shown_errors():
        DRAWN[about]()


def draw_finding(
    name: str,
    draw: Callable[[Theme], go.Figure],
    said: str,
    tables: Mapping[str, pd.DataFrame],
    *,
    panels: bool = False,
) -> None:
    """Draw a measured result: its sentence, its figure, and its tables, each under the name it is opened by.

    ``panels``: the figure needs more room than a narrow screen has.
    """
    st.markdown(as_text(said))
    draw_figure(draw(current_theme()), key=name, name=name, alt=said, panels=panels)
    for label, table in tables.items():
        with st.expander(label):
            rows = table if isinstance(table.index, pd.RangeIndex) else table.reset_index()
            draw_rows(rows, key=f"measured.{name}.{label}", alt=said, height=LIST_HEIGHT)


def draw_judge() -> None:
    """Draw how often the judge agrees with people."""
    quality = judge_quality()
    if quality is None:
        st.info("Not measured here. `python -m benchmarks.judge` does it.")
        return
    draw_finding(
        "judge-agreement",
        lambda theme: judged.agreement_bars(quality, theme),
        judged.agreement_sentence(quality),
        {"As a table": judged.agreement_table(quality)},
    )
    draw_finding(
        "judge-reliability",
        lambda theme: judged.reliability_diagram(quality, theme),
        judged.reliability_sentence(quality),
        {"As a table ": judged.reliability_table(quality)},
    )
    st.caption(f"Measured on {as_text(quality.data)}, by `benchmarks/judge.py`.")


def draw_known_truth() -> None:
    """Draw which method saw which planted defect, and by which rule that was decided."""
    board = stored_scoreboard()
    if board is None:
        st.info("Not measured here. `python -m benchmarks.known_truth` does it.")
        return
    draw_finding(
        "known-truth",
        lambda theme: known_truth.scoreboard_figure(board, theme),
        known_truth.scoreboard_sentence(board),
        {
            "As a table": known_truth.scoreboard_table(board),
            "When a method has seen it": known_truth.rules_table(board),
        },
        panels=True,
    )
    st.caption(f"{as_text(board.origin)}, by `benchmarks/known_truth.py`.")


def draw_calibration() -> None:
    """Draw the thresholds that ship for the SmolLM2-135M reader, and the policies at an equal number of retrievals."""
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
            "As a table": calibration.policies_table(fit),
            "The fitted thresholds": calibration.thresholds_table(fit),
        },
        panels=True,
    )
    writer = fit.origin.writer or fit.origin.model
    st.caption(f"{as_text(fit.words.capitalize())}, step-by-step answers by {as_text(writer)}; `microscope calibrate`.")


def draw_policies() -> None:
    """Draw what every policy achieved over its number of lookups."""
    found = stored_timing()
    if found is None:
        st.info("Not measured here. `python -m benchmarks.timing` does it.")
        return
    draw_finding(
        "policies",
        lambda theme: timing_measured.curves_figure(found, theme),
        timing_measured.etc_against_dragin(found),
        {"Every policy at every threshold": timing_measured.measured_table(found)},
    )
    st.caption(f"{as_text(found.corpus)}, by `benchmarks/timing.py`.")


def draw_real_questions() -> None:
    """Draw one of the papers' views of a study of real questions, with the paper's values beside ours."""
    found = stored_studies()
    if not found:
        st.info("Not measured here. `python -m benchmarks.real_studies nq` does it.")
        return
    word = draw_choice("Data", {one: STUDIES[one] for one in found}, "measured.data", next(iter(found)))
    views = {view.name: view for view in found[word].views}
    title = {name: one.title for name, one in views.items()}
    picked = st.selectbox("View", list(title), format_func=lambda name: title.get(name, name), key="measured.view")
    view = views[one_of(picked, tuple(views), next(iter(views)))]
    key = f"measured.real.{word}.{view.name}"
    figure, said = view_figure(view, current_theme()), view_sentence(view)
    draw_figure(figure, key=key, name=f"{word}-{view.name}", alt=said, panels=has_panels(view))
    st.caption(as_text(below_figure(view)))
    with st.expander("As a table"):
        draw_rows(view_table(view), key=f"{key}.rows", alt=said, height=LIST_HEIGHT)
    told = real_origin(STUDIES[word], found[word])
    st.caption(f"{as_text(told)}. By `benchmarks/real_studies.py`.")


DRAWN: dict[str, Callable[[], object]] = {
    "judge": draw_judge,
    "planted": draw_known_truth,
    "thresholds": draw_calibration,
    "policies": draw_policies,
    "real": draw_real_questions,
}
main()
