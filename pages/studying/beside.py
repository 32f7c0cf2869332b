"""Two studies side by side, or two variants of one: paired differences on the questions that both asked."""

import streamlit as st

from engine.runs.studies.pairs import Side, changed, differences, paired, share_questions
from engine.runs.studies.records import Study
from engine.runs.studies.table import StudyTable
from pages.shared.figures import draw_figure
from pages.shared.lasting import lasting_key
from pages.shared.resources import sentences
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.sent_values import one_of
from pages.shared.study_store import study_named, study_store, study_table
from pages.shared.theme import as_text, current_theme
from viz.parts.row_table import Column
from viz.studies import pairs as drawn
from viz.studies.words import settings_apart

NOT_YET = "No question that both ask is finished on both sides yet."
MEASURED = ("A", "B", "B − A", "from", "to", "spread")


def draw_beside(table: StudyTable) -> None:
    """Draw the choice of both sides, what changed, and every paired difference."""
    with sentences():
        sides = all_sides(table, study_store().listing())
    own = [name for name, (study, _) in sides.items() if study == table.study.id]
    if len(sides) < 2:
        st.info("Nothing to compare: vary a setting, or study the same questions again.")
        return
    key, names = f"studies.beside.{table.study.id}", tuple(sides)
    left, right = st.columns(2)
    at_a = lasting_key(f"{key}.a", own[0], names)
    first = one_of(left.selectbox("A", names, key=at_a), names, own[0])
    others = tuple(name for name in names if name != first)
    at_b = lasting_key(f"{key}.b", others[0], others)
    second = one_of(right.selectbox("B", others, key=at_b), others, others[0])
    with sentences():
        a, b = side_of(*sides[first]), side_of(*sides[second])
    if a is None or b is None:
        st.info("One of these studies is no longer stored.")
        return
    if a.table.study.id != b.table.study.id:
        st.caption(as_text(settings_apart(a.table.study.plan, b.table.study.plan)))
    draw_pairs(a, b, key)


def all_sides(table: StudyTable, studies: tuple[Study, ...]) -> dict[str, tuple[str, int | None]]:
    """Return every side there is by its name: each study, and each variant of those that vary."""
    found: dict[str, tuple[str, int | None]] = {}
    for study in sorted(studies, key=lambda one: one.id != table.study.id):
        for place, variant in enumerate(study.plan.variants):
            varies = len(study.plan.variants) > 1
            name = f"{study.plan.name}{f' · {variant.label}' if varies else ''} · {study.id}"
            found[name] = (study.id, place if varies else None)
    return found


def side_of(study_id: str, variant: int | None) -> Side | None:
    """Return one side, None where its study is gone."""
    study = study_named(study_id)
    return None if study is None else Side(study_table(study), variant)


def draw_pairs(first: Side, second: Side, key: str) -> None:
    """Draw what is different between two sides."""
    pairs = paired(first, second)
    if pairs.empty:
        shared = share_questions(first, second)
        st.info(NOT_YET if shared else "These two share no question and correct answer.")
        return
    st.markdown(f"**{as_text(drawn.changed_sentence(changed(pairs), pairs, 'A', 'B'))}**")
    found = differences(pairs)
    if found:
        title = drawn.differences_title(found, first.table)
        figure = drawn.differences_figure(found, first.table, current_theme())
        draw_figure(figure, key=f"{key}.figure", name="study-differences", alt=title, panels=True)
        columns = {name: Column(form=".3f") for name in MEASURED}
        draw_rows(drawn.differences_table(found, first.table), columns=columns, alt=title)
    st.markdown("**The questions, those that changed first**")
    alt = "Questions of both sides in pairs"
    draw_rows(drawn.changed_table(pairs), key=f"{key}.changed", alt=alt, height=LIST_HEIGHT)
