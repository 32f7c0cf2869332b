"""Documents: the corpora of this machine. Files come in, are read, indexed, renamed, added to, deleted."""

import streamlit as st

from engine.core.allowed import acting_person
from engine.core.errors import MicroscopeError
from engine.core.folders import sample_data
from engine.core.words import duration_text
from engine.runs.corpora import shelf
from engine.runs.corpora.shelf import CorpusEntry
from pages.shared import corpus_view, session
from pages.shared.deleted_list import Deleted, Kind, draw_deleted, named_row
from pages.shared.resources import indexer, sentences, shown_errors
from pages.shared.texts import draw_head
from pages.shared.theme import as_text
from pages.shared.undo import draw_deletions, leave_deletion
from viz.workspace.corpora import STATES, entry_sentence, intake_html, size_text

DELETED = "documents.deleted"
FILES, FOLDER = "documents.files", "documents.folder"
INTAKES = "documents.intakes"
# What the last intake could not take: it stays while the page redraws itself during indexing.
TOLD = "documents.told"


def main() -> None:
    """Draw the way in, then every corpus."""
    draw_head("documents", "Documents")
    if told := session.widget_state(TOLD):
        st.error(as_text(str(told)), icon=":material/error:")
    draw_intake()
    draw_way_back()
    with sentences():
        found = shelf.entries()
        damaged = shelf.damaged() if acting_person() is None else ()
    for file in damaged:
        st.warning(as_text(f"{file} cannot be read. Move it away, then add its corpus again."))
    if not found:
        draw_none()
        draw_hidden()
        return
    st.header("Your corpora")
    for entry in found:
        with st.container(border=True, key=f"corpus-{entry.id}"):
            draw_entry(entry)
    draw_hidden()


def draw_hidden() -> None:
    """Draw the deleted corpora that can still be restored."""
    with sentences():
        hidden = shelf.deleted_entries()
    found = [Deleted(id=one.id, row=named_row(one.name, one.deleted_at)) for one in hidden]
    warning = "At most the last ten are kept, for a day."
    draw_deleted(Kind("corpus", "corpora", shelf.restore, None, warning, DELETED), found)


def draw_none() -> None:
    """Draw what becomes of documents, and the way to see it with the shipped encyclopaedia."""
    st.html(intake_html(corpus_view.KINDS))
    if acting_person() is None and st.button(
        "Try the sample encyclopaedia", key="documents.sample", icon=":material/play_circle:"
    ):
        with shown_errors():
            corpus_view.take_in_path(str(sample_data()))
            st.rerun()


