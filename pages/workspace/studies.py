"""Studies: many questions as ordinary runs, in one table, one figure, the papers' views, and side by side."""

import streamlit as st

from engine.runs.studies.records import Study
from pages.shared import session
from pages.shared.lasting import lasting_key
from pages.shared.resources import sentences
from pages.shared.sent_values import one_of
from pages.shared.study_store import STUDY_PARAMETER, chosen_study, study_store, study_table
from pages.shared.texts import draw_head
from pages.shared.theme import as_text, current_theme
from pages.shared.visitors import closed_to_visitors
from pages.studying.beside import draw_beside
from pages.studying.exporting import draw_export
from pages.studying.listing import draw_hidden, draw_list
from pages.studying.numbers import draw_numbers
from pages.studying.progress import draw_standing
from pages.studying.starting import draw_start
from pages.studying.table import draw_table
from pages.studying.views import draw_views
from viz.studies.tiles import tiles_html

PARTS = {
    "Table": draw_table,
    "Any number": draw_numbers,
    "The papers' views": draw_views,
    "Side by side": draw_beside,
    "Report": draw_export,
}


def main() -> None:
    """Draw the studies and the way to start one, or the study that the address names."""
    closed_to_visitors("start and read studies")
    with sentences():
        study = chosen_study()
    if study is not None:
        draw_study(study)
        return
    draw_head("studies", "Studies")
    if notice := session.pop_notice():
        st.info(as_text(notice))
    with sentences():
        studies, deleted, damaged = study_store().listing(), study_store().deleted(), study_store().damaged()
    if asked := session.address_parameter(STUDY_PARAMETER):
        gone = any(one.id == asked for one in deleted)
        st.warning("This study was deleted. You can restore it below." if gone else "There is no such study here.")
    for name in damaged:
        st.warning(as_text(f"Study {name} cannot be read. Hide it with: microscope studies delete {name}"))
    draw_list(studies, len(deleted))
    draw_hidden(deleted)
    draw_start(opened=not studies)


def draw_study(study: Study) -> None:
    """Draw one study: where it stands, and the part of it that is chosen."""
    draw_head("study", as_text(study.plan.name))
    draw_standing(study)
    with sentences():
        table = study_table(study)
    if not study.finished:
        st.info("No question is finished yet.")
        return
    if cards := tiles_html(table, current_theme()):
        st.html(cards)
    names = tuple(PARTS)
    picked = st.segmented_control(
        "Part",
        names,
        key=lasting_key(f"studies.part.{study.id}", names[0]),
        required=True,
        label_visibility="collapsed",
    )
    PARTS[one_of(picked, names, names[0])](table)


main()
