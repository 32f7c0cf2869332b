"""The list of studies: where each stands, and the way into one."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from engine.runs.studies.plan import settings_words
from engine.runs.studies.records import Study
from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.study_store import STUDY_PARAMETER, study_store
from pages.shared.theme import as_text
from pages.shared.undo import draw_undo

DELETED = "studies.deleted"
WIDTHS = {"Study": 150, "State": 72, "Methods": 170, "Varies": 90, "Corpus": 120}


def draw_list(studies: Sequence[Study]) -> None:
    """Draw every study as a row, and what can be done with the selected one."""
    draw_way_back()
    if not studies:
        st.info("No study yet. Upload questions below, or use a shell:")
        st.code("microscope study questions.jsonl --corpus PATH --method dense --method seper", language=None)
        return
    selection = st.dataframe(
        [study_row(one) for one in studies],
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"studies.list.{len(studies)}",
        column_config={
            "Begun": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=128),
            "Done": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0, width=105),
            **{name: st.column_config.TextColumn(width=width) for name, width in WIDTHS.items()},
        },
        alt="Studies, newest first",
    )
    rows = session.selected_rows(selection, len(studies))
    if not rows:
        st.caption("Select a study to open it.")
        return
    draw_selected(studies[rows[0]])


def study_row(study: Study) -> dict[str, object]:
    """Return a study as a row of the list."""
    words = settings_words(study.plan)
    return {
        "Study": study.plan.name,
        "State": study.state,
        "Done": study.share,
        "Begun": datetime.fromisoformat(study.created_at),
        "Points": study.points,
        "Failed": study.failed,
        "Methods": words["Methods"],
        "Varies": words["Varies"],
        "Corpus": words["Corpus"],
    }


def draw_selected(study: Study) -> None:
    """Draw what can be done with the selected study."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open", type="primary", icon=":material/open_in_full:", key="open_study"):
            session.set_address(STUDY_PARAMETER, study.id)
            st.rerun()
        if st.button("Delete", icon=":material/delete:", key="delete_study"):
            with sentences():
                study_store().delete(study.id)
            session.set_widget(DELETED, study.id)
            st.rerun()
        st.caption(f"Study {as_text(study.id)}")


def draw_way_back() -> None:
    """Offer to bring back the study that was deleted last."""
    study_id = session.widget_state(DELETED)
    if isinstance(study_id, str):
        said = f"Study {as_text(study_id)} was deleted. Its runs are kept."
        draw_undo(DELETED, said, "undo_delete_study", lambda: study_store().restore(study_id))
