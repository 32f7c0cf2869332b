"""The Guide's pictures: one for each question, of a recorded run or a stored result, drawn when its page is shown."""

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from engine.backends.entailment.measured import judge_quality
from engine.core.errors import MicroscopeError
from engine.diagnosis.record import Diagnosis
from engine.learning.places import stored_sizes
from engine.learning.study_measured import stored_view
from engine.learning.timing_measured import stored_timing
from engine.methods.timing.method import TimingResult
from engine.runs.variant_noise import Beside
from pages.shared.figures import draw_figure
from pages.shared.links import METHOD_TITLES
from pages.shared.resources import atlas, stored_run
from pages.shared.theme import as_text, current_theme
from pages.what_if.kept import cached_comparison
from viz.learning.atlas_grid import grid_html
from viz.learning.slides import motion_html, picture
from viz.methods.lanes_grid import lanes_html
from viz.methods.timing_measured import curves_figure, etc_against_dragin
from viz.parts.theme import Theme
from viz.runs import what_if
from viz.runs.case_card import framed_cards_html
from viz.runs.summary import card_html, verdict_of
from viz.studies.views import view_figure, view_sentence
from viz.workspace.judge_quality import agreement_bars, agreement_sentence
from viz.workspace.places import places_figure, places_sentence

# Recorded runs that show what their page says: verdicts of four tones, an odd answer out, numbers that differ.
SIGNS, LESSON, BEHIND = "capital-of-france", "suez-opening-date", "capital-of-turkey"
# One question in other words: the answer and the belief change.
ORIGINAL, REWORDED = "largest-planet", "name-of-the-largest-planet"
DELAYED, VIEW = "atlas-delayed", "seper_utility"
CARDS = 6


def draw_picture(anchor: str) -> None:
    """Draw the picture of one question; nothing where the run or the result it is of is not on this machine."""
    try:
        PICTURES[anchor]()
    except MicroscopeError as exc:
        st.caption(as_text(str(exc)))


def recorded(run_id: str) -> Diagnosis | None:
    """Return what a recorded run found, after drawing its question; None without the run."""
    run = stored_run(run_id)
    if run is None or run.diagnosis is None:
        return None
    st.caption(as_text(run.diagnosis.question))
    return run.diagnosis


def draw_stored(anchor: str, draw: Callable[[Theme], go.Figure], said: str) -> None:
    """Draw a figure of a stored result, with its sentence as its text twin."""
    draw_figure(draw(current_theme()), key=f"guide.{anchor}.figure", name=f"guide-{anchor}", alt=said)


def draw_signs() -> None:
    """Draw what each method says of one run, with its sign."""
    run = recorded(SIGNS)
    shown = run.outcomes[:CARDS] if run is not None else ()
    cards = [(None, card_html(METHOD_TITLES[outcome.method], verdict_of(outcome))) for outcome in shown]
    st.html(framed_cards_html("signs", cards))


def draw_of_run(anchor: str, run_id: str, name: str) -> None:
    """Draw a slide's picture of a recorded run, with its motion."""
    run = recorded(run_id)
    if run is None:
        return
    box = f"guide-{anchor}"
    shown = picture(run, name, current_theme(), box)
    with st.container(key=box):
        if shown.motion:
            st.html(motion_html(shown))
        else:
            st.caption(as_text(shown.sentence))
        if shown.figure is not None:
            draw_figure(shown.figure, key=f"guide.{anchor}.figure", name=name, alt=shown.sentence)


def draw_what_if() -> None:
    """Draw what other words did to one question."""
    run = stored_run(REWORDED)
    found: Beside | None = cached_comparison(ORIGINAL, REWORDED, run.finished_at, ()) if run is not None else None
    if run is None or found is None:
        return
    recorded(REWORDED)
    draw_stored("what-if", lambda theme: what_if.difference_figure(found, theme), what_if.sentence(found))


def draw_studies() -> None:
    """Draw a view of the study that was measured, with the paper's values beside ours."""
    view = stored_view(VIEW)
    if view is not None:
        draw_stored("studies", lambda theme: view_figure(view, theme), view_sentence(view))


def draw_trust() -> None:
    """Draw how often the judge, on which most numbers rest, agrees with people."""
    quality = judge_quality()
    if quality is not None:
        draw_stored("trust", lambda theme: agreement_bars(quality, theme), agreement_sentence(quality))


def draw_failures() -> None:
    """Draw who noticed which recorded failure."""
    if found := atlas():
        st.html(grid_html(found))


def draw_labels() -> None:
    """Draw where each policy looks something up in one answer: what people label."""
    run = recorded(DELAYED)
    result = run.result(TimingResult) if run is not None else None
    if result is not None:
        st.html(lanes_html(result, "guide-lanes"))


def draw_places() -> None:
    """Draw what takes how much of the data folder."""
    sizes = stored_sizes()
    draw_stored("places", lambda theme: places_figure(sizes, theme), places_sentence(sizes))


def draw_papers() -> None:
    """Draw the papers' policies beside each other, as measured."""
    found = stored_timing()
    if found is not None:
        draw_stored("papers", lambda theme: curves_figure(found, theme), etc_against_dragin(found))


PICTURES: dict[str, Callable[[], None]] = {
    "signs": draw_signs,
    "lessons": lambda: draw_of_run("lessons", LESSON, "dense-graph"),
    "behind": lambda: draw_of_run("behind", BEHIND, "dense-agreement"),
    "what-if": draw_what_if,
    "studies": draw_studies,
    "trust": draw_trust,
    "failures": draw_failures,
    "labels": draw_labels,
    "places": draw_places,
    "papers": draw_papers,
}
