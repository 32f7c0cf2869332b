"""Threshold lab: every trigger threshold moved on a run's stored numbers, and what that changes, with no model loaded.

The thresholds tried stand in the address (``?run=ID&alpha=1.4``), so a finding can be sent on.
"""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis
from engine.methods.threshold import GROUPS
from engine.runs.store import StoredRun
from engine.thresholds.fitted import fit_of
from engine.thresholds.fitted.records import FittedThresholds
from engine.thresholds.in_run import RunThreshold, moved, run_thresholds
from engine.thresholds.replay import Replayed, replayed
from engine.thresholds.request import request_with
from engine.thresholds.table import THRESHOLDS, methods_of
from pages.shared import links, session
from pages.shared.downloads import save_button
from pages.shared.figures import draw_figure
from pages.shared.linked import draw_chosen
from pages.shared.method_page import open_page
from pages.shared.rows import draw_rows
from pages.shared.run_panel import submit_variant, variant_of
from pages.shared.selection import Chosen
from pages.shared.theme import as_text, current_theme
from pages.shared.undo import draw_left_undo, leave_undo
from pages.shared.variants import with_method
from viz.methods.verdicts import verdict_html
from viz.runs import threshold_lab as lab
from viz.runs.threshold_values import values_figure, values_sentence
from viz.workspace import calibration

LAB, SHOWN = "lab", "lab.shown"
# What no slider holds.
NEVER = object()


def draw_page() -> None:
    """Draw the page from top to bottom."""
    # The changes stay in sight while the thresholds are scrolled.
    st.html("<style>.st-key-lab-changes {position:sticky; top:4rem;}</style>")
    run, diagnosis = open_page("thresholds", "Threshold lab", "This run has no numbers yet.")
    chosen = draw_chosen(diagnosis, hint=False)
    fit = fit_of_run(diagnosis)
    draw_lab(run, diagnosis, {} if fit is None else fitted_values(fit), chosen)
    if fit is not None:
        draw_fit(fit)


def fit_of_run(diagnosis: Diagnosis) -> FittedThresholds | None:
    """Return the thresholds fitted to exactly this run's model, judge and profile; None where there are none."""
    origin = diagnosis.provenance
    try:
        revisions = (origin.model_revision, origin.writer_revision, origin.rewords[1])
        return fit_of(origin.model, revisions, origin.judge, origin.profile)
    except RecordError as exc:
        st.warning(as_text(str(exc)))
        return None


def fitted_values(fit: FittedThresholds) -> dict[str, float]:
    """Return the thresholds that were fitted, by name."""
    return {one.name: one.value for one in fit.thresholds if one.value is not None}


def draw_fit(fit: FittedThresholds) -> None:
    """Draw what each threshold achieves where it was fitted and where it was tested, or why it was refused."""
    with st.expander("How they were fitted and tested", icon=":material/tune:"):
        st.caption(as_text(fit.how))
        draw_rows(calibration.thresholds_table(fit), alt="Every fitted threshold")


@st.fragment
def draw_lab(run: StoredRun, diagnosis: Diagnosis, fitted: Mapping[str, float], chosen: Chosen) -> None:
    """Draw the thresholds and what they change. Only this part is redrawn when one moves."""
    found = run_thresholds(diagnosis)
    follow_run(found)
    draw_presets(found, fitted)
    left, right = st.columns([2, 3], gap="large")
    with left:
        settings = draw_thresholds(run, found, fitted)
    with right, st.container(key="lab-changes"):
        draw_changes(run, diagnosis, found, settings, chosen)


def follow_run(found: tuple[RunThreshold, ...]) -> None:
    """Put the sliders that nobody moved to this run's own thresholds: another run may have been shown before."""
    held = session.widget_state(SHOWN)
    before = held if isinstance(held, dict) else {}
    own = {one.word: one.value for one in found if not one.missing}
    put_sliders({word: value for word, value in own.items() if session.widget_state(word) == before.get(word, NEVER)})
    session.set_widget(SHOWN, before | own)


def draw_presets(found: tuple[RunThreshold, ...], fitted: Mapping[str, float]) -> None:
    """Draw the buttons that put all thresholds to the run's own, the papers' or the fitted ones."""
    own, papers, fits = lab.presets(found, fitted)
    unfitted = None if fitted else "None fitted here. Run `microscope calibrate`."
    with st.container(horizontal=True):
        for key, label, icon, values, obstacle in (
            ("lab.reset", "Reset to this run", "restart_alt", own, None),
            ("lab.papers", "Use the papers' values", "article", papers, None),
            ("lab.fitted", "Use the fitted values", "tune", fits, unfitted),
        ):
            off, icon = obstacle is not None, f":material/{icon}:"
            st.button(label, icon=icon, on_click=set_all_sliders, args=(values,), key=key, disabled=off, help=obstacle)
    draw_left_undo(LAB)


def set_all_sliders(values: Mapping[str, float]) -> None:
    """Make every slider hold a value when it is drawn next, which can be undone."""
    before = {word: session.widget_state(word) for word in values}
    leave_undo(LAB, "The thresholds were set.", partial(put_sliders, before))
    put_sliders(values)


def put_sliders(values: Mapping[str, object]) -> None:
    """Make sliders hold these values."""
    for word, value in values.items():
        session.set_widget(word, value)


