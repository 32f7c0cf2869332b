"""Drawing the original again with other seeds: how far its numbers move when nothing is changed but chance."""

from dataclasses import replace

import streamlit as st

from engine.runs.store import RunSummary, StoredRun
from engine.runs.variant_runs import redraws_wanted
from engine.runs.variants import variant_base_request
from pages.shared import session
from pages.shared.cost import draw_cost_of
from pages.shared.resources import desk, is_going, sentences
from pages.shared.run_panel import run_panel
from pages.shared.sent_values import whole_number
from pages.shared.theme import as_text
from pages.what_if.kept import seed_of

LEAST, MOST, USUAL = 2, 10, 4


def draw_redraws(base: StoredRun, redraws: tuple[RunSummary, ...]) -> None:
    """Draw how often the original was drawn again, the repeats in hand, and the button for more."""
    going = [run for run in redraws if is_going(run)]
    seeds = {run.id: seed_of(run.id, base.id) for run in redraws}
    done = [run for run in redraws if run.state == "done"]
    drawn = ", ".join(str(seeds[run.id]) for run in done)
    times = "once" if len(done) == 1 else f"{len(done)} times"
    st.caption(
        f"Repeated {times} ({'seed' if len(done) == 1 else 'seeds'} {drawn}) beside seed {base.request.seed}."
        if done
        else "Not repeated yet. Without repeats only SePer, DENSE and the answer have measured noise."
    )
    if going:
        draw_going(going, len(redraws) - len(going))
        return
    draw_more(base, [seed for seed in seeds.values() if seed is not None])


def draw_going(going: list[RunSummary], ended: int) -> None:
    """Draw the repeats that are worked on or wait: progress of the first, and the click that stops all."""
    st.markdown(as_text(f"{len(going)} of {len(going) + ended} repeats left."))
    if st.button("Cancel all repeats", icon=":material/stop_circle:", key="what_if.redraws.cancel"):
        for run in reversed(going):
            desk().cancel(run.id)
        st.toast("Stopping. Finished repeats are kept.")
    # The oldest one is in hand; the desk works them off in turn.
    run_panel(going[0].id)


def draw_more(base: StoredRun, used: list[int]) -> None:
    """Draw how many repeats to add, what they cost, and the button."""
    kept = f"microscope.what_if.repeats.{base.id}"  # the slider is away while repeats are worked on
    last = whole_number(session.widget_state(kept), LEAST, MOST, USUAL)
    times = st.slider("Repeats", LEAST, MOST, key=session.widget_key(f"what_if.redraws.{base.id}", last))
    wanted = variant_base_request(base)
    number = whole_number(times, LEAST, MOST, USUAL)
    session.set_widget(kept, number)
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = st.button(
            f'Repeat {number} times', icon=":material/casino:", key=f"what_if.redraw.{base.id}",
            help="Each is a run with another seed.",
        )  # fmt: skip
        draw_cost_of(wanted, "Per repeat")
    if not asked:
        return
    with sentences():
        for request in redraws_wanted(wanted, (*used, wanted.seed), number):
            desk().submit(replace(request, parent=base.id), session.person_name())
    st.rerun()
