"""Corpora on a page: taking in files, what became of each, how far the indexing is, the questions found in them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

import streamlit as st

from engine.backends.retrieval.readers import SUFFIXES
from engine.backends.retrieval.web_files import fetch_all
from engine.core.allowed import refuse_unlisted
from engine.core.errors import CorpusError
from engine.core.words import counted
from engine.runs.corpora import shelf
from engine.runs.corpora.shelf import CorpusEntry
from pages.shared import links, session
from pages.shared.draft import FILES
from pages.shared.resources import indexer, sentences, store
from pages.shared.theme import as_text
from pages.shared.uploads import Upload, extended_uploads, keep_uploads
from viz.workspace.corpora import file_rows, progress_sentence, progress_share, reading_sentence

POLL_SECONDS = 1.0
# Held from reading which files a corpus has until it has more: of two tabs that add files, neither loses any.
ADDING = Lock()
UNFINISHED = ("stopped", "failed")
KINDS = ", ".join(suffix.removeprefix(".") for suffix in SUFFIXES)


def take_in(files: Sequence[Upload], into: CorpusEntry | None = None) -> CorpusEntry:
    """Return the corpus of uploaded files, which begins to be indexed; ``into`` = the one they are added to."""
    if into is not None:
        return extend(into.id, files)
    shelf.refuse_more_corpora()
    worker = indexer()  # before the corpus is added: a new one queues what is unfinished, and would read it twice
    folder = keep_uploads(files)
    entry = shelf.add(folder, uploads_name(files))
    worker.submit(entry.id)
    return entry


def extend(entry_id: str, files: Sequence[Upload]) -> CorpusEntry:
    """Return a corpus of uploads with more files, which begins to be indexed.

    The folder it had is removed, unless a study or a run that is not over looks into it, or a study cannot be read.
    """
    worker = indexer()
    with ADDING:
        before = shelf.entry_of(entry_id)
        former = before.path
        folder = extended_uploads(Path(former), files)
        entry = shelf.changed(entry_id, lambda one: replace(one, path=str(folder), state="waiting"))
        shelf.keep_given_name(entry)
    worker.submit(entry.id)
    from pages.shared.study_store import study_store  # brings pandas, for which the form need not wait

    studies = study_store()
    studied = studies.damaged() or any(study.plan.request.corpus == former for study in studies.listing())
    if not studied and not store().awaits(former):
        shelf.remove_former(former, before.person)
    return entry


def take_in_path(path: str) -> CorpusEntry:
    """Return the corpus at a path on this machine, which begins to be indexed. Raises InputError where there is none.

    Where the workbench is open to a network, only what its owner lists may be named.
    """
    typed = path.strip()
    refuse_unlisted(typed, "corpus")
    found = Path(typed).expanduser()
    if not typed or not found.exists():
        raise CorpusError(f"No file or folder {path[:200]} on the program's machine.")
    worker = indexer()
    entry = shelf.add(found)
    worker.submit(entry.id)
    return entry


def take_in_addresses(typed: str) -> tuple[str, ...]:
    """Take in the pages and files at the addresses typed as one corpus; return why others gave nothing.

    Raises InputError for a visitor, and where no address gave a file.
    """
    files, faults = fetch_all(typed.split())
    if not files:
        raise CorpusError(" ".join(faults) or "Type an address that begins with http:// or https://.")
    take_in(files)
    return faults


def uploads_name(files: Sequence[Upload]) -> str:
    """Return what a corpus of uploads is called: its folder, its only file, or its first file and how many more."""
    first = Path(files[0].name.replace("\\", "/"))
    if len(first.parts) > 1:
        return first.parts[0]
    return first.name if len(files) == 1 else f"{first.name} and {counted(len(files) - 1, 'more file')}"


def draw_files(entry: CorpusEntry) -> None:
    """Draw what became of every file: skipped ones at once, all of them on request."""
    if not entry.files:
        return
    # pandas takes half a second, for which the form need not wait without files.
    from pages.shared.rows import LIST_HEIGHT, draw_rows

    st.caption(as_text(reading_sentence(entry.files)))
    noted = [row for row in file_rows(entry.files) if row["Notes"]]
    if entry.skipped:
        st.warning(
            as_text(f"{counted(len(entry.skipped), 'file')} could not be read."),
            icon=":material/warning:",
        )
    if noted:
        draw_rows(noted, key=f"noted.{entry.id}", alt="Files with a note", height=LIST_HEIGHT)
    with st.popover("Every file", icon=":material/description:"):
        said = reading_sentence(entry.files)
        draw_rows(file_rows(entry.files), key=f"files.{entry.id}", alt=said, height=LIST_HEIGHT)


def draw_progress(entry: CorpusEntry) -> None:
    """Draw how far the indexing of a corpus is, with the way to stop it or to go on."""
    if indexer().progress(entry.id) is not None:
        st.fragment(draw_going, run_every=POLL_SECONDS)(entry.id, entry.state, time.monotonic())
    elif entry.state in UNFINISHED:
        st.warning(as_text(entry.reason), icon=":material/info:")
        st.button(
            "Resume indexing", key=f"resume.{entry.id}", icon=":material/resume:", on_click=resume, args=(entry.id,)
        )


def draw_going(entry_id: str, drawn_state: str, drawn_at: float) -> None:
    """Draw the progress of one indexing; the page is drawn anew where its state is another one.

    Not while the page itself is drawn, which ``drawn_at`` tells: a click on what stands below would be lost.
    """
    progress = indexer().progress(entry_id)
    with sentences():
        state = shelf.entry_of(entry_id).state
    if (progress is None or state != drawn_state) and time.monotonic() - drawn_at > POLL_SECONDS / 2:
        st.rerun()
    if progress is None:
        return
    st.progress(progress_share(progress), text=as_text(progress_sentence(progress)))
    st.button("Cancel", key=f"cancel.{entry_id}", icon=":material/stop_circle:", on_click=cancel, args=(entry_id,))


def resume(entry_id: str) -> None:
    """Go on with indexing; what was embedded is not embedded again."""
    indexer().submit(entry_id)


def cancel(entry_id: str) -> None:
    """Stop the indexing of a corpus at its next step."""
    indexer().cancel(entry_id)
    st.toast("Stopping after this batch.")


def draw_questions(entry: CorpusEntry) -> None:
    """Draw the questions found in a corpus, each with a way to ask it over the corpus."""
    if not entry.questions:
        return
    found = shelf.questions_of(entry.id)
    place = st.selectbox(
        f"{counted(len(found), 'question')} found in these files",
        range(len(found)),
        index=None,
        format_func=lambda at: found[at].question,
        placeholder="Choose one to ask",
        key=f"questions.{entry.id}",
    )
    if isinstance(place, int) and 0 <= place < len(found):
        golds = found[place].golds
        st.caption(as_text(f"Correct answers: {', '.join(golds)}" if golds else "The file gives no answer."))
        if st.button("Ask this question", key=f"ask_found.{entry.id}", icon=":material/search:"):
            ask_over(entry, found[place].question, golds)


def ask_over(entry: CorpusEntry, question: str = "", golds: Sequence[str] = ()) -> None:
    """Leave for the Ask page with this corpus, and a question where one is given."""
    session.close_run()
    draft = replace(session.ask_draft(), source=FILES, corpus_path=entry.path, base=None, parent="")
    if question:
        draft = replace(draft, question=question, golds="\n".join(golds))
    session.fill_form(draft)
    links.leave_for("ask", None)
