"""The list of studies: where each stands, and the way into one."""

from collections.abc import Sequence

import streamlit as st

from engine.runs.studies.plan import settings_words
from engine.runs.studies.records import Study
from pages.shared import session
from pages.shared.deleted_list import Deleted, Kind, draw_deleted
from pages.shared.resources import sentences
from pages.shared.rows import LIST_HEIGHT, choose_row
from pages.shared.study_store import STUDY_PARAMETER, study_store
from pages.shared.theme import as_text
from pages.shared.undo import draw_deletions, leave_deletion

DELETED = "studies.deleted"


def draw_list(studies: Sequence[Study], deleted: int) -> None:
    """Draw every study as a row, and what can be done with the selected one; ``deleted`` ones can be restored."""
    draw_way_back()
    if not studies:
        none = "Every study was deleted; restore one below." if deleted else "No study yet."
        st.info(f"{none} Upload questions below, or use a shell:")
        st.code(
            "microscope study questions.jsonl --corpus PATH --method dense --method seper",
            language=None,
            wrap_lines=True,
        )
        return
    row = choose_row(
        [study_row(one) for one in studies],
        [one.id for one in studies],
        key="studies.list",
        height=LIST_HEIGHT,
        alt="Studies, newest first",
    )
    if row is None:
        st.caption("Select a study to open it.")
        return
    draw_selected(studies[row])


def study_row(study: Study) -> dict[str, object]:
    """Return a study as a row of the list."""
    words = settings_words(study.plan)
    return {
        "Study": study.plan.name,
        "State": study.state,
        "Done": f"{study.finished:,} of {study.points:,}",
        "Started": study.created_at[:16].replace("T", " "),
        "Failed": study.failed,
        "Methods": words["Methods"],
        "Varies": words["Varies"],
        "Passages": words["Passages"],
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
            leave_deletion(DELETED, study.id, f"{as_text(study.plan.name)} was deleted. Its runs are kept.")
            st.rerun()
        st.caption(f"Study {as_text(study.id)}")


def draw_way_back() -> None:
    """Offer to bring back the study that was deleted last."""
    draw_deletions(DELETED, "undo_delete_study", study_store().restore)


def draw_hidden(studies: Sequence[Study]) -> None:
    """Draw the deleted studies, each to be restored or to be deleted for good."""
    kind = Kind(
        one="study",
        many="studies",
        restore=study_store().restore,
        erase=study_store().erase,
        warning="Its questions and its table go for good. Its runs stay.",
        undo_place=DELETED,
    )
    draw_deleted(kind, [Deleted(id=one.id, row=study_row(one)) for one in studies])