def draw_intake() -> None:
    """Draw the ways in: files, a folder from the browser, a path on this machine, addresses on the web."""
    left, right = st.columns(2)
    for column, name, label, several in (
        (left, FILES, "Drop files here", True),
        (right, FOLDER, "Or a whole folder", "directory"),
    ):
        key = uploader_key(name)
        column.file_uploader(
            label,
            accept_multiple_files=several,  # type: ignore[arg-type]
            key=key,
            on_change=take_in_uploads,
            args=(name,),
            help=f"{corpus_view.KINDS}. Files stay on the program's machine.",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        path = st.text_input("Or a path on this machine", key="documents.path", placeholder="~/articles")
        if st.button("Add", key="documents.add_path", icon=":material/add:"):
            session.set_widget(TOLD, "")
            with shown_errors():
                corpus_view.take_in_path(path or "")
                st.rerun()
    if acting_person() is None:
        draw_addresses()


def draw_addresses() -> None:
    """Draw the way in for pages and files on the web, which only the owner has."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "Or addresses on the web, separated by spaces",
            key="documents.addresses",
            placeholder="https://example.org/report.pdf",
            help="Each is fetched once. Links are not followed.",
        )
        if not st.button("Fetch", key="documents.fetch", icon=":material/download:"):
            return
    with shown_errors(), st.spinner("Fetching …"):
        session.set_widget(TOLD, " ".join(corpus_view.take_in_addresses(typed or "")))
        st.rerun()


def uploader_key(name: str) -> str:
    """Return the key of an uploader: another one after it took something in, so that it is empty again."""
    return f"{name}.{session.widget_state(INTAKES) or 0}"


def take_in_uploads(name: str) -> None:
    """Take in what an uploader holds and empty it; what cannot be stored leaves its sentence."""
    files = session.widget_state(uploader_key(name))
    if not isinstance(files, list) or not files:
        return
    session.set_widget(TOLD, "")
    try:
        corpus_view.take_in(files)
    except MicroscopeError as exc:
        session.set_widget(TOLD, str(exc))
    done = session.widget_state(INTAKES)
    session.set_widget(INTAKES, (done if isinstance(done, int) else 0) + 1)


def draw_entry(entry: CorpusEntry) -> None:
    """Draw one corpus: its name and size, how far it is, its files, its questions, what can be done with it."""
    st.subheader(as_text(entry.name))
    took = f" Indexed in {duration_text(entry.seconds)}." if entry.state == "ready" and entry.seconds >= 1 else ""
    with sentences():
        stored = shelf.index_size(entry)
    kept = f" The index takes {size_text(stored)}." if stored else ""
    st.caption(as_text(f"{STATES[entry.state]}. {entry_sentence(entry)}{kept}{took}"))
    corpus_view.draw_progress(entry)
    draw_actions(entry)
    corpus_view.draw_files(entry)
    corpus_view.draw_questions(entry)


def draw_actions(entry: CorpusEntry) -> None:
    """Draw what can be done with a corpus: ask, add files, read again, rename, delete."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Ask over it", key=f"ask.{entry.id}", type="primary", icon=":material/search:"):
            corpus_view.ask_over(entry)
        if entry.uploaded:
            draw_adding(entry)
        else:
            st.button(
                "Read again",
                key=f"again.{entry.id}",
                icon=":material/refresh:",
                help="Reads only what changed.",
                on_click=corpus_view.resume,
                args=(entry.id,),
            )
        draw_renaming(entry)
        # A callback runs before anything is drawn: the page may be drawn anew before it comes to this button.
        st.button("Delete", key=f"delete.{entry.id}", icon=":material/delete:", on_click=delete_entry, args=(entry,))


def draw_renaming(entry: CorpusEntry) -> None:
    """Draw the box for another name, which closes once the name is stored."""
    popover = f"renaming.{entry.id}"
    with st.popover("Rename", icon=":material/edit:", key=popover, on_change="rerun"):
        name = st.text_input("Name", value=entry.name, key=f"name.{entry.id}", max_chars=shelf.LONGEST_NAME)
        st.button("Save the name", key=f"rename.{entry.id}", on_click=rename_entry, args=(entry.id, popover))
        if not str(name or "").strip():
            st.warning("A corpus needs a name.")


def rename_entry(entry_id: str, popover: str) -> None:
    """Store the name in the box and close the popover; without a name it stays open. What hinders it is told."""
    name = str(session.widget_state(f"name.{entry_id}") or "")
    if not name.strip():
        return
    session.set_widget(TOLD, "")
    try:
        shelf.rename(entry_id, name)
    except MicroscopeError as exc:
        session.set_widget(TOLD, str(exc))
    session.set_widget(popover, False)


def draw_adding(entry: CorpusEntry) -> None:
    """Draw the way to add files to an uploaded corpus."""
    with st.popover("Add files", icon=":material/note_add:"):
        files = st.file_uploader("More files", accept_multiple_files=True, key=f"more.{entry.id}.{entry.path[-8:]}")
        if files and st.button("Add them", key=f"add.{entry.id}"):
            with sentences():
                corpus_view.take_in(files, entry)
            st.rerun()


def delete_entry(entry: CorpusEntry) -> None:
    """Take a corpus off the list, which can be undone; what hinders it leaves its sentence."""
    session.set_widget(TOLD, "")
    indexer().cancel(entry.id)
    try:
        shelf.delete(entry.id)
    except MicroscopeError as exc:
        session.set_widget(TOLD, str(exc))
        return
    leave_deletion(DELETED, entry.id, f"{as_text(entry.name)} was deleted. Your own files stay.")


def draw_way_back() -> None:
    """Offer to bring back the corpus that was deleted last."""
    draw_deletions(DELETED, "undo_delete_corpus", shelf.restore)


main()
