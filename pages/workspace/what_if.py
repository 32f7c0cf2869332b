"""What if: a run with something changed, beside the original, each difference held against the noise of its draws."""

import streamlit as st

from engine.core.errors import CorpusError, InputError
from engine.runs.request_checks import check_request
from engine.runs.store import StoredRun
from engine.runs.variants import Steps, Variant, changes, variant_base_request, variant_request
from pages.shared.cost import draw_cost_of
from pages.shared.method_page import chosen_run, end_with_nothing
from pages.shared.resources import is_going, sentences, standing
from pages.shared.result_view import draw_found
from pages.shared.run_panel import draw_going_on, how_it_ended, run_panel, submit_variant
from pages.shared.theme import as_text, page_style
from pages.what_if.asking import draw_asking, draw_notice, draw_reading
from pages.what_if.comparing import chosen_base, draw_against_original, draw_way_back
from pages.what_if.drawing import draw_redraws
from pages.what_if.editing import draw_passages
from pages.what_if.history import draw_tree
from pages.what_if.kept import redraws_of, tree_of
from pages.what_if.steps import redo_step, start_over, steps_of, undo_step
from viz import what_if
from viz.summary import question_html


def main() -> None:
    """Draw the page from top to bottom: the variant beside its original, then what can be changed, then the tree."""
    page_style()
    st.title("What if")
    st.markdown("Change one thing in a run, ask again with the same seeds, and see what changed beyond noise.")
    with sentences():
        run = chosen_run("what_if", with_parent=False)
    if run is None:
        end_with_nothing()
    st.html(question_html(run.request.question, run.request.golds))
    with sentences():
        tree = tree_of(run.id)
    base = chosen_base(run, tree)
    original = base or run
    with sentences():
        redraws = redraws_of(original, tree)
    draw_state(run)
    if base is not None:
        draw_way_back(run)
        if not is_going(run):
            st.header("Compared with the original")
            draw_against_original(base, run, redraws)
    if run.diagnosis is not None and not is_going(run):
        draw_editor(run)
    st.header("Noise of the original")
    if original.diagnosis is not None and not is_going(original):
        draw_redraws(original, redraws)
    else:
        st.caption("Once the original has finished, it can be repeated with other seeds.")
    st.header("Runs made from this one")
    draw_tree(tree, run.id)


def draw_state(run: StoredRun) -> None:
    """Draw a run's progress while it goes on, or why it is not whole."""
    if is_going(run):
        run_panel(run.id)
        status = standing(run.id)
        if run.diagnosis is None and status is not None and status.hits:
            draw_found(status.hits, run.request.golds)
    elif ended := how_it_ended(run):
        st.warning(as_text(ended), icon=":material/info:")
        draw_going_on(run)


def draw_editor(run: StoredRun) -> None:
    """Draw what can be changed in the shown run, what is changed so far, and the button that asks."""
    st.header("Change it")
    draw_notice()
    with sentences():
        start, steps = steps_of(run)
    now = steps.now
    draw_pending(run, start, steps)
    with st.expander("Question, correct answers and judge", icon=":material/help:"):
        draw_asking(run.id, now)
    draw_reading(run.id, start, now)
    draw_passages(run, start, now)


def draw_pending(run: StoredRun, start: Variant, steps: Steps) -> None:
    """Draw what is changed so far with undo and redo, and ask for it."""
    told = changes(start, steps.now)
    with st.container(border=True, key="what-if-pending"):
        st.markdown(as_text(what_if.changes_sentence(told)) if told else "Nothing changed yet: edit a passage below.")
        with st.container(horizontal=True, vertical_alignment="center"):
            # A filled button that cannot be pressed would stand there without readable words.
            asked = st.button(
                "Run this variant", type="primary" if told else "secondary", icon=":material/play_arrow:",
                disabled=not told, key=f"what_if.ask.{run.id}",
            )  # fmt: skip
            for name, label, icon, able, act in (
                ("undo", "Undo", ":material/undo:", steps.can_undo, undo_step),
                ("redo", "Redo", ":material/redo:", steps.can_redo, redo_step),
                ("reset", "Start over", ":material/restart_alt:", bool(told), start_over),
            ):
                st.button(
                    label, icon=icon, disabled=not able, on_click=act, args=(run.id,), key=f"what_if.{name}.{run.id}"
                )
        draw_request(run, start, steps.now, asked, bool(told))


def draw_request(run: StoredRun, start: Variant, now: Variant, asked: bool, changed: bool) -> None:
    """Draw what the variant costs, or why it cannot be asked; submit it where it was asked for."""
    if not changed:
        return
    try:
        request = check_request(variant_request(variant_base_request(run), start, now))
    except (CorpusError, InputError) as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return
    draw_cost_of(request)
    st.caption(f"Same seed ({request.seed}), same methods. The variant is a new stored run, linked to this one.")
    if asked:
        submit_variant(request)


main()
