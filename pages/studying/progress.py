"""Where a study stands: progress, time left, pause, cancel and resume, and what it was asked with."""

import streamlit as st

from engine.core.errors import InputError
from engine.core.words import left_text
from engine.runs.studies.background import by_the_clock, side_by_side, start_study
from engine.runs.studies.concurrency import Concurrency, usual_concurrency
from engine.runs.studies.plan import corpus_change, renewed
from engine.runs.studies.records import Control, Study
from pages.shared import session
from pages.shared.resources import desk, sentences
from pages.shared.study_store import STUDY_PARAMETER, going_twin, study_named, study_store
from pages.shared.theme import as_text, current_theme
from pages.studying.at_once import draw_concurrency
from viz.parts.words import counted
from viz.studies.words import shown_settings, standing_html, verdicts_in

LOOK_SECONDS = 2.0
# A corpus may be large: its bytes are not read again for every click.
CHECKED_SECONDS = 20.0
REDRAW_PARTS = 20  # a study redraws its table about this often; one of few points after each


def draw_standing(study: Study) -> None:
    """Draw the way back, where the study stands, and its settings."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("All studies", icon=":material/arrow_back:", key="all_studies"):
            session.set_address(STUDY_PARAMETER, "")
            st.rerun()
        draw_actions(study)
        with st.popover("Settings", icon=":material/tune:"):
            for name, value in shown_settings(study.plan).items():
                st.markdown(f"**{name}** {as_text(value)}")
            if study.plan.repeated:
                st.caption(f"{counted(study.plan.repeated, 'repeated question')} of the file left out.")
    if study.state == "running":
        st.fragment(draw_progress, run_every=LOOK_SECONDS)(study.id, study.finished)
    elif study.waiting or study.failed:
        st.html(standing_html(study, current_theme()))


def draw_actions(study: Study) -> None:
    """Draw what can be done with the study as it stands."""
    if study.state == "running":
        if st.button("Pause", icon=":material/pause:", key="pause_study", help="After the current questions."):
            tell(study, "pause")
        if st.button("Cancel", icon=":material/stop_circle:", key="cancel_study", help="Stops the current questions."):
            tell(study, "cancel")
    elif (study.waiting or study.failed) and (change := corpus_change_in(study.id)):
        st.warning(as_text(change))
        help = "Same questions and settings, the corpus as it is now."
        if st.button("Start a new study", type="primary", icon=":material/restart_alt:", key="renew_study", help=help):
            begin_anew(study)
    elif study.waiting or study.failed:
        draw_going_on(study)


def draw_going_on(study: Study) -> None:
    """Draw the button that asks what waits, or what failed, and how many questions at once."""
    if study.waiting:
        clicked = st.button("Resume", type="primary", icon=":material/resume:", key="resume_study")
    else:
        clicked = st.button("Ask failed again", icon=":material/refresh:", key="ask_failed")
    left = study.waiting or study.failed
    at_once = draw_concurrency(f"studies.together.{study.id}", study.plan.request.model, left)
    if not clicked:
        return
    if not study.waiting:
        with sentences():
            study_store().ask_again(study.id)
    go_on(study.id, at_once)


@st.cache_data(show_spinner=False, ttl=CHECKED_SECONDS)
def corpus_change_in(study_id: str) -> str:
    """Return what changed in the corpus of a study, "" where nothing did; what cannot be read is a change too."""
    try:
        return corpus_change(study_store().get(study_id).plan)
    except InputError as exc:
        return str(exc)


def begin_anew(study: Study) -> None:
    """Begin the same study over the corpus as it is now, and open it."""
    with sentences():
        kept = study_store().kept_points(study.id)
        questions = {one.question.number: one.question for one in kept}
        plan, file, points = renewed(study.plan, tuple(questions.values()))
        new = going_twin(plan) or study_store().create(plan, file, points)
    session.set_address(STUDY_PARAMETER, new)
    go_on(new, usual_concurrency(study.plan.request.model, study.points))


def tell(study: Study, control: Control) -> None:
    """Tell a study to pause or to stop, and draw the page anew."""
    with sentences():
        study_store().tell(study.id, control)
    st.toast("Finished questions are kept.")
    st.rerun()


def go_on(study_id: str, at_once: Concurrency) -> None:
    """Work on a study from here, and draw the page anew."""
    with sentences():
        study_store().beat(study_id)
        start_study(study_store(), desk(), study_id, verdicts_in, at_once)
    st.rerun()


def draw_progress(study_id: str, drawn: int) -> None:
    """Draw how far a study is; draw the page anew when it stops, or when it has much more than the ``drawn`` points.

    Not with each point: a table that changes under the reader's hand loses what was selected in it.
    """
    with sentences():
        study = study_named(study_id)
    if study is None:  # deleted meanwhile
        st.rerun()
    more = study.finished - drawn
    if study.state != "running" or (more and not drawn) or more >= max(1, study.points // REDRAW_PARTS):
        st.rerun()
    st.progress(study.share, text=as_text(progress_sentence(study)))


def progress_sentence(study: Study) -> str:
    """Return how far a study is, and how long the rest takes at its pace so far."""
    number = side_by_side(study.id)
    beside = f", {number} at once" if number > 1 else ""
    done = f"{study.finished} of {study.points} points{beside}"
    failed = f", {study.failed} failed" if study.failed else ""
    paced = by_the_clock(study)
    if paced.seconds_left is None:
        return f"{done}{failed}. The first one loads the models."
    return f"{done}{failed}. {left_text(paced.seconds_left).capitalize()} at {paced.seconds_each:.1f} s a point."