def draw_thresholds(run: StoredRun, found: tuple[RunThreshold, ...], fitted: Mapping[str, float]) -> dict[str, float]:
    """Draw the thresholds by what they decide; return where they stand."""
    settings: dict[str, float] = {}
    for group in GROUPS:
        with st.container(border=True):
            st.markdown(f"**{group}**")
            for one in (one for one in found if THRESHOLDS[one.word].group == group):
                if one.missing:
                    draw_missing(run, one)
                else:
                    settings[one.word] = draw_threshold(one, fitted)
    return settings


def draw_threshold(one: RunThreshold, fitted: Mapping[str, float]) -> float:
    """Draw one threshold; return where it stands."""
    low, high, step = lab.span(one)
    now = session.widget_state(one.word)
    if isinstance(now, int | float) and now != lab.within_span(one, float(now)):
        session.set_widget(one.word, lab.within_span(one, float(now)))
    value = st.slider(
        lab.label(one),
        low,
        high,
        one.value,
        step=step,
        format="%.0f" if step == 1.0 else "%.2f",
        key=one.word,
        bind="query-params",
        help=f"{THRESHOLDS[one.word].decides}",
    )
    state = lab.state_word(one, float(value), fitted)
    st.caption(as_text(f"{state}{lab.origin_sentence(one, fitted)}"))
    return float(value)


def draw_missing(run: StoredRun, one: RunThreshold) -> None:
    """Draw why a threshold cannot be moved in this run, and the click that would add what is missing."""
    st.markdown(f"{as_text(lab.label(one))}: *{as_text(one.missing)}*")
    method = methods_of(THRESHOLDS[one.word])[0]
    if method in run.request.methods and run.diagnosis is not None and run.diagnosis.outcome(method) is not None:
        links.page_link(method, f"See why on the page {links.METHOD_TITLES[method]}", icon=":material/arrow_forward:")
    elif st.button(f"Run {links.METHOD_TITLES[method]} too", icon=":material/play_arrow:", key=f"lab.add.{one.word}"):
        submit_variant(with_method(variant_of(run), method))


def draw_changes(
    run: StoredRun,
    diagnosis: Diagnosis,
    found: tuple[RunThreshold, ...],
    settings: Mapping[str, float],
    chosen: Chosen,
) -> None:
    """Draw what the thresholds change against the run, what needs a new one, and the ways on."""
    theme, changed = current_theme(), replayed(diagnosis, settings)
    count = len(moved(diagnosis, settings))
    st.html(verdict_html(lab.verdict(changed, count), theme))
    for sentence in lab.sentences(changed):
        st.markdown(f"- {as_text(sentence)}")
    strip = lab.strip_html(diagnosis, changed, theme, token_in(diagnosis, chosen))
    if strip:
        st.markdown("**The answer from memory**")
        st.html(strip)
    draw_stale(changed)
    draw_rerun(run, diagnosis, found, settings, count)
    figure, alt = values_figure(found, settings, theme), values_sentence(found, settings)
    draw_figure(figure, key="lab.values", name="thresholds-values", alt=alt)
    with st.expander("As a table"):
        draw_rows(lab.settings_table(found, settings), alt="Every threshold")
        if changed.changes:
            draw_rows(lab.changes_table(changed), key="lab.changes", alt="Everything that changes")
    if not (changed.changes or changed.stale):
        return
    with st.container(horizontal=True):
        name = f"thresholds-{run.id}"
        save_button("What changed as CSV", lambda: lab.changes_csv(changed), f"{name}.csv", key="lab.csv")
        record = partial(lab.changes_json, run.id, found, settings, changed)
        save_button("What changed as JSON", record, f"{name}.json", key="lab.json")


def token_in(diagnosis: Diagnosis, chosen: Chosen) -> int | None:
    """Return the chosen token of the answer from memory, that of the chosen trigger where no token is chosen."""
    token = chosen.token_of(lab.memory_answer(diagnosis))
    return chosen.trigger[2] if token is None and chosen.trigger is not None else token


def draw_stale(changed: Replayed) -> None:
    """Draw, in grey, what of the run is no longer true and why a replay cannot show it."""
    if not changed.stale:
        return
    with st.container(border=True, key="card-unknown-stale"):
        st.markdown("**Needs a new run**")
        for one in lab.stale_parts(changed):
            st.caption(as_text(f"{lab.where_words(one.part)}. {one.why}"))


def draw_rerun(
    run: StoredRun, diagnosis: Diagnosis, found: tuple[RunThreshold, ...], settings: Mapping[str, float], count: int
) -> None:
    """Draw the button that asks the same again with these thresholds, as a child of this run."""
    asked = st.button(
        "Run again with these",
        type="primary" if count else "secondary",
        icon=":material/play_arrow:",
        disabled=not count,
        key="lab.rerun",
    )
    kept_back = [one for one in found if one.not_handed_on and one.word in moved(diagnosis, settings)]
    for one in kept_back:
        st.caption(as_text(f"{THRESHOLDS[one.word].title} is not handed on: {one.not_handed_on}"))
    if asked:
        submit_variant(request_with(variant_of(run), diagnosis, settings))


draw_page()
