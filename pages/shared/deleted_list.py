"""What was deleted and can still come back, on a page of lists: a table to restore from, or to delete from for good."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from pages.shared import session
from pages.shared.resources import sentences
from pages.shared.rows import LIST_HEIGHT, choose_row
from pages.shared.undo import confirmed, forget_deletion
from viz.parts.words import counted

ERASE = "Delete for good"


class Deleted(NamedTuple):
    """One thing that was deleted: its id, its row of the table, and whether it may be deleted for good."""

    id: str
    row: Mapping[str, object]
    erasable: bool = True


class Kind(NamedTuple):
    """A kind of deleted things: what one and many are called, the two ways out by id, and what the second one takes.

    ``erase`` None: the program does it by itself; ``warning`` says when. ``undo_place`` is where the page keeps the way
    back from its last deletions.
    """

    one: str
    many: str
    restore: Callable[[str], object]
    erase: Callable[[str], object] | None
    warning: str
    undo_place: str


def named_row(name: str, deleted_at: str) -> dict[str, object]:
    """Return a deleted thing that has a name as a row of the table, its time to the minute."""
    return {"Name": name, "Deleted": deleted_at[:16].replace("T", " ")}


def draw_deleted(kind: Kind, found: Sequence[Deleted]) -> None:
    """Draw what was deleted as a closed list; nothing where nothing was."""
    if not found:
        return
    title = counted(len(found), f"deleted {kind.one}", f"deleted {kind.many}")
    with st.expander(title, icon=":material/delete:", key=f"{kind.one}.deleted.open"):
        rows, ids = [one.row for one in found], [one.id for one in found]
        row = choose_row(rows, ids, key=f"{kind.one}.deleted", height=LIST_HEIGHT, alt=title)
        if row is None:
            st.caption(
                "Select one to restore it or to delete it for good." if kind.erase else "Select one to restore it."
            )
        else:
            draw_ways(kind, found[row])


def draw_ways(kind: Kind, chosen: Deleted) -> None:
    """Draw the two ways out for the selected one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Restore", type="primary", icon=":material/restore_from_trash:", key=f"restore_{kind.one}"):
            go(kind, kind.restore, chosen.id, f"The {kind.one} is back in the list.")
        if kind.erase is None:
            st.caption(kind.warning)
        elif not chosen.erasable:
            st.caption("It ships with the program, so it can only be hidden.")
        elif confirmed(ERASE, kind.warning, ERASE, key=f"erase_{kind.one}", icon="delete_forever"):
            go(kind, kind.erase, chosen.id, f"The {kind.one} is gone for good.")


def go(kind: Kind, way: Callable[[str], object], deleted: str, said: str) -> None:
    """Take one way out, forget the shorter way back from this deletion, and draw the page anew."""
    with sentences():
        way(deleted)
    forget_deletion(kind.undo_place, deleted)
    session.leave_notice(said)
    st.rerun()
