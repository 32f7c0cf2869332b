"""What if: a run with something changed, beside the original, each difference held against the noise of its draws."""

from functools import partial

import streamlit as st

from engine.runs import variants
from engine.runs.request_checks import check_request
from engine.runs.store import StoredRun
from engine.runs.variant_runs import run_tree
from pages.shared import session
from pages.shared.cost import draw_cost_of
from pages.shared.method_page import chosen_run, end_with_nothing
from pages.shared.resources import is_going, sentences, shown_errors, standing, store
from pages.shared.result_view import draw_found, draw_question
from pages.shared.run_panel import draw_state, submit_variant
from pages.shared.texts import draw_head
from pages.shared.theme import as_text
from pages.what_if.asking import draw_asking, draw_reading
from pages.what_if.comparing import base_word, chosen_base, draw_against, draw_way_back
from pages.what_if.drawing import draw_redraws
from pages.what_if.editing import draw_passages
from pages.what_if.history import draw_tree
from pages.what_if.kept import redraws_of
from pages.what_if.steps import set_steps, start_over, steps_of
from viz.runs import what_if
from viz.runs.summary import question_html

MOST_RUNS = 5000


def main() -> None:
    """Draw the page from top to bottom: the variant beside its original, then what can be changed, then the tree."""
    draw_head("what_if", "What if")
    with sentences():
        run = chosen_run("what_if", with_parent=False)
    if run is None:
        end_with_nothing()
    with sentences():
        tree = run_tree(store().listing(limit=MOST_RUNS), run.id)
    base = chosen_base(run, tree)
    if base is None and run.diagnosis is not None:
        draw_question(run.diagnosis)
    else:  # a variant's answer stands beside its original's below
        st.html(question_html(run.request.question, run.request.golds))
    original = base or run
    word = base_word(original.id, tree)
    with sentences():
        redraws = redraws_of(original, tree)
    draw_state(run)
    status = standing(run.id) if is_going(run) and run.diagnosis is None else None
    if status is not None and status.hits:
        draw_found(status.hits, run.request.golds)
    if base is not None:
        draw_way_back(run, base.id, tree)
        if not is_going(run):
            st.header(f"Compared with the {word}")
            draw_against(base, run, redraws, word)
    if run.diagnosis is not None and not is_going(run):
        draw_editor(run)
    st.header(f"Noise of the {word}")
    if original.diagnosis is not None and not is_going(original):
        draw_redraws(original, redraws)
    else:
        st.caption("Repeat it once it has finished.")
    st.header("Runs made from this one")
    draw_tree(tree, run.id)


def draw_editor(run: StoredRun) -> None:
    """Draw what can be changed in the shown run, what is changed so far, and the button that asks."""
    st.header("Change it")
    if notice := session.pop_notice():
        st.warning(as_text(notice))
    with sentences():
        start, steps = steps_of(run)
    now = steps.now
    draw_pending(run, start, steps)
    with st.expander("Question, correct answers and judge", icon=":material/help:"):
        draw_asking(run.id, now)
    draw_reading(run.id, start, now)
    draw_passages(run, start, now)


def draw_pending(run: StoredRun, start: variants.Variant, steps: variants.Steps) -> None:
    """Draw what is changed so far with undo and redo, and ask for it."""
    changed = variants.changes(start, steps.now)
    # What is changed stays in sight while the passages are scrolled.
    with st.container(border=True, key="what-if-pending" if changed else "what-if-unchanged"):
        st.markdown(as_text(what_if.changes_sentence(changed)) if changed else "Nothing changed yet.")
        with st.container(horizontal=True, vertical_alignment="center"):
            # A filled button that cannot be pressed would stand there without readable words.
            asked = st.button(
                "Run this variant", type="primary" if changed else "secondary", icon=":material/play_arrow:",
                disabled=not changed, key=f"what_if.ask.{run.id}",
            )  # fmt: skip
            for name, label, icon, able, act in (
                ("undo", "Undo", ":material/undo:", steps.can_undo, partial(set_steps, how=variants.pop_step)),
                ("redo", "Redo", ":material/redo:", steps.can_redo, partial(set_steps, how=variants.restore_step)),
                ("reset", "Start over", ":material/restart_alt:", bool(changed), start_over),
            ):
                key = f"what_if.{name}.{run.id}"
                st.button(label, icon=icon, disabled=not able, on_click=act, args=(run.id,), key=key)
        if not changed:
            return
        request = None
        with shown_errors():
            request = check_request(variants.variant_request(variants.variant_base_request(run), start, steps.now))
            if asked:
                submit_variant(request)
    if request is not None:
        draw_cost_of(request)
        st.caption(f"A new run, same seed ({request.seed}).")


main()
