"""The editor of pasted passages: rows to edit, move and remove, and what the model will read of them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from engine.backends.retrieval.documents import documents_from_upload, passages_from_text
from engine.core.errors import CorpusError
from engine.core.records import Document, Passage
from engine.core.words import counted
from pages.shared import session
from pages.shared.resources import shown_errors
from pages.shared.undo import leave_undo
from pages.shared.unsent import keep_unsent
from pages.shared.uploads import Upload, safe_name

FORM, PASTE_BOX = "form", "pasted"


def box_text() -> str:
    """Return what stands in the box for passages now."""
    return str(session.widget_state(session.form_name(PASTE_BOX)) or "")


def passage_editor() -> None:
    """Draw the passages to be read, each with its title and text, to be edited, moved and removed."""
    for place, row in enumerate(session.passage_rows()):
        with st.container(border=True, key=f"passage-{row.row}"):
            draw_row(place, row, len(session.passage_rows()))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Edit what was pasted", key="passages.add", on_click=add_pasted, icon=":material/edit_note:")
        with shown_errors():
            count = len(edited_passages())
            st.caption(f"Reads {counted(count, 'passage')}." if count else "No passages yet.")


def draw_row(place: int, row: session.PassageRow, count: int) -> None:
    """Draw one passage of the editor with its buttons, and keep what was typed."""
    head, buttons = st.columns([2, 1], vertical_alignment="bottom")
    title = head.text_input(
        f"Title of passage {place + 1}",
        key=session.widget_key(f"row.title.{row.row}", row.title),
        on_change=keep_unsent,
    )
    with buttons, st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        move, last = session.move_row, place == count - 1
        st.button("Up", key=f"row.up.{row.row}", disabled=place == 0, on_click=move, args=(row.row, -1))
        st.button("Down", key=f"row.down.{row.row}", disabled=last, on_click=move, args=(row.row, 1))
        st.button("Remove", key=f"row.out.{row.row}", on_click=remove_passage, args=(row.row,))
    text = st.text_area(
        f"Text of passage {place + 1}",
        key=session.widget_key(f"row.text.{row.row}", row.text),
        height=110,
        on_change=keep_unsent,
    )
    session.edit_row(row.row, str(title or ""), str(text or ""))


def remove_passage(row: int) -> None:
    """Take a passage out of the editor, which can be undone."""
    leave_undo(FORM, "The passage was removed.", partial(session.put_rows, session.passage_rows()))
    session.remove_row(row)


def add_pasted() -> None:
    """Append pasted passages to the editor and empty the box; where there is none, leave the sentence that says so.

    The box is read here and not when it was drawn: one click may both leave the box and press the button.
    """
    try:
        session.add_passages(passages_from_text(box_text()))
    except CorpusError as exc:
        session.leave_notice(str(exc))
        return
    session.set_widget(session.form_name(PASTE_BOX), "")


def add_files(files: Sequence[Upload]) -> bool:
    """Return whether the paragraphs of dropped files were appended to the editor.

    Where one file cannot be read, none is, and its sentence is left.
    """
    try:
        documents = [one for file in files for one in documents_from_upload(safe_name(file.name), file.getvalue())]
        passages = [passage for document in documents for passage in document_passages(document)]
    except CorpusError as exc:
        session.leave_notice(str(exc))
        return False
    session.add_passages(passages)
    return True


def document_passages(document: Document) -> tuple[Passage, ...]:
    """Return a document as passages, one a paragraph, under its title where they have none of their own."""
    return tuple(
        replace(passage, title=passage.title or document.title, source=document.source)
        for passage in passages_from_text(document.text)
    )


def edited_passages() -> tuple[Passage, ...]:
    """Return the passages of the editor as the model will read them, then those in the box; empty ones are left out.

    Raises CorpusError where what stands in the box cannot be read.
    """
    pasted = box_text()
    edited = tuple(
        Passage(text=row.text.strip(), title=row.title.strip(), source="pasted")
        for row in session.passage_rows()
        if row.text.strip()
    )
    return (*edited, *(passages_from_text(pasted) if pasted.strip() else ()))
