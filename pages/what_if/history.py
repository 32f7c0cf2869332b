"""The tree of variants that a run stands in, with what was changed in each; a row is the way to its run."""

import streamlit as st

from engine.runs.variant_runs import Branch
from pages.shared import links, session
from pages.shared.rows import LIST_HEIGHT, choose_row
from pages.shared.theme import as_text
from pages.what_if.kept import changed_from, seed_of
from viz.runs import what_if


def draw_tree(tree: tuple[Branch, ...], shown: str) -> None:
    """Draw the tree as a table whose rows open their runs."""
    below = [branch.run for branch in tree if branch.depth]
    repeats = {run.id for run in below if seed_of(run.id, run.parent) is not None}
    st.markdown(as_text(what_if.tree_sentence(tree, repeats)))
    if len(tree) < 2:
        return
    table = what_if.tree_table(tree, shown, {branch.run.id: words_of(branch) for branch in tree})
    row = choose_row(
        table, [branch.run.id for branch in tree], key="what_if.tree", alt="Tree of runs", height=LIST_HEIGHT
    )
    if row is None:
        return
    run_id = tree[row].run.id
    with st.container(horizontal=True):
        if st.button("Open it", type="primary", key=f"what_if.open.{run_id}", disabled=run_id == shown):
            session.open_run(run_id)
            st.rerun()
        if st.button("Compare with this run", key=f"what_if.with.{run_id}", disabled=run_id == shown):
            links.go_to_pair(shown, run_id)


def words_of(branch: Branch) -> str:
    """Return what was changed in a run, its question for the one at the top."""
    run = branch.run
    if not branch.depth:
        return f"Original: {run.question}"
    changes = changed_from(run.parent, run.id, run.finished_at or run.answer)
    return "; ".join(changes) or ("no answer yet" if not run.answer else "unchanged")
