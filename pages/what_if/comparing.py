"""A variant beside the run it was made from: what was changed, what that did, and what noise allows to say of it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from engine.core.words import shorten
from engine.runs.compare import align_chunks
from engine.runs.store import RunSummary, StoredRun
from engine.runs.variant_noise import Beside
from engine.runs.variant_runs import Branch, ancestors
from engine.runs.variants import variant_base_request
from pages.shared import links, session
from pages.shared.details import Section, draw_open_tab
from pages.shared.downloads import save_button
from pages.shared.figures import draw_figure
from pages.shared.resources import sentences, stored_run
from pages.shared.result_view import draw_answer
from pages.shared.rows import draw_rows
from pages.shared.run_panel import submit_variant
from pages.shared.sent_values import one_of
from pages.shared.texts import page_text
from pages.shared.theme import as_text, current_theme
from pages.what_if.history import words_of
from pages.what_if.kept import also_differs, cached_comparison, changed_from
from pages.what_if.steps import start_over
from viz.methods.verdicts import verdict_html
from viz.parts.word_diff import word_diff_html
from viz.parts.words import counted
from viz.runs import what_if
from viz.runs.compare import chunks_sentence


def chosen_base(run: StoredRun, tree: tuple[Branch, ...]) -> StoredRun | None:
    """Return the run that the shown one is held against, after drawing the choice where there are several."""
    above = ancestors(tree, run.id)
    if not above:
        return None
    picked: object = above[0]
    if len(above) > 1:
        names = base_names(above, {branch.run.id: shorten(words_of(branch), 80) for branch in tree})
        picked = st.selectbox(
            "Compare with", above, format_func=lambda one: names.get(one, one), key=f"what_if.base.{run.id}"
        )
    return stored_run(one_of(picked, above, above[0]))


def base_names(above: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the runs that a variant was made from, nearest first; the last is the original.

    >>> base_names(("b", "a"), {"a": "Original: Who?", "b": "passage 2 left out"})
    {'b': '1 step before · passage 2 left out', 'a': 'Original: Who?'}
    """
    steps = {run_id: f"{counted(place, 'step')} before · {words[run_id]}" for place, run_id in enumerate(above, 1)}
    return {**steps, above[-1]: words[above[-1]]}


def base_word(base: str, tree: tuple[Branch, ...]) -> str:
    """Return what a run that a variant is held against is called: the original has no run above it."""
    return "run before" if ancestors(tree, base) else "original"


def draw_way_back(run: StoredRun, base: str, tree: tuple[Branch, ...]) -> None:
    """Draw the click that undoes a variant: the run it was made from is shown again; the variant stays stored.

    The full comparison is with ``base``, which it is held against here.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            f"Back to the {base_word(run.parent, tree)}", icon=":material/undo:", key=f"what_if.back.{run.id}"
        ):
            # The step that made the variant is taken back too; the editor's Undo brings it again.
            start_over(run.parent)
            session.open_run(run.parent)
            st.rerun()
        if st.button("Full comparison", icon=":material/compare_arrows:", key=f"what_if.compare.{run.id}"):
            links.go_to_pair(base, run.id)


def draw_against(base: StoredRun, run: StoredRun, redraws: tuple[RunSummary, ...], word: str) -> None:
    """Draw what was changed, the word on it, both answers, every headline number, and what else differs.

    ``word`` is what the run is called that the variant is held against.
    """
    if base.diagnosis is None or run.diagnosis is None:
        st.info("One run has no answer.")
        return
    changes = changed_from(base.id, run.id, run.finished_at)
    st.markdown(as_text(what_if.changes_sentence(changes)))
    causes = also_differs(base.id, run.id, run.finished_at)
    done = tuple(one.id for one in redraws if one.state == "done")
    with sentences():
        found = cached_comparison(base.id, run.id, run.finished_at, done)
    if found is None:
        return
    st.html(verdict_html(what_if.verdict(found, [what for what, _, _ in causes]), current_theme()))
    draw_causes(base, causes, word)
    left, right = st.columns(2)
    with left:
        draw_answer(f"The {word} answers", base.diagnosis.answer.text, base.diagnosis, large=False)
    with right:
        draw_answer("The variant answers", run.diagnosis.answer.text, run.diagnosis, large=False)
    draw_lines(found, run.id)
    draw_texts(base, run, word)


def draw_causes(base: StoredRun, causes: tuple[tuple[str, str, str], ...], word: str) -> None:
    """Say what else differs than what was changed, and offer a repeat of the base that differs in nothing else."""
    if not causes:
        return
    st.warning(page_text("notes/other_differences"), icon=":material/rule:")
    with st.expander("Other differences"):
        draw_rows(what_if.besides_table(causes), alt="Differences that nobody chose")
    if st.button(f"Run the {word} again", icon=":material/replay:", key=f"what_if.repeat.causes.{base.id}"):
        submit_variant(variant_base_request(base))


def draw_lines(found: Beside, run_id: str) -> None:
    """Draw the differences with their intervals, the same as a table, and every other number."""
    said = what_if.sentence(found)
    draw_open_tab(
        f"what_if.tab.{run_id}",
        (
            Section(
                label="Labels and numbers",
                draw=lambda: draw_rows(what_if.lines_table(found.lines), key=f"what_if.lines.{run_id}", alt=said),
            ),
            Section(label="Differences as a figure", draw=lambda: draw_difference(found, run_id, said)),
            Section(label=f"Other numbers ({len(found.others)})", draw=lambda: draw_others(found, run_id)),
        ),
    )
    with st.container(horizontal=True):
        with st.popover("How noise is measured", icon=":material/function:"):
            st.markdown(page_text("notes/noise"))
        file_name, key = f"what-if-{run_id}.csv", f"what_if.csv.{run_id}"
        save_button("Comparison as CSV", lambda: what_if.comparison_csv(found), file_name, key=key)


def draw_difference(found: Beside, run_id: str, said: str) -> None:
    """Draw the differences and their intervals as a figure."""
    figure = what_if.difference_figure(found, current_theme())
    draw_figure(figure, key=f"what_if.figure.{run_id}", name="what-if", alt=said)
    st.caption("Bars: 95% interval of the difference.")


def draw_others(found: Beside, run_id: str) -> None:
    """Draw the numbers that the change is not about."""
    if found.others:
        draw_rows(what_if.lines_table(found.others), key=f"what_if.others.{run_id}", alt="Other numbers")
    else:
        st.caption("No other number is in both runs.")


def draw_texts(base: StoredRun, run: StoredRun, word: str) -> None:
    """Draw the passages of both runs that were edited, with the words that differ marked."""
    if base.diagnosis is None or run.diagnosis is None:
        return
    a, b = base.diagnosis.hits, run.diagnosis.hits
    pairs = align_chunks(a, b)
    with st.expander(as_text(chunks_sentence(pairs, f"the {word}", "the variant"))):
        for pair in pairs:
            if pair.how == "changed" and pair.first is not None and pair.second is not None:
                heads = (f"Passage {pair.first + 1} of the {word}", f"Passage {pair.second + 1} of the variant")
                old, new = a[pair.first].passage.text, b[pair.second].passage.text
                st.html(word_diff_html(old, new, heads, current_theme()))
        draw_rows(what_if.found_table(b), alt="Passages of the variant")
